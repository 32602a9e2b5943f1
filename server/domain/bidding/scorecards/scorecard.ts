import type { VendorScorecard } from '../../../../client/contract.gen.ts'

/** Counts about a vendor's bids and orders in a period. */
export interface TrackRecord {
  invitations: { sent: number; answered: number; unanswered: number }
  bids: { submitted: number; accepted: number; rejected: number }
  orders: { count: number; amount: number }
  /** The percentages by which each ordered job exceeded its expected cost. */
  variancePercents: readonly number[]
  openCommitment: number
  payable: number
}

/** Counts about a vendor's work on site and after closing in a period. */
export interface FieldRecord {
  punchItems: number
  fixedItems: number
  reopenedItems: number
  daysToFix: number | null
  inspections: number
  passedInspections: number
  noShows: number
  warrantyRequests: number
  closedHomes: number
  assignedRequests: number
  overdueRequests: number
}

/** The part of a scorecard that is computed from bids and orders. */
export type OfficeScorecard = Omit<VendorScorecard, 'field' | 'fieldScore'>

type ScorecardPeriod = Pick<VendorScorecard, 'vendorId' | 'from' | 'to' | 'asOf' | 'currency'>

// Vendors that do not respond cost superintendents the most time, and vendors whose prices increase cost the most
// money. Awards have the lowest weight, because they depend on the builder's decisions. The API contract documents
// these weights.
const WEIGHTS = { answering: 40, winning: 20, cost: 40 }
const POINTS_LOST_PER_PERCENT = 5

export function computeScorecard(record: TrackRecord, period: ScorecardPeriod): OfficeScorecard {
  const { invitations, bids, orders, variancePercents, openCommitment, payable } = record
  const answeredPercent = toPercentage(invitations.answered, invitations.answered + invitations.unanswered)
  const winPercent = toPercentage(bids.accepted, bids.accepted + bids.rejected)
  const averageVariancePercent = meanOf(variancePercents)
  const cost =
    averageVariancePercent === null
      ? null
      : Math.max(0, 100 - POINTS_LOST_PER_PERCENT * Math.max(0, averageVariancePercent))
  return {
    ...period,
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

/**
 * Returns the part of a scorecard that is computed from the work on site. The API contract documents the weights of the
 * score.
 */
export function computeFieldScore(record: FieldRecord): Pick<VendorScorecard, 'field' | 'fieldScore'> {
  const { punchItems, inspections, noShows, warrantyRequests, closedHomes, daysToFix } = record
  const reopenedPercent = toPercentage(record.reopenedItems, record.fixedItems)
  const firstPassPercent = toPercentage(record.passedInspections, inspections)
  const overduePercent = toPercentage(record.overdueRequests, record.assignedRequests)
  const warrantyPerHome = closedHomes === 0 ? null : roundScore(warrantyRequests / closedHomes)
  const invert = (percent: number | null) => (percent === null ? null : 100 - percent)
  return {
    field: {
      ...{ punchItems, reopenedPercent, daysToFix: daysToFix === null ? null : roundScore(daysToFix), inspections },
      ...{ firstPassPercent, noShows, warrantyRequests, closedHomes, warrantyPerHome, overduePercent },
    },
    fieldScore: weightedMean([
      [invert(reopenedPercent), 1],
      [firstPassPercent, 1],
      [invert(overduePercent), 1],
    ]),
  }
}

function toPercentage(part: number, whole: number): number | null {
  return whole === 0 ? null : roundScore((part / whole) * 100)
}

function meanOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : roundScore(values.reduce((sum, value) => sum + value, 0) / values.length)
}

/** Returns the weighted mean of the values that are not null; null if all values are null. */
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

// More decimals would suggest a precision that the score does not have.
function roundScore(value: number): number {
  return Math.round(value * 100) / 100
}
