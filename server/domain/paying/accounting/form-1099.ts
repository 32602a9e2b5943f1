import { stringify } from 'csv-stringify/sync'
import { CompiledQuery } from 'kysely'
import type { Form1099, Form1099Kind, Form1099Totals, Form1099Vendor, Vendor } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { createFileResponse, type FileResponse } from '../../../platform/calls/file-response.ts'
import type { Input } from '../../../platform/calls/operation.ts'
import { CSV_FORM_FOR_PEOPLE } from '../../../platform/values/csv-form.ts'
import { unsealTaxId } from '../../vendors/vendors/tax-id.ts'
import {
  BOXES,
  type Box,
  getForm1099Thresholds,
  type Thresholds,
  toBoxAmountsSql,
} from '../payments/form-1099-rules.ts'

/** Sums the payments of a year, including withheld tax, by vendor and box, and then by form. */
const AMOUNTS = `
  "reported" as materialized (
    select b.*, case when "box" = 'nec_1' then '1099-NEC' else '1099-MISC' end as "form"
    from (${toBoxAmountsSql(`p."organizationId" = $1 and p."status" = 'paid' and p."method" <> 'card'
      and p."paidDate" between $2::date and $3::date`)}) as b
    where "box" <> 'none'
  ), "amounts" as materialized (
    select "vendorId", "form", "box", sum("amount") as "amount", sum("withheld") as "withheld"
    from "reported" group by 1, 2, 3
  ), "forms" as materialized (
    select "vendorId", "form",
      coalesce(sum("amount") filter (where "box" <> 'misc_10'), 0) as "usual",
      coalesce(sum("amount") filter (where "box" = 'misc_10'), 0) as "attorneys", sum("amount") as "paid",
      sum("withheld") as "withheld", json_object_agg("box", "amount" order by "box") as "boxes"
    from "amounts" group by 1, 2
  )`

/**
 * SQL that lists the forms whose amounts reach the threshold. A form with withheld tax is listed regardless of its
 * amounts.
 */
const TOTALS_SQL = `
  with ${AMOUNTS}, "dueForms" as materialized (
    select * from "forms" where "usual" >= $4 or "attorneys" >= $5 or "withheld" > 0
  ), "due" as materialized (
    select "vendorId", sum("paid") as "paid", sum("withheld") as "backupWithheld",
      json_agg(json_build_object('form', "form", 'boxes', "boxes", 'backupWithheld', "withheld") order by "form" desc) as "forms"
    from "dueForms" group by "vendorId"
  ), "counts" as materialized (
    -- A payment can be reported on both forms.
    select r."vendorId", count(distinct r."paymentId")::integer as "payments"
    from "reported" as r join "dueForms" as f on f."vendorId" = r."vendorId" and f."form" = r."form"
    group by r."vendorId"
  ), "listed" as materialized (
    select v."id" as "vendorId", v."companyName", v."taxIdLast4", v."sealedTaxId", v."address", t."paid", c."payments",
      t."backupWithheld", t."forms"
    from "due" as t
    join "counts" as c on c."vendorId" = t."vendorId"
    join "vendors" as v on v."organizationId" = $1 and v."id" = t."vendorId"
  )
  select l.*, (select count(*)::integer from "listed") as "vendorCount", (select sum("paid") from "listed") as "total"
  from "listed" as l where l."vendorId" > $6 order by l."vendorId" limit $7`

type Boxes = Partial<Record<Box, number>>

/** A vendor with forms to file. Each row also contains the number of such vendors and their total on all pages. */
interface Form1099Row extends Omit<Form1099Vendor, 'forms'> {
  forms: { form: Form1099Kind; boxes: Boxes; backupWithheld: number }[]
  sealedTaxId: string | null
  address: Vendor['address']
  vendorCount: number
  total: number
}

