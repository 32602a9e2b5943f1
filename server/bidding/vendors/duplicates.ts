import { CompiledQuery } from 'kysely'
import type { PossibleDuplicate, VendorStatus } from '../../../client/contract.gen.ts'
import type { Call } from '../../http/call.ts'

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

/** By what vendors are alike. */
interface Likeness {
  companyName: string
  email?: string | null
  phone?: string | null
}

// One by one, because each has an index of its own, and of a thousand vendors with one telephone number six are read:
// one more than an answer holds, in case the new vendor is among them. Not ordered, because the database would then walk
// through all vendors in their order when it does not know yet how many there are; the index has the oldest first.
const by = (column: string, key: string) => `(
  select v."id" from "vendors" as v
  where v."organizationId" = $1 and v."archivedAt" is null and v."${column}" = ${key}
  limit ${MOST + 1})`

const KEYS = {
  nameKey: `"vendorNameKey"($2::text)`,
  emailKey: 'lower($3::text)',
  phoneKey: `"vendorPhoneKey"($4::text)`,
}

const ALIKE = `
  select v."id", v."companyName", v."status", v."nameKey" = ${KEYS.nameKey} as "name",
    v."emailKey" = ${KEYS.emailKey} as "email", v."phoneKey" = ${KEYS.phoneKey} as "phone"
  from (select "id" from (${Object.entries(KEYS)
    .map(([column, key]) => by(column, key))
    .join(' union ')}) as u order by "id" limit ${MOST + 1}) as alike
  join "vendors" as v on v."organizationId" = $1 and v."id" = alike."id"
  order by v."id"`.trimStart()

/**
 * Creates a vendor and adds the vendors that it may be a second record of, oldest first: its name, e-mail address or
 * telephone number is theirs, however it is written. None for a caller who may not read vendors.
 */
export async function withPossibleDuplicates<V extends { id: string }>(
  call: Call,
  values: Likeness,
  create: () => Promise<V>,
): Promise<V & { possibleDuplicates: PossibleDuplicate[] }> {
  const alike = vendorsLike(call, values)
  // The search costs no wait while the vendor is stored on another connection; a transaction has only one.
  const created = call.isWriting ? alike.then(create) : create()
  const [found, vendor] = await Promise.all([alike, created])
  return { ...vendor, possibleDuplicates: found.filter(({ id }) => id !== vendor.id).slice(0, MOST) }
}

async function vendorsLike(
  { db, organizationId, permissions }: Call,
  { companyName, email = null, phone = null }: Likeness,
): Promise<PossibleDuplicate[]> {
  if (!permissions.has('vendors:read')) return []
  const values = [organizationId, companyName, email, phone]
  const { rows } = await db.executeQuery<Alike>(CompiledQuery.raw(ALIKE, values))
  return rows.map(({ id, companyName, status, name, email, phone }) => ({
    ...{ id, companyName, status },
    agreesIn: [
      ...(name ? (['companyName'] as const) : []),
      ...(email ? (['email'] as const) : []),
      ...(phone ? (['phone'] as const) : []),
    ],
  }))
}
