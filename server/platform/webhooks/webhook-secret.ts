import { randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'

/** Returns a new secret of 192 bits, in the format that all implementations of Standard Webhooks accept. */
export function createWebhookSecret(): string {
  return PREFIX + randomBytes(24).toString('base64')
}

/**
 * Returns the bytes of a secret. If the secret starts with `whsec_`, decodes the rest from base64. Otherwise, returns
 * the UTF-8 bytes of the entire secret.
 */
export function decodeSecret(secret: string): Buffer {
  return secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), 'base64') : Buffer.from(secret, 'utf8')
}

/** Returns the encryption context of a subscription's secret. */
export function getSecretEncryptionContext(organizationId: string, webhookId: string): string {
  return `webhook secret ${organizationId} ${webhookId}`
}
