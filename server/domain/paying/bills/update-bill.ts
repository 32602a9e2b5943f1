import { isDeepStrictEqual } from 'node:util'
import type { Bill } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { assertIfMatch } from '../../../platform/calls/etag.ts'
import { conflict, validationFailed } from '../../../platform/problems/problem.ts'
import { describeStatus, formatList } from '../../../platform/values/format.ts'
import { assertPeriodOpen, toPostingDate } from '../../ledger/period.ts'
import * as vendors from '../../vendors/vendors/queries.ts'
import { toInvoiceKey } from '../bill-records/invoice-key.ts'
import * as bills from '../bill-records/queries.ts'
import { computeBillDates } from '../bill-records/terms.ts'
import { findInvoiceObjections, requireOverride } from '../payments/payment-guards.ts'
import { ALWAYS_EDITABLE, findBillAmountErrors } from './bill.ts'
import { determineBillMatch, lockNamedWholes, resolveBillLines } from './bill-lines.ts'
import { addCurrentRetainage, sumLines } from './create-bill.ts'

const OPEN_TO_CHANGES: readonly Bill['status'][] = ['draft', 'received']

export async function updateBill(
  call: WriteCall,
  id: string,
  { overrideReason = null, lines: provided, ...fields }: Checked['BillUpdate'],
  ifMatch: string | undefined,
): Promise<Bill> {
  const { vendorId } = await bills.find(call, id)
  const vendor = await vendors.lock(call, vendorId)
  const before = await bills.lock(call, id)
  assertIfMatch(ifMatch, before)
  const fixed = OPEN_TO_CHANGES.includes(before.status)
    ? []
    : Object.entries({ ...fields, ...(provided !== undefined && { lines: provided }) })
        .filter(([field, value]) => value !== undefined && !ALWAYS_EDITABLE.includes(field))
        .filter(([field, value]) => !isDeepStrictEqual(value, before[field as keyof Bill]))
        .map(([field]) => ({
          pointer: `/${field}`,
          code: 'fixed',
          message: `cannot be changed: the bill is ${describeStatus(before.status)}`,
        }))
  if (fixed.length > 0)
    throw conflict(
      'fixed',
      `${formatList(fixed.map(({ pointer }) => pointer.slice(1)))} can be changed only before the bill is approved. ${before.number} is ${describeStatus(before.status)}.`,
      { errors: fixed },
    )
  if (fields.postingDate !== undefined && fields.postingDate !== before.postingDate)
    await assertPeriodOpen(call, [fields.postingDate])
  const { invoiceNumber } = fields
  if (invoiceNumber != null && invoiceNumber !== before.invoiceNumber) {
    const except = { bills: [id], withPayments: true }
    requireOverride(call, await findInvoiceObjections(call, vendor, invoiceNumber, except), overrideReason)
  }
  const key =
    invoiceNumber === undefined ? {} : { invoiceKey: invoiceNumber === null ? null : toInvoiceKey(invoiceNumber) }
  if (!OPEN_TO_CHANGES.includes(before.status)) return bills.update(call, before, { ...fields, ...key })
  const errors = provided === undefined ? [] : findBillAmountErrors(before.billType, provided)
  if (errors.length > 0) throw validationFailed(errors)
  const lines =
    provided === undefined
      ? before.lines
      : await addCurrentRetainage(call, await resolveBillLines(call, vendor, provided))
  const sums = sumLines(lines)
  const { invoiceDate = before.invoiceDate } = fields
  const isRelined = !isDeepStrictEqual(lines, before.lines)
  if (isRelined) await bills.replaceLines(call, id, lines)
  const after = await bills.update(call, before, {
    ...{
      ...fields,
      ...key,
      ...sums,
      ...computeBillDates(before.terms, { ...before, invoiceDate, amount: sums.amount }),
    },
    postingDate: fields.postingDate ?? (await getPostingDate(call, before, invoiceDate)),
    match: determineBillMatch(lines, await lockNamedWholes(call, lines)),
  })
  return isRelined && after.version === before.version ? bills.bumpVersion(call, id) : after
}

/** The posting date changes together with the invoice date until a user sets the posting date separately. */
async function getPostingDate(call: WriteCall, before: Bill, invoiceDate: string): Promise<string> {
  if (invoiceDate === before.invoiceDate) return before.postingDate
  const isUsual = before.postingDate === (await toPostingDate(call, before.invoiceDate))
  return isUsual ? toPostingDate(call, invoiceDate) : before.postingDate
}
