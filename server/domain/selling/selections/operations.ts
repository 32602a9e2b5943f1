import type { Option, Selection, SelectionUpdate } from '../../../../client/contract.gen.ts'
import type { Call, WriteCall } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { checkIfMatch } from '../../../platform/calls/etag.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { assertMove, conflict, invalid, unknownReference } from '../../../platform/problems/problem.ts'
import { STANDING } from '../../costs/budgets/selected.ts'
import { MOST_SELECTIONS } from '../../costs/budgets/selection-queries.ts'
import * as costCodes from '../../costs/cost-codes/queries.ts'
import * as options from '../../costs/options/queries.ts'
import * as scopes from '../../vendors/scopes/queries.ts'
import { budgetSelection, repriceHome } from './effects.ts'
import {
  assertApprovable,
  assertInTime,
  assertSelectable,
  changeOrderFor,
  lockWithHome,
  type Place,
  placeOf,
} from './place.ts'
import * as selections from './queries.ts'
import { type Draft, priceOf, type Quote, quote } from './quote.ts'
import {
  CHOICES,
  deadlineOf,
  dependentsOf,
  FIXED_BY_ORDER,
  nameOf,
  reasonsTogether,
  SELECTION_MOVES,
  unitPriceOf,
} from './selection.ts'

export const selectionOperations = {
  async listSelections({ query }, call) {
    return { status: 200, body: await selections.list(call, query) }
  },

  async addSelection({ path, query, body }, call) {
    assertOneThing(body)
    const selection = await call.write(async (call) => {
      const place = await placeOf(call, path.homeId)
      const option = await optionNamed(call, body.optionId)
      const { overrideReason, ...given } = body
      if ((await selections.countOf(call, place.home.id)) >= MOST_SELECTIONS)
        throw conflict('limit_reached', `A home can have at most ${MOST_SELECTIONS} selections.`)
      if (option !== null) await assertSelectable(call, place, option, null)
      const deadline = deadlineOf(body.deadline ?? null, option, place.home, place.community)
      assertInTime(place, deadline, overrideReason)
      const { unitPrice = null, cost = null } = body
      const draft = {
        ...{ ...given, id: '', optionId: option?.id ?? null, option, status: 'pending' as const, unitPrice, cost },
        customDescription: body.customDescription ?? null,
        priceBasis: unitPrice === null ? ('option' as const) : ('given' as const),
        costBasis: cost === null && option !== null ? ('option' as const) : ('given' as const),
        ...(await postingOf(call, body, option, query.createScopes)),
      }
      const { amounts } = await quote(call, place.home, draft, { ...place, dependents: [] })
      const { option: _, id: __, ...values } = { ...draft, ...amounts }
      const created = await selections.insert(call, { ...values, homeId: place.home.id, deadline })
      const reason = reasonsTogether(null, overrideReason)
      await recordStatusChange(call, { id: created.id, from: null, to: created.status, reason })
      return created
    })
    return { status: 201, body: selection }
  },

  async getSelection({ path }, call) {
    return { status: 200, body: await selections.find(call, path.selectionId) }
  },

  async updateSelection({ path, query, body, ifMatch }, call) {
    const selection = await call.write(async (call) => {
      const { place, before, option } = await lockWithHome(call, path.selectionId)
      checkIfMatch(ifMatch, before)
      const name = nameOf(before, option)
      if (before.status === 'declined' || before.status === 'cancelled')
        throw conflict('wrong_status', `Cannot change ${name}: the selection is ${before.status}.`)
      assertStillOneThing(before, body)
      const { overrideReason, externalId, ...choices } = body
      const isChoice = Object.keys(choices).length > 0
      if (isChoice)
        assertInTime(place, deadlineOf(before.deadline, option, place.home, place.community), overrideReason)
      const changed = FIXED_BY_ORDER.filter((field) => isChanged(before, body, field))
      const changePoId = changed.length === 0 ? undefined : await changeOrderFor(call, before, name, changed)
      const { scope: _, costCodeId: __, ...rest } = choices
      const wanted = {
        ...before,
        ...rest,
        ...(body.unitPrice !== undefined && { priceBasis: basisOf(body.unitPrice, option) }),
        ...(body.cost !== undefined && { costBasis: basisOf(body.cost, option) }),
        ...(await repostedAs(call, before, body, query.createScopes)),
        option,
      }
      const requoted = await requotedAs(call, place, before, wanted, body)
      const { amounts, costs } = requoted
      const { priceBasis, costBasis, scope, costCodeId } = wanted
      const after = await selections.update(call, before, {
        ...{ ...rest, ...amounts, priceBasis, costBasis, scope, costCodeId, externalId, changePoId },
      })
      if (overrideReason != null && isChoice) {
        const { id, status } = after
        const reason = reasonsTogether(null, overrideReason)
        await recordStatusChange(call, { id, from: status, to: status, reason })
      }
      if (STANDING.includes(after.status)) {
        if (costs !== null) await budgetSelection(call, place.home, after.id, costs)
        await repriceHome(call, place.home, before, after)
      }
      return after
    })
    return { status: 200, body: selection }
  },

  async changeSelectionStatus({ path, body }, call) {
    const selection = await call.write(async (call) => {
      const { place, before, option } = await lockWithHome(call, path.selectionId)
      const { status: to, reason, overrideReason } = body
      assertMove(SELECTION_MOVES, before.status, to)
      if (CHOICES.has(to))
        assertInTime(place, deadlineOf(before.deadline, option, place.home, place.community), overrideReason)
      const { changes, costs } = await consequencesOf(call, place, before, option, to)
      const after = await selections.update(call, before, { status: to, ...changes })
      const reasons = reasonsTogether(reason, CHOICES.has(to) ? overrideReason : null)
      await recordStatusChange(call, { id: after.id, from: before.status, to, reason: reasons })
      if (to === 'approved' || to === 'cancelled') {
        await budgetSelection(call, place.home, after.id, costs)
        await repriceHome(call, place.home, before, after)
      }
      return after
    })
    return { status: 200, body: selection }
  },
} satisfies Partial<Handlers>