/** Returns the vendors with forms to file for a year, and the amounts on their forms. */
export async function getForm1099Totals(
  call: Call,
  query: Input<'getForm1099Totals'>['query'],
): Promise<Form1099Totals> {
  const { year, limit } = query
  const thresholds = thresholdsFor(query)
  const rows = await findVendorsAboveThreshold(call, thresholds, { ...query, limit: limit + 1 })
  const vendors = rows.slice(0, limit).map(({ vendorId, companyName, taxIdLast4, paid, payments, ...row }) => ({
    ...{ vendorId, companyName, taxIdLast4, paid, payments, backupWithheld: row.backupWithheld },
    forms: row.forms.map(toForm),
  }))
  return {
    ...{ asOf: call.now.toISOString(), year, threshold: thresholds.usual, currency: call.currency },
    ...{ vendorCount: rows[0]?.vendorCount ?? 0, total: rows[0]?.total ?? 0 },
    vendors,
    lastVendorId: rows.length > limit ? (vendors.at(-1)?.vendorId ?? null) : null,
  }
}

function thresholdsFor({ year, threshold }: { year: number; threshold?: number | undefined }): Thresholds {
  return threshold === undefined ? getForm1099Thresholds(year) : { usual: threshold, attorneys: threshold }
}

function toForm({ form, boxes, backupWithheld }: Form1099Row['forms'][number]): Form1099 {
  const filled = BOXES[form].flatMap((box) => {
    const amount = boxes[box] ?? 0
    return amount === 0 ? [] : [{ box, amount }]
  })
  return { form, boxes: filled, backupWithheld }
}

const CSV_COLUMNS = [
  ...(['vendorId', 'companyName', 'taxId', 'line1', 'line2', 'city', 'state', 'postalCode', 'country'] as const),
  ...(['paid', 'payments', 'form', ...Object.values(BOXES).flat(), 'backupWithheld'] as const),
]

/** Returns the same vendors and amounts as CSV, with the data for each form. */
export async function exportForm1099Csv(call: Call, query: Input<'getForm1099Csv'>['query']): Promise<FileResponse> {
  const rows = await findVendorsAboveThreshold(call, thresholdsFor(query), query)
  // Roles that can only read may also read payments, so only the permission to write payments shows that the caller
  // files forms.
  const files = call.permissions.has('payments:write')
  const lines = rows.flatMap(({ sealedTaxId, vendorId, address, forms, ...row }) =>
    forms.map(({ form, boxes, backupWithheld }) => ({
      ...{ ...row, ...address, ...boxes, vendorId, form, backupWithheld },
      taxId: files && sealedTaxId !== null ? unsealTaxId(call, { vendorId, sealed: sealedTaxId }) : null,
    })),
  )
  const text = stringify(lines, { ...CSV_FORM_FOR_PEOPLE, columns: [...CSV_COLUMNS], header: true })
  return createFileResponse(`form-1099-${query.year}.csv`, 'text/csv', Buffer.from(text))
}

async function findVendorsAboveThreshold(
  { db, organizationId }: Call,
  { usual, attorneys }: Thresholds,
  { year, afterVendorId = '', limit }: { year: number; afterVendorId?: string | undefined; limit: number },
): Promise<Form1099Row[]> {
  const values = [organizationId, ...getDays(year), usual, attorneys, afterVendorId, limit]
  return (await db.executeQuery<Form1099Row>(CompiledQuery.raw(TOTALS_SQL, values))).rows
}

/** Returns the forms of the vendors, computed from their payments. Includes forms below the threshold. */
export async function findVendorForms(
  { db, organizationId }: Call,
  year: number,
  vendorIds: readonly string[],
): Promise<(Form1099 & { vendorId: string })[]> {
  const statement = `
    with ${AMOUNTS}
    select "vendorId", "form", "boxes", "withheld" as "backupWithheld" from "forms" where "vendorId" = any($4)`
  const values = [organizationId, ...getDays(year), [...vendorIds]]
  const { rows } = await db.executeQuery<Form1099Row['forms'][number] & { vendorId: string }>(
    CompiledQuery.raw(statement, values),
  )
  return rows.map(({ vendorId, ...row }) => ({ vendorId, ...toForm(row) }))
}

function getDays(year: number): [string, string] {
  return [`${year}-01-01`, `${year}-12-31`]
}
