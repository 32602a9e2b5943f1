import type { VendorScorecard } from '../../../../client/contract.gen.ts'

/** A vendor's activity in a period, as counts. */
export interface TrackRecord {
  invitations: { sent: number; answered: number; unanswered: number }
  bids: { submitted: number; accepted: number; rejected: number }
  orders: { count: number; amount: number }
  /** By how many percent each ordered job exceeded its expected cost. */
  variancePercents: readonly number[]
  openCommitment: number
  payable: number
}

type ScorecardPeriod = Pick<VendorScorecard, 'vendorId' | 'from' | 'to' | 'asOf' | 'currency'>

// A vendor that does not answer costs a superintendent the most days, and one whose prices grow costs the most money.
// Who wins is the builder's own choice and says the least. The contract states these weights.
const WEIGHTS = { answering: 40, winning: 20, cost: 40 }
const POINTS_LOST_PER_PERCENT = 5

export function computeScorecard(record: TrackRecord, frame: ScorecardPeriod): VendorScorecard {
  const { invitations, bids, orders, variancePercents, openCommitment, payable } = record
  const answeredPercent = toPercentage(invitations.answered, invitations.answered + invitations.unanswered)
  const winPercent = toPercentage(bids.accepted, bids.accepted + bids.rejected)
  const averageVariancePercent = meanOf(variancePercents)
  const cost =
    averageVariancePercent === null
      ? null
      : Math.max(0, 100 - POINTS_LOST_PER_PERCENT * Math.max(0, averageVariancePercent))
  return {
    ...frame,
    invitations: { ...invitations, answeredPercent },
    bids: { ...bids, winPercent },
    orders: { ...orders, compared: variancePercents.length, averageVariancePercent },
    openCommitment,
    payable,
    score: weightedMean([
      [answeredPercent, WEIGHTS.answering],
      [winPercent, WEIGHTS.winning],
      [cost, WEIGHTS.cost],
    ]),
  }
}

function toPercentage(part: number, whole: number): number | null {
  return whole === 0 ? null : roundScore((part / whole) * 100)
}

function meanOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : roundScore(values.reduce((sum, value) => sum + value, 0) / values.length)
}

/** Returns the weighted mean of the parts that are not null; null if there are none. */
function weightedMean(parts: readonly (readonly [number | null, number])[]): number | null {
  let sum = 0
  let weights = 0
  for (const [value, weight] of parts) {
    if (value === null) continue
    sum += value * weight
    weights += weight
  }
  return weights === 0 ? null : roundScore(sum / weights)
}

// More than two decimals would suggest a precision that does not exist.
function roundScore(value: number): number {
  return Math.round(value * 100) / 100
}
