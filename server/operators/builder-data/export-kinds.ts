import { sql } from 'kysely'
import type { WriteCall } from '../../platform/calls/call.ts'
import { type RecordDeclaration, records } from '../../platform/calls/records.gen.ts'
import type { columns } from '../../platform/database/columns.gen.ts'
import type { RecordName } from '../../platform/resources/declaration.ts'
import { findFinder } from '../../platform/resources/record-finders.ts'
import * as webhooks from '../../platform/webhooks/queries.ts'

/**
 * The kinds of a builder's data, for the export. Every table of an organization is its own kind, part of another kind's
 * records, or left out with a reason. A test checks this against the database, so that no later table or column is
 * forgotten.
 */
export interface ExportKind {
  kind: string
  table: Table
  /** The sort columns for pagination, which follow the organization in an index. */
  order: readonly string[]
  /** An SQL condition that the index requires. */
  where?: string
  /** The columns in the records; `leftOut` gives reasons for the others. Null if the records are as in the contract. */
  columns: readonly string[] | null
  leftOut?: Record<string, string>
  /** Returns the records of one page, in the page's order. */
  records(call: WriteCall, page: readonly StoredRow[]): Promise<object[]>
}

export type Table = keyof typeof columns
type ColumnOf<Name extends Table> = Exclude<keyof (typeof columns)[Name] & string, 'organizationId'>
export type StoredRow = Record<string, unknown>

/** Returns a kind with records in the contract's form. */
function contractKind(
  kind: string,
  table: Table,
  find: (call: WriteCall, ids: readonly string[]) => Promise<object[]>,
): ExportKind {
  return {
    ...{ kind, table, order: ['id'], columns: null },
    records: (call, page) =>
      find(
        call,
        page.map(({ id }) => String(id)),
      ),
  }
}

/** Returns a kind with rows as stored, if the contract has no such record or shows it only within another one. */
function storedKind<Name extends Table>(
  kind: string,
  table: Name,
  columns: readonly ColumnOf<Name>[],
  rest: Partial<ExportKind> = {},
): ExportKind {
  return { ...{ kind, table, order: ['id'], columns }, records: async (_call, page) => [...page], ...rest }
}

async function toEventRecords(_call: WriteCall, page: readonly StoredRow[]): Promise<object[]> {
  return page.map(({ payload, sequence, requestId, address }) => ({
    ...(JSON.parse(String(payload)) as object),
    ...{ sequence, requestId, address },
  }))
}

const EVENT_COLUMNS = ['sequence', 'payload', 'recordedOrder', 'requestId', 'address'] as const
const EVENT_OMISSIONS = {
  leftOut: {
    ...{ id: 'in the payload', type: 'in the payload', occurredAt: 'in the payload, as timestamp' },
    ...{ resourceId: 'in the payload', actorId: 'in the payload' },
    permissions: 'derived from the skill in the payload',
  },
  records: toEventRecords,
}

/** Records that are exported as stored or within other records, see below. */
const NESTED_KINDS = ['organization', 'key', 'invitation', 'delivery']

/** The records of the contract. Each slice has declared how its own are found. */
const RECORD_KINDS = Object.entries<RecordDeclaration>(records).flatMap(([schema, { kind, table }]) =>
  kind === undefined || NESTED_KINDS.includes(kind)
    ? []
    : [contractKind(kind, table as Table, (call, ids) => findFinder(schema as RecordName)(call, ids))],
)