async function optionNamed(call: Call, id: string | null | undefined): Promise<Option | null> {
  if (id == null) return null
  const option = await options.findOptional(call, id)
  if (option === undefined) throw unknownReference(['/optionId'])
  return option
}

function assertOneThing({ optionId, customDescription, unitPrice }: Checked['SelectionCreate']): void {
  if ((optionId == null) === (customDescription == null))
    throw invalid([{ pointer: '/optionId', code: 'required', message: 'is required unless customDescription is set' }])
  if (optionId == null && unitPrice == null)
    throw invalid([{ pointer: '/unitPrice', code: 'required', message: 'is required unless optionId is set' }])
}

function assertStillOneThing({ optionId }: Selection, body: SelectionUpdate): void {
  if (optionId !== null && body.customDescription != null)
    throw invalid([{ pointer: '/customDescription', code: 'option', message: 'can only be used without optionId' }])
  if (optionId === null && body.customDescription === null)
    throw invalid([
      { pointer: '/customDescription', code: 'required', message: 'must not be null when the selection has no option' },
    ])
  if (optionId === null && body.unitPrice === null)
    throw invalid([
      { pointer: '/unitPrice', code: 'required', message: 'must not be null when the selection has no option' },
    ])
}

/**
 * Returns the trade and cost code of a cost that is one amount: as sent, or else those of the option, or else the
 * trade's default.
 */
async function postingOf(
  call: Call,
  body: Checked['SelectionCreate'],
  option: Option | null,
  createScopes: boolean | undefined,
) {
  if (body.costCodeId != null) await costCodes.assertExist(call, [body.costCodeId], '/costCodeId')
  const scope = body.scope == null ? (option?.scope ?? null) : await scopes.nameOf(call, body.scope, createScopes)
  if (body.costCodeId !== undefined) return { scope, costCodeId: body.costCodeId }
  if (body.scope == null) return { scope, costCodeId: option?.costCodeId ?? null }
  return { scope, costCodeId: scope === null ? null : await scopes.defaultCostCode(call, scope) }
}

