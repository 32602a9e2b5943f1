import { placeOfLink } from '../../domain/office/mail/link.ts'
import { placeOfTaxId } from '../../domain/vendors/vendors/tax-id-place.ts'
import { placeOfAnswer } from '../../interfaces/http/idempotency.ts'
import { placeOfAddress } from '../../platform/keys/portal-addresses.ts'
import { placeOf } from '../../platform/webhooks/secret.ts'

/** A column of encrypted values, with the encryption context of its rows. */
export interface SealedColumn {
  readonly table: string
  /** The columns that identify a row with encrypted values, the organization first. */
  readonly key: readonly [string, string]
  readonly column: string
  place(organizationId: string, key: string): string
}

/** All such columns. Values in any other column are lost when the encryption key is rotated. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'webhooks', key: ['organizationId', 'id'], column: 'secret', place: placeOf },
  { table: 'webhooks', key: ['organizationId', 'id'], column: 'previousSecret', place: placeOf },
  { table: 'idempotencyRecords', key: ['organizationId', 'key'], column: 'body', place: placeOfAnswer },
  { table: 'mails', key: ['organizationId', 'id'], column: 'sealedLink', place: placeOfLink },
  { table: 'portalAddresses', key: ['organizationId', 'subjectId'], column: 'sealedToken', place: placeOfAddress },
  { table: 'vendors', key: ['organizationId', 'id'], column: 'sealedTaxId', place: placeOfTaxId },
]
