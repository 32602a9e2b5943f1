import { sql } from 'kysely'
import * as oauthGrants from '../../domain/administration/oauth-grants/queries.ts'
import * as attachments from '../../domain/attachments/queries.ts'
import * as bidRequests from '../../domain/bidding/bid-requests/queries.ts'
import * as bids from '../../domain/bidding/bids/queries.ts'
import * as contracts from '../../domain/bidding/contracts/queries.ts'
import * as calendarFeeds from '../../domain/building/calendars/queries.ts'
import * as milestones from '../../domain/building/milestones/queries.ts'
import * as taskTemplates from '../../domain/building/task-templates/queries.ts'
import * as tasks from '../../domain/building/tasks/queries.ts'
import * as timeEntries from '../../domain/building/timesheets/entry-queries.ts'
import * as timesheets from '../../domain/building/timesheets/queries.ts'
import * as budgetTransfers from '../../domain/costs/budget-transfers/queries.ts'
import * as budgets from '../../domain/costs/budgets/queries.ts'
import * as costCodes from '../../domain/costs/cost-codes/queries.ts'
import * as options from '../../domain/costs/options/queries.ts'
import * as parts from '../../domain/costs/parts/queries.ts'
import * as prices from '../../domain/costs/prices/queries.ts'
import * as communities from '../../domain/land/communities/queries.ts'
import * as homes from '../../domain/land/homes/queries.ts'
import * as plans from '../../domain/land/plans/queries.ts'
import * as messages from '../../domain/messages/queries.ts'
import * as mails from '../../domain/office/mail/queries.ts'
import * as messageTemplates from '../../domain/office/message-templates/queries.ts'
import { shown } from '../../domain/office/message-templates/template.ts'
import * as users from '../../domain/office/users/queries.ts'
import * as lienWaivers from '../../domain/paying/lien-waivers/queries.ts'
import * as paymentRuns from '../../domain/paying/payment-runs/queries.ts'
import * as payments from '../../domain/paying/payments/queries.ts'
import * as purchaseOrders from '../../domain/paying/purchase-orders/queries.ts'
import * as leadActivities from '../../domain/selling/leads/activity-queries.ts'
import * as leads from '../../domain/selling/leads/queries.ts'
import * as sales from '../../domain/selling/sales/queries.ts'
import * as selections from '../../domain/selling/selections/queries.ts'
import * as complianceDocuments from '../../domain/vendors/compliance-documents/queries.ts'
import * as scopes from '../../domain/vendors/scopes/queries.ts'
import * as vendorNotifications from '../../domain/vendors/vendors/notification-queries.ts'
import * as vendors from '../../domain/vendors/vendors/queries.ts'
import * as proposals from '../../interfaces/proposals/queries.ts'
import type { WriteCall } from '../../platform/calls/call.ts'
import type { columns } from '../../platform/database/columns.gen.ts'
import * as executions from '../../platform/executions/queries.ts'
import * as webhooks from '../../platform/webhooks/queries.ts'

/**
 * What a builder's data consists of, kind by kind, for the export. Every table that belongs to an organization is its
 * own kind, is part of another kind's records, or is left out for a stated reason; a test checks this against the
 * database, so that no later table or column is forgotten.
 */
export interface Kind {
  kind: string
  table: Table
  /** The order in which records are paged: columns that follow the organization in an index. */
  order: readonly string[]
  /** An SQL condition that the index requires. */
  where?: string
  /** The columns in the records; `leftOut` gives reasons for the others. Null if the records are as in the contract. */
  columns: readonly string[] | null
  leftOut?: Record<string, string>
  /** The records of one page, in the page's order. */
  records(call: WriteCall, page: readonly Row[]): Promise<object[]>
}

export type Table = keyof typeof columns
type ColumnOf<Name extends Table> = Exclude<keyof (typeof columns)[Name] & string, 'organizationId'>
export type Row = Record<string, unknown>

/** Records in the contract's form, for the ids of a page. */
function asInContract(
  kind: string,
  table: Table,
  find: (call: WriteCall, ids: readonly string[]) => Promise<object[]>,
): Kind {
  return {
    ...{ kind, table, order: ['id'], columns: null },
    records: (call, page) =>
      find(
        call,
        page.map(({ id }) => String(id)),
      ),
  }
}

/** Rows as stored, where the contract has no such record or shows it only within another one. */
function asKept<Name extends Table>(
  kind: string,
  table: Name,
  columns: readonly ColumnOf<Name>[],
  rest: Partial<Kind> = {},
): Kind {
  return { ...{ kind, table, order: ['id'], columns }, records: async (_call, page) => [...page], ...rest }
}

