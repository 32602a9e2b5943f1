import type { AssignPunchItemsResult } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { CheckedSkills } from '../../../platform/calls/checked.gen.ts'
import { addDays } from '../../../platform/values/calendar.ts'
import { getToday } from '../frame/report.ts'
import { mapTradesToOrderedVendors } from './vendors-by-trade.ts'

/** Assigns the open punch items of a home to the vendors that did the work of the items' trades. */
export async function assignPunchItems(
  { homeId, walkthroughId, dueDays }: CheckedSkills['assignPunchItems'],
  call: Call,
): Promise<AssignPunchItemsResult> {
  const { data: items } = await call.operation('listPunchItems', {
    ...{ homeId, status: 'open', sort: 'createdAt', limit: 200 },
    ...(walkthroughId !== undefined && { walkthroughId }),
  })
  const vendors = await mapTradesToOrderedVendors(call, homeId)
  const dueDate = addDays(getToday(call), dueDays)
  const assigned: AssignPunchItemsResult['assigned'] = []
  const remaining: AssignPunchItemsResult['remaining'] = []
  for (const { id, number, scope } of items) {
    const vendorId = scope === null ? undefined : vendors.get(scope.toLowerCase())
    if (vendorId === undefined) {
      const reason = scope === null ? 'The item has no trade.' : `The home has no issued order for ${scope}.`
      remaining.push({ punchItemId: id, number, reason })
      continue
    }
    const move = { punchItemId: id, status: 'assigned', vendorId, dueDate }
    assigned.push(await call.operation('changePunchItemStatus', move))
  }
  return { assigned, remaining, dueDate }
}
