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

type Recorded = Exclude<keyof typeof records, 'BidRequestSummary'>
interface Indexed<Schema extends Recorded> {
  type: (typeof records)[Schema]['kind']
  prefix: string
  table: (typeof records)[Schema]['table']
}

/** Returns the kind of a record, the prefix of its IDs, and its table, from the contract. */
function indexed<Schema extends Recorded>(schema: Schema): Indexed<Schema> {
  const { kind, prefix, table }: (typeof records)[Recorded] = records[schema]
  return { type: kind, prefix, table } as Indexed<Schema>
}

const OF_VENDOR = `join "vendors" as v on v."organizationId" = t."organizationId" and v."id" = t."vendorId"`

/**
 * A new kind needs an entry here, and a trigger that records its changes in a migration, as in 0141_search_lists.ts.
 */
export const KINDS: readonly SearchedKind[] = [
  {
    ...indexed('Vendor'),
    permission: 'vendors:read',
    text: `concat_ws(' ', t."companyName", t."contactName", t."email", t."phone", t."licenseNumber")`,
    ...{ title: `t."companyName"`, detail: `t."contactName"`, status: `t."status"` },
  },
  {
    ...indexed('Community'),
    permission: 'communities:read',
    text: `concat_ws(' ', t."name", t."code", t."city", t."state", t."postalCode")`,
    ...{ title: `t."name"`, detail: `t."city"`, status: `t."status"` },
  },
  {
    ...indexed('Home'),
    permission: 'homes:read',
    join: `join "communities" as c on c."organizationId" = t."organizationId" and c."id" = t."communityId"`,
    text: `concat_ws(' ', t."name", t."lotNumber", t."block", t."address"->>'line1', t."address"->>'line2', t."address"->>'city', t."address"->>'postalCode')`,
    ...{ title: `t."name"`, detail: `c."name"`, status: `t."status"` },
  },
  {
    ...indexed('BidRequest'),
    permission: 'bids:read',
    text: `concat_ws(' ', t."number", t."title", t."scope")`,
    ...{ title: `t."number"`, detail: `coalesce(t."title", t."scope")`, status: `t."status"` },
  },
  {
    ...indexed('Bid'),
    permission: 'bids:read',
    join: `${OF_VENDOR} join "bidRequests" as r on r."organizationId" = t."organizationId" and r."id" = t."bidRequestId"`,
    text: `concat_ws(' ', r."number", r."title", v."companyName", t."scope")`,
    ...{ title: `v."companyName"`, detail: `r."number"`, status: `t."status"` },
  },
  {
    ...indexed('PurchaseOrder'),
    ...{ permission: 'pos:read', join: OF_VENDOR },
    text: `concat_ws(' ', t."number", t."scope", v."companyName", t."notes", (
      select string_agg(l."description", ' ' order by l."position") from "purchaseOrderLines" as l
      where l."organizationId" = t."organizationId" and l."purchaseOrderId" = t."id"))`,
    ...{ title: `t."number"`, detail: `v."companyName"`, status: `t."status"` },
  },
  {
    ...indexed('Payment'),
    ...{ permission: 'payments:read', join: OF_VENDOR },
    text: `concat_ws(' ', t."number", t."invoiceNumber", v."companyName")`,
    ...{ title: `t."number"`, detail: `v."companyName"`, status: `t."status"` },
  },
  {
    ...indexed('User'),
    permission: 'users:read',
    text: `concat_ws(' ', t."name", t."email")`,
    ...{ title: `t."name"`, detail: `t."email"`, status: `t."status"` },
  },
  {
    ...indexed('Lead'),
    permission: 'leads:read',
    text: `concat_ws(' ', t."firstName", t."lastName", t."email", t."phone")`,
    ...{
      title: `coalesce(nullif(concat_ws(' ', t."firstName", t."lastName"), ''), t."email", t."phone", t."id")`,
      detail: `t."email"`,
      status: `t."status"`,
    },
  },
  {
    ...indexed('Sale'),
    permission: 'sales:read',
    text: `concat_ws(' ', t."number", (
      select string_agg(concat_ws(' ', b->>'name', b->>'email', b->>'phone'), ' ') from jsonb_array_elements(t."buyers") as b))`,
    ...{ title: `t."number"`, detail: `t."buyers"->0->>'name'`, status: `t."status"` },
  },
]

/** Kinds that only their own list finds by words. */
const LISTED: readonly IndexedKind[] = [
  { ...indexed('ComplianceDocument'), text: words('carrier', 'policyNumber') },
  { ...indexed('Scope'), text: words('name', 'code') },
  { ...indexed('Plan'), text: words('code', 'name') },
  { ...indexed('CostCode'), text: words('code', 'name') },
  { ...indexed('Part'), text: words('sku', 'name', 'description', 'manufacturer') },
  { ...indexed('Option'), text: words('code', 'name', 'description') },
  { ...indexed('Selection'), text: words('customDescription', 'color', 'location') },
  { ...indexed('Contract'), text: words('number', 'notes') },
  { ...indexed('TaskTemplate'), text: words('name') },
  { ...indexed('Task'), text: words('name', 'phase') },
  { ...indexed('Milestone'), text: words('name') },
]

const INDEXED = [...KINDS, ...LISTED]

export const kindsById: ReadonlyMap<string, IndexedKind> = new Map(INDEXED.map((kind) => [kind.prefix, kind]))
export const kindsByTable: ReadonlyMap<string, IndexedKind> = new Map(INDEXED.map((kind) => [kind.table, kind]))

/** SQL of whether a record is found only when archived ones are requested too. */
export const isArchived = ({ table }: IndexedKind) =>
  'archivedAt' in columns[table] ? `t."archivedAt" is not null` : 'false'

/** The index kind of archived records, so that other searches do not read them. */
export const archivedType = (type: string) => `${type}_archived`

function words(...of: readonly string[]): string {
  return `concat_ws(' ', ${of.map((column) => `t."${column}"`).join(', ')})`
}
