import { sql } from 'kysely'
import type { WriteCall } from '../../platform/calls/call.ts'
import { type RecordDeclaration, records } from '../../platform/calls/records.gen.ts'
import type { columns } from '../../platform/database/columns.gen.ts'
import type { RecordName } from '../../platform/resources/declaration.ts'
import { getRecordFinder } from '../../platform/resources/record-finders.ts'
import * as webhooks from '../../platform/webhooks/queries.ts'

/**
 * A kind of data in a builder's export. Every table of an organization is a kind of its own, is part of the records of
 * another kind, or is left out with a reason. A test compares the kinds with the database, so that new tables and
 * columns are not forgotten.
 */
export interface ExportKind {
  kind: string
  table: Table
  /** The columns by which the pages are sorted. An index contains them after the organization. */
  order: readonly string[]
  /** An SQL condition that is part of the index. */
  where?: string
  /**
   * The columns in the records. Null if the records have the form of the contract. `leftOut` contains the reasons for
   * leaving out other columns.
   */
  columns: readonly string[] | null
  leftOut?: Record<string, string>
  /** Returns the records for the rows of a page, in the same order. */
  records(call: WriteCall, page: readonly StoredRow[]): Promise<object[]>
}

export type Table = keyof typeof columns
type ColumnOf<Name extends Table> = Exclude<keyof (typeof columns)[Name] & string, 'organizationId'>
export type StoredRow = Record<string, unknown>

/** Returns a kind whose records have the form of the contract. */
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

/**
 * Returns a kind whose records are stored rows. Used for records that are not in the contract or occur in it only
 * within other records.
 */
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

/** Kinds of records that are exported as stored rows or as part of other records (see below). */
const NESTED_KINDS = ['organization', 'key', 'invitation', 'delivery']

/** The kinds of records in the contract. Each slice declares how to find its own records. */
const RECORD_KINDS = Object.entries<RecordDeclaration>(records).flatMap(([schema, { kind, table }]) =>
  kind === undefined || NESTED_KINDS.includes(kind)
    ? []
    : [contractKind(kind, table as Table, (call, ids) => getRecordFinder(schema as RecordName)(call, ids))],
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
  // The most recent events have no sequence number yet. There are never more than a few of them.
  storedKind('event', 'events', EVENT_COLUMNS, {
    ...EVENT_OMISSIONS,
    order: ['recordedOrder'],
    where: '"sequence" is null',
  }),
]

/** Tables whose rows are exported as part of the records of another kind. */
export const NESTED_TABLES: Partial<Record<Table, string>> = {
  invitations: 'bid_request',
  messageRecipients: 'message',
  paymentAllocations: 'payment',
  billLines: 'bill',
  billOrders: 'bill',
  purchaseOrderLines: 'purchase_order',
}

/** Tables of an organization that are not exported. */
export const OMITTED_TABLES: Partial<Record<Table, string>> = {
  apiKeySecrets: 'Hashes of key secrets. Only this deployment can use them.',
  oauthTokens: 'Hashes of OAuth tokens. Only this deployment can use them.',
  calendarAddresses: 'Hashes of calendar links. Only this deployment can use them.',
  bidDrafts: 'Bid drafts that vendors have not submitted. The builder must not see them.',
  copiedLinkBidDrafts: 'Bids that were entered through copied portal links and have not been submitted.',
  billNumbers: 'The last assigned bill number. The export contains the number of each bill.',
  bidRequestNumbers: 'The last assigned bid request number. The export contains the number of each bid request.',
  contractNumbers: 'The last assigned contract number. The export contains the number of each contract.',
  ledgerChecks: 'The time of the last ledger check.',
  ledgerDifferences: 'Calculated from the records and their postings. The export contains both.',
  journalNumbers: 'The last assigned journal number. The export contains the number of each journal entry.',
  paymentNumbers: 'The last assigned payment number. The export contains the number of each payment.',
  paymentRunNumbers: 'The last assigned payment run number. The export contains the number of each payment run.',
  warrantyRequestNumbers:
    'The last assigned warranty request number. The export contains the number of each warranty request.',
  saleNumbers: 'The last assigned sale number. The export contains the number of each sale.',
  portalAddresses: 'Hashes and encrypted copies of portal links. Anyone with such a link can act for the vendor.',
  mailReplyAddresses: 'Hashes of reply addresses. Anyone who knows such an address can write as the vendor.',
  ownerLinks: 'Hashes of links. Anyone with such a link can act for the home owner.',
  searchQueue: 'IDs of records that have not been added to the search index yet.',
  links: 'Calculated from the records. The export contains the records.',
  searchWords: 'Calculated from the records. The export contains the records.',
  searchVariants: 'Calculated from the records. The export contains the records.',
  fileArrivals: 'Contents of small files that have not been moved to the file store yet.',
  fileUsage: 'The total size of all files. The export contains the size of each attachment.',
  looseFiles: 'Files that no longer belong to an attachment and will be deleted.',
  sandboxes: 'Progress of filling or emptying a sandbox.',
  portalForms: 'Portal forms that vendors sent but that were rejected. Deleted after a day.',
  importRows: 'Rows of uploaded files. Deleted after 30 days. The export contains the imported records.',
  idempotencyRecords: 'Encrypted copies of responses. Deleted after at most 7 days.',
}

export const toColumnListSql = (names: readonly string[]) => sql.join(names.map((name) => sql.ref(name)))
