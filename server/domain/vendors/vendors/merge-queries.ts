import { sql } from 'kysely'
import { recordChange, type WriteCall } from '../../../platform/calls/call.ts'

/**
 * All tables that refer to vendors, and how a merge of two vendors changes their rows. A test compares this list with
 * the foreign keys in the database, so that no table is missing.
 */
export const VENDOR_REFERENCES = {
  complianceDocuments: { columns: ['vendorId'], kind: 'compliance_document' },
  vendorNotifications: { columns: ['vendorId'], kind: 'vendor_notification' },
  invitations: { columns: ['vendorId'], kind: 'invitation' },
  bids: { columns: ['vendorId'], kind: 'bid' },
  contracts: { columns: ['vendorId'], kind: 'contract' },
  prices: { columns: ['vendorId'], kind: 'price' },
  purchaseOrders: { columns: ['vendorId'], kind: 'po' },
  tasks: { columns: ['vendorId'], kind: 'task' },
  inspections: { columns: ['feeVendorId'], kind: 'inspection' },
  punchItems: { columns: ['vendorId', 'responsibleVendorId'], kind: 'punch_item' },
  warrantyRequests: { columns: ['vendorId', 'responsibleVendorId'], kind: 'warranty_request' },
  visits: { columns: ['vendorId'], kind: 'visit' },
  calendarFeeds: { columns: ['vendorId'], kind: 'calendar_feed' },
  bills: { columns: ['vendorId'], kind: 'bill' },
  payments: { columns: ['vendorId'], kind: 'payment' },
  lienWaivers: { columns: ['vendorId'], kind: 'lien_waiver' },
  form1099Filings: { columns: ['vendorId'], kind: 'tax_filing' },
  mails: { columns: ['vendorId'], kind: 'mail' },
  // If another vendor was merged into the merged vendor earlier, it now refers to the kept vendor.
  vendors: { columns: ['mergedIntoId'], kind: 'vendor' },
  // Portal links stay with the merged vendor and are no longer valid.
  portalAddresses: { columns: ['vendorId'], kind: null },
} as const

type ReferencingTable = keyof typeof VENDOR_REFERENCES
type MovableTable = Exclude<ReferencingTable, 'portalAddresses'>

export const MOVABLE_TABLES = (Object.keys(VENDOR_REFERENCES) as ReferencingTable[]).filter(
  (table): table is MovableTable => table !== 'portalAddresses',
)

export interface VendorPair {
  keepId: string
  mergeId: string
}

/**
 * SQL query for the bid requests to which both vendors were invited. A vendor can have only one invitation and one bid
 * per home, so the rows of these requests cannot be moved.
 */
const REQUESTS_OF_BOTH_SQL = ({ organizationId }: WriteCall, { keepId, mergeId }: VendorPair) => sql`
  select i."bidRequestId" from "invitations" i
  join "invitations" o on o."organizationId" = i."organizationId" and o."bidRequestId" = i."bidRequestId" and o."vendorId" = ${keepId}
  where i."organizationId" = ${organizationId} and i."vendorId" = ${mergeId}
  union
  select b."bidRequestId" from "bids" b
  join "bids" o on o."organizationId" = b."organizationId" and o."bidRequestId" = b."bidRequestId" and o."vendorId" = ${keepId}
  where b."organizationId" = ${organizationId} and b."vendorId" = ${mergeId}`

/** Returns the numbers of the undecided bid requests to which both vendors were invited. */
export async function listSharedOpenRequests(call: WriteCall, pair: VendorPair, max: number): Promise<string[]> {
  const { rows } = await sql<{ number: string }>`
    select "number" from "bidRequests"
    where "organizationId" = ${call.organizationId} and "id" in (${REQUESTS_OF_BOTH_SQL(call, pair)})
      and "status" in ('draft', 'sent', 'closed')
    order by "number" limit ${max}`.execute(call.db)
  return rows.map(({ number }) => number)
}

/**
 * Returns the pairs of active contracts of both vendors that have the same trade and place, such as `CT-0001 and
 * CT-0002`.
 */
export async function listOverlappingContracts(
  call: WriteCall,
  { keepId, mergeId }: VendorPair,
  max: number,
): Promise<string[]> {
  const { rows } = await sql<{ both: string }>`
    select k."number" || ' and ' || m."number" as "both" from "contracts" m
    join "contracts" k on k."organizationId" = m."organizationId" and k."vendorId" = ${keepId} and k."status" = 'active'
      and k."archivedAt" is null and lower(k."scope") = lower(m."scope")
      and (cardinality(k."communityIds") = 0 or cardinality(m."communityIds") = 0 or k."communityIds" && m."communityIds")
    where m."organizationId" = ${call.organizationId} and m."vendorId" = ${mergeId} and m."status" = 'active'
      and m."archivedAt" is null
    order by 1 limit ${max}`.execute(call.db)
  return rows.map(({ both }) => both)
}

