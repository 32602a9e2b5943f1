import type { Contract, FieldError } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { conflict, unknownReference, validationFailed } from '../../../platform/problems/problem.ts'
import { toLocalDate } from '../../../platform/values/calendar.ts'
import { formatAmount, formatMaxAmount } from '../../../platform/values/format.ts'
import { isWithinMoneyRange, sum } from '../../../platform/values/money.ts'
import { truncateText } from '../../../platform/values/placeholders.ts'
import * as plans from '../../land/plans/queries.ts'
import type { BidRequestRow } from '../bid-requests/queries.ts'
import * as bidRequests from '../bid-requests/queries.ts'
import { isLineAwarded } from '../bids/bid.ts'
import type { BidRow } from '../bids/queries.ts'
import * as bids from '../bids/queries.ts'
import * as contracts from './queries.ts'

type ContractInput = Checked['ContractCreate']
type ContractLines = Checked['ContractLineInput'][]

/**
 * Fills in omitted terms from an accepted bid. Locks the bid until the transaction ends, so that its award cannot be
 * revoked and it has only one contract.
 */
export async function fillTermsFromBid(
  call: WriteCall,
  bidId: string,
  requested: ContractInput,
): Promise<ContractInput> {
  if ((await bids.findOptional(call, bidId)) === undefined) throw unknownReference(['/bidId'])
  const bid = await bids.lock(call, bidId)
  const request = await bidRequests.find(call, bid.bidRequestId)
  const errors = findContradictions(bid, requested)
  if (errors.length > 0) throw validationFailed(errors)
  await assertBidHasNoContract(call, bid, request)
  const { effectiveDate = request.effectiveFrom ?? toLocalDate(call.timeZone, call.now) } = requested
  const { scope = bid.scope, expirationDate = request.effectiveTo } = requested
  const isAgreedOn = requested.lines !== undefined || requested.lumpSums !== undefined
  return {
    ...{ ...requested, vendorId: bid.vendorId, communityIds: [bid.communityId] },
    ...{
      scope,
      effectiveDate,
      expirationDate,
      ...(isAgreedOn ? {} : await toAgreedTerms(call, bid, request, requested)),
    },
  }
}

/**
 * Returns the agreed prices of the bid: the prices of its lines or, for a lump sum, the amount with the awarded
 * alternates for each plan.
 */
async function toAgreedTerms(
  call: WriteCall,
  bid: BidRow,
  request: BidRequestRow,
  { contractType = bid.lines.length === 0 ? 'turnkey' : 'unit_price', planIds }: ContractInput,
): Promise<Partial<ContractInput>> {
  if (contractType !== 'turnkey') {
    assertNoAmountAwarded(bid)
    return { lines: listWonLines(bid, request) }
  }
  if (bid.lines.length > 0)
    throw conflict(
      'missing_data',
      'Cannot create a turnkey contract from the bid: it has a price for each line. To create a turnkey contract anyway, set lumpSums.',
    )
  if (planIds.length === 0)
    throw conflict(
      'missing_data',
      'Cannot create the contract: the bid is a lump sum. Set planIds to use the bid amount for whole homes, or set lines.',
    )
  const known = new Set((await plans.findAll(call, planIds)).map(({ id }) => id))
  const unknown = planIds.flatMap((id, i) => (known.has(id) ? [] : [`/planIds/${i}`]))
  if (unknown.length > 0) throw unknownReference(unknown)
  const amount = sum([bid.amount, ...listAwardedAlternateAmounts(bid)])
  if (amount < 0 || !isWithinMoneyRange(amount))
    throw conflict(
      'not_suitable',
      `Cannot create the contract: the bid amount with its awarded alternates must be between ${formatAmount(0, bid.currency)} and ${formatMaxAmount(bid.currency)}. Set lumpSums.`,
    )
  return { contractType, planIds: [], lumpSums: planIds.map((planId) => ({ planId, amount })) }
}

