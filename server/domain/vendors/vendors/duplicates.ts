import { CompiledQuery } from 'kysely'
import type { PossibleDuplicate, SyncResult, VendorStatus, VendorsSyncResult } from '../../../../client/contract.gen.ts'
import type { Call, WriteCall } from '../../../platform/calls/call.ts'

/** The contract's maximum of possible duplicates: enough to notice the problem. */
const MOST = 5

const KEYS = ['nameKey', 'emailKey', 'phoneKey'] as const
type Key = (typeof KEYS)[number]

/** A vendor that shares a key with the new one. It is read once per shared key, up to a limit. */
interface Alike extends Record<Key, string | null> {
  id: string
  companyName: string
  status: VendorStatus
  by: Key
}

/**
 * Returns SQL of the vendors that share a key with a new vendor, the oldest five for each key: the same name, email
 * address, or phone number, in whatever form.
 *
 * Each key is compared separately, as a range of its own index and in the order of that index, so that at most five
 * rows are read even if a thousand vendors have one phone number. With `=` in place of `between`, PostgreSQL would
 * expect so many equal values that it reads all vendors in the order of their IDs.
 *
 * @param keys expressions of parameters or plain columns. With row-level security, the index is not used for anything
 * that is computed from columns.
 */
function selectAlike(organization: string, keys: Record<Key, string>): string {
  return KEYS.map(
    (key) => `(
      select v."id", v."companyName", v."status", ${KEYS.map((each) => `v."${each}"`).join(', ')}, '${key}' as "by"
      from "vendors" as v
      where v."organizationId" = ${organization} and v."archivedAt" is null
        and v."${key}" between ${keys[key]} and ${keys[key]}
      order by v."${key}", v."id" limit ${MOST})`,
  ).join(' union all ')
}

const WHO_IS_ALIKE = selectAlike('$1', {
  nameKey: '"vendorNameKey"($2::text)',
  emailKey: 'lower($3::text)',
  phoneKey: '"vendorPhoneKey"($4::text)',
})

/** Returns the vendors that a new vendor may duplicate, before it is created. */
export async function vendorsLike(
  { db, organizationId }: Call,
  { companyName, email = null, phone = null }: { companyName: string; email?: string | null; phone?: string | null },
): Promise<Alike[]> {
  const values = [organizationId, companyName, email, phone]
  return (await db.executeQuery<Alike>(CompiledQuery.raw(WHO_IS_ALIKE, values))).rows
}

const WHO_IS_ALIKE_OF_EACH = `
  select n."id" as "of", q.*
  from "vendors" as n
  cross join lateral (${selectAlike('$1', { nameKey: 'n."nameKey"', emailKey: 'n."emailKey"', phoneKey: 'n."phoneKey"' })}) as q
  where n."organizationId" = $1 and n."id" = any($2) and q."id" <> n."id"`

/**
 * Returns the result of a sync with the possible duplicates of each created vendor, including those in the same
 * request.
 */
export async function withPossibleDuplicates(call: WriteCall, synced: SyncResult): Promise<VendorsSyncResult> {
  const created = synced.rows.flatMap(({ status, id }) => (status === 'created' ? (id ?? []) : []))
  const isAsked = created.length > 0 && call.permissions.has('vendors:read')
  const asked = CompiledQuery.raw(WHO_IS_ALIKE_OF_EACH, [call.organizationId, created])
  const found = isAsked ? (await call.db.executeQuery<Alike & { of: string }>(asked)).rows : []
  const alike = Map.groupBy(found, (row) => row.of)
  return {
    ...synced,
    rows: synced.rows.map((row) => ({ ...row, possibleDuplicates: possibleDuplicates(alike.get(row.id ?? '') ?? []) })),
  }
}

/** Returns the found vendors without repeats, oldest first. */
export function possibleDuplicates(alike: readonly Alike[]): PossibleDuplicate[] {
  // A vendor found by a key has the new vendor's value of that key.
  const own = new Map(alike.map((each) => [each.by, each[each.by]]))
  const agrees = (each: Alike, key: Key) => own.has(key) && own.get(key) === each[key]
  return [...new Map(alike.map((each) => [each.id, each])).values()]
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .slice(0, MOST)
    .map((each) => ({
      ...{ id: each.id, companyName: each.companyName, status: each.status },
      agreesIn: [
        ...(agrees(each, 'nameKey') ? (['companyName'] as const) : []),
        ...(agrees(each, 'emailKey') ? (['email'] as const) : []),
        ...(agrees(each, 'phoneKey') ? (['phone'] as const) : []),
      ],
    }))
}
