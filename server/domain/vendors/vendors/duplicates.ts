import { CompiledQuery } from 'kysely'
import type { PossibleDuplicate, SyncResult, VendorStatus, VendorsSyncResult } from '../../../../client/contract.gen.ts'
import type { Call, WriteCall } from '../../../platform/calls/call.ts'

/** What the contract lets an answer hold: enough to notice, and one more is no more telling. */
const MOST = 5

const KEYS = ['nameKey', 'emailKey', 'phoneKey'] as const
type Key = (typeof KEYS)[number]

/** A vendor that has one of the new one's keys; it is read once for each that it has, up to a bound. */
interface Alike extends Record<Key, string | null> {
  id: string
  companyName: string
  status: VendorStatus
  by: Key
}

/**
 * Selects the vendors that share a key with a new vendor, the oldest five for each key: the same name, email address or
 * phone number, however it is written.
 *
 * Each key is compared by itself, as a range of its own index and in the order of that index, so that at most five rows are
 * read even where a thousand vendors have one phone number. With `=` in place of `between`, PostgreSQL would assume so many
 * equal values that it reads all vendors in the order of their ids instead.
 *
 * @param keys expressions of parameters or plain columns. Behind row-level security the index is not used for anything that
 *   is computed from columns.
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

/** The vendors that a vendor may duplicate that is about to be created. */
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

/** The result with what each vendor that it created may be a second record of, among those of the same request too. */
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

/** The vendors that were found, each once and the oldest first. */
export function possibleDuplicates(alike: readonly Alike[]): PossibleDuplicate[] {
  // Whoever was found by a key has the new vendor's.
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
