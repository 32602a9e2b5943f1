import type { Bill, BillLine } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { conflict, unknownReference, validationFailed } from '../../../platform/problems/problem.ts'
import { toLocalDate } from '../../../platform/values/calendar.ts'
import { subtract, sum } from '../../../platform/values/money.ts'
import { assertPeriodOpen, toPostingDate } from '../../ledger/period.ts'
import * as vendors from '../../vendors/vendors/queries.ts'
import { toInvoiceKey } from '../bill-records/invoice-key.ts'
import * as bills from '../bill-records/queries.ts'
import { computeBillDates } from '../bill-records/terms.ts'
import { findInvoiceObjections, requireOverride } from '../payments/payment-guards.ts'
import { findBillAmountErrors, NOT_APPROVED } from './bill.ts'
import { addRetainage, determineBillMatch, lockNamedWholes, resolveBillLines } from './bill-lines.ts'

/** Input for a new bill. A bill that is created in the portal has the source `vendor`. */
export interface BillInput extends Omit<Checked['BillCreate'], 'source'> {
  source: Bill['source']
}

/** Creates a bill. Locks the vendor, so that two concurrent requests cannot create bills for the same invoice. */
export async function createBill(call: WriteCall, body: BillInput): Promise<Bill> {
  const { vendorId, billType, status, source, invoiceNumber = null, holdReason = null, overrideReason = null } = body
  if ((await vendors.findOptional(call, vendorId)) === undefined) throw unknownReference(['/vendorId'])
  const vendor = await vendors.lock(call, vendorId)
  if (vendor.archivedAt !== null)
    throw conflict('vendor_archived', `Cannot create a bill: ${vendor.companyName} is archived.`)
  const today = toLocalDate(call.timeZone, call.now)
  const { invoiceDate = today, receivedDate = today } = body
  if (body.postingDate !== undefined) await assertPeriodOpen(call, [body.postingDate])
  const postingDate = body.postingDate ?? (await toPostingDate(call, invoiceDate))
  const errors = findBillAmountErrors(billType, body.lines)
  if (errors.length > 0) throw validationFailed(errors)
  const lines = await addCurrentRetainage(call, await resolveBillLines(call, vendor, body.lines))
  const reason = requireOverride(call, await findInvoiceObjections(call, vendor, invoiceNumber), overrideReason)
  const sums = sumLines(lines)
  const terms = vendor.paymentTerms
  const [number = ''] = await bills.takeNextNumbers(call, 1)
  const bill = await bills.insert(
    call,
    {
      ...{ number, vendorId, billType, source, status, invoiceNumber, holdReason },
      invoiceKey: invoiceNumber === null ? null : toInvoiceKey(invoiceNumber),
      ...{ invoiceDate, receivedDate, postingDate, terms },
      ...computeBillDates(terms, { invoiceDate, amount: sums.amount, currency: call.currency }),
      ...{ ...sums, paidAmount: 0, discountTaken: 0, reservedAmount: 0, currency: call.currency },
      ...{
        match: determineBillMatch(lines, await lockNamedWholes(call, lines)),
        approval: NOT_APPROVED,
        migrated: false,
      },
      ...{ accountingId: body.accountingId, externalId: body.externalId },
    },
    lines,
  )
  await recordStatusChange(call, { id: bill.id, from: null, to: status, reason })
  if (status === 'received') await recordEvent(call, 'bill.received', bill)
  return bill
}

/** Returns the lines with the retainage that their orders currently require. */
export async function addCurrentRetainage(call: WriteCall, lines: readonly BillLine[]): Promise<BillLine[]> {
  return addRetainage(call, lines, await lockNamedWholes(call, lines))
}

export function sumLines(lines: readonly BillLine[]): Pick<Bill, 'grossAmount' | 'retainageWithheld' | 'amount'> {
  const grossAmount = sum(lines.map(({ amount }) => amount))
  const retainageWithheld = sum(lines.map((line) => line.retainageWithheld))
  return { grossAmount, retainageWithheld, amount: subtract(grossAmount, retainageWithheld) }
}
