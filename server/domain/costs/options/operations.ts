import type { Option } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { assertIfMatch } from '../../../platform/calls/etag.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { assertTransition, conflict, validationFailed } from '../../../platform/problems/problem.ts'
import { formatNumber } from '../../../platform/values/format.ts'
import * as communities from '../../land/communities/queries.ts'
import * as plans from '../../land/plans/queries.ts'
import * as scopes from '../../vendors/scopes/queries.ts'
import * as costCodes from '../cost-codes/queries.ts'
import { findOptionAmountErrors, OPTION_MOVES } from './option.ts'
import { findLinkError, type LinkError, type OptionLinks } from './option-links.ts'
import * as options from './queries.ts'

/**
 * The maximum number of an organization's options that require or exclude other options. Changing the links of an
 * option reads all of these options.
 */
const MAX_LINKED = 2000

export const optionOperations = {
  async listOptions({ query }, call) {
    return { status: 200, body: await options.list(call, query) }
  },

  async createOption({ query, body }, call) {
    const { price = null, marginPercent = null, cost = null } = body
    assertAmounts({ ...body, price, marginPercent, cost })
    const option = await call.write(async (call) => {
      await assertReferences(call, body)
      // The new option has no ID yet, and no option can require it.
      await assertLinks(call, { ...body, id: '' }, body.code)
      const scope = body.scope == null ? null : await scopes.requireTrade(call, body.scope, query.createScopes)
      const ofScope =
        scope === null || body.costCodeId !== undefined ? null : await scopes.findDefaultCostCode(call, scope)
      const values = { ...body, scope, costCodeId: body.costCodeId ?? ofScope, status: 'draft' as const }
      const created = await options.insert(call, values)
      await recordStatusChange(call, { id: created.id, from: null, to: created.status })
      return created
    })
    return { status: 201, body: option }
  },

  async getOption({ path }, call) {
    return { status: 200, body: await options.find(call, path.optionId) }
  },

  async updateOption({ path, query, body, ifMatch }, call) {
    const option = await call.write(async (call) => {
      if (body.requiresOptionIds !== undefined || body.excludesOptionIds !== undefined)
        await options.lockOptionLinks(call)
      const before = await options.lock(call, path.optionId)
      assertIfMatch(ifMatch, before)
      const requested = { ...before, ...body }
      assertAmounts(requested)
      await assertReferences(call, body)
      if (body.requiresOptionIds !== undefined || body.excludesOptionIds !== undefined)
        await assertLinks(call, requested, requested.code)
      const { scope, ...rest } = body
      return options.update(call, before, {
        ...rest,
        ...(scope !== undefined && {
          scope: scope === null ? null : await scopes.requireTrade(call, scope, query.createScopes),
        }),
      })
    })
    return { status: 200, body: option }
  },

  async archiveOption({ path, ifMatch }, call) {
    await call.write(async (call) => {
      await options.lockOptionLinks(call)
      const before = await options.lock(call, path.optionId)
      assertIfMatch(ifMatch, before)
      const requiring = before.archivedAt === null ? await options.findRequiringOptionCode(call, before.id) : undefined
      if (requiring !== undefined)
        throw conflict(
          'in_use',
          `Cannot archive ${before.code}: ${requiring} requires it. Remove it from requiresOptionIds of ${requiring} first.`,
        )
      await options.archive(call, before)
    })
    return { status: 204 }
  },

  async changeOptionStatus({ path, body }, call) {
    const option = await call.write(async (call) => {
      const before = await options.lock(call, path.optionId)
      if (before.archivedAt !== null)
        throw conflict('archived', `Cannot change the status of ${before.code}: it is archived.`)
      assertTransition(OPTION_MOVES, before.status, body.status)
      const after = await options.update(call, before, { status: body.status })
      await recordStatusChange(call, { id: after.id, from: before.status, to: after.status, reason: body.reason })
      return after
    })
    return { status: 200, body: option }
  },
} satisfies Partial<Handlers>

function assertAmounts(option: Parameters<typeof findOptionAmountErrors>[0]): void {
  const errors = findOptionAmountErrors(option)
  if (errors.length > 0) throw validationFailed(errors)
}

type OptionReferences = Partial<
  Pick<Option, 'planIds' | 'communityIds' | 'requiresOptionIds' | 'excludesOptionIds' | 'costCodeId'>
>

async function assertReferences(
  call: WriteCall,
  body: { [Field in keyof OptionReferences]: OptionReferences[Field] | undefined },
) {
  await plans.assertExist(call, body.planIds ?? [], '/planIds')
  await communities.assertExist(call, body.communityIds ?? [], '/communityIds')
  await options.assertExist(call, body.requiresOptionIds ?? [], '/requiresOptionIds')
  await options.assertExist(call, body.excludesOptionIds ?? [], '/excludesOptionIds')
  if (body.costCodeId != null) await costCodes.assertExist(call, [body.costCodeId], '/costCodeId')
}

async function assertLinks(call: WriteCall, changed: OptionLinks, code: string): Promise<void> {
  if (changed.requiresOptionIds.length + changed.excludesOptionIds.length === 0) return
  await options.lockOptionLinks(call)
  const others = await options.listOptionLinks(call, { except: changed.id, limit: MAX_LINKED })
  if (others.length >= MAX_LINKED)
    throw conflict('limit_reached', `At most ${formatNumber(MAX_LINKED)} options can require or exclude other options.`)
  const fault = findLinkError(changed, others)
  if (fault !== null) throw validationFailed([await describeLinkError(call, fault, { id: changed.id, code })])
}

/**
 * Returns the text of an error with the codes of the options. Uses the new code of the option that is being created or
 * updated.
 */
async function describeLinkError(call: WriteCall, fault: LinkError, changed: { id: string; code: string }) {
  const ids = fault.kind === 'ring' ? [fault.id, fault.through] : [fault.id, fault.one, fault.other]
  const codes = new Map((await options.findAll(call, ids)).map((option) => [option.id, option.code]))
  codes.set(changed.id, changed.code)
  const codeOf = (id: string) => codes.get(id) ?? id
  const subject = codeOf(fault.id)
  if (fault.kind === 'ring') {
    const words = fault.through === fault.id ? 'itself' : `${codeOf(fault.through)}, which requires ${subject}`
    return { pointer: '/requiresOptionIds', code: 'ring', message: `must not make ${subject} require ${words}` }
  }
  if (fault.one === fault.other)
    return {
      pointer: '/excludesOptionIds',
      code: 'contradiction',
      message: `must not make ${codeOf(fault.one)} exclude itself`,
    }
  const message =
    fault.one === fault.id || fault.other === fault.id
      ? `must not make ${subject} both require and exclude ${codeOf(fault.one === fault.id ? fault.other : fault.one)}`
      : `must not make ${subject} require ${codeOf(fault.one)} and ${codeOf(fault.other)}, which exclude each other`
  return { pointer: '/excludesOptionIds', code: 'contradiction', message }
}
