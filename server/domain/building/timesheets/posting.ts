import type { TimeEntry } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { conflict, invalid, unknownReference } from '../../../platform/problems/problem.ts'
import { assertInUse } from '../../costs/cost-codes/in-use.ts'
import * as scopes from '../../vendors/scopes/queries.ts'
import * as tasks from '../tasks/queries.ts'
import * as entries from './entry-queries.ts'

/** The home, trade and cost code that an entry's cost is assigned to. */
type Posting = Pick<TimeEntry, 'homeId' | 'taskId' | 'scope' | 'costCodeId'>
type Given = { [Field in keyof Posting]?: Posting[Field] | undefined } & { createScopes: boolean | undefined }

const NOWHERE: Posting = { homeId: null, taskId: null, scope: null, costCodeId: null }

/**
 * Returns what an entry is assigned to: the given fields, merged into the current ones. A named task sets its home and
 * trade, a cost code its trade, and a trade its default cost code, unless these are given too. Newly named records must
 * be active.
 */
export async function postingOf(
  call: WriteCall,
  given: Given,
  before: Posting = NOWHERE,
): Promise<Posting & { timeZone: string }> {
  const taskId = given.taskId === undefined ? before.taskId : given.taskId
  const task = taskId === null ? null : await tasks.findOptional(call, taskId)
  const ofTask = given.taskId == null ? null : (task?.homeId ?? null)
  const homeId = given.homeId === undefined ? (ofTask ?? before.homeId) : given.homeId
  const home = homeId === null ? null : await entries.findPlace(call, homeId)
  if (task === undefined || home === undefined)
    throw unknownReference([...(home === undefined ? ['/homeId'] : []), ...(task === undefined ? ['/taskId'] : [])])
  if (task !== null && task.homeId !== homeId) {
    const pointer = given.taskId === undefined ? '/homeId' : '/taskId'
    throw invalid([
      { pointer, code: 'other_home', message: `must belong to the same home; ${task.name} belongs to another home` },
    ])
  }
  for (const named of [home?.id === before.homeId ? null : home, task?.id === before.taskId ? null : task])
    if (named != null && named.archivedAt !== null)
      throw conflict('archived', `Cannot record time for ${named.name}: it is archived.`)
  const { costCodeId: wanted } = given
  if (wanted != null && wanted !== before.costCodeId)
    await assertInUse(call, [{ pointer: '/costCodeId', costCodeId: wanted }])
  const scope = await scopeOf(call, given, before, { homeId, scopeOfTask: task?.scope ?? null })
  const isMoved = scope !== null && scope !== before.scope
  const costCodeId =
    wanted !== undefined ? wanted : isMoved ? await scopes.defaultCostCode(call, scope) : before.costCodeId
  return { homeId, taskId, scope, costCodeId, timeZone: home?.timeZone ?? call.timeZone }
}

async function scopeOf(
  call: WriteCall,
  { scope, taskId, costCodeId, createScopes }: Given,
  before: Posting,
  { homeId, scopeOfTask }: { homeId: string | null; scopeOfTask: string | null },
): Promise<string | null> {
  if (scope !== undefined) return scope === null ? null : scopes.nameOf(call, scope, createScopes)
  if (taskId != null && scopeOfTask !== null) return scopeOfTask
  if (before.scope !== null || costCodeId == null) return before.scope
  return entries.scopeOfCode(call, homeId, costCodeId)
}
