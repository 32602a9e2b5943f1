import type { Option, Selection, SelectionUpdate } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { assertIfMatch } from '../../../platform/calls/etag.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { conflict, validationFailed } from '../../../platform/problems/problem.ts'
import { describeStatus } from '../../../platform/values/format.ts'
import { ACTIVE_STATUSES } from '../../costs/budgets/selected-option.ts'
import * as costCodes from '../../costs/cost-codes/queries.ts'
import * as scopes from '../../vendors/scopes/queries.ts'
import { changeSelectionStatus } from './change-selection-status.ts'
import { addPendingSelection } from './pending-selections.ts'
import * as selections from './queries.ts'
import {
  computeSelectionPrice,
  createUnknownPriceProblem,
  quoteSelection,
  type SelectionDraft,
  type SelectionQuote,
} from './quote-selection.ts'
import {
  computeDeadline,
  computeUnitPrice,
  FIXED_BY_ORDER,
  formatSelectionName,
  joinReasons,
  listDependentSelections,
} from './selection.ts'
import { announcePriceIfChanged, recordDirectPriceChange, syncSelectionBudget } from './selection-effects.ts'
import {
  assertBeforeDeadline,
  assertNotInOpenChange,
  lockSelectionPlace,
  lockSelectionWithHome,
  requireChangeOrder,
  type SelectionPlace,
} from './selection-place.ts'

export const selectionOperations = {
  async listSelections({ query }, call) {
    return { status: 200, body: await selections.list(call, query) }
  },

  async addSelection({ path, query, body }, call) {
    assertOptionOrCustom(body)
    const selection = await call.write(async (call) =>
      addPendingSelection(call, await lockSelectionPlace(call, path.homeId), body, query.createScopes),
    )
    return { status: 201, body: selection }
  },

  async getSelection({ path }, call) {
    return { status: 200, body: await selections.find(call, path.selectionId) }
  },

  async updateSelection({ path, query, body, ifMatch }, call) {
    const selection = await call.write(async (call) => {
      const { place, before, option } = await lockSelectionWithHome(call, path.selectionId)
      assertIfMatch(ifMatch, before)
      const name = formatSelectionName(before, option)
      if (before.status === 'declined' || before.status === 'cancelled')
        throw conflict('wrong_status', `Cannot change ${name}: the selection is ${describeStatus(before.status)}.`)
      assertKindUnchanged(before, body)
      const { overrideReason, externalId, ...choices } = body
      const isChoice = Object.keys(choices).length > 0
      if (isChoice)
        assertBeforeDeadline(
          place,
          computeDeadline(before.deadline, option, place.home, place.community),
          overrideReason,
        )
      const changed = FIXED_BY_ORDER.filter((field) => isFieldChanged(before, body, field))
      if (changed.length > 0) await assertNotInOpenChange(call, before, name)
      const changePoId = changed.length === 0 ? undefined : await requireChangeOrder(call, before, name, changed)
      const { scope: _, costCodeId: __, ...rest } = choices
      const requested = {
        ...before,
        ...rest,
        ...(body.unitPrice !== undefined && { priceBasis: chooseBasis(body.unitPrice, option) }),
        ...(body.cost !== undefined && { costBasis: chooseBasis(body.cost, option) }),
        ...(await resolveChangedPosting(call, before, body, query.createScopes)),
        option,
      }
      const requoted = await requote(call, place, before, requested, body)
      const { amounts, costs } = requoted
      const { priceBasis, costBasis, scope, costCodeId } = requested
      const after = await selections.update(call, before, {
        ...{ ...rest, ...amounts, priceBasis, costBasis, scope, costCodeId, externalId, changePoId },
      })
      if (overrideReason != null && isChoice) {
        const { id, status } = after
        const reason = joinReasons(null, overrideReason)
        await recordStatusChange(call, { id, from: status, to: status, reason })
      }
      if (ACTIVE_STATUSES.includes(after.status)) {
        if (costs !== null) await syncSelectionBudget(call, place.home, after.id, costs)
        await announcePriceIfChanged(call, place.home, before, after)
        await recordDirectPriceChange(call, { place, before, option }, after)
      }
      return after
    })
    return { status: 200, body: selection }
  },

  async changeSelectionStatus({ path, body }, call) {
    const selection = await call.write(async (call) => {
      const locked = await lockSelectionWithHome(call, path.selectionId)
      const { place, before, option } = locked
      const { status: to, reason, overrideReason } = body
      if (to === 'approved' || to === 'declined')
        await assertNotInOpenChange(call, before, formatSelectionName(before, option))
      const after = await changeSelectionStatus(call, locked, { to, reason, overrideReason })
      if (to === 'approved' || to === 'cancelled') {
        await announcePriceIfChanged(call, place.home, before, after)
        await recordDirectPriceChange(call, locked, after)
      }
      return after
    })
    return { status: 200, body: selection }
  },
} satisfies Partial<Handlers>

