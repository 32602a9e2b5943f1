import type { Option, Selection, SelectionUpdate } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { checkIfMatch } from '../../../platform/calls/etag.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { conflict, invalid } from '../../../platform/problems/problem.ts'
import { STANDING } from '../../costs/budgets/selected.ts'
import * as costCodes from '../../costs/cost-codes/queries.ts'
import * as scopes from '../../vendors/scopes/queries.ts'
import { addPending } from './add.ts'
import { budgetSelection, recordDirectChange, repriceHome } from './effects.ts'
import { moveSelection } from './move.ts'
import { assertDecidedAlone, assertInTime, changeOrderFor, lockWithHome, type Place, placeOf } from './place.ts'
import * as selections from './queries.ts'
import { type Draft, priceOf, priceUnknown, type Quote, quote } from './quote.ts'
import { deadlineOf, dependentsOf, FIXED_BY_ORDER, nameOf, reasonsTogether, unitPriceOf } from './selection.ts'

export const selectionOperations = {
  async listSelections({ query }, call) {
    return { status: 200, body: await selections.list(call, query) }
  },

  async addSelection({ path, query, body }, call) {
    assertOneThing(body)
    const selection = await call.write(async (call) =>
      addPending(call, await placeOf(call, path.homeId), body, query.createScopes),
    )
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
      if (changed.length > 0) await assertDecidedAlone(call, before, name)
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
        await recordDirectChange(call, { place, before, option }, after)
      }
      return after
    })
    return { status: 200, body: selection }
  },

  async changeSelectionStatus({ path, body }, call) {
    const selection = await call.write(async (call) => {
      const locked = await lockWithHome(call, path.selectionId)
      const { place, before, option } = locked
      const { status: to, reason, overrideReason } = body
      if (to === 'approved' || to === 'declined') await assertDecidedAlone(call, before, nameOf(before, option))
      const after = await moveSelection(call, locked, { to, reason, overrideReason })
      if (to === 'approved' || to === 'cancelled') {
        await repriceHome(call, place.home, before, after)
        await recordDirectChange(call, locked, after)
      }
      return after
    })
    return { status: 200, body: selection }
  },
} satisfies Partial<Handlers>

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
  const price = priceOf(wanted.quantity, unitPrice, call.currency)
  if (price === null) throw priceUnknown(nameOf(before, wanted.option))
  return { amounts: { unitPrice, price, cost, issues }, costs: quoted?.costs ?? null }
}
