import { randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'

/** 192 bits, in the form that every Standard Webhooks verifier reads. */
export function newSecret(): string {
  return PREFIX + randomBytes(24).toString('base64')
}

/** The bytes that a secret stands for: what follows `whsec_`, base64-decoded, or otherwise the UTF-8 of the whole. */
export function keyOf(secret: string): Buffer {
  return secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), 'base64') : Buffer.from(secret, 'utf8')
}

/** The context that a subscription's secret is sealed for. */
export function placeOf(organizationId: string, webhookId: string): string {
  return `webhook secret ${organizationId} ${webhookId}`
}