async function repostedAs(call: Call, before: Selection, body: SelectionUpdate, createScopes: boolean | undefined) {
  if (body.costCodeId != null) await costCodes.assertExist(call, [body.costCodeId], '/costCodeId')
  const { costCodeId = before.costCodeId } = body
  if (body.scope === undefined) return { scope: before.scope, costCodeId }
  return { scope: body.scope === null ? null : await scopes.nameOf(call, body.scope, createScopes), costCodeId }
}

/**
 * Returns the basis of an amount. Clearing it returns to the option's; without an option there is none to return to.
 */
function basisOf(amount: number | null, option: Option | null): 'option' | 'given' {
  return amount === null && option !== null ? 'option' : 'given'
}

function isChanged(before: Selection, body: SelectionUpdate, field: (typeof FIXED_BY_ORDER)[number]) {
  return body[field] !== undefined && body[field] !== before[field]
}

/**
 * Returns price and cost after a change. Until approval both follow the option. Afterwards the agreed unit price stays
 * unless another one is sent, and the cost is computed again only if the change affects it.
 */
async function requotedAs(
  call: Call,
  place: Place,
  before: Selection,
  wanted: Draft,
  body: SelectionUpdate,
): Promise<{ amounts: Quote['amounts']; costs: Quote['costs'] | null }> {
  if (before.status === 'pending') return quote(call, place.home, wanted, { ...place, dependents: [] })
  const isCostTouched = (['quantity', 'cost', 'scope', 'costCodeId'] as const).some(
    (field) => body[field] !== undefined,
  )
  const dependents = wanted.optionId === null ? [] : dependentsOf(wanted.optionId, place.standing)
  const quoted = isCostTouched
    ? await quote(call, place.home, wanted, { ...place, dependents: dependents.map(({ id }) => id) })
    : null
  const { cost, issues } = quoted?.amounts ?? before
  const unitPrice = body.unitPrice === undefined ? before.unitPrice : unitPriceOf(wanted, wanted.option, cost)
  const price = priceOf(wanted.quantity, unitPrice)
  if (price === null) throw priceUnknown(nameOf(before, wanted.option))
  return { amounts: { unitPrice, price, cost, issues }, costs: quoted?.costs ?? null }
}

function priceUnknown(name: string) {
  return conflict('missing_data', `Cannot price ${name}: some of its parts have no price.`)
}

/** Returns what a status change sets in addition, after checking its conditions. */
async function consequencesOf(
  call: WriteCall,
  place: Place,
  before: Selection,
  option: Option | null,
  to: Selection['status'],
): Promise<{ changes: Partial<Omit<Selection, 'difference'>>; costs: Quote['costs'] }> {
  const none = { changes: {}, costs: [] }
  const name = nameOf(before, option)
  if (to === 'pending' && option !== null) await assertSelectable(call, place, option, before.id)
  if (to === 'ordered' && !(await selections.isOrdered(call, before.id)))
    throw conflict(
      'missing_data',
      `${name} has no approved purchase order. Create and approve one with optionSelectionId set to it.`,
    )
  if (to === 'cancelled') {
    const dependents = before.optionId === null ? [] : dependentsOf(before.optionId, place.standing)
    const [dependent] = dependents
    if (dependent !== undefined)
      throw conflict(
        'in_use',
        `Cannot cancel ${name}: ${nameOf(dependent, dependent.option)}, which is ${dependent.status}, requires it.`,
      )
    const changePoId = await changeOrderFor(call, before, name, [])
    return { changes: changePoId === undefined ? {} : { changePoId }, costs: [] }
  }
  if (to !== 'approved') return none
  if (option !== null) await assertApprovable(call, place, option, before.id)
  const draft = { ...before, option }
  const { amounts, costs } = await quote(call, place.home, draft, { ...place, dependents: [] })
  if (amounts.price === null) throw priceUnknown(name)
  if (option === null && amounts.cost === null)
    throw conflict('missing_data', `Cannot approve ${name}: it has no cost. Set cost first.`)
  return { changes: { ...amounts, approvedBy: call.actor, approvedAt: call.now.toISOString() }, costs }
}
