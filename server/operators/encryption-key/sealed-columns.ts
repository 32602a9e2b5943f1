import { linkSealContext } from '../../domain/office/mail/mail-link.ts'
import { taxIdSealContext } from '../../domain/vendors/vendors/tax-id-seal-context.ts'
import { responseSealContext } from '../../interfaces/http/idempotency.ts'
import { portalLinkSealContext } from '../../platform/keys/portal-links.ts'
import { secretSealContext } from '../../platform/webhooks/webhook-secret.ts'

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
  { table: 'webhooks', key: ['organizationId', 'id'], column: 'secret', place: secretSealContext },
  { table: 'webhooks', key: ['organizationId', 'id'], column: 'previousSecret', place: secretSealContext },
  { table: 'idempotencyRecords', key: ['organizationId', 'key'], column: 'body', place: responseSealContext },
  { table: 'mails', key: ['organizationId', 'id'], column: 'sealedLink', place: linkSealContext },
  {
    table: 'portalAddresses',
    key: ['organizationId', 'subjectId'],
    column: 'sealedToken',
    place: portalLinkSealContext,
  },
  { table: 'vendors', key: ['organizationId', 'id'], column: 'sealedTaxId', place: taxIdSealContext },
]
