import { stringify } from 'csv-stringify/sync'
import { CompiledQuery } from 'kysely'
import type { Form1099Totals, Form1099Vendor, Vendor } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { type FileAnswer, madeFile } from '../../../platform/calls/file-answer.ts'
import type { Input } from '../../../platform/calls/operation.ts'
import { CSV_FORM } from '../../../platform/values/csv-form.ts'
import { openTaxId } from '../../vendors/vendors/tax-id.ts'

/**
 * The amount from which Form 1099-NEC is required, by year of the payments. Public Law 119-21, section 70433, raised it
 * from $600 to $2,000 for payments made after 2025, and indexes it for inflation after 2026.
 */
const thresholdOf = (year: number) => (year <= 2025 ? 600 : 2000)

const TOTALS = `
  with totals as materialized (
    select p."vendorId", sum(p."amount") as "paid", count(*)::integer as "payments"
    from "payments" as p
    where p."organizationId" = $1 and p."status" = 'paid' and p."paidDate" between $2::date and $3::date
      and p."method" <> 'card'
    group by p."vendorId"
    having sum(p."amount") >= $4
  ), listed as materialized (
    select v."id" as "vendorId", v."companyName", v."taxIdLast4", v."sealedTaxId", v."address", t."paid", t."payments"
    from totals as t join "vendors" as v on v."organizationId" = $1 and v."id" = t."vendorId" and v."is1099"
  )
  select l.*, (select count(*)::integer from listed) as "vendorCount", (select sum("paid") from listed) as "total"
  from listed as l where l."vendorId" > $5 order by l."vendorId" limit $6`

/** A vendor that reaches the threshold, with the number of vendors and the total on all pages. */
interface Row extends Form1099Vendor {
  sealedTaxId: string | null
  address: Vendor['address']
  vendorCount: number
  total: number
}

/** Returns what each vendor that reaches the threshold was paid in a year. */
export async function form1099Totals(call: Call, query: Input<'getForm1099Totals'>['query']): Promise<Form1099Totals> {
  const { year, threshold = thresholdOf(year), limit } = query
  const rows = await reaching(call, { ...query, threshold, limit: limit + 1 })
  const vendors = rows.slice(0, limit).map(({ vendorId, companyName, taxIdLast4, paid, payments }) => ({
    ...{ vendorId, companyName, taxIdLast4, paid, payments },
  }))
  return {
    ...{ asOf: call.now.toISOString(), year, threshold, currency: call.currency },
    ...{ vendorCount: rows[0]?.vendorCount ?? 0, total: rows[0]?.total ?? 0 },
    vendors,
    lastVendorId: rows.length > limit ? (vendors.at(-1)?.vendorId ?? null) : null,
  }
}

const COLUMNS = [
  ...(['vendorId', 'companyName', 'taxId', 'line1', 'line2', 'city', 'state', 'postalCode', 'country'] as const),
  ...(['paid', 'payments'] as const),
]

/** Returns the same as CSV, with the data for the form. */
export async function form1099Csv(call: Call, query: Input<'getForm1099Csv'>['query']): Promise<FileAnswer> {
  const rows = await reaching(call, { ...query, threshold: query.threshold ?? thresholdOf(query.year) })
  // Roles that only read may read payments too, so the permission to write them identifies callers who file the form.
  const files = call.permissions.has('payments:write')
  const lines = rows.map(({ sealedTaxId, vendorId, address, ...row }) => ({
    ...{ ...row, ...address, vendorId },
    taxId: files && sealedTaxId !== null ? openTaxId(call, { vendorId, sealed: sealedTaxId }) : null,
  }))
  const text = stringify(lines, { ...CSV_FORM, columns: [...COLUMNS], header: true })
  return madeFile(`form-1099-${query.year}.csv`, 'text/csv', Buffer.from(text))
}

interface Wanted {
  readonly year: number
  readonly threshold: number
  readonly afterVendorId?: string | undefined
  readonly limit: number
}

async function reaching(
  { db, organizationId }: Call,
  { year, threshold, afterVendorId = '', limit }: Wanted,
): Promise<Row[]> {
  const values = [organizationId, `${year}-01-01`, `${year}-12-31`, threshold, afterVendorId, limit]
  return (await db.executeQuery<Row>(CompiledQuery.raw(TOTALS, values))).rows
}
