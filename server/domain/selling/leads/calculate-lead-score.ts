import type { Lead } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { toLocalDate } from '../../../platform/values/calendar.ts'
import * as activities from './activity-queries.ts'
import { listScoreReasons, sumScore } from './score.ts'

/** Returns the score of a locked lead according to its new data. */
export async function calculateLeadScore(call: WriteCall, lead: Lead): Promise<Pick<Lead, 'score' | 'scoreReasons'>> {
  const cameOn = toLocalDate(call.timeZone, new Date(lead.createdAt))
  const scoreReasons = listScoreReasons(lead, await activities.countActivities(call, lead.id), cameOn)
  return { score: sumScore(scoreReasons), scoreReasons }
}
