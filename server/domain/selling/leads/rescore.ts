import type { Lead } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { dateIn } from '../../../platform/values/calendar.ts'
import * as activities from './activity-queries.ts'
import { listScoreReasons, sumScore } from './score.ts'

/** Returns the score of a locked lead in its new state. */
export async function calculateScore(call: WriteCall, lead: Lead): Promise<Pick<Lead, 'score' | 'scoreReasons'>> {
  const cameOn = dateIn(call.timeZone, new Date(lead.createdAt))
  const scoreReasons = listScoreReasons(lead, await activities.countActivities(call, lead.id), cameOn)
  return { score: sumScore(scoreReasons), scoreReasons }
}
