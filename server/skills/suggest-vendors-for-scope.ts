import type {
  Bid,
  SuggestVendorsForScopeResult,
  Vendor,
  VendorPassedOver,
  VendorScorecard,
  VendorSuggestion,
} from '../../client/contract.gen.ts'
import type { Call } from '../http/call.ts'
import type { Checked } from '../http/checked.gen.ts'
import { assertCommunity } from './named-community.ts'
import { everyItem } from './pages.ts'

/** What each part weighs in the score; the contract tells callers the same. */
const WEIGHTS = { scorecard: 0.5, load: 0.25, price: 0.25 }
/** What stands for a part of which nothing is known: neither for the vendor nor against it. */
const UNKNOWN_POINTS = 50
/** How many vendors that are passed over are listed. */
const MOST_LISTED = 1000

interface Candidate {
  vendor: Vendor
  scorecard: VendorScorecard
  price: Price | null
}

interface Price {
  amount: number
  bid: Bid
}

export async function suggestVendorsForScope(
  input: Checked['SuggestVendorsForScopeInput'],
  call: Call,
): Promise<SuggestVendorsForScopeResult> {
  const { scope, communityId, count } = input
  await assertCommunity(call, communityId)
  const candidates: Candidate[] = []
  const passedOver: VendorPassedOver[] = []
  for await (const vendor of everyItem(call, 'listVendors', {
    scope,
    ...(communityId !== undefined && { communityId }),
  })) {
    const scorecard = await call.operation('getVendorScorecard', { vendorId: vendor.id })
    const reason = reasonToPassOver(vendor, scorecard)
    if (reason === null) candidates.push({ vendor, scorecard, price: await lastPrice(call, vendor, scope) })
    else passedOver.push({ vendorId: vendor.id, companyName: vendor.companyName, reason })
  }
  return {
    scope,
    communityId: communityId ?? null,
    vendors: ranked(candidates).slice(0, count),
    passedOver: passedOver.slice(0, MOST_LISTED),
    asOf: call.now.toISOString(),
  }
}

// Stricter than inviting, which a vendor without any papers can be: what is suggested can be engaged as it stands.
function reasonToPassOver(vendor: Vendor, { openCommitment }: VendorScorecard): VendorPassedOver['reason'] | null {
  if (vendor.status !== 'active') return vendor.status
  if (vendor.complianceStatus === 'expired') return 'compliance_expired'
  if (vendor.complianceStatus === 'missing') return 'compliance_missing'
  if (vendor.poLimit !== null && openCommitment >= vendor.poLimit) return 'po_limit_reached'
  return null
}

/** The last bid whose amount can be seen, divided among the homes that it priced so that bids on one and on many compare. */
async function lastPrice(call: Call, vendor: Vendor, scope: string): Promise<Price | null> {
  for await (const bid of everyItem(call, 'listBids', { vendorId: vendor.id, scope, sort: '-submittedAt' })) {
    if (bid.amount === null || bid.status === 'withdrawn') continue
    if (bid.homeId !== null) return { amount: bid.amount, bid }
    const { homeIds } = await call.operation('getBidRequest', { bidRequestId: bid.bidRequestId })
    return { amount: rounded(bid.amount / Math.max(1, homeIds.length)), bid }
  }
  return null
}

function ranked(candidates: readonly Candidate[]): VendorSuggestion[] {
  const totalCommitment = candidates.reduce((sum, { scorecard }) => sum + scorecard.openCommitment, 0)
  const prices = candidates.flatMap(({ price }) => (price === null ? [] : [price.amount]))
  const lowest = Math.min(...prices)
  const suggestions = candidates.map(({ vendor, scorecard, price }): VendorSuggestion => {
    const { openCommitment } = scorecard
    const points = {
      scorecard: scorecard.score ?? UNKNOWN_POINTS,
      load: totalCommitment === 0 ? 100 : rounded(100 - (openCommitment / totalCommitment) * 100),
      price: price === null ? UNKNOWN_POINTS : price.amount === 0 ? 100 : rounded((lowest / price.amount) * 100),
    }
    return {
      rank: 1,
      vendorId: vendor.id,
      companyName: vendor.companyName,
      contactName: vendor.contactName,
      email: vendor.email,
      phone: vendor.phone,
      complianceStatus: vendor.complianceStatus,
      score: rounded(points.scorecard * WEIGHTS.scorecard + points.load * WEIGHTS.load + points.price * WEIGHTS.price),
      parts: {
        scorecard: { score: scorecard.score, points: points.scorecard },
        load: { openCommitment, points: points.load },
        price: {
          lastPrice: price?.amount ?? null,
          bidId: price?.bid.id ?? null,
          pricedAt: price?.bid.submittedAt ?? null,
          points: points.price,
        },
      },
    }
  })
  // The name decides between equals, so that the same data always give the same order.
  suggestions.sort((a, b) => b.score - a.score || (a.companyName < b.companyName ? -1 : 1))
  return suggestions.map((suggestion, i) => ({ ...suggestion, rank: i + 1 }))
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100
}