function assertOptionOrCustom({ optionId, customDescription, unitPrice }: Checked['SelectionCreate']): void {
  if ((optionId == null) === (customDescription == null))
    throw validationFailed([
      { pointer: '/optionId', code: 'required', message: 'is required unless customDescription is set' },
    ])
  if (optionId == null && unitPrice == null)
    throw validationFailed([{ pointer: '/unitPrice', code: 'required', message: 'is required unless optionId is set' }])
}

function assertKindUnchanged({ optionId }: Selection, body: SelectionUpdate): void {
  if (optionId !== null && body.customDescription != null)
    throw validationFailed([
      { pointer: '/customDescription', code: 'option', message: 'can only be set when the selection has no option' },
    ])
  if (optionId === null && body.customDescription === null)
    throw validationFailed([
      { pointer: '/customDescription', code: 'required', message: 'must not be null when the selection has no option' },
    ])
  if (optionId === null && body.unitPrice === null)
    throw validationFailed([
      { pointer: '/unitPrice', code: 'required', message: 'must not be null when the selection has no option' },
    ])
}

async function resolveChangedPosting(
  call: Call,
  before: Selection,
  body: SelectionUpdate,
  createScopes: boolean | undefined,
) {
  if (body.costCodeId != null) await costCodes.assertExist(call, [body.costCodeId], '/costCodeId')
  const { costCodeId = before.costCodeId } = body
  if (body.scope === undefined) return { scope: before.scope, costCodeId }
  return { scope: body.scope === null ? null : await scopes.requireTrade(call, body.scope, createScopes), costCodeId }
}

/**
 * Returns the basis of an amount. If the amount is cleared, the basis is the option again, if the selection has one.
 */
function chooseBasis(amount: number | null, option: Option | null): 'option' | 'given' {
  return amount === null && option !== null ? 'option' : 'given'
}

function isFieldChanged(before: Selection, body: SelectionUpdate, field: (typeof FIXED_BY_ORDER)[number]) {
  return body[field] !== undefined && body[field] !== before[field]
}

/**
 * Returns the price and the cost after an update. Before the approval, they are determined from the option. After the
 * approval, the agreed unit price stays unless the request contains a new one, and the cost is computed again only if
 * the update affects it.
 */
async function requote(
  call: Call,
  place: SelectionPlace,
  before: Selection,
  requested: SelectionDraft,
  body: SelectionUpdate,
): Promise<{ amounts: SelectionQuote['amounts']; costs: SelectionQuote['costs'] | null }> {
  if (before.status === 'pending') return quoteSelection(call, place.home, requested, { ...place, dependents: [] })
  const isCostTouched = (['quantity', 'cost', 'scope', 'costCodeId'] as const).some(
    (field) => body[field] !== undefined,
  )
  const dependents = requested.optionId === null ? [] : listDependentSelections(requested.optionId, place.standing)
  const quoted = isCostTouched
    ? await quoteSelection(call, place.home, requested, { ...place, dependents: dependents.map(({ id }) => id) })
    : null
  const { cost, issues } = quoted?.amounts ?? before
  const unitPrice =
    body.unitPrice === undefined ? before.unitPrice : computeUnitPrice(requested, requested.option, cost)
  const price = computeSelectionPrice(requested.quantity, unitPrice, call.currency)
  if (price === null) throw createUnknownPriceProblem(formatSelectionName(before, requested.option))
  return { amounts: { unitPrice, price, cost, issues }, costs: quoted?.costs ?? null }
}
