import { sql } from 'kysely'
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

/**
 * The vendors that a new one may be a second record of, oldest first: its name, e-mail address or telephone number is
 * theirs, however it is written. None for a caller who may not read vendors.
 */
export async function possibleDuplicates(
  { db, organizationId, permissions }: Call,
  { companyName, email = null, phone = null }: { companyName: string; email?: string | null; phone?: string | null },
): Promise<PossibleDuplicate[]> {
  if (!permissions.has('vendors:read')) return []
  const keys = {
    nameKey: sql`"vendorNameKey"(${companyName}::text)`,
    emailKey: sql`lower(${email}::text)`,
    phoneKey: sql`"vendorPhoneKey"(${phone}::text)`,
  }
  // One by one, because each has an index of its own, and a name that is left empty a thousand times is read five times.
  const by = Object.entries(keys).map(
    ([column, key]) => sql`(
      select v."id" from "vendors" as v
      where v."organizationId" = ${organizationId} and v."archivedAt" is null and v.${sql.ref(column)} = ${key}
      order by v."id" limit ${MOST})`,
  )
  const { rows } = await sql<Alike>`
    select v."id", v."companyName", v."status", v."nameKey" = ${keys.nameKey} as "name",
      v."emailKey" = ${keys.emailKey} as "email", v."phoneKey" = ${keys.phoneKey} as "phone"
    from (select "id" from (${sql.join(by, sql` union `)}) as u order by "id" limit ${MOST}) as alike
    join "vendors" as v on v."organizationId" = ${organizationId} and v."id" = alike."id"
    order by v."id"`.execute(db)
  return rows.map(({ id, companyName, status, name, email, phone }) => ({
    ...{ id, companyName, status },
    agreesIn: [
      ...(name ? (['companyName'] as const) : []),
      ...(email ? (['email'] as const) : []),
      ...(phone ? (['phone'] as const) : []),
    ],
  }))
}