export const EXPORT_KINDS: readonly ExportKind[] = [
  ...RECORD_KINDS,
  storedKind('key', 'apiKeys', [
    ...(['id', 'name', 'permissions', 'createdByUserId', 'expiresAt', 'revokedAt'] as const),
    ...(['allowedAddresses', 'proposeOnly', 'lastUsedAt', 'version', 'createdBy', 'createdAt', 'updatedAt'] as const),
  ]),
  storedKind('usage_day', 'usageDays', ['keyId', 'day', 'requests', 'refused'], { order: ['keyId', 'day'] }),
  storedKind('plan_revision', 'planRevisions', [
    ...(['id', 'planId', 'revision', 'squareFeet', 'bedrooms', 'bathrooms', 'garageSpaces', 'stories'] as const),
    ...(['basePrice', 'figures', 'elevations', 'createdBy', 'createdAt'] as const),
  ]),
  storedKind(
    'takeoff_line',
    'takeoffLines',
    [
      ...(['planId', 'revision', 'place', 'lineId', 'elevation', 'partId', 'quantity', 'formula'] as const),
      ...(['wastePercent', 'costCodeId', 'taskName'] as const),
    ],
    { order: ['planId', 'revision', 'place'] },
  ),
  storedKind(
    'option_takeoff_line',
    'optionTakeoffLines',
    [
      ...(['optionId', 'place', 'lineId', 'planId', 'elevation', 'partId', 'quantity', 'formula'] as const),
      ...(['wastePercent', 'costCodeId', 'taskName'] as const),
    ],
    { order: ['optionId', 'place'] },
  ),
  storedKind(
    'lump_sum',
    'lumpSums',
    [
      ...(['contractId', 'place', 'lineId', 'communityId', 'planId', 'elevation', 'optionId'] as const),
      ...(['costCodeId', 'description', 'amount', 'effectiveDate', 'expirationDate'] as const),
    ],
    { order: ['contractId', 'place'] },
  ),
  contractKind('delivery', 'deliveries', webhooks.findDeliveries),
  storedKind(
    'delivery_attempt',
    'deliveryAttempts',
    [
      ...(['deliveryId', 'id', 'url', 'attemptedAt', 'durationMs', 'outcome'] as const),
      ...(['responseStatus', 'responseBody', 'error'] as const),
    ],
    { order: ['deliveryId', 'id'] },
  ),
  storedKind(
    'ledger_state',
    'ledgerStates',
    [
      ...(['recordId', 'type', 'version', 'syncedAt', 'failedVersion', 'error', 'attempts'] as const),
      ...(['retryAt'] as const),
    ],
    { order: ['recordId'] },
  ),
  storedKind('ledger', 'ledgers', ['closedThrough', 'startDate'], { order: ['organizationId'] }),
  storedKind('posting', 'postings', [
    ...(['id', 'sequence', 'entryId', 'measure', 'amount', 'effectiveDate', 'recordedAt', 'homeId', 'scope'] as const),
    ...(['costCodeId', 'vendorId', 'poId', 'poLineId', 'billId', 'paymentId', 'saleId'] as const),
    ...(['reversesEntryId', 'basis', 'note', 'actor'] as const),
  ]),
  storedKind('audit_entry', 'auditEntries', [
    ...([
      'id',
      'at',
      'actorType',
      'actorId',
      'actorGrantId',
      'actorCopierId',
      'action',
      'resourceId',
      'changed',
    ] as const),
    ...(['outcome'] as const),
    ...(['reason', 'count', 'address', 'requestId'] as const),
  ]),
  storedKind('status_change', 'statusChanges', ['id', 'resourceId', 'from', 'to', 'at', 'by', 'reason']),
  storedKind('event', 'events', EVENT_COLUMNS, {
    ...EVENT_OMISSIONS,
    order: ['sequence'],
    where: '"sequence" is not null',
  }),
  storedKind('archive', 'archives', ['id', 'kind', 'month', 'records', 'size', 'sha256', 'createdAt'], {
    where: `"status" = 'kept'`,
    leftOut: { status: 'only kept archives are exported', claimedUntil: 'used only while a file is written' },
  }),
  // The most recent events have no sequence yet. There are only ever a few of them.
  storedKind('event', 'events', EVENT_COLUMNS, {
    ...EVENT_OMISSIONS,
    order: ['recordedOrder'],
    where: '"sequence" is null',
  }),
]

/** Tables whose rows are part of another kind's records. */
export const NESTED_TABLES: Partial<Record<Table, string>> = {
  invitations: 'bid_request',
  messageRecipients: 'message',
  paymentAllocations: 'payment',
  purchaseOrderLines: 'purchase_order',
}

/** Tables of an organization that are not exported. */
export const OMITTED_TABLES: Partial<Record<Table, string>> = {
  apiKeySecrets: 'Hashes of secrets, which are useful only to this deployment.',
  oauthTokens: 'Hashes of tokens, which are useful only to this deployment.',
  calendarAddresses: 'Hashes of calendar links, which are useful only to this deployment.',
  bidDrafts: 'Drafts that vendors have not submitted, which the builder must not see.',
  copiedLinkBidDrafts: 'Bids that were entered through copied portal links and have not been submitted.',
  bidRequestNumbers: 'A counter. The numbers are in the bid requests.',
  contractNumbers: 'A counter. The numbers are in the contracts.',
  ledgerChecks: 'When the ledger was last checked.',
  ledgerDifferences: 'Derived from the records and their postings, which are exported.',
  journalNumbers: 'A counter. The numbers are in the journals.',
  paymentNumbers: 'A counter. The numbers are in the payments.',
  paymentRunNumbers: 'A counter. The numbers are in the payment runs.',
  saleNumbers: 'A counter. The numbers are in the sales.',
  portalAddresses: 'Hashes and encrypted copies of portal links, which allow acting for the vendor.',
  searchQueue: 'IDs of records that wait to be indexed.',
  links: 'Derived from the records, which are exported.',
  searchWords: 'Derived from the records, which are exported.',
  searchVariants: 'Derived from the records, which are exported.',
  fileArrivals: 'Content of small files that are waiting to be stored.',
  fileUsage: 'A sum. The sizes are in the attachments.',
  looseFiles: 'Files without an attachment that wait to be deleted.',
  sandboxes: 'Progress of filling or emptying a sandbox.',
  idempotencyRecords: 'Encrypted copies of responses, kept for 24 hours.',
}

export const columnListSql = (names: readonly string[]) => sql.join(names.map((name) => sql.ref(name)))
