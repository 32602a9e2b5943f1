import type { FieldError, PortalBidReview } from '../../../client/contract.gen.ts'
import type { BidRequestRow } from '../../domain/bidding/bid-requests/queries.ts'
import { priced } from '../../domain/bidding/bids/pricing.ts'
import { Problem } from '../../platform/problems/problem.ts'
import { isMoney, lineTotal, sum } from '../../platform/values/money.ts'
import type { Entered } from './bid-drafts.ts'

/**
 * Returns the total of a draft and the errors that prevent submitting it, by the rules that apply to the bid itself.
 */
export function reviewOf(
  request: BidRequestRow,
  draft: Entered,
  { today, currency }: { today: string; currency: string },
): PortalBidReview {
  const said = new Set(draft.lines.filter(isSaid).map(({ lineId }) => lineId))
  return {
    total: totalOf(request, draft, currency),
    openLineIds: request.lines.filter(({ lineId }) => !said.has(lineId)).map(({ lineId }) => lineId),
    problems: [...priceFaults(request, draft, currency), ...validityFaults(draft, today)],
  }
}

/** Returns the prices in the form in which a bid is submitted, without lines that were left empty. */
export function pricesOf({ lines, amount }: Entered) {
  const entered = lines.filter(isSaid).map(({ lineId, description, unitPrice, excluded, alternate, note }) => ({
    ...(lineId !== null && { lineId }),
    ...(description !== null && { description }),
    ...(unitPrice !== null && !excluded && { unitPrice }),
    ...{ excluded, alternate, note },
  }))
  return { lines: entered, ...(amount !== null && { amount }) }
}

function isSaid({ unitPrice, excluded }: Entered['lines'][number]): boolean {
  return excluded || unitPrice !== null
}

function priceFaults(request: BidRequestRow, draft: Entered, currency: string): FieldError[] {
  const { lines, amount } = pricesOf(draft)
  try {
    priced(request, { lines, amount }, currency)
    return []
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    // The draft also contains the lines that were left empty.
    const places = draft.lines.flatMap((line, place) => (isSaid(line) ? [place] : []))
    return (error.extras.errors ?? []).map(({ pointer, ...rest }) => ({
      pointer: pointer.replace(/^\/lines\/(\d+)/, (_whole, place) => `/lines/${places[Number(place)]}`),
      ...rest,
    }))
  }
}

function validityFaults({ validUntil }: Entered, today: string): FieldError[] {
  if (validUntil === null || validUntil >= today) return []
  return [{ pointer: '/validUntil', code: 'past', message: 'must not be in the past' }]
}

function totalOf(request: BidRequestRow, { lines, amount }: Entered, currency: string): number | null {
  const quantities = new Map(request.lines.map(({ lineId, quantity }) => [lineId, quantity]))
  const amounts = lines.flatMap(({ lineId, unitPrice, excluded }) =>
    excluded || unitPrice === null ? [] : lineTotal(quantities.get(lineId ?? '') ?? 1, unitPrice, currency),
  )
  if (amounts.length === 0) return amount
  const total = sum(amounts)
  return isMoney(total) ? total : null
}
