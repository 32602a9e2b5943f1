import { sql } from 'kysely'
import type {
  FieldError,
  Form1099AsFiled,
  Form1099Correction,
  Form1099Corrections,
  Form1099Filing,
  Form1099FilingCreate,
} from '../../../../client/contract.gen.ts'
import type { Call, WriteCall } from '../../../platform/calls/call.ts'
import type { Input } from '../../../platform/calls/operation.ts'
import { conflict, unknownReference, validationFailed } from '../../../platform/problems/problem.ts'
import { defineResource } from '../../../platform/resources/resource.ts'
import { toLocalDate } from '../../../platform/values/calendar.ts'
import * as vendors from '../../vendors/vendors/queries.ts'
import { BOXES } from '../payments/form-1099-rules.ts'
import { findVendorForms } from './form-1099.ts'

const filings = defineResource({ schema: 'Form1099Filing' })

/** Records a filed form. If the body has no amounts, records the current totals. */
export async function recordFiling(call: WriteCall, body: Form1099FilingCreate): Promise<Form1099Filing> {
  const { vendorId, year, form, filedOn } = body
  const errors = getFaults(call, body)
  if (errors.length > 0) throw validationFailed(errors)
  const vendor = await vendors.findOptional(call, vendorId)
  if (vendor === undefined) throw unknownReference(['/vendorId'])
  const current = (await findVendorForms(call, year, [vendorId])).find((own) => own.form === form)
  const boxes = body.boxes ?? current?.boxes ?? []
  if (boxes.length === 0)
    throw conflict(
      'missing_data',
      `Cannot record the filing: ${vendor.companyName} has no payments to report on Form ${form} for ${year}. To record other amounts, set boxes.`,
    )
  const { companyName, taxIdLast4 } = vendor
  const backupWithheld = body.backupWithheld ?? current?.backupWithheld ?? 0
  return filings.insert(call, {
    ...{ vendorId, year, form, filedOn, boxes, backupWithheld, companyName, taxIdLast4, currency: call.currency },
  })
}

function getFaults(call: Call, { form, filedOn, boxes = [] }: Form1099FilingCreate): FieldError[] {
  const today = toLocalDate(call.timeZone, call.now)
  const known = BOXES[form]
  return [
    ...(filedOn > today
      ? [{ pointer: '/filedOn', code: 'maximum', message: `must not be after today (${today})` }]
      : []),
    ...boxes.flatMap(({ box }, i) => {
      const pointer = `/boxes/${i}/box`
      if (!known.includes(box)) return [{ pointer, code: 'other_form', message: `must be a box of Form ${form}` }]
      if (boxes.findIndex((other) => other.box === box) < i)
        return [{ pointer, code: 'unique', message: 'must be unique; another entry has the same box' }]
      return []
    }),
  ]
}

/** Returns the latest filings of a year that no longer match the payments or the vendor data. */
export async function listCorrections(
  call: Call,
  { year, limit, afterFilingId = '' }: Input<'getForm1099Corrections'>['query'],
): Promise<Form1099Corrections> {
  const ids = await findLatestFilings(call, { year, after: afterFilingId, most: limit + 1 })
  const checked = await filings.findAll(call, ids.slice(0, limit))
  const vendorIds = [...new Set(checked.map(({ vendorId }) => vendorId))]
  const [forms, named] = [await findVendorForms(call, year, vendorIds), await vendors.findAll(call, vendorIds)]
  const byVendor = new Map(named.map((vendor) => [vendor.id, vendor]))
  const found = checked
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    .flatMap((filing) => {
      const vendor = byVendor.get(filing.vendorId)
      if (vendor === undefined) return []
      const { boxes = [], backupWithheld = 0 } =
        forms.find(({ vendorId, form }) => vendorId === filing.vendorId && form === filing.form) ?? {}
      const { companyName, taxIdLast4 } = vendor
      return toCorrection(filing, { boxes, backupWithheld, companyName, taxIdLast4 }) ?? []
    })
  return {
    ...{ asOf: call.now.toISOString(), year, currency: call.currency, corrections: found },
    lastFilingId: ids.length > limit ? (ids[limit - 1] ?? null) : null,
  }
}

function toCorrection(filing: Form1099Filing, correct: Form1099AsFiled): Form1099Correction | null {
  const { id: filingId, vendorId, year, form, filedOn, boxes, backupWithheld, companyName, taxIdLast4 } = filing
  const filed: Form1099AsFiled = { boxes, backupWithheld, companyName, taxIdLast4 }
  const amountsOf = (of: Form1099AsFiled) =>
    [...BOXES[form].map((box) => getBoxAmount(of, box)), of.backupWithheld].join()
  const reasons = [
    ...(amountsOf(filed) === amountsOf(correct) ? [] : (['amount'] as const)),
    ...(filed.companyName === correct.companyName ? [] : (['name'] as const)),
    ...(filed.taxIdLast4 === correct.taxIdLast4 ? [] : (['tax_id'] as const)),
  ]
  return reasons.length === 0 ? null : { filingId, vendorId, year, form, filedOn, reasons, filed, correct }
}

function getBoxAmount({ boxes }: Form1099AsFiled, box: string): number {
  return boxes.find((own) => own.box === box)?.amount ?? 0
}

/** Returns the ID of the latest filing of each form in a year, ordered by ID. A later filing has a greater ID. */
async function findLatestFilings(
  { db, organizationId }: Call,
  { year, after, most }: { year: number; after: string; most: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select f."id" from "form1099Filings" as f
    where f."organizationId" = ${organizationId} and f."year" = ${year} and f."id" > ${after}
      and not exists (
        select from "form1099Filings" as n
        where n."organizationId" = ${organizationId} and n."vendorId" = f."vendorId" and n."year" = f."year"
          and n."form" = f."form" and n."id" > f."id")
    order by f."id" limit ${most}`.execute(db)
  return rows.map(({ id }) => id)
}