/** Returns the invoice numbers that both vendors use on active bills or payments. */
export async function listSharedInvoices(
  call: WriteCall,
  { keepId, mergeId }: VendorPair,
  max: number,
): Promise<string[]> {
  const { rows } = await sql<{ invoiceNumber: string }>`
    with "recorded" as (
      select "vendorId", "invoiceNumber", "invoiceKey" from "payments"
      where "organizationId" = ${call.organizationId} and "vendorId" in (${keepId}, ${mergeId})
        and "invoiceKey" is not null and "status" in ('pending', 'approved', 'paid')
      union all
      select "vendorId", "invoiceNumber", "invoiceKey" from "bills"
      where "organizationId" = ${call.organizationId} and "vendorId" in (${keepId}, ${mergeId})
        and "invoiceKey" is not null and "status" not in ('rejected', 'void')
    )
    select distinct m."invoiceNumber" from "recorded" m
    join "recorded" k on k."vendorId" = ${keepId} and k."invoiceKey" = m."invoiceKey"
    where m."vendorId" = ${mergeId}
    order by 1 limit ${max}`.execute(call.db)
  return rows.map(({ invoiceNumber }) => invoiceNumber)
}

/**
 * Archives the merged vendor's prices that overlap prices of the kept vendor, because the prices of one vendor must not
 * overlap. Locks the parts of these prices first, as every change of a price does.
 */
export async function archiveOverlappingPrices(call: WriteCall, { keepId, mergeId }: VendorPair): Promise<number> {
  const { db, organizationId, now } = call
  await sql`
    select "id" from "parts" where "organizationId" = ${organizationId} and "id" in (
      select "partId" from "prices" where "organizationId" = ${organizationId} and "vendorId" = ${mergeId})
    order by "id" for no key update`.execute(db)
  const { rows } = await sql<{ id: string }>`
    update "prices" as m set "archivedAt" = ${now}, "updatedAt" = ${now}, "version" = m."version" + 1
    where m."organizationId" = ${organizationId} and m."vendorId" = ${mergeId} and m."archivedAt" is null and exists (
      select from "prices" k
      where k."organizationId" = ${organizationId} and k."partId" = m."partId" and k."vendorId" = ${keepId}
        and k."archivedAt" is null and k."communityId" is not distinct from m."communityId"
        and k."planId" is not distinct from m."planId" and k."minQuantity" = m."minQuantity"
        and k."effectiveDate" <= coalesce(m."expirationDate", 'infinity')
        and coalesce(k."expirationDate", 'infinity') >= m."effectiveDate")
    returning m."id"`.execute(db)
  for (const { id } of rows) recordChange(call, id, 'archived', ['archivedAt'])
  return rows.length
}

/** Returns the number of records that refer to the vendor. Counts at most `max` + 1 records in each table. */
export async function countReferences(
  { db, organizationId }: WriteCall,
  vendorId: string,
  max: number,
): Promise<number> {
  const counts = MOVABLE_TABLES.map(
    (table) => sql`(select count(*) from (
      select from ${sql.table(table)} where "organizationId" = ${organizationId}
        and ${refersTo(table, vendorId)} limit ${max + 1}) as c)`,
  )
  const { rows } = await sql<{ count: number }>`select ${sql.join(counts, sql` + `)} as "count"`.execute(db)
  return rows[0]?.count ?? 0
}

/**
 * Moves the rows of one table. Returns the number of moved rows, and the number of rows that were not moved because
 * both vendors were invited to their bid request.
 */
