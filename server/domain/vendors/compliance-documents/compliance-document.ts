import type { ComplianceDocument, ComplianceDocumentStatus, ComplianceStatus } from '../../../../client/contract.gen.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { validationFailed } from '../../../platform/problems/problem.ts'
import { addDays, countDaysBetween } from '../../../platform/values/calendar.ts'

/**
 * The status changes that a user can make. A document expires only after its last day, and becomes valid again only
 * with a later date.
 */
export const DOCUMENT_MOVES: Readonly<Record<ComplianceDocumentStatus, readonly ComplianceDocumentStatus[]>> = {
  pending_review: ['valid', 'rejected', 'waived'],
  valid: ['pending_review', 'rejected', 'waived'],
  rejected: ['pending_review', 'waived'],
  expired: ['pending_review', 'waived'],
  waived: ['pending_review'],
}

/**
 * The number of days before a document expires from which its vendor is `expiring`. This is enough time to get a new
 * certificate from an insurer.
 */
export const EXPIRING_DAYS = 30

/** Returns the status of a document on a date. A document is valid through its last day, and expired afterward. */
export function computeStatusOnDate(
  status: ComplianceDocumentStatus,
  expirationDate: string | null,
  today: string,
): ComplianceDocumentStatus {
  if (status !== 'valid' && status !== 'expired') return status
  return expirationDate !== null && expirationDate < today ? 'expired' : 'valid'
}

export type DatedDocument = Pick<ComplianceDocument, 'type' | 'status' | 'effectiveDate' | 'expirationDate'>

export interface ComplianceResult {
  status: ComplianceStatus
  /** The next date on which the result can change without a change of the documents; null if there is none. */
  changesOn: string | null
}

/**
 * Computes a vendor's compliance status from its documents, ignoring removed documents. Evaluates each type of document
 * separately and returns the worst status, because a license cannot replace expired insurance. Ignores documents that
 * await review or were rejected.
 */
export function assessCompliance(documents: readonly DatedDocument[], today: string): ComplianceResult {
  const days: string[] = []
  const found = new Set<ComplianceStatus>()
  for (const ofType of Map.groupBy(documents, (paper) => paper.type).values()) {
    const valid = ofType.filter((paper) => computeStatusOnDate(paper.status, paper.expirationDate, today) === 'valid')
    for (const { effectiveDate, expirationDate } of valid) {
      if (effectiveDate !== null) days.push(effectiveDate)
      if (expirationDate !== null) days.push(addDays(expirationDate, 1))
    }
    const end = findEndOfCoverage(valid, today)
    if (end !== null) {
      if (end !== NO_END) days.push(addDays(end, -EXPIRING_DAYS))
      found.add(end !== NO_END && countDaysBetween(today, end) <= EXPIRING_DAYS ? 'expiring' : 'compliant')
    } else if (ofType.some((paper) => paper.status === 'waived')) found.add('exempt')
    else if (ofType.some((paper) => computeStatusOnDate(paper.status, paper.expirationDate, today) === 'expired'))
      found.add('expired')
  }
  const status = (['expired', 'expiring', 'compliant', 'exempt'] as const).find((candidate) => found.has(candidate))
  const next = days.filter((day) => day > today).sort()[0]
  return { status: status ?? 'missing', changesOn: next ?? null }
}

const NO_END = 'forever'

/**
 * Returns the last day of the uninterrupted coverage that includes today. A renewal without a gap extends the coverage.
 */
function findEndOfCoverage(valid: readonly DatedDocument[], today: string): string | null {
  let end: string | null = null
  const byStart = valid.toSorted((a, b) => ((a.effectiveDate ?? '') < (b.effectiveDate ?? '') ? -1 : 1))
  for (const { effectiveDate, expirationDate } of byStart) {
    const isReached: boolean = effectiveDate === null || effectiveDate <= (end === null ? today : addDays(end, 1))
    if (!isReached) break
    if (expirationDate === null) return NO_END
    if (end === null || expirationDate > end) end = expirationDate
  }
  return end
}

export function buildDocument(body: Checked['ComplianceDocumentCreate'], vendorId: string, today: string) {
  return { ...body, vendorId, status: computeStatusOnDate(body.status, body.expirationDate ?? null, today) }
}

/** Throws if a document ends before its effective date. */
export function assertValidPeriod({ effectiveDate, expirationDate }: Partial<DatedDocument>): void {
  if (effectiveDate == null || expirationDate == null || effectiveDate <= expirationDate) return
  throw validationFailed([{ pointer: '/expirationDate', code: 'minimum', message: 'must not be before effectiveDate' }])
}
