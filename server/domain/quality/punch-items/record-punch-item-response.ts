import type { PortalPunchAnswer, PunchItem } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { assertVersionSeen } from '../../../platform/calls/etag.ts'
import { conflict, invalidTransition, validationFailed } from '../../../platform/problems/problem.ts'
import { toLocalDate } from '../../../platform/values/calendar.ts'
import * as communities from '../../land/communities/queries.ts'
import { storeStatusChange } from './change-punch-item.ts'
import { PUNCH_ITEM_MOVES } from './punch-item.ts'
import * as punchItems from './queries.ts'

/** Applies the response of the vendor that must fix a locked item. */
export async function recordPunchItemResponse(
  call: WriteCall,
  before: PunchItem,
  { answer, date, reason, version }: PortalPunchAnswer,
): Promise<PunchItem> {
  assertFieldsFit({ answer, date, reason })
  if (answer === 'fixed' && before.status === 'fixed') return before
  assertVersionSeen(version, before)
  if (before.status !== 'assigned')
    throw invalidTransition(before.status, answer === 'disputed' ? 'open' : 'fixed', PUNCH_ITEM_MOVES[before.status])
  if (answer === 'will_fix') return planFix(call, before, String(date))
  if (answer === 'disputed')
    return storeStatusChange(call, before, 'open', { vendorId: null, disputeNote: reason ?? null }, reason ?? null)
  if ((await punchItems.countFixPhotos(call, before.id)) === 0)
    throw conflict(
      'photo_required',
      `Cannot report ${before.number} as fixed: it has no photo of the fix. Add one first.`,
    )
  return storeStatusChange(call, before, 'fixed', {}, null)
}

async function planFix(call: WriteCall, before: PunchItem, date: string): Promise<PunchItem> {
  const { timeZone } = await communities.find(call, before.communityId)
  const today = toLocalDate(timeZone, call.now)
  if (date < today)
    throw validationFailed([{ pointer: '/date', code: 'minimum', message: `must not be before today (${today})` }])
  return punchItems.update(call, before, { plannedDate: date })
}

function assertFieldsFit({ answer, date, reason }: Pick<PortalPunchAnswer, 'answer' | 'date' | 'reason'>): void {
  const errors = [
    ...checkField('date', date, answer === 'will_fix', 'will_fix'),
    ...checkField('reason', reason, answer === 'disputed', 'disputed'),
  ]
  if (errors.length > 0) throw validationFailed(errors)
}

function checkField(name: string, value: string | undefined, isExpected: boolean, answer: string) {
  if ((value !== undefined) === isExpected) return []
  return isExpected
    ? [{ pointer: `/${name}`, code: 'required', message: `is required when answer is ${answer}` }]
    : [{ pointer: `/${name}`, code: 'exclusive', message: `can only be set when answer is ${answer}` }]
}
