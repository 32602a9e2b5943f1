import type { FieldError, PortalBidReview } from '../../../../client/contract.gen.ts'
import type { BidRequestRow } from '../../../domain/bidding/bid-requests/queries.ts'
import { priceBid } from '../../../domain/bidding/bids/price-bid.ts'
import { Problem, validationFailed } from '../../../platform/problems/problem.ts'
import { computeLineTotal, isWithinMoneyRange, sum } from '../../../platform/values/money.ts'
import type { DraftEntries } from './bid-drafts.ts'

/**
 * Returns the total of a draft and the errors that prevent the vendor from submitting it. The same rules apply to a
 * bid.
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
    problems: [
      ...findPriceErrors(request, draft, currency),
      ...findAlternateErrors(draft),
      ...findValidityErrors(draft, today),
    ],
  }
}

/** Returns the prices in the form of a bid, without empty lines. */
export function toBidPrices({ lines, amount }: DraftEntries) {
  const entered = lines.filter(isPriced).map(({ lineId, description, unitPrice, excluded, alternate, note }) => ({
    ...(lineId !== null && { lineId }),
    ...(description !== null && { description }),
    ...(unitPrice !== null && !excluded && { unitPrice }),
    ...{ excluded, alternate, note },
  }))
  return { lines: entered, ...(amount !== null && { amount }) }
}

/** Returns the alternates in the form of a bid. Throws `validation_failed` if an alternate is incomplete. */
export function toBidAlternates(draft: DraftEntries) {
  const errors = findAlternateErrors(draft)
  if (errors.length > 0) throw validationFailed(errors)
  return draft.alternates.flatMap(({ description, amount, note }) =>
    description === null || amount === null ? [] : [{ description, amount, note }],
  )
}

function findAlternateErrors({ alternates }: DraftEntries): FieldError[] {
  return alternates.flatMap(({ description, amount }, i) => [
    ...(description === null
      ? [{ pointer: `/alternates/${i}/description`, code: 'required', message: 'is required' }]
      : []),
    ...(amount === null ? [{ pointer: `/alternates/${i}/amount`, code: 'required', message: 'is required' }] : []),
  ])
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
    // Skips empty lines, which a draft can contain and a bid cannot.
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
  const amounts = lines.flatMap(({ lineId, unitPrice, excluded, alternate }) =>
    excluded || alternate || unitPrice === null
      ? []
      : computeLineTotal(quantities.get(lineId ?? '') ?? 1, unitPrice, currency),
  )
  if (amounts.length === 0) return amount
  const total = sum(amounts)
  return isWithinMoneyRange(total) ? total : null
}
