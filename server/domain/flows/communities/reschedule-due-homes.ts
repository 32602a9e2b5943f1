import type { Services, WriteCall } from '../../../platform/calls/call.ts'
import { processDueItems } from '../../../platform/due/process-due-items.ts'
import { Problem } from '../../../platform/problems/problem.ts'
import { clearReschedule, findHomesToReschedule, lockHomesToReschedule } from './due-reschedules.ts'
import { rescheduleHome } from './reschedule-homes.ts'

/** Reschedules the homes that a change of a community's calendar left for later, in small batches. */
export async function rescheduleDueHomes(services: Services): Promise<void> {
  await processDueItems(services, {
    what: 'homes to reschedule',
    find: findHomesToReschedule,
    claim: lockHomesToReschedule,
    settle: (call, homeId) => rescheduleLockedHome(call, homeId),
  })
}

async function rescheduleLockedHome(call: WriteCall, homeId: string): Promise<void> {
  await clearReschedule(call, homeId)
  try {
    await rescheduleHome(call, homeId)
  } catch (error) {
    // Since the change, the home was canceled, or its schedule no longer fits. Its next change reports the problem.
    if (!(error instanceof Problem)) throw error
  }
}
