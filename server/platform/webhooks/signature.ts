import { createHmac } from 'node:crypto'

/**
 * Returns the signature header according to Standard Webhooks. The signed bytes are
 * `{webhook-id}.{webhook-timestamp}.{raw body}`. A signature consists of `v1,` followed by the HMAC SHA-256 of these
 * bytes in base64. During a rotation, the header contains a signature for each secret, separated by spaces.
 */
export function signPayload(keys: readonly Buffer[], id: string, timestampSeconds: number, body: Buffer): string {
  const start = `${id}.${timestampSeconds}.`
  return keys.map((key) => `v1,${createHmac('sha256', key).update(start).update(body).digest('base64')}`).join(' ')
}
