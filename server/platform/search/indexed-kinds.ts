import type { SearchType } from '../../../client/contract.gen.ts'
import { records } from '../calls/records.gen.ts'
import { columns } from '../database/columns.gen.ts'

/** A type of record that can be found by words, with the SQL of the text of row `t`. */
export interface IndexedKind {
  type: string
  /** The prefix of the IDs of records. */
  prefix: string
  table: keyof typeof columns
  /** Joins with other tables whose columns `text` uses. */
  join?: string
  text: string
}

/** A type of record that the search across all records returns, with the data of its results. */
export interface SearchedKind extends IndexedKind {
  type: SearchType
  permission: string
  title: string
  detail: string
  status: string
}

type SearchableSchema = Exclude<keyof typeof records, 'BidRequestSummary'>
interface IndexedRecord<Schema extends SearchableSchema> {
  type: (typeof records)[Schema]['kind']
  prefix: string
  table: (typeof records)[Schema]['table']
}

/** Returns the type of a record, the prefix of its IDs, and its table, from the contract. */
function toIndexed<Schema extends SearchableSchema>(schema: Schema): IndexedRecord<Schema> {
  const { kind, prefix, table }: (typeof records)[SearchableSchema] = records[schema]
  return { type: kind, prefix, table } as IndexedRecord<Schema>
}

const VENDOR_JOIN = `join "vendors" as v on v."organizationId" = t."organizationId" and v."id" = t."vendorId"`

/** The status of records that have no status field. If such a record is found, it is not archived. */
const ACTIVE_STATUS = `'active'`

const HOME_JOIN = `join "homes" as h on h."organizationId" = t."organizationId" and h."id" = t."homeId"`

/**
 * A new type requires an entry here, and a migration with a trigger that queues its changes, as in
 * 0141_search_lists.ts.
 */
