import type { TimeEntry } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { conflict, unknownReference, validationFailed } from '../../../platform/problems/problem.ts'
import { assertCostCodesInUse } from '../../costs/cost-codes/assert-cost-codes-in-use.ts'
import * as scopes from '../../vendors/scopes/queries.ts'
import * as tasks from '../tasks/queries.ts'
import * as entries from './entry-queries.ts'

/** The home, trade, and cost code to which an entry's cost is assigned. */
type EntryPosting = Pick<TimeEntry, 'homeId' | 'taskId' | 'scope' | 'costCodeId'>
type PostingInput = { [Field in keyof EntryPosting]?: EntryPosting[Field] | undefined } & {
  createScopes: boolean | undefined
}

const NO_POSTING: EntryPosting = { homeId: null, taskId: null, scope: null, costCodeId: null }

/**
 * Returns the assignment of an entry after the given fields replace the current fields. A task determines the home and
 * trade, a cost code determines its trade, and a trade determines its default cost code, unless the input contains
 * these fields. Newly assigned records must be active.
 */
export async function resolvePosting(
  call: WriteCall,
  provided: PostingInput,
  before: EntryPosting = NO_POSTING,
): Promise<EntryPosting & { timeZone: string }> {
  const taskId = provided.taskId === undefined ? before.taskId : provided.taskId
  const task = taskId === null ? null : await tasks.findOptional(call, taskId)
  const ofTask = provided.taskId == null ? null : (task?.homeId ?? null)
  const homeId = provided.homeId === undefined ? (ofTask ?? before.homeId) : provided.homeId
  const home = homeId === null ? null : await entries.findHomeWithTimeZone(call, homeId)
  if (task === undefined || home === undefined)
    throw unknownReference([...(home === undefined ? ['/homeId'] : []), ...(task === undefined ? ['/taskId'] : [])])
  if (task !== null && task.homeId !== homeId) {
    const pointer = provided.taskId === undefined ? '/homeId' : '/taskId'
    throw validationFailed([
      { pointer, code: 'other_home', message: `must belong to the same home; ${task.name} belongs to another home` },
    ])
  }
  for (const named of [home?.id === before.homeId ? null : home, task?.id === before.taskId ? null : task])
    if (named != null && named.archivedAt !== null)
      throw conflict('archived', `Cannot record time for ${named.name}: it is archived.`)
  const { costCodeId: requested } = provided
  if (requested != null && requested !== before.costCodeId)
    await assertCostCodesInUse(call, [{ pointer: '/costCodeId', costCodeId: requested }])
  const scope = await resolveScope(call, provided, before, { homeId, scopeOfTask: task?.scope ?? null })
  const isMoved = scope !== null && scope !== before.scope
  const costCodeId =
    requested !== undefined ? requested : isMoved ? await scopes.findDefaultCostCode(call, scope) : before.costCodeId
  return { homeId, taskId, scope, costCodeId, timeZone: home?.timeZone ?? call.timeZone }
}

async function resolveScope(
  call: WriteCall,
  { scope, taskId, costCodeId, createScopes }: PostingInput,
  before: EntryPosting,
  { homeId, scopeOfTask }: { homeId: string | null; scopeOfTask: string | null },
): Promise<string | null> {
  if (scope !== undefined) return scope === null ? null : scopes.requireTrade(call, scope, createScopes)
  if (taskId != null && scopeOfTask !== null) return scopeOfTask
  if (before.scope !== null || costCodeId == null) return before.scope
  return entries.findTradeByCostCode(call, homeId, costCodeId)
}