export async function moveVendorRows(
  call: WriteCall,
  table: MovableTable,
  pair: VendorPair,
): Promise<{ moved: number; stayed: number }> {
  const { db, organizationId, now } = call
  const columns: readonly string[] = VENDOR_REFERENCES[table].columns
  const isOfRequest = table === 'invitations' || table === 'bids'
  const stays = isOfRequest ? sql`and "bidRequestId" not in (${REQUESTS_OF_BOTH_SQL(call, pair)})` : sql``
  const moved = new Set<string>()
  for (const column of columns) {
    // If a row was already moved because of another column, its version is not incremented again.
    const { rows } = await sql<{ id: string }>`
      update ${sql.table(table)} set ${sql.ref(column)} = ${pair.keepId}, "updatedAt" = ${now},
        "version" = "version" + case when "id" = any(${[...moved]}) then 0 else 1 end
      where "organizationId" = ${organizationId} and ${sql.ref(column)} = ${pair.mergeId} ${stays}
      returning "id"`.execute(db)
    for (const { id } of rows) {
      moved.add(id)
      recordChange(call, id, 'updated', [column])
    }
  }
  const left = isOfRequest ? await countUnmoved(call, table, pair) : 0
  return { moved: moved.size, stayed: left }
}

/** Returns the SQL condition for rows that refer to the vendor. */
function refersTo(table: MovableTable, vendorId: string) {
  const columns: readonly string[] = VENDOR_REFERENCES[table].columns
  return sql`${vendorId} in (${sql.join(columns.map((column) => sql.ref(column)))})`
}

async function countUnmoved(
  { db, organizationId }: WriteCall,
  table: MovableTable,
  { mergeId }: VendorPair,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as "count" from ${sql.table(table)}
    where "organizationId" = ${organizationId} and "vendorId" = ${mergeId}`.execute(db)
  return rows[0]?.count ?? 0
}

/**
 * Moves references to a vendor that are not foreign keys: those in files, in the senders and recipients of messages, in
 * the causes of delays, in items of inspections, and in the crews and deliveries of daily logs.
 */
export async function moveMentions(call: WriteCall, { keepId, mergeId }: VendorPair): Promise<void> {
  const { db, organizationId, now } = call
  const raised = sql`"updatedAt" = ${now}, "version" = "version" + 1`
  const files = await sql<{ id: string }>`
    update "attachments" set "recordId" = ${keepId}, ${raised}
    where "organizationId" = ${organizationId} and "recordType" = 'vendor' and "recordId" = ${mergeId}
    returning "id"`.execute(db)
  // If a message was sent to both vendors, the kept vendor is already a recipient.
  const notToBoth = sql`
    m."recipientId" = ${mergeId} and not exists (
      select from "messageRecipients" k where k."organizationId" = ${organizationId}
        and k."recipientId" = ${keepId} and k."messageId" = m."messageId")`
  const messages = await sql<{ id: string }>`
    update "messages" set "sender" = replace("sender"::text, ${mergeId}, ${keepId})::jsonb,
      "recipients" = replace("recipients"::text, ${mergeId}, ${keepId})::jsonb, ${raised}
    where "organizationId" = ${organizationId}
      and "id" in (select m."messageId" from "messageRecipients" m
        where m."organizationId" = ${organizationId} and ${notToBoth})
    returning "id"`.execute(db)
  await sql`
    update "messageRecipients" as m set "recipientId" = ${keepId}
    where m."organizationId" = ${organizationId} and ${notToBoth}`.execute(db)
  const related = await sql<{ id: string }>`
    update "messages" set "relatedTo" = jsonb_set("relatedTo", '{id}', to_jsonb(${keepId}::text)), ${raised}
    where "organizationId" = ${organizationId} and "relatedToId" = ${mergeId}
    returning "id"`.execute(db)
  for (const { id } of files.rows) recordChange(call, id, 'updated', ['relatedTo'])
  for (const id of new Set([...messages.rows, ...related.rows].map(({ id }) => id)))
    recordChange(call, id, 'updated', ['recipients'])
  // The tasks of the merged vendor have already been moved, so it can only be in the delays of tasks of the kept
  // vendor.
  await sql`
    update "tasks" set "delays" = replace("delays"::text, ${mergeId}, ${keepId})::jsonb
    where "organizationId" = ${organizationId} and "vendorId" = ${keepId}
      and "delays"::text like ${`%${mergeId}%`}`.execute(db)
  await sql`
    update "inspections" set "items" = replace("items"::text, ${mergeId}, ${keepId})::jsonb
    where "organizationId" = ${organizationId} and "items"::text like ${`%${mergeId}%`}`.execute(db)
  await sql`
    update "dailyLogs" set "crews" = replace("crews"::text, ${mergeId}, ${keepId})::jsonb,
      "deliveries" = replace("deliveries"::text, ${mergeId}, ${keepId})::jsonb
    where "organizationId" = ${organizationId}
      and ("crews"::text like ${`%${mergeId}%`} or "deliveries"::text like ${`%${mergeId}%`})`.execute(db)
}
