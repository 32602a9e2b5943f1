import type { Home } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { conflict } from '../../../platform/problems/problem.ts'
import * as homes from '../../land/homes/queries.ts'

/**
 * Locks a home for a change. `what` describes the change in errors, such as adding an item. Throws `conflict` if the
 * home is canceled or archived.
 */
export async function lockOpenHome(call: WriteCall, homeId: string, action: string): Promise<Home> {
  await homes.assertExist(call, [homeId], '/homeId')
  const home = await homes.lock(call, homeId)
  if (home.status === 'cancelled')
    throw conflict('home_not_open', `Cannot ${action} to ${home.name}: the home is canceled.`)
  if (home.archivedAt !== null)
    throw conflict('home_not_open', `Cannot ${action} to ${home.name}: the home is archived.`)
  return home
}
