import type { Option, Plan, TakeoffLine } from '../../../../client/contract.gen.ts'
import { type Call, recordChange, type WriteCall } from '../../../platform/calls/call.ts'
import { assertIfMatch } from '../../../platform/calls/etag.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { conflict, notFound, unknownReference, validationFailed } from '../../../platform/problems/problem.ts'
import { findElevationError, getNextRevision } from '../../land/plans/plan.ts'
import * as plans from '../../land/plans/queries.ts'
import * as options from '../options/queries.ts'
import { ChoiceError, type ChosenOption } from './chosen-options.ts'
import { FormulaError } from './formula.ts'
import { computeHomeLines, listLinesToBuy } from './home-lines.ts'
import type { BuiltRevision } from './line-quantity.ts'
import * as optionTakeoffs from './option-queries.ts'
import { findOptionLineErrors, toStoredOptionLines } from './option-takeoff.ts'
import * as takeoffs from './queries.ts'
import { findTakeoffLineErrors, toStoredTakeoffLines } from './takeoff.ts'

/**
 * The maximum number of plans for which the takeoff of an option is checked. It exceeds the number of plans that a
 * builder uses at a time.
 */
const MAX_PLANS = 500

export const takeoffOperations = {
  async getTakeoff({ path, query }, call) {
    const plan = await plans.find(call, path.planId)
    const { revision } = await findBuilt(call, plan, query.revision)
    const lines = await takeoffs.listTakeoffLines(call, plan.id, revision)
    return { status: 200, body: { planId: plan.id, revision, version: plan.version, lines } }
  },

  async replaceTakeoff({ path, body, ifMatch }, call) {
    const lines = toStoredTakeoffLines(body.lines)
    const takeoff = await call.write(async (call) => {
      const plan = await plans.lock(call, path.planId)
      assertIfMatch(ifMatch, plan)
      if (plan.archivedAt !== null || plan.status === 'retired')
        throw conflict(
          'archived',
          `Cannot change the takeoff of ${plan.code}: the plan is ${plan.archivedAt === null ? 'retired' : 'archived'}.`,
        )
      const errors = await findTakeoffLineErrors(lines, plan)
      if (errors.length > 0) throw validationFailed(errors)
      await assertPartsAndCodesInUse(call, lines)
      const { revision, version } = await beginRevision(call, plan)
      await takeoffs.replaceTakeoffLines(call, plan.id, revision, lines)
      return { planId: plan.id, revision, version, lines }
    })
    return { status: 200, body: takeoff }
  },

  async getResolvedTakeoff({ path, query }, call) {
    const plan = await plans.find(call, path.planId)
    const { revision, built } = await findBuilt(call, plan, query.revision)
    const { elevation = null } = query
    const fault = elevation === null ? null : findElevationError(built.elevations, elevation)
    if (fault !== null) throw invalidElevation(fault)
    const chosen = await chooseOptions(call, plan, query.optionIds ?? [])
    const house = { planId: plan.id, revision, elevation }
    const lines = await computeHomeLines(call, house, built, chosen).catch((error: unknown) => {
      if (error instanceof ChoiceError) throw invalidOptions(error.ofField)
      // Each elevation can define figures that the plan does not have.
      if (error instanceof FormulaError) {
        throw invalidElevation(
          `${elevation === null ? 'is required' : 'cannot be resolved'}: a formula ${error.message}`,
        )
      }
      throw error
    })
    return { status: 200, body: { ...house, lines: listLinesToBuy(lines) } }
  },

  async getOptionTakeoff({ path }, call) {
    const { id, version } = await options.find(call, path.optionId)
    return { status: 200, body: { optionId: id, version, lines: await optionTakeoffs.listOptionLines(call, id) } }
  },

  async replaceOptionTakeoff({ path, body, ifMatch }, call) {
    const takeoff = await call.write(async (call) => {
      const option = await options.lock(call, path.optionId)
      assertIfMatch(ifMatch, option)
      if (option.archivedAt !== null)
        throw conflict('archived', `Cannot change the takeoff of ${option.code}: the option is archived.`)
      const lines = toStoredOptionLines(body.lines, option)
      await assertPlansExist(call, lines)
      const errors = await findOptionLineErrors(lines, await listPlansOfOption(call, option))
      if (errors.length > 0) throw validationFailed(errors)
      await assertPartsAndCodesInUse(call, lines)
      await optionTakeoffs.replaceOptionLines(call, option.id, lines)
      return { optionId: option.id, version: await options.bumpVersion(call, option), lines }
    })
    return { status: 200, body: takeoff }
  },
} satisfies Partial<Handlers>

