import type { Lead, LeadScoreReason, LeadSource, LeadStatus } from '../../../../client/contract.gen.ts'
import { addDays } from '../../../platform/values/calendar.ts'
import { humanizeValue } from '../../../platform/values/format.ts'
import type { ActivityCounts } from './activity-queries.ts'

/**
 * Computes the score of a lead from its data, and never from the current date. The score changes only when the data
 * changes, so lists can be sorted by score. To find neglected leads, use lastActivityAt and nextActivityAt. The maximum
 * score is 100.
 */
export type ScoredLead = Pick<
  Lead,
  | 'email'
  | 'phone'
  | 'source'
  | 'communityIds'
  | 'planIds'
  | 'budgetMin'
  | 'budgetMax'
  | 'desiredMoveIn'
  | 'nextActivityAt'
  | 'status'
>

// Leads who were referred or who visited a home are the most likely to buy.
const SOURCE_POINTS: Readonly<Record<LeadSource, number>> = {
  referral: 15,
  realtor: 15,
  model_home_visit: 15,
  phone: 10,
  sign: 10,
  event: 10,
  website: 5,
  portal_listing: 5,
  other: 0,
}

const STATUS_POINTS: Readonly<Record<LeadStatus, number>> = {
  new: 0,
  contacted: 0,
  qualified: 5,
  appointment: 10,
  proposal: 15,
  converted: 15,
  lost: 0,
}

/** The maximum number of activities of each type that count toward the score. */
const MAX_COUNTED_CONTACTS = 2

const SOON_DAYS = 183
const LATER_DAYS = 366

/** Returns the reasons for the score of a lead. `cameOn` is the date on which the lead was added. */
export function listScoreReasons(lead: ScoredLead, counts: ActivityCounts, cameOn: string): LeadScoreReason[] {
  if (lead.status === 'lost') return []
  const seen = Math.min((counts.visit ?? 0) + (counts.meeting ?? 0), MAX_COUNTED_CONTACTS)
  const talked = Math.min((counts.call ?? 0) + (counts.email ?? 0) + (counts.text ?? 0), MAX_COUNTED_CONTACTS)
  const reasons: LeadScoreReason[] = [
    { reason: 'The lead has an email address.', points: lead.email === null ? 0 : 5 },
    { reason: 'The lead has a phone number.', points: lead.phone === null ? 0 : 5 },
    { reason: `The source of the lead is ${humanizeValue(lead.source)}.`, points: SOURCE_POINTS[lead.source] },
    { reason: 'The lead is interested in a community.', points: lead.communityIds.length > 0 ? 5 : 0 },
    { reason: 'The lead is interested in a plan.', points: lead.planIds.length > 0 ? 5 : 0 },
    { reason: 'The lead has a budget.', points: lead.budgetMin === null && lead.budgetMax === null ? 0 : 5 },
    ...listMoveInReasons(lead.desiredMoveIn, cameOn),
    { reason: 'The lead had a visit or a meeting.', points: seen * 10 },
    { reason: 'The lead had a call, an email, or a text message.', points: talked * 5 },
    { reason: 'The next activity with the lead is scheduled.', points: lead.nextActivityAt === null ? 0 : 5 },
    { reason: `The status of the lead is ${humanizeValue(lead.status)}.`, points: STATUS_POINTS[lead.status] },
  ]
  return reasons.filter(({ points }) => points > 0)
}

export function sumScore(reasons: readonly LeadScoreReason[]): number {
  return reasons.reduce((total, { points }) => total + points, 0)
}

function listMoveInReasons(desiredMoveIn: string | null, cameOn: string): LeadScoreReason[] {
  if (desiredMoveIn === null) return []
  if (desiredMoveIn <= addDays(cameOn, SOON_DAYS))
    return [{ reason: 'The lead wants to move in within six months.', points: 10 }]
  if (desiredMoveIn <= addDays(cameOn, LATER_DAYS))
    return [{ reason: 'The lead wants to move in within a year.', points: 5 }]
  return []
}
