import { createHmac } from 'node:crypto'

/**
 * Returns the signature header of Standard Webhooks. The signed bytes are `{webhook-id}.{webhook-timestamp}.{raw
 * body}`. A signature consists of `v1,` and the base64-encoded HMAC SHA-256 of these bytes. During a rotation, the
 * header contains one signature for each secret, separated by a space.
 */
export function signPayload(keys: readonly Buffer[], id: string, timestampSeconds: number, body: Buffer): string {
  const start = `${id}.${timestampSeconds}.`
  return keys.map((key) => `v1,${createHmac('sha256', key).update(start).update(body).digest('base64')}`).join(' ')
}
