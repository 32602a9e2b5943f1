import type { Contract } from '../../../../client/contract.gen.ts'
import { toSystemCall, type WriteCall } from '../../../platform/calls/call.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { conflict } from '../../../platform/problems/problem.ts'
import { addDays, toLocalDate } from '../../../platform/values/calendar.ts'
import { formatDate } from '../../../platform/values/format.ts'
import * as vendors from '../../vendors/vendors/queries.ts'
import { findEngagementObstacle, type Obstacle } from '../../vendors/vendors/vendor.ts'
import { findPartErrors, formatContractName, hasContractExpired } from './contract.ts'
import { bumpBidVersion } from './fill-terms-from-bid.ts'
import { addLumpSums, endLumpSums, findOverlappingLumpSums } from './lump-sum-queries.ts'
import * as prices from './price-queries.ts'
import * as contracts from './queries.ts'

/**
 * Functions that change the status of a contract. They run in the caller's transaction and lock the contract's row, the
 * previous revision, the vendor, and the parts, in this order.
 */

/** Enough conflicts for a user to act on. The limit bounds the size of the response. */
const MAX_OVERLAPS = 200

/**
 * Locks the contract until the transaction ends, and returns it. Expires the contract first if its last day has passed.
 */
export async function lockContract(call: WriteCall, id: string): Promise<Contract> {
  const contract = await contracts.lock(call, id)
  return hasContractExpired(contract, toLocalDate(call.timeZone, call.now))
    ? expireContract(toSystemCall(call), contract)
    : contract
}

/** Expires the contract. The prices of the contract end on the same day and are not changed. */
export async function expireContract(call: WriteCall, before: Contract): Promise<Contract> {
  return moveContract(call, before, 'expired', { endedAt: call.now.toISOString() })
}

/** Activates a draft, creates its prices, and supersedes the previous revision. */
export async function activateContract(
  call: WriteCall,
  before: Contract,
  { endPrevious, reason }: { endPrevious: boolean; reason: string | null },
): Promise<Contract> {
  const revisions = (await contracts.listRevisions(call, before.number)).filter(({ id }) => id !== before.id)
  let inherited = before.accountingId
  for (const { id } of revisions.filter(({ status }) => status === 'active')) {
    const former = await lockContract(call, id)
    if (former.status !== 'active') continue
    // The accounting system does not distinguish between revisions, so the accounting ID moves to the active revision.
    const isInherited = before.accountingId === null
    if (isInherited) inherited = former.accountingId
    await moveContract(call, former, 'superseded', {
      endedAt: call.now.toISOString(),
      ...(isInherited && { accountingId: null }),
    })
  }
  const vendor = await vendors.lock(call, before.vendorId)
  const obstacle =
    findEngagementObstacle(vendor) ?? findActivationObstacle(before, toLocalDate(call.timeZone, call.now))
  if (obstacle !== null)
    throw conflict(obstacle.code, `Cannot activate ${formatContractName(before)}. ${obstacle.message}`)

  const parts = await prices.lockParts(
    call,
    before.lines.map(({ partId }) => partId),
  )
  const errors = findPartErrors(before.lines, parts)
  if (errors.length > 0)
    throw conflict(
      'changed_meanwhile',
      'Cannot activate the contract: some parts on its lines have changed. Update the lines listed in errors first.',
      {
        errors: errors,
      },
    )
  const formerIds = revisions.map(({ id }) => id)
  if (formerIds.length > 0) await endPricesAndSums(call, formerIds, addDays(before.effectiveDate, -1))
  if (endPrevious) await prices.endEarlierPrices(call, before)
  await assertNoOverlaps(call, before)
  await prices.addPrices(call, before)
  if (before.lumpSums.length > 0) await addLumpSums(call, before)
  const changes = { activatedAt: call.now.toISOString(), accountingId: inherited }
  return moveContract(call, before, 'active', changes, reason)
}

function findActivationObstacle(
  { contractType, lines, lumpSums, expirationDate }: Contract,
  today: string,
): Obstacle | null {
  if (contractType === 'turnkey' && lumpSums.length === 0)
    return { code: 'missing_data', message: 'The contract has no lump sums. Add a lump sum first.' }
  if (contractType !== 'turnkey' && lines.length === 0)
    return { code: 'missing_data', message: 'The contract has no lines. Add a line first.' }
  if (expirationDate === null || expirationDate >= today) return null
  return {
    code: 'deadline_passed',
    message: `The contract expired on ${formatDate(expirationDate)}. Set a later expirationDate first.`,
  }
}

async function assertNoOverlaps(call: WriteCall, contract: Contract): Promise<void> {
  const others = await prices.findOverlappingPrices(call, contract, MAX_OVERLAPS)
  const otherSums = contract.lumpSums.length === 0 ? [] : await findOverlappingLumpSums(call, contract, MAX_OVERLAPS)
  if (others.length === 0 && otherSums.length === 0) return
  const lines = new Map(contract.lines.map(({ lineId }, i) => [lineId, i]))
  const lumpSums = new Map(contract.lumpSums.map(({ lineId }, i) => [lineId, i]))
  throw conflict(
    'period_taken',
    'Cannot activate the contract: its prices overlap other prices of the vendor for the same communities and plans. End the other prices first, or set endPrevious.',
    {
      errors: [
        ...others.map(({ lineId, priceId, number }) => ({
          pointer: `/lines/${lines.get(lineId)}`,
          code: 'overlap',
          message: `overlaps price ${priceId}${number === null ? '' : ` of ${number}`}`,
        })),
        ...otherSums.map(({ lineId, otherLineId, number }) => ({
          pointer: `/lumpSums/${lumpSums.get(lineId)}`,
          code: 'overlap',
          message: `overlaps lump sum "${otherLineId}" of ${number}`,
        })),
      ],
    },
  )
}

/** Ends all prices and lump sums of these revisions on the given day. */
async function endPricesAndSums(call: WriteCall, contractIds: readonly string[], lastDay: string): Promise<void> {
  await prices.endPrices(call, contractIds, lastDay)
  await endLumpSums(call, contractIds, lastDay)
}

/**
 * Ends an active contract today. Also ends the prices of all its revisions, so that no price of an earlier revision
 * remains.
 */
export async function terminateContract(call: WriteCall, before: Contract, reason: string | null): Promise<Contract> {
  const revisions = await contracts.listRevisions(call, before.number)
  await endPricesAndSums(
    call,
    revisions.map(({ id }) => id),
    toLocalDate(call.timeZone, call.now),
  )
  await bumpBidVersion(call, before)
  return moveContract(call, before, 'terminated', { endedAt: call.now.toISOString() }, reason)
}

async function moveContract(
  call: WriteCall,
  before: Contract,
  to: Contract['status'],
  changes: Partial<Pick<Contract, 'activatedAt' | 'endedAt' | 'accountingId'>>,
  reason: string | null = null,
): Promise<Contract> {
  const after = await contracts.update(call, before, { status: to, ...changes })
  await recordStatusChange(call, { id: after.id, from: before.status, to, reason })
  await recordEvent(call, 'contract.status_changed', after, before)
  return after
}
