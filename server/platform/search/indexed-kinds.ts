import type { SearchType } from '../../../client/contract.gen.ts'
import { records } from '../calls/records.gen.ts'
import { columns } from '../database/columns.gen.ts'

/** A kind of record that is found by words, with the SQL of its text over the row as `t`. */
export interface IndexedKind {
  type: string
  /** The prefix of its IDs. */
  prefix: string
  table: keyof typeof columns
  /** Other tables that `text` reads, joined to the row. */
  join?: string
  text: string
}

/** A kind that `search` returns, and how. */
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

/** Returns the kind of a record, the prefix of its IDs, and its table, from the contract. */
function toIndexed<Schema extends SearchableSchema>(schema: Schema): IndexedRecord<Schema> {
  const { kind, prefix, table }: (typeof records)[SearchableSchema] = records[schema]
  return { type: kind, prefix, table } as IndexedRecord<Schema>
}

const VENDOR_JOIN = `join "vendors" as v on v."organizationId" = t."organizationId" and v."id" = t."vendorId"`

/**
 * A new kind needs an entry here, and a trigger that records its changes in a migration, as in 0141_search_lists.ts.
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
]

/** Kinds that only their own list finds by words. */
const LIST_ONLY_KINDS: readonly IndexedKind[] = [
  { ...toIndexed('ComplianceDocument'), text: concatColumns('carrier', 'policyNumber') },
  { ...toIndexed('Scope'), text: concatColumns('name', 'code') },
  { ...toIndexed('Plan'), text: concatColumns('code', 'name') },
  { ...toIndexed('CostCode'), text: concatColumns('code', 'name') },
  { ...toIndexed('Part'), text: concatColumns('sku', 'name', 'description', 'manufacturer') },
  { ...toIndexed('Option'), text: concatColumns('code', 'name', 'description') },
  { ...toIndexed('Selection'), text: concatColumns('customDescription', 'color', 'location') },
  { ...toIndexed('Contract'), text: concatColumns('number', 'notes') },
  { ...toIndexed('TaskTemplate'), text: concatColumns('name') },
  { ...toIndexed('Task'), text: concatColumns('name', 'phase') },
  { ...toIndexed('Milestone'), text: concatColumns('name') },
]

const INDEXED_KINDS = [...SEARCHED_KINDS, ...LIST_ONLY_KINDS]

export const kindsById: ReadonlyMap<string, IndexedKind> = new Map(INDEXED_KINDS.map((kind) => [kind.prefix, kind]))
export const kindsByTable: ReadonlyMap<string, IndexedKind> = new Map(INDEXED_KINDS.map((kind) => [kind.table, kind]))

/** SQL of whether a record is found only when archived ones are requested too. */
export const isArchivedSql = ({ table }: IndexedKind) =>
  'archivedAt' in columns[table] ? `t."archivedAt" is not null` : 'false'

/** The index kind of archived records, so that other searches do not read them. */
export const toArchivedType = (type: string) => `${type}_archived`

function concatColumns(...of: readonly string[]): string {
  return `concat_ws(' ', ${of.map((column) => `t."${column}"`).join(', ')})`
}