function invalidElevation(message: string) {
  return validationFailed([{ pointer: 'elevation', code: 'elevation', message }])
}

function invalidOptions(message: string) {
  return validationFailed([{ pointer: 'optionIds', code: 'options', message }])
}

/**
 * Returns the options, each with a quantity of one. Throws if an option does not exist or is not available for the
 * plan.
 */
async function chooseOptions(call: Call, plan: Plan, ids: readonly string[]): Promise<ChosenOption[]> {
  if (ids.length === 0) return []
  const found = await options.findAll(call, ids)
  if (found.length < ids.length) throw unknownReference(['optionIds'])
  const other = found.find(({ planIds }) => planIds.length > 0 && !planIds.includes(plan.id))
  if (other !== undefined) throw invalidOptions(`must be available for ${plan.code}; ${other.code} is not`)
  return found.map(({ id, code, requiresOptionIds, excludesOptionIds }) => ({
    ...{ id, code, requiresOptionIds, excludesOptionIds, quantity: 1 },
  }))
}

async function assertPlansExist(call: Call, lines: readonly { planId: string | null }[]): Promise<void> {
  const named = new Set(lines.flatMap(({ planId }) => planId ?? []))
  const known = new Set((await plans.findAll(call, [...named])).map(({ id }) => id))
  const unknown = lines.flatMap(({ planId }, i) => (planId === null || known.has(planId) ? [] : [`/lines/${i}/planId`]))
  if (unknown.length > 0) throw unknownReference(unknown)
}

/** Returns the plans for which the option is available. */
async function listPlansOfOption(call: Call, { planIds }: Option): Promise<Plan[]> {
  if (planIds.length > 0) return plans.findAll(call, planIds)
  const inUse = await plans.listActivePlanIds(call, MAX_PLANS + 1)
  if (inUse.length > MAX_PLANS)
    throw conflict(
      'limit_reached',
      `Formulas can be checked against at most ${MAX_PLANS} plans. Set planIds on the option.`,
    )
  return plans.findAll(call, inUse)
}

/** Returns the content of the given revision. Defaults to the newest revision. */
async function findBuilt(
  call: Call,
  plan: Plan,
  revision: number = plan.revision,
): Promise<{ revision: number; built: BuiltRevision }> {
  if (revision === plan.revision) return { revision, built: plan }
  const released = await plans.findRevision(call, plan.id, revision)
  if (released === undefined) throw notFound()
  return { revision, built: released }
}

/**
 * Returns the editable revision of the plan, and the next version of the plan. If the newest revision is released,
 * creates a draft of the next revision.
 */
async function beginRevision(call: WriteCall, plan: Plan): Promise<Pick<Plan, 'revision' | 'version'>> {
  if (plan.status === 'draft') return { revision: plan.revision, version: await plans.bumpVersion(call, plan) }
  const next = await plans.update(call, plan, getNextRevision(plan))
  recordChange(call, plan.id, 'updated', ['takeoff'])
  await recordStatusChange(call, { id: plan.id, from: plan.status, to: next.status })
  return next
}

async function assertPartsAndCodesInUse(
  call: WriteCall,
  lines: readonly Pick<TakeoffLine, 'partId' | 'costCodeId'>[],
): Promise<void> {
  const parts = await takeoffs.findActiveReferenceIds(
    call,
    'parts',
    lines.map(({ partId }) => partId),
  )
  const codes = await takeoffs.findActiveReferenceIds(
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
