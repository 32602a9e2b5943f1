import { getLinkEncryptionContext } from '../../domain/office/mail/mail-link.ts'
import { getTaxIdEncryptionContext } from '../../domain/vendors/vendors/tax-id-encryption-context.ts'
import { getResponseEncryptionContext } from '../../interfaces/http/idempotency.ts'
import { getPortalLinkEncryptionContext } from '../../platform/keys/portal-links.ts'
import { getSecretEncryptionContext } from '../../platform/webhooks/webhook-secret.ts'

/** A column with encrypted values, and the encryption context of its rows. */
export interface SealedColumn {
  readonly table: string
  /** The columns that identify a row. The first is the organization. */
  readonly key: readonly [string, string]
  readonly column: string
  place(organizationId: string, key: string): string
}

/**
 * All columns with encrypted values. If another column contained encrypted values, they would be lost when the key is
 * rotated.
 */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'webhooks', key: ['organizationId', 'id'], column: 'secret', place: getSecretEncryptionContext },
  { table: 'webhooks', key: ['organizationId', 'id'], column: 'previousSecret', place: getSecretEncryptionContext },
  { table: 'idempotencyRecords', key: ['organizationId', 'key'], column: 'body', place: getResponseEncryptionContext },
  { table: 'mails', key: ['organizationId', 'id'], column: 'sealedLink', place: getLinkEncryptionContext },
  {
    table: 'portalAddresses',
    key: ['organizationId', 'subjectId'],
    column: 'sealedToken',
    place: getPortalLinkEncryptionContext,
  },
  { table: 'vendors', key: ['organizationId', 'id'], column: 'sealedTaxId', place: getTaxIdEncryptionContext },
]
