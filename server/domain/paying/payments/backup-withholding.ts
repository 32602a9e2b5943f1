import { sql } from 'kysely'
import type { Payment, Vendor } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { getPercent, sum } from '../../../platform/values/money.ts'
import * as vendors from '../../vendors/vendors/queries.ts'
import { getThresholds, getWithholdingPercent, REPORTING_BOX } from './form-1099-rules.ts'

type Paid = Pick<Payment, 'vendorId' | 'amount' | 'method' | 'currency'> & { paidDate: string }

/**
 * Returns the federal income tax to withhold from a payment. For a vendor with `backupWithholding`, tax is withheld
 * from each payment in that period. For a vendor without a tax ID, withholding starts with the payment that brings the
 * year's total to the threshold, if the organization's `withholdsBackupTax` is on. Locks the vendor, so that the second
 * of two concurrent payments includes the first in the total.
 */
export async function findBackupWithheld(call: WriteCall, { vendorId, amount, method, currency, paidDate }: Paid) {
  // The card network reports card payments and withholds tax from them.
  if (amount <= 0 || method === 'card') return 0
  const vendor = await vendors.lock(call, vendorId)
  const year = Number(paidDate.slice(0, 4))
  if (!vendor.is1099 || vendor.reportingBox === 'none') return 0
  if (!isInPeriod(vendor, paidDate) && !(await isDueWithoutTaxId(call, vendor, { year, amount }))) return 0
  return getPercent(amount, getWithholdingPercent(year), currency)
}

function isInPeriod({ backupWithholding }: Vendor, day: string): boolean {
  if (backupWithholding === null || day < backupWithholding.fromDate) return false
  return backupWithholding.toDate === null || day <= backupWithholding.toDate
}

async function isDueWithoutTaxId(
  call: WriteCall,
  { id, taxIdLast4, reportingBox }: Vendor,
  { year, amount }: { year: number; amount: number },
): Promise<boolean> {
  if (taxIdLast4 !== null) return false
  const { db, organizationId } = call
  const { rows } = await sql<{ isOn: boolean; paid: number }>`
    select o."withholdsBackupTax" as "isOn", coalesce((
      select sum(p."amount" + p."backupWithheld") from "payments" as p
      join "vendors" as v on v."organizationId" = p."organizationId" and v."id" = p."vendorId"
      where p."organizationId" = ${organizationId} and p."vendorId" = ${id} and p."status" = 'paid' and p."method" <> 'card'
        and p."paidDate" between ${`${year}-01-01`}::date and ${`${year}-12-31`}::date and ${sql.raw(REPORTING_BOX)} <> 'none'
    ), 0) as "paid"
    from "organizations" as o where o."id" = ${organizationId}`.execute(db)
  const { isOn = false, paid = 0 } = rows[0] ?? {}
  const { usual, attorneys } = getThresholds(year)
  return isOn && sum([paid, amount]) >= (reportingBox === 'misc_10' ? attorneys : usual)
}