function listAwardedAlternateAmounts({ alternates, awardedAlternates }: BidRow): number[] {
  return (awardedAlternates ?? []).flatMap((position) => alternates[position]?.amount ?? [])
}

/** Throws if the award includes an alternate with an amount for the whole work, which is no price of a part. */
function assertNoAmountAwarded({ alternates, awardedAlternates }: BidRow): void {
  const awarded = (awardedAlternates ?? []).flatMap((position) => alternates[position] ?? [])
  if (awarded.every(({ amount }) => amount === 0 || amount === null)) return
  const names = awarded.map(({ description }) => `"${truncateText(description, MAX_NAME)}"`).join(', ')
  throw conflict(
    'not_suitable',
    `Cannot create the contract: the bid was awarded with alternates that have one amount instead of unit prices: ${names}. Set lines.`,
  )
}

const MAX_NAME = 60

function findContradictions(bid: BidRow, { vendorId = bid.vendorId, communityIds }: ContractInput): FieldError[] {
  const errors: FieldError[] = []
  if (vendorId !== bid.vendorId) {
    const message = `must be ${bid.vendorId}, the vendor of the bid, or omitted`
    errors.push({ pointer: '/vendorId', code: 'other_vendor', message })
  }
  if (communityIds.some((id) => id !== bid.communityId)) {
    const message = `must contain only ${bid.communityId}, the community of the bid, or be omitted`
    errors.push({ pointer: '/communityIds', code: 'other_community', message })
  }
  return errors
}

async function assertBidHasNoContract(call: WriteCall, bid: BidRow, request: BidRequestRow): Promise<void> {
  if (bid.status !== 'accepted')
    throw conflict('wrong_status', `Cannot create a contract: the bid is ${bid.status}. Accept the bid first.`)
  if (request.homeIds.length > 0)
    throw conflict(
      'not_suitable',
      `Cannot create a contract: ${request.number} covers individual homes. Create purchase orders from the bid instead.`,
    )
  if (bid.contractId === null) return
  const { number } = await contracts.find(call, bid.contractId)
  throw conflict('already_done', `The bid already has a contract: ${number}.`)
}

/**
 * Returns the awarded prices of lines that have a part. Omits alternates, because they are prices for different work.
 */
function listWonLines(bid: BidRow, request: BidRequestRow): ContractLines {
  const requested = new Map(request.lines.map((line) => [line.lineId, line]))
  const lines = bid.lines.flatMap(({ lineId, unit, unitPrice }) => {
    const partId = requested.get(lineId)?.partId ?? null
    if (partId === null || unitPrice === null || !isLineAwarded(bid, lineId)) return []
    return [{ lineId, partId, unit, unitPrice, minQuantity: 0 }]
  })
  if (lines.length === 0)
    throw conflict('missing_data', `None of the lines awarded in ${request.number} refers to a part. Set lines.`)
  const others = lines.flatMap(({ lineId, unit }) => (unit === requested.get(lineId)?.unit ? [] : [`"${lineId}"`]))
  if (others.length > 0)
    throw conflict(
      'not_suitable',
      `The bid uses a different unit than ${request.number} for ${others.join(', ')}. Set lines.`,
    )
  const twice = lines.filter(({ partId }, i) => lines.findIndex((line) => line.partId === partId) < i)
  if (twice.length > 0) {
    const names = twice.map(({ lineId }) => `"${lineId}"`).join(', ')
    throw conflict('not_suitable', `The bid has more than one price for the parts on these lines: ${names}. Set lines.`)
  }
  return lines
}

/**
 * Increments the version of the bid from which the contract was created, because the bid contains the ID of the
 * contract.
 */
export async function bumpBidVersion(call: WriteCall, { bidId }: Pick<Contract, 'bidId'>): Promise<void> {
  if (bidId !== null) await bids.bumpVersion(call, bidId)
}
