import type { Home } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { conflict } from '../../../platform/problems/problem.ts'
import { explainWhyBudgetIsFixed } from '../../land/homes/home.ts'
import * as homes from '../../land/homes/queries.ts'

/**
 * Locks the home and returns it. Throws `conflict` if the home's budget can no longer change. Every change of a budget
 * locks the home first, so that concurrent changes never see partial results of other changes.
 */
export async function lockHomeForBudget(call: WriteCall, homeId: string): Promise<Home> {
  const home = await homes.lock(call, homeId)
  const reason = explainWhyBudgetIsFixed(home)
  if (reason !== null) throw conflict('home_not_open', reason)
  return home
}
