import Big from 'big.js'
import { CompiledQuery } from 'kysely'
import type { Payment, Vendor } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { computePercentAmount, roundMoney, sum } from '../../../platform/values/money.ts'
import * as vendors from '../../vendors/vendors/queries.ts'
import { getForm1099Thresholds, getWithholdingPercent, toBoxAmountsSql } from './form-1099-rules.ts'

type Paid = Pick<Payment, 'id' | 'vendorId' | 'amount' | 'method' | 'currency'> & { paidDate: string }

/**
 * Returns the federal income tax to withhold from a payment (backup withholding). For a vendor with
 * `backupWithholding`, tax is withheld from each payment in the withholding period. If the organization's
 * `withholdsBackupTax` is on and a vendor has no tax ID, withholding starts with the payment that brings the year's
 * total to the threshold. No tax is withheld for bill lines that are not reported. Locks the vendor, so that the total
 * for the second of two concurrent payments includes the first.
 */
export async function computeBackupWithholding(
  call: WriteCall,
  { id, vendorId, amount, method, currency, paidDate }: Paid,
) {
  // For card payments, the card network files the form and withholds the tax.
  if (amount <= 0 || method === 'card') return 0
  const vendor = await vendors.lock(call, vendorId)
  const year = Number(paidDate.slice(0, 4))
  if (!vendor.is1099) return 0
  const boxes = await findBoxes(call, id)
  const reported = boxes.filter(({ box }) => box !== 'none')
  const whole = sum(boxes.map((one) => one.amount))
  if (reported.length === 0 || whole === 0) return 0
  const part = sum(reported.map((one) => one.amount))
  const reportable = part === whole ? amount : roundMoney(new Big(amount).times(part).div(whole), currency)
  const { usual, attorneys } = getForm1099Thresholds(year)
  const threshold = reported.some(({ box }) => box === 'misc_10') ? attorneys : usual
  const isDue =
    isInPeriod(vendor, paidDate) || (await isDueWithoutTaxId(call, vendor, { year, amount: reportable, threshold }))
  return isDue && reportable > 0 ? computePercentAmount(reportable, getWithholdingPercent(year), currency) : 0
}

/** Returns the amounts of a payment by Form 1099 box, before discounts. */
async function findBoxes(call: WriteCall, id: string): Promise<{ box: string; amount: number }[]> {
  const statement = `
    select "box", sum("amount") as "amount"
    from (${toBoxAmountsSql(`p."organizationId" = $1 and p."id" = $2`)}) as b group by "box"`
  const compiled = CompiledQuery.raw(statement, [call.organizationId, id])
  return (await call.db.executeQuery<{ box: string; amount: number }>(compiled)).rows
}

function isInPeriod({ backupWithholding }: Vendor, day: string): boolean {
  if (backupWithholding === null || day < backupWithholding.fromDate) return false
  return backupWithholding.toDate === null || day <= backupWithholding.toDate
}

async function isDueWithoutTaxId(
  call: WriteCall,
  { id, taxIdLast4 }: Vendor,
  { year, amount, threshold }: { year: number; amount: number; threshold: number },
): Promise<boolean> {
  if (taxIdLast4 !== null) return false
  const statement = `
    select o."withholdsBackupTax" as "isOn", coalesce((
      select sum(b."amount")
      from (${toBoxAmountsSql(`p."organizationId" = $1 and p."vendorId" = $2 and p."status" = 'paid' and p."method" <> 'card'
        and p."paidDate" between $3::date and $4::date`)}) as b
      where b."box" <> 'none'), 0) as "paid"
    from "organizations" as o where o."id" = $1`
  const compiled = CompiledQuery.raw(statement, [call.organizationId, id, `${year}-01-01`, `${year}-12-31`])
  const { rows } = await call.db.executeQuery<{ isOn: boolean; paid: number }>(compiled)
  const { isOn = false, paid = 0 } = rows[0] ?? {}
  return isOn && sum([paid, amount]) >= threshold
}
