import type { Contract, FieldError, Home, Vendor } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { conflict, validationFailed } from '../../../platform/problems/problem.ts'
import { toLocalDate } from '../../../platform/values/calendar.ts'
import { describeStatus, formatDate } from '../../../platform/values/format.ts'
import { hasContractExpired } from '../../bidding/contracts/contract.ts'
import * as communities from '../../land/communities/queries.ts'
import * as vendors from '../../vendors/vendors/queries.ts'
import type { OrderDraft } from './draft-order.ts'
import { createLumpSumLines } from './lump-sum-lines.ts'
import { getDefaultRetainage } from './purchase-order.ts'

type ContractOrderInput = Checked['PurchaseOrderCreate'] & { home: Home; vendor: Vendor | null }

/** Fills in the omitted fields of an order from an active contract. */
export async function fillOrderFromContract(
  call: WriteCall,
  requested: ContractOrderInput,
  contract: Contract,
): Promise<OrderDraft> {
  const { home, scope = contract.scope } = requested
  const { retainagePercent = getDefaultRetainage(requested, { defaultRetainagePercent: contract.retainagePercent }) } =
    requested
  const errors = findContradictions(requested, contract)
  if (errors.length > 0) throw validationFailed(errors)
  if (contract.status !== 'active' || hasContractExpired(contract, toLocalDate(call.timeZone, call.now)))
    throw conflict(
      'contract_not_active',
      `Cannot order from ${contract.number}: it is ${contract.status === 'active' ? 'expired' : describeStatus(contract.status)}.`,
    )
  const vendor = requested.vendor ?? (await vendors.find(call, contract.vendorId))
  const lines = requested.lines ?? (await listLumpSumLines(call, requested, contract))
  return { ...requested, home, vendor, scope, lines, retainagePercent }
}

async function listLumpSumLines(
  call: WriteCall,
  { home, optionSelectionId, scope }: ContractOrderInput,
  contract: Contract,
) {
  const { timeZone } = await communities.find(call, home.communityId)
  if (contract.effectiveDate > toLocalDate(timeZone ?? call.timeZone, call.now))
    throw conflict(
      'contract_not_active',
      `Cannot order from ${contract.number}: it is not effective until ${formatDate(contract.effectiveDate)}.`,
    )
  const ordered = { ...contract, scope: scope ?? contract.scope }
  return createLumpSumLines(call, ordered, home, optionSelectionId ?? null)
}

function findContradictions({ home, vendor, lines }: ContractOrderInput, contract: Contract): FieldError[] {
  const { vendorId, contractType, communityIds, planIds, number } = contract
  const errors: FieldError[] = []
  if (vendor !== null && vendor.id !== vendorId) {
    const message = `must be ${vendorId}, the vendor of the contract, or omitted`
    errors.push({ pointer: '/vendorId', code: 'other_vendor', message })
  }
  const isCovered =
    (communityIds.length === 0 || communityIds.includes(home.communityId)) &&
    (planIds.length === 0 || planIds.includes(home.planId ?? ''))
  if (!isCovered) errors.push({ pointer: '/homeId', code: 'not_covered', message: `is not covered by ${number}` })
  if (lines === undefined && contractType !== 'turnkey')
    errors.push({ pointer: '/lines', code: 'required', message: 'is required unless bidId is set' })
  return errors
}
