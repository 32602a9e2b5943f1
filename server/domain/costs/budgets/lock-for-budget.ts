import type { Home } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { conflict } from '../../../platform/problems/problem.ts'
import { explainBudgetFixed } from '../../land/homes/home.ts'
import * as homes from '../../land/homes/queries.ts'

/**
 * Locks the home and returns it. Throws `conflict` if its budget can no longer change. Every change of a budget locks
 * the home first, so that changes are made one after the other and none sees half of another.
 */
export async function lockForBudget(call: WriteCall, homeId: string): Promise<Home> {
  const home = await homes.lock(call, homeId)
  const reason = explainBudgetFixed(home)
  if (reason !== null) throw conflict('home_not_open', reason)
  return home
}
