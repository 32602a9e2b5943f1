import { CompiledQuery } from 'kysely'
import type {
  PossibleDuplicate,
  SyncResult,
  Vendor,
  VendorStatus,
  VendorsSyncResult,
} from '../../../client/contract.gen.ts'
import type { Call, WriteCall } from '../../http/call.ts'
import type { Question } from '../../resources/resource.ts'

/** What the contract lets an answer hold: enough to notice, and one more is no more telling. */
const MOST = 5

interface Alike {
  id: string
  companyName: string
  status: VendorStatus
  name: boolean | null
  email: boolean | null
  phone: boolean | null
}

/**
 * Which vendors a new one may be a second record of, oldest first: its name, e-mail address or telephone number is
 * theirs, however it is written.
 */
export const whoIsAlike: Question<Vendor, Alike> = {
  text(organization, value) {
    const keys = {
      nameKey: `"vendorNameKey"(${value('companyName')}::text)`,
      emailKey: `lower(${value('email')}::text)`,
      phoneKey: `"vendorPhoneKey"(${value('phone')}::text)`,
    }
    // One by one, because each has an index of its own, and of a thousand vendors with one telephone number five are
    // read. Not ordered, because the database would then walk through all vendors in their order when it does not know
    // yet how many there are; the index has the oldest first.
    const by = Object.entries(keys).map(
      ([column, key]) => `(
        select v."id" from "vendors" as v
        where v."organizationId" = ${organization} and v."archivedAt" is null and v."${column}" = ${key}
        limit ${MOST})`,
    )
    return `select v."id", v."companyName", v."status", v."nameKey" = ${keys.nameKey} as "name",
        v."emailKey" = ${keys.emailKey} as "email", v."phoneKey" = ${keys.phoneKey} as "phone"
      from (select "id" from (${by.join(' union ')}) as u order by "id" limit ${MOST}) as alike
      join "vendors" as v on v."organizationId" = ${organization} and v."id" = alike."id"
      order by v."id"`
  },
}

const PARAMETERS: Record<string, string> = { companyName: '$2', email: '$3', phone: '$4' }
const WHO_IS_ALIKE = whoIsAlike.text('$1', (field) => PARAMETERS[field] ?? 'null')

/** The answer to `whoIsAlike` of a vendor that is about to be created. */
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
  cross join lateral (${whoIsAlike.text('$1', (field) => `n."${field}"`)}) as q
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

export function possibleDuplicates(alike: readonly Alike[]): PossibleDuplicate[] {
  return alike.map(({ id, companyName, status, name, email, phone }) => ({
    ...{ id, companyName, status },
    agreesIn: [
      ...(name ? (['companyName'] as const) : []),
      ...(email ? (['email'] as const) : []),
      ...(phone ? (['phone'] as const) : []),
    ],
  }))
}
