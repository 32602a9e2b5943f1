import type { BidComparisonVendor, RecommendAwardResult } from '../../../../client/contract.gen.ts'
import { findTrackRecords } from '../../../domain/bidding/scorecards/queries.ts'
import { computeScorecard } from '../../../domain/bidding/scorecards/scorecard.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { createReportFooter, selectSentences } from '../frame/report.ts'
import { levelComparison } from './leveling.ts'

const WEIGHTS = { price: 50, quality: 25, schedule: 15, compliance: 10 }
/** The score of a criterion without data. */
const UNKNOWN_POINTS = 50
const COMPLIANCE_POINTS = { compliant: 100, exempt: 100, expiring: 75, missing: 25, expired: 0 } as const

type RecommendedBid = RecommendAwardResult['bids'][number]
type ScoreParts = RecommendedBid['parts']

export async function recommendAward(
  { bidRequestId, plugAmounts, weights = WEIGHTS }: Checked['RecommendAwardInput'],
  call: Call,
): Promise<RecommendAwardResult> {
  const comparison = await call.operation('compareBids', { bidRequestId })
  const bids = levelComparison(comparison, plugAmounts)
  const scores = await findQualityScores(call, [...new Set(bids.map(({ vendorId }) => vendorId))])
  const offers = new Map(comparison.vendors.map((vendor) => [vendor.bidId, vendor]))
  const lowest = Math.min(...bids.flatMap(({ isComplete, leveledAmount }) => (isComplete ? [leveledAmount] : [])))
  const days = new Map(comparison.vendors.map((vendor) => [vendor.bidId, totalDays(vendor)]))
  const fastest = Math.min(...[...days.values()].filter((each) => each !== null))
  const entries = bids.flatMap((bid): RecommendedBid[] => {
    const { bidId, vendorId, vendor, amount, prices, exclusions, leveledAmount, isComplete: isLeveled } = bid
    const offer = offers.get(bidId)
    if (offer === undefined) return []
    const taken = days.get(bidId) ?? null
    const parts = {
      price: !isLeveled ? UNKNOWN_POINTS : leveledAmount === 0 ? 100 : roundScore((lowest / leveledAmount) * 100),
      quality: scores.get(vendorId) ?? UNKNOWN_POINTS,
      schedule: taken === null ? UNKNOWN_POINTS : taken === 0 ? 100 : roundScore((fastest / taken) * 100),
      compliance: COMPLIANCE_POINTS[offer.complianceStatus],
    }
    const { awardable: isAwardable, flags } = offer
    return [
      {
        ...{ bidId, vendorId, vendor, score: weightedScore(parts, weights), parts },
        ...{ amount, prices, exclusions, leveledAmount, isLeveled, days: taken, isAwardable, flags },
      },
    ]
  })
  entries.sort(
    (a, b) =>
      Number(b.isLeveled) - Number(a.isLeveled) ||
      b.score - a.score ||
      a.leveledAmount - b.leveledAmount ||
      (a.bidId < b.bidId ? -1 : 1),
  )
  return {
    ...{ bidRequestId, bidRequest: `${comparison.number} ${comparison.scope}`, bids: entries },
    recommendedBidId: entries.find(({ isAwardable, isLeveled }) => isAwardable && isLeveled)?.bidId ?? null,
    ...createReportFooter(call, {
      unknown: selectSentences(
        entries.some(({ days }) => days === null) &&
          'Some bids have no lead time and no duration. Their schedule score is 50.',
        entries.some(({ vendorId }) => !scores.has(vendorId)) &&
          'Some vendors have no history. Their quality score is 50.',
        entries.some(({ isLeveled }) => !isLeveled) &&
          'Some bids are not level, and are not recommended: part of the work has no comparable price, or excluded work has no amount. Set plugAmounts, or level the bids with setBidLeveling.',
        entries.every(({ isAwardable }) => !isAwardable) && 'None of the bids can be awarded now. See their flags.',
      ),
    }),
    currency: comparison.currency,
  }
}

async function findQualityScores(call: Call, vendorIds: string[]): Promise<Map<string, number>> {
  const period = { from: null, to: null }
  const frame = { ...period, asOf: call.now.toISOString(), currency: call.currency }
  const records = await findTrackRecords(call, vendorIds, period)
  const scores = [...records].map(
    ([vendorId, record]) => [vendorId, computeScorecard(record, { ...frame, vendorId }).score] as const,
  )
  return new Map(scores.flatMap(([vendorId, score]) => (score === null ? [] : [[vendorId, score] as const])))
}

function totalDays({ leadTimeDays, durationDays }: BidComparisonVendor): number | null {
  return leadTimeDays === null && durationDays === null ? null : (leadTimeDays ?? 0) + (durationDays ?? 0)
}

function weightedScore(parts: ScoreParts, weights: ScoreParts): number {
  const names = Object.keys(WEIGHTS) as (keyof ScoreParts)[]
  const whole = names.reduce((sum, name) => sum + weights[name], 0)
  // If all weights are zero, all criteria have the same weight.
  const weightOf = (name: keyof ScoreParts) => (whole === 0 ? 1 / names.length : weights[name] / whole)
  return roundScore(names.reduce((sum, name) => sum + parts[name] * weightOf(name), 0))
}

function roundScore(value: number): number {
  return Math.round(value * 100) / 100
}
