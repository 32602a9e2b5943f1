import { CompiledQuery } from 'kysely'
import type { PossibleDuplicate, SyncResult, VendorStatus, VendorsSyncResult } from '../../../../client/contract.gen.ts'
import type { Call, WriteCall } from '../../../platform/calls/call.ts'

/** The maximum number of possible duplicates in the API contract, which is enough to notice the problem. */
const MAX_DUPLICATES = 5

const DUPLICATE_KEYS = ['nameKey', 'emailKey', 'phoneKey'] as const
type DuplicateKey = (typeof DUPLICATE_KEYS)[number]

/**
 * A vendor that has a key in common with the new vendor. The query returns the vendor once for each common key, up to a
 * limit.
 */
interface SimilarVendor extends Record<DuplicateKey, string | null> {
  id: string
  companyName: string
  status: VendorStatus
  by: DuplicateKey
}

/**
 * Returns SQL for the vendors that have a key in common with a new vendor: the five oldest vendors for each key. The
 * keys are the normalized name, email address, and phone number.
 *
 * Each key is compared separately, using a range of its own index, which is also sorted in the required order.
 * Therefore, at most five rows are read, even if a thousand vendors have the same phone number. With `=` instead of
 * `between`, PostgreSQL would expect many equal values and read all vendors in the order of their IDs.
 *
 * @param keys expressions that are parameters or plain columns. With row-level security, the index is not used for
 * values that are computed from columns.
 */
function selectSimilarSql(organization: string, keys: Record<DuplicateKey, string>): string {
  return DUPLICATE_KEYS.map(
    (key) => `(
      select v."id", v."companyName", v."status", ${DUPLICATE_KEYS.map((each) => `v."${each}"`).join(', ')}, '${key}' as "by"
      from "vendors" as v
      where v."organizationId" = ${organization} and v."archivedAt" is null
        and v."${key}" between ${keys[key]} and ${keys[key]}
      order by v."${key}", v."id" limit ${MAX_DUPLICATES})`,
  ).join(' union all ')
}

const SIMILAR_TO_ONE = selectSimilarSql('$1', {
  nameKey: '"vendorNameKey"($2::text)',
  emailKey: 'lower($3::text)',
  phoneKey: '"vendorPhoneKey"($4::text)',
})

/** Returns the existing vendors that a new vendor may duplicate, before the new vendor is created. */
export async function findSimilarVendors(
  { db, organizationId }: Call,
  { companyName, email = null, phone = null }: { companyName: string; email?: string | null; phone?: string | null },
): Promise<SimilarVendor[]> {
  const values = [organizationId, companyName, email, phone]
  return (await db.executeQuery<SimilarVendor>(CompiledQuery.raw(SIMILAR_TO_ONE, values))).rows
}

const SIMILAR_TO_EACH = `
  select n."id" as "of", q.*
  from "vendors" as n
  cross join lateral (${selectSimilarSql('$1', { nameKey: 'n."nameKey"', emailKey: 'n."emailKey"', phoneKey: 'n."phoneKey"' })}) as q
  where n."organizationId" = $1 and n."id" = any($2) and q."id" <> n."id"`

/**
 * Returns the result of a sync, in which each created vendor has its possible duplicates. Duplicates can be in the same
 * request.
 */
export async function addPossibleDuplicates(call: WriteCall, synced: SyncResult): Promise<VendorsSyncResult> {
  const created = synced.rows.flatMap(({ status, id }) => (status === 'created' ? (id ?? []) : []))
  const isAsked = created.length > 0 && call.permissions.has('vendors:read')
  const requested = CompiledQuery.raw(SIMILAR_TO_EACH, [call.organizationId, created])
  const found = isAsked ? (await call.db.executeQuery<SimilarVendor & { of: string }>(requested)).rows : []
  const alike = Map.groupBy(found, (row) => row.of)
  return {
    ...synced,
    rows: synced.rows.map((row) => ({
      ...row,
      possibleDuplicates: toPossibleDuplicates(alike.get(row.id ?? '') ?? []),
    })),
  }
}

/** Returns the given vendors without duplicates, oldest first. */
export function toPossibleDuplicates(alike: readonly SimilarVendor[]): PossibleDuplicate[] {
  // A vendor that was found by a key has the same value of this key as the new vendor.
  const own = new Map(alike.map((each) => [each.by, each[each.by]]))
  const agrees = (each: SimilarVendor, key: DuplicateKey) => own.has(key) && own.get(key) === each[key]
  return [...new Map(alike.map((each) => [each.id, each])).values()]
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .slice(0, MAX_DUPLICATES)
    .map((each) => ({
      ...{ id: each.id, companyName: each.companyName, status: each.status },
      agreesIn: [
        ...(agrees(each, 'nameKey') ? (['companyName'] as const) : []),
        ...(agrees(each, 'emailKey') ? (['email'] as const) : []),
        ...(agrees(each, 'phoneKey') ? (['phone'] as const) : []),
      ],
    }))
}
