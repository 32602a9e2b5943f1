import type { Plan, TakeoffLine } from '../../../client/contract.gen.ts'
import { recordStatusChange } from '../../events/status-history.ts'
import { type Call, noteChange, type WriteCall } from '../../http/call.ts'
import type { Handlers } from '../../http/operation.ts'
import { invalid, notFound, problem, unknownReference } from '../../http/problem.ts'
import { elevationFault, nextRevision } from '../../land/plans/plan.ts'
import * as plans from '../../land/plans/queries.ts'
import { FormulaFault } from './formula.ts'
import * as takeoffs from './queries.ts'
import { resolvedLines } from './resolved.ts'
import { type Built, faultsOf, wholeLines } from './takeoff.ts'

export const takeoffOperations = {
  async getTakeoff({ path, query }, call) {
    const plan = await plans.find(call, path.planId)
    const { revision } = await builtOf(call, plan, query.revision)
    return { status: 200, body: { planId: plan.id, revision, lines: await takeoffs.linesOf(call, plan.id, revision) } }
  },

  async replaceTakeoff({ path, body }, call) {
    const lines = wholeLines(body.lines)
    const takeoff = await call.write(async (call) => {
      const plan = await plans.lock(call, path.planId)
      if (plan.archivedAt !== null || plan.status === 'retired')
        throw problem('conflict', `${plan.code} is ${plan.archivedAt === null ? 'retired' : 'archived'}.`)
      const faults = faultsOf(lines, plan)
      if (faults.length > 0) throw invalid(faults)
      await assertInUse(call, lines)
      const { revision } = await begun(call, plan)
      await takeoffs.replaceLines(call, plan.id, revision, lines)
      noteChange(call, plan.id, 'updated', ['takeoff'])
      return { planId: plan.id, revision, lines }
    })
    return { status: 200, body: takeoff }
  },

  async getResolvedTakeoff({ path, query }, call) {
    const plan = await plans.find(call, path.planId)
    const { revision, built } = await builtOf(call, plan, query.revision)
    const { elevation = null } = query
    const fault = elevation === null ? null : elevationFault(built.elevations, elevation)
    if (fault !== null) throw elevationInvalid(fault)
    const lines = await resolvedLines(call, { planId: plan.id, revision, elevation }, built).catch((error: unknown) => {
      // Each elevation may define figures that the plan itself does not have.
      if (error instanceof FormulaFault) {
        throw elevationInvalid(`${elevation === null ? 'is required' : 'cannot be built'}: a formula ${error.message}`)
      }
      throw error
    })
    return { status: 200, body: { planId: plan.id, revision, elevation, lines } }
  },
} satisfies Partial<Handlers>

function elevationInvalid(message: string) {
  return invalid([{ pointer: 'elevation', code: 'elevation', message }])
}

/** What determines the houses of the revision, or of the newest one if none is named. */
async function builtOf(
  call: Call,
  plan: Plan,
  revision: number = plan.revision,
): Promise<{ revision: number; built: Built }> {
  if (revision === plan.revision) return { revision, built: plan }
  const released = await plans.findRevision(call, plan.id, revision)
  if (released === undefined) throw notFound()
  return { revision, built: released }
}

/** The plan with an editable revision: its draft, which is started here if the newest revision is released. */
async function begun(call: WriteCall, plan: Plan): Promise<Plan> {
  if (plan.status === 'draft') return plan
  const next = await plans.update(call, plan, nextRevision(plan))
  await recordStatusChange(call, { id: plan.id, from: plan.status, to: next.status })
  return next
}

async function assertInUse(call: WriteCall, lines: readonly TakeoffLine[]): Promise<void> {
  const parts = await takeoffs.inUse(
    call,
    'parts',
    lines.map(({ partId }) => partId),
  )
  const codes = await takeoffs.inUse(
    call,
    'costCodes',
    lines.flatMap(({ costCodeId }) => costCodeId ?? []),
  )
  const unknown = lines.flatMap(({ partId, costCodeId }, i) => [
    ...(parts.has(partId) ? [] : [`/lines/${i}/partId`]),
    ...(costCodeId === null || codes.has(costCodeId) ? [] : [`/lines/${i}/costCodeId`]),
  ])
  if (unknown.length > 0) throw unknownReference(unknown)
}
