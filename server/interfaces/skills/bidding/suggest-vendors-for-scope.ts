import type {
  SuggestVendorsForScopeResult,
  Vendor,
  VendorPassedOver,
  VendorSuggestion,
} from '../../../../client/contract.gen.ts'
import * as bids from '../../../domain/bidding/bids/queries.ts'
import { findTrackRecords } from '../../../domain/bidding/scorecards/queries.ts'
import { computeScorecard, type OfficeScorecard } from '../../../domain/bidding/scorecards/scorecard.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { readAllPages } from '../frame/read-all-pages.ts'
import type { WorkLimit } from '../frame/work-limit.ts'

/** The weight of each criterion in the score. The contract documents the same weights. */
const WEIGHTS = { scorecard: 0.5, load: 0.25, price: 0.25 }
/** The score of a criterion without data. It is neutral: it neither helps nor harms the vendor. */
const UNKNOWN_POINTS = 50
/** The maximum number of excluded vendors in the list. */
const MAX_LISTED = 1000

interface Candidate {
  vendor: Vendor
  scorecard: OfficeScorecard
  price: Price | null
}

/** A price per home, so that bids for one home can be compared with bids for many homes. */
interface Price {
  amount: number
  bidId: string
  submittedAt: string
}

export async function suggestVendorsForScope(
  input: Checked['SuggestVendorsForScopeInput'],
  call: Call,
  workLimit: WorkLimit,
): Promise<SuggestVendorsForScopeResult> {
  const { scope, communityId, count } = input
  const candidates: Candidate[] = []
  const passedOver: VendorPassedOver[] = []
  const query = { scope, ...(communityId !== undefined && { communityId }) }
  for await (const vendors of readAllPages(call, workLimit, 'listVendors', query)) {
    // Reads the track records only of suitable vendors, because reading them is the most expensive step. In a long
    // list, most vendors often lack valid compliance documents.
    const cards = await findScorecards(
      call,
      vendors.filter((vendor) => findExclusionReason(vendor) === null),
    )
    const fit: Omit<Candidate, 'price'>[] = []
    for (const vendor of vendors) {
      const card = cards.get(vendor.id)
      if (card !== undefined && isBelowOrderLimit(vendor, card)) fit.push({ vendor, scorecard: card })
      else
        passedOver.push({
          vendorId: vendor.id,
          companyName: vendor.companyName,
          reason: findExclusionReason(vendor) ?? 'po_limit_reached',
        })
    }
    candidates.push(...(await addPrices(call, fit, scope)))
  }
  return {
    scope,
    communityId: communityId ?? null,
    vendors: rankCandidates(candidates).slice(0, count),
    passedOver: passedOver.slice(0, MAX_LISTED),
    asOf: call.now.toISOString(),
  }
}

/**
 * Returns the reason why the vendor's own status excludes the vendor; null if it does not. A suggested vendor must be
 * ready to work, so the rule is stricter than for invitations, which require no compliance documents.
 */
function findExclusionReason({ status, complianceStatus }: Vendor): VendorPassedOver['reason'] | null {
  if (status !== 'active') return status
  if (complianceStatus === 'expired') return 'compliance_expired'
  if (complianceStatus === 'missing') return 'compliance_missing'
  return null
}

function isBelowOrderLimit({ poLimit }: Vendor, { openCommitment }: OfficeScorecard): boolean {
  return poLimit === null || openCommitment < poLimit
}

async function findScorecards(call: Call, vendors: readonly Vendor[]): Promise<Map<string, OfficeScorecard>> {
  if (vendors.length === 0) return new Map()
  const period = { from: null, to: null }
  const records = await findTrackRecords(
    call,
    vendors.map(({ id }) => id),
    period,
  )
  const frame = { ...period, asOf: call.now.toISOString(), currency: call.currency }
  return new Map(
    Array.from(records, ([vendorId, record]) => [vendorId, computeScorecard(record, { ...frame, vendorId })] as const),
  )
}

async function addPrices(call: Call, fit: readonly Omit<Candidate, 'price'>[], scope: string): Promise<Candidate[]> {
  if (fit.length === 0) return []
  const prices = await bids.findLastPrices(
    call,
    fit.map(({ vendor }) => vendor.id),
    scope,
  )
  return fit.map((known) => {
    const last = prices.get(known.vendor.id)
    if (last === undefined) return { ...known, price: null }
    const { amount, homeCount, bidId, submittedAt } = last
    return {
      ...known,
      price: { amount: homeCount === 1 ? amount : roundScore(amount / homeCount), bidId, submittedAt },
    }
  })
}

function rankCandidates(candidates: readonly Candidate[]): VendorSuggestion[] {
  const totalCommitment = candidates.reduce((sum, { scorecard }) => sum + scorecard.openCommitment, 0)
  const prices = candidates.flatMap(({ price }) => (price === null ? [] : [price.amount]))
  const lowest = Math.min(...prices)
  const suggestions = candidates.map(({ vendor, scorecard, price }): VendorSuggestion => {
    const { openCommitment } = scorecard
    const points = {
      scorecard: scorecard.score ?? UNKNOWN_POINTS,
      load: totalCommitment === 0 ? 100 : roundScore(100 - (openCommitment / totalCommitment) * 100),
      price: price === null ? UNKNOWN_POINTS : price.amount === 0 ? 100 : roundScore((lowest / price.amount) * 100),
    }
    return {
      rank: 1,
      vendorId: vendor.id,
      companyName: vendor.companyName,
      contactName: vendor.contactName,
      email: vendor.email,
      phone: vendor.phone,
      complianceStatus: vendor.complianceStatus,
      score: roundScore(
        points.scorecard * WEIGHTS.scorecard + points.load * WEIGHTS.load + points.price * WEIGHTS.price,
      ),
      parts: {
        scorecard: { score: scorecard.score, points: points.scorecard },
        load: { openCommitment, points: points.load },
        price: {
          lastPrice: price?.amount ?? null,
          bidId: price?.bidId ?? null,
          pricedAt: price?.submittedAt ?? null,
          points: points.price,
        },
      },
    }
  })
  // Sorts equal scores by name, so that the same data always results in the same order.
  suggestions.sort((a, b) => b.score - a.score || (a.companyName < b.companyName ? -1 : 1))
  return suggestions.map((suggestion, i) => ({ ...suggestion, rank: i + 1 }))
}

function roundScore(value: number): number {
  return Math.round(value * 100) / 100
}