async function events(_call: WriteCall, page: readonly Row[]): Promise<object[]> {
  return page.map(({ payload, sequence, requestId, address }) => ({
    ...(JSON.parse(String(payload)) as object),
    ...{ sequence, requestId, address },
  }))
}

const EVENT_COLUMNS = ['sequence', 'payload', 'recordedOrder', 'requestId', 'address'] as const
const EVENT = {
  leftOut: {
    ...{ id: 'in the payload', type: 'in the payload', occurredAt: 'in the payload, as timestamp' },
    ...{ resourceId: 'in the payload', actorId: 'in the payload' },
    permissions: 'what reading it takes follows from the skill in the payload',
  },
  records: events,
}

export const KINDS: readonly Kind[] = [
  asInContract('user', 'users', users.findAll),
  asKept('key', 'apiKeys', [
    ...(['id', 'name', 'permissions', 'createdByUserId', 'expiresAt', 'revokedAt'] as const),
    ...(['allowedAddresses', 'proposeOnly', 'lastUsedAt', 'version', 'createdBy', 'createdAt', 'updatedAt'] as const),
  ]),
  asInContract('oauth_grant', 'oauthGrants', oauthGrants.findAll),
  asKept('usage_day', 'usageDays', ['keyId', 'day', 'requests', 'refused'], { order: ['keyId', 'day'] }),
  asInContract('scope', 'scopes', scopes.findAll),
  asInContract('community', 'communities', communities.findAll),
  asInContract('cost_code', 'costCodes', costCodes.findAll),
  asInContract('plan', 'plans', plans.findAll),
  asKept('plan_revision', 'planRevisions', [
    ...(['id', 'planId', 'revision', 'squareFeet', 'bedrooms', 'bathrooms', 'garageSpaces', 'stories'] as const),
    ...(['basePrice', 'figures', 'elevations', 'createdBy', 'createdAt'] as const),
  ]),
  asInContract('part', 'parts', parts.findAll),
  asInContract('price', 'prices', prices.findAll),
  asInContract('option', 'options', options.findAll),
  asInContract('contract', 'contracts', contracts.findAll),
  asKept(
    'takeoff_line',
    'takeoffLines',
    [
      ...(['planId', 'revision', 'place', 'lineId', 'elevation', 'partId', 'quantity', 'formula'] as const),
      ...(['wastePercent', 'costCodeId', 'taskName'] as const),
    ],
    { order: ['planId', 'revision', 'place'] },
  ),
  asKept(
    'option_takeoff_line',
    'optionTakeoffLines',
    [
      ...(['optionId', 'place', 'lineId', 'planId', 'elevation', 'partId', 'quantity', 'formula'] as const),
      ...(['wastePercent', 'costCodeId', 'taskName'] as const),
    ],
    { order: ['optionId', 'place'] },
  ),
  asKept(
    'lump_sum',
    'lumpSums',
    [
      ...(['contractId', 'place', 'lineId', 'communityId', 'planId', 'elevation', 'optionId'] as const),
      ...(['costCodeId', 'description', 'amount', 'effectiveDate', 'expirationDate'] as const),
    ],
    { order: ['contractId', 'place'] },
  ),
  asInContract('home', 'homes', homes.findAll),
  asInContract('selection', 'selections', selections.findAll),
  asInContract('budget_line', 'budgetLines', budgets.findAll),
  asInContract('budget_transfer', 'budgetTransfers', budgetTransfers.findAll),
  asInContract('vendor', 'vendors', vendors.findAll),
  asInContract('compliance_document', 'complianceDocuments', complianceDocuments.findAll),
  asInContract('bid_request', 'bidRequests', async (call, ids) =>
    (await bidRequests.findAll(call, ids)).map((row) => bidRequests.toBidRequest(call, row)),
  ),
  asInContract('bid', 'bids', async (call, ids) => (await bids.findAll(call, ids)).map((row) => bids.toBid(call, row))),
  asInContract('task_template', 'taskTemplates', taskTemplates.findAll),
  asInContract('task', 'tasks', tasks.findAll),
  asInContract('milestone', 'milestones', milestones.findAll),
  asInContract('calendar_feed', 'calendarFeeds', calendarFeeds.findAll),
  asInContract('proposal', 'proposals', proposals.findAll),
  asInContract('execution', 'executions', executions.findAll),
  asInContract('timesheet', 'timesheets', timesheets.findAll),
  asInContract('time_entry', 'timeEntries', timeEntries.findAll),
  asInContract('vendor_notification', 'vendorNotifications', vendorNotifications.findAll),
  asInContract('purchase_order', 'purchaseOrders', purchaseOrders.findAll),
  asInContract('payment_run', 'paymentRuns', paymentRuns.findAll),
  asInContract('payment', 'payments', payments.findAll),
  asInContract('lead', 'leads', leads.findAll),
  asInContract('lead_activity', 'leadActivities', leadActivities.findAll),
  asInContract('sale', 'sales', sales.findAll),
  asInContract('lien_waiver', 'lienWaivers', lienWaivers.findAll),
  asInContract('message', 'messages', messages.findAll),
  asInContract('message_template', 'messageTemplates', async (call, ids) =>
    (await messageTemplates.findAll(call, ids)).map(shown),
  ),
  asInContract('mail', 'mails', mails.findAll),
  asInContract('attachment', 'attachments', attachments.findAll),
  asInContract('webhook', 'webhooks', webhooks.findAll),
  asInContract('delivery', 'deliveries', webhooks.findDeliveries),
  asKept(
    'delivery_attempt',
    'deliveryAttempts',
    [
      ...(['deliveryId', 'id', 'url', 'attemptedAt', 'durationMs', 'outcome'] as const),
      ...(['responseStatus', 'responseBody', 'error'] as const),
    ],
    { order: ['deliveryId', 'id'] },
  ),
  asKept(
    'ledger_state',
    'ledgerStates',
    [
      ...(['recordId', 'type', 'version', 'syncedAt', 'failedVersion', 'error', 'attempts'] as const),
      ...(['retryAt'] as const),
    ],
    { order: ['recordId'] },
  ),
  asKept('audit_entry', 'auditEntries', [
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
  asKept('status_change', 'statusChanges', ['id', 'resourceId', 'from', 'to', 'at', 'by', 'reason']),
  asKept('event', 'events', EVENT_COLUMNS, { ...EVENT, order: ['sequence'], where: '"sequence" is not null' }),
  asKept('archive', 'archives', ['id', 'kind', 'month', 'records', 'size', 'sha256', 'createdAt'], {
    where: `"status" = 'kept'`,
    leftOut: { status: 'only what is kept is exported', claimedUntil: 'for whoever is writing a file' },
  }),
  // The most recent events have no sequence yet; there are only ever a few of these.
  asKept('event', 'events', EVENT_COLUMNS, { ...EVENT, order: ['recordedOrder'], where: '"sequence" is null' }),
]

/** Tables whose rows are part of another kind's records. */
export const INSIDE: Partial<Record<Table, string>> = {
  invitations: 'bid_request',
  messageRecipients: 'message',
  paymentAllocations: 'payment',
  purchaseOrderLines: 'purchase_order',
}

/** Tables that belong to an organization but are not exported. */
export const LEFT_OUT: Partial<Record<Table, string>> = {
  apiKeySecrets: 'Hashes of secrets, which are of use to nobody but this deployment.',
  oauthTokens: 'Hashes of tokens, which are of use to nobody but this deployment.',
  calendarAddresses: 'Hashes of addresses, which are of use to nobody but this deployment.',
  bidDrafts: 'What vendors have not submitted yet, which the builder is not to see.',
  copiedLinkBidDrafts: 'Bids that were entered through copied portal links and have not been submitted.',
  bidRequestNumbers: 'A counter; the numbers themselves are in the bid requests.',
  contractNumbers: 'A counter; the numbers themselves are in the contracts.',
  paymentNumbers: 'A counter; the numbers themselves are in the payments.',
  paymentRunNumbers: 'A counter; the numbers themselves are in the payment runs.',
  saleNumbers: 'A counter; the numbers themselves are in the sales.',
  portalAddresses:
    'Hashes and sealed copies of the tokens that vendors were sent; whoever has one acts for the vendor.',
  searchQueue: 'Names of records that are to be indexed.',
  links: 'Made from the records, which are exported.',
  searchWords: 'Made from the records, which are exported.',
  searchVariants: 'Made from the records, which are exported.',
  fileArrivals: 'The bytes of small files on their way into the store.',
  fileUsage: 'A sum; the sizes themselves are in the attachments.',
  looseFiles: 'Which files of the store no attachment has, until they are removed.',
  sandboxes: 'How far filling or emptying a sandbox has come.',
  idempotencyRecords: 'Copies of answers, encrypted and kept for 24 hours.',
}

export const columnList = (names: readonly string[]) => sql.join(names.map((name) => sql.ref(name)))
