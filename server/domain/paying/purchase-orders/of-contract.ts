import type { Contract, FieldError, Home, Vendor } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { conflict, invalid } from '../../../platform/problems/problem.ts'
import { dateIn } from '../../../platform/values/calendar.ts'
import { describeStatus, formatDate } from '../../../platform/values/format.ts'
import { hasRunOut } from '../../bidding/contracts/contract.ts'
import * as communities from '../../land/communities/queries.ts'
import * as vendors from '../../vendors/vendors/queries.ts'
import type { Draft } from './draft.ts'
import { lumpSumLines } from './lump-sum-lines.ts'
import { usualRetainage } from './purchase-order.ts'

type Wanted = Checked['PurchaseOrderCreate'] & { home: Home; vendor: Vendor | null }

/** Fills in omitted fields of an order from an active contract. */
export async function orderOfContract(call: WriteCall, wanted: Wanted, contract: Contract): Promise<Draft> {
  const { home, scope = contract.scope } = wanted
  const { retainagePercent = usualRetainage(wanted, { defaultRetainagePercent: contract.retainagePercent }) } = wanted
  const faults = contradictions(wanted, contract)
  if (faults.length > 0) throw invalid(faults)
  if (contract.status !== 'active' || hasRunOut(contract, dateIn(call.timeZone, call.now)))
    throw conflict(
      'contract_not_active',
      `Cannot order from ${contract.number}: it is ${contract.status === 'active' ? 'expired' : describeStatus(contract.status)}.`,
    )
  const vendor = wanted.vendor ?? (await vendors.find(call, contract.vendorId))
  const lines = wanted.lines ?? (await lumpSumsToOrder(call, wanted, contract))
  return { ...wanted, home, vendor, scope, lines, retainagePercent }
}

async function lumpSumsToOrder(call: WriteCall, { home, optionSelectionId, scope }: Wanted, contract: Contract) {
  const { timeZone } = await communities.find(call, home.communityId)
  if (contract.effectiveDate > dateIn(timeZone ?? call.timeZone, call.now))
    throw conflict(
      'contract_not_active',
      `Cannot order from ${contract.number}: it is not effective until ${formatDate(contract.effectiveDate)}.`,
    )
  const ordered = { ...contract, scope: scope ?? contract.scope }
  return lumpSumLines(call, ordered, home, optionSelectionId ?? null)
}

function contradictions({ home, vendor, lines }: Wanted, contract: Contract): FieldError[] {
  const { vendorId, contractType, communityIds, planIds, number } = contract
  const faults: FieldError[] = []
  if (vendor !== null && vendor.id !== vendorId) {
    const message = `must be ${vendorId}, the vendor of the contract, or omitted`
    faults.push({ pointer: '/vendorId', code: 'other_vendor', message })
  }
  const isCovered =
    (communityIds.length === 0 || communityIds.includes(home.communityId)) &&
    (planIds.length === 0 || planIds.includes(home.planId ?? ''))
  if (!isCovered) faults.push({ pointer: '/homeId', code: 'not_covered', message: `is not covered by ${number}` })
  if (lines === undefined && contractType !== 'turnkey')
    faults.push({ pointer: '/lines', code: 'required', message: 'is required unless bidId is set' })
  return faults
}
