import type { FieldError, PortalBidReview } from '../../../client/contract.gen.ts'
import type { BidRequestRow } from '../../domain/bidding/bid-requests/queries.ts'
import { priceBid } from '../../domain/bidding/bids/price-bid.ts'
import { Problem } from '../../platform/problems/problem.ts'
import { computeLineTotal, isMoney, sum } from '../../platform/values/money.ts'
import type { DraftEntries } from './bid-drafts.ts'

/**
 * Returns the total of a draft and the errors that prevent submitting it, by the rules that apply to the bid itself.
 */
export function reviewDraft(
  request: BidRequestRow,
  draft: DraftEntries,
  { today, currency }: { today: string; currency: string },
): PortalBidReview {
  const said = new Set(draft.lines.filter(isPriced).map(({ lineId }) => lineId))
  return {
    total: computeTotal(request, draft, currency),
    openLineIds: request.lines.filter(({ lineId }) => !said.has(lineId)).map(({ lineId }) => lineId),
    problems: [...findPriceErrors(request, draft, currency), ...findValidityErrors(draft, today)],
  }
}

/** Returns the prices in the form in which a bid is submitted, without lines that were left empty. */
export function toBidPrices({ lines, amount }: DraftEntries) {
  const entered = lines.filter(isPriced).map(({ lineId, description, unitPrice, excluded, alternate, note }) => ({
    ...(lineId !== null && { lineId }),
    ...(description !== null && { description }),
    ...(unitPrice !== null && !excluded && { unitPrice }),
    ...{ excluded, alternate, note },
  }))
  return { lines: entered, ...(amount !== null && { amount }) }
}

function isPriced({ unitPrice, excluded }: DraftEntries['lines'][number]): boolean {
  return excluded || unitPrice !== null
}

function findPriceErrors(request: BidRequestRow, draft: DraftEntries, currency: string): FieldError[] {
  const { lines, amount } = toBidPrices(draft)
  try {
    priceBid(request, { lines, amount }, currency)
    return []
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    // The draft also contains the lines that were left empty.
    const places = draft.lines.flatMap((line, place) => (isPriced(line) ? [place] : []))
    return (error.extras.errors ?? []).map(({ pointer, ...rest }) => ({
      pointer: pointer.replace(/^\/lines\/(\d+)/, (_whole, place) => `/lines/${places[Number(place)]}`),
      ...rest,
    }))
  }
}

function findValidityErrors({ validUntil }: DraftEntries, today: string): FieldError[] {
  if (validUntil === null || validUntil >= today) return []
  return [{ pointer: '/validUntil', code: 'past', message: 'must not be in the past' }]
}

function computeTotal(request: BidRequestRow, { lines, amount }: DraftEntries, currency: string): number | null {
  const quantities = new Map(request.lines.map(({ lineId, quantity }) => [lineId, quantity]))
  const amounts = lines.flatMap(({ lineId, unitPrice, excluded }) =>
    excluded || unitPrice === null ? [] : computeLineTotal(quantities.get(lineId ?? '') ?? 1, unitPrice, currency),
  )
  if (amounts.length === 0) return amount
  const total = sum(amounts)
  return isMoney(total) ? total : null
}