export const SEARCHED_KINDS: readonly SearchedKind[] = [
  {
    ...toIndexed('Vendor'),
    permission: 'vendors:read',
    text: `concat_ws(' ', t."companyName", t."contactName", t."email", t."phone", t."licenseNumber")`,
    ...{ title: `t."companyName"`, detail: `t."contactName"`, status: `t."status"` },
  },
  {
    ...toIndexed('Community'),
    permission: 'communities:read',
    text: `concat_ws(' ', t."name", t."code", t."city", t."state", t."postalCode")`,
    ...{ title: `t."name"`, detail: `t."city"`, status: `t."status"` },
  },
  {
    ...toIndexed('Home'),
    permission: 'homes:read',
    join: `join "communities" as c on c."organizationId" = t."organizationId" and c."id" = t."communityId"`,
    text: `concat_ws(' ', t."name", t."lotNumber", t."block", t."address"->>'line1', t."address"->>'line2', t."address"->>'city', t."address"->>'postalCode')`,
    ...{ title: `t."name"`, detail: `c."name"`, status: `t."status"` },
  },
  {
    ...toIndexed('BidRequest'),
    permission: 'bids:read',
    text: `concat_ws(' ', t."number", t."title", t."scope")`,
    ...{ title: `t."number"`, detail: `coalesce(t."title", t."scope")`, status: `t."status"` },
  },
  {
    ...toIndexed('Bid'),
    permission: 'bids:read',
    join: `${VENDOR_JOIN} join "bidRequests" as r on r."organizationId" = t."organizationId" and r."id" = t."bidRequestId"`,
    text: `concat_ws(' ', r."number", r."title", v."companyName", t."scope")`,
    ...{ title: `v."companyName"`, detail: `r."number"`, status: `t."status"` },
  },
  {
    ...toIndexed('PurchaseOrder'),
    ...{ permission: 'pos:read', join: VENDOR_JOIN },
    text: `concat_ws(' ', t."number", t."scope", v."companyName", t."notes", (
      select string_agg(l."description", ' ' order by l."position") from "purchaseOrderLines" as l
      where l."organizationId" = t."organizationId" and l."purchaseOrderId" = t."id"))`,
    ...{ title: `t."number"`, detail: `v."companyName"`, status: `t."status"` },
  },
  {
    ...toIndexed('Bill'),
    ...{ permission: 'bills:read', join: VENDOR_JOIN },
    text: `concat_ws(' ', t."number", t."invoiceNumber", v."companyName")`,
    ...{ title: `t."number"`, detail: `v."companyName"`, status: `t."status"` },
  },
  {
    ...toIndexed('Payment'),
    ...{ permission: 'payments:read', join: VENDOR_JOIN },
    text: `concat_ws(' ', t."number", t."invoiceNumber", v."companyName")`,
    ...{ title: `t."number"`, detail: `v."companyName"`, status: `t."status"` },
  },
  {
    ...toIndexed('User'),
    permission: 'users:read',
    text: `concat_ws(' ', t."name", t."email")`,
    ...{ title: `t."name"`, detail: `t."email"`, status: `t."status"` },
  },
  {
    ...toIndexed('Contract'),
    ...{ permission: 'contracts:read', join: VENDOR_JOIN },
    text: `concat_ws(' ', t."number", v."companyName", t."notes")`,
    ...{ title: `t."number"`, detail: `v."companyName"`, status: `t."status"` },
  },
  {
    ...toIndexed('Plan'),
    permission: 'options:read',
    text: concatColumns('code', 'name'),
    ...{ title: `t."code"`, detail: `t."name"`, status: `t."status"` },
  },
  {
    ...toIndexed('Option'),
    permission: 'options:read',
    text: concatColumns('code', 'name', 'description'),
    ...{ title: `t."code"`, detail: `t."name"`, status: `t."status"` },
  },
  {
    ...toIndexed('Part'),
    permission: 'parts:read',
    text: concatColumns('sku', 'name', 'description', 'manufacturer'),
    ...{ title: `t."sku"`, detail: `t."name"`, status: ACTIVE_STATUS },
  },
  {
    ...toIndexed('Task'),
    permission: 'tasks:read',
    join: `join "homes" as h on h."organizationId" = t."organizationId" and h."id" = t."homeId"`,
    text: concatColumns('name', 'phase'),
    ...{ title: `t."name"`, detail: `h."name"`, status: `t."status"` },
  },
  {
    ...toIndexed('DailyLog'),
    ...{ permission: 'logs:read', join: HOME_JOIN },
    text: `concat_ws(' ', h."name", t."workDone", t."ownerNote")`,
    ...{ title: `h."name"`, detail: `t."logDate"::text`, status: `t."status"` },
  },
  {
    ...toIndexed('Permit'),
    ...{ permission: 'inspections:read', join: HOME_JOIN },
    text: `concat_ws(' ', t."number", t."authority", h."name")`,
    ...{ title: `coalesce(t."number", t."permitType")`, detail: `h."name"`, status: `t."status"` },
  },
  {
    ...toIndexed('Inspection'),
    ...{ permission: 'inspections:read', join: HOME_JOIN },
    text: `concat_ws(' ', t."name", t."inspectorName", h."name")`,
    ...{ title: `t."name"`, detail: `h."name"`, status: `t."status"` },
  },
  {
    ...toIndexed('Lead'),
    permission: 'leads:read',
    text: `concat_ws(' ', t."firstName", t."lastName", t."email", t."phone")`,
    ...{
      title: `coalesce(nullif(concat_ws(' ', t."firstName", t."lastName"), ''), t."email", t."phone", t."id")`,
      detail: `t."email"`,
      status: `t."status"`,
    },
  },
  {
    ...toIndexed('Sale'),
    permission: 'sales:read',
    text: `concat_ws(' ', t."number", (
      select string_agg(concat_ws(' ', b->>'name', b->>'email', b->>'phone'), ' ') from jsonb_array_elements(t."buyers") as b))`,
    ...{ title: `t."number"`, detail: `t."buyers"->0->>'name'`, status: `t."status"` },
  },
  {
    ...toIndexed('PunchItem'),
    permission: 'punch:read',
    join: `join "homes" as h on h."organizationId" = t."organizationId" and h."id" = t."homeId"`,
    text: `concat_ws(' ', t."number", t."location", t."description", t."scope", h."name")`,
    ...{ title: `t."number" || ', ' || h."name"`, detail: `t."description"`, status: `t."status"` },
  },
  {
    ...toIndexed('WarrantyRequest'),
    permission: 'warranty:read',
    join: `join "homes" as h on h."organizationId" = t."organizationId" and h."id" = t."homeId"`,
    text: `concat_ws(' ', t."number", t."location", t."description", t."scope", t."reportedBy", h."name")`,
    ...{ title: `t."number" || ', ' || h."name"`, detail: `left(t."description", 200)`, status: `t."status"` },
  },
]

/** The types of records that are searched by words only in their own lists. */
const LIST_ONLY_KINDS: readonly IndexedKind[] = [
  { ...toIndexed('ComplianceDocument'), text: concatColumns('carrier', 'policyNumber') },
  { ...toIndexed('HomeOwner'), text: concatColumns('name', 'email', 'phone') },
  { ...toIndexed('Scope'), text: concatColumns('name', 'code') },
  { ...toIndexed('CostCode'), text: concatColumns('code', 'name') },
  { ...toIndexed('Selection'), text: concatColumns('customDescription', 'color', 'location') },
  { ...toIndexed('TaskTemplate'), text: concatColumns('name') },
  { ...toIndexed('Milestone'), text: concatColumns('name') },
]

const INDEXED_KINDS = [...SEARCHED_KINDS, ...LIST_ONLY_KINDS]

export const kindsById: ReadonlyMap<string, IndexedKind> = new Map(INDEXED_KINDS.map((kind) => [kind.prefix, kind]))
export const kindsByTable: ReadonlyMap<string, IndexedKind> = new Map(INDEXED_KINDS.map((kind) => [kind.table, kind]))

/** Returns an SQL expression for whether a record is found only if the search includes archived records. */
export const toArchivedConditionSql = ({ table }: IndexedKind) =>
  'archivedAt' in columns[table] ? `t."archivedAt" is not null` : 'false'

/** Returns the separate type with which archived records are indexed, so that other searches do not read them. */
export const toArchivedType = (type: string) => `${type}_archived`

function concatColumns(...of: readonly string[]): string {
  return `concat_ws(' ', ${of.map((column) => `t."${column}"`).join(', ')})`
}
