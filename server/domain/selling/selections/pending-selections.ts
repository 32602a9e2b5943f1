import type { Option, Selection } from '../../../../client/contract.gen.ts'
import type { Call, WriteCall } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { conflict, unknownReference } from '../../../platform/problems/problem.ts'
import { MAX_SELECTIONS } from '../../costs/budgets/selection-queries.ts'
import * as costCodes from '../../costs/cost-codes/queries.ts'
import * as options from '../../costs/options/queries.ts'
import * as scopes from '../../vendors/scopes/queries.ts'
import * as selections from './queries.ts'
import { quoteSelection } from './quote-selection.ts'
import { computeDeadline, joinReasons } from './selection.ts'
import { assertBeforeDeadline, assertCanSelectOption, type SelectionPlace } from './selection-place.ts'

/** Adds a pending selection of an option or a custom item. The caller must have locked the home. */
export async function addPendingSelection(
  call: WriteCall,
  place: SelectionPlace,
  body: Checked['SelectionCreate'],
  createScopes: boolean | undefined,
): Promise<Selection> {
  const option = await optionNamed(call, body.optionId)
  const { overrideReason, ...given } = body
  if ((await selections.countSelections(call, place.home.id)) >= MAX_SELECTIONS)
    throw conflict(
      'limit_reached',
      `Cannot add a selection: ${place.home.name} already has ${MAX_SELECTIONS} selections, the maximum.`,
    )
  if (option !== null) await assertCanSelectOption(call, place, option, null)
  const deadline = computeDeadline(body.deadline ?? null, option, place.home, place.community)
  assertBeforeDeadline(place, deadline, overrideReason)
  const { unitPrice = null, cost = null } = body
  const draft = {
    ...{ ...given, id: '', optionId: option?.id ?? null, option, status: 'pending' as const, unitPrice, cost },
    customDescription: body.customDescription ?? null,
    priceBasis: unitPrice === null ? ('option' as const) : ('given' as const),
    costBasis: cost === null && option !== null ? ('option' as const) : ('given' as const),
    ...(await findPosting(call, body, option, createScopes)),
  }
  const { amounts } = await quoteSelection(call, place.home, draft, { ...place, dependents: [] })
  const { option: _, id: __, ...values } = { ...draft, ...amounts }
  const created = await selections.insert(call, { ...values, homeId: place.home.id, deadline })
  const reason = joinReasons(null, overrideReason)
  await recordStatusChange(call, { id: created.id, from: null, to: created.status, reason })
  return created
}

interface CustomItem {
  customDescription: string
  unitPrice: number
  cost: number
  scope: string | null
}

/** Changes a pending selection of a custom item. The caller must have locked the selection and its home. */
export async function changePendingSelection(
  call: WriteCall,
  place: SelectionPlace,
  before: Selection,
  item: CustomItem,
  createScopes: boolean | undefined,
): Promise<Selection> {
  const posting = item.scope === before.scope ? {} : await findPosting(call, item, null, createScopes)
  const draft = { ...before, ...item, ...posting, option: null }
  const { amounts } = await quoteSelection(call, place.home, draft, { ...place, dependents: [] })
  const { scope, costCodeId } = draft
  const { customDescription } = item
  return selections.update(call, before, { ...amounts, customDescription, scope, costCodeId })
}

async function optionNamed(call: Call, id: string | null | undefined): Promise<Option | null> {
  if (id == null) return null
  const option = await options.findOptional(call, id)
  if (option === undefined) throw unknownReference(['/optionId'])
  return option
}

/**
 * Returns the trade and cost code for a cost that is a single amount. Values in the request take precedence over those
 * of the option, which take precedence over the default of the trade.
 */
async function findPosting(
  call: Call,
  body: Pick<Checked['SelectionCreate'], 'scope' | 'costCodeId'>,
  option: Option | null,
  createScopes: boolean | undefined,
) {
  if (body.costCodeId != null) await costCodes.assertExist(call, [body.costCodeId], '/costCodeId')
  const scope = body.scope == null ? (option?.scope ?? null) : await scopes.requireTrade(call, body.scope, createScopes)
  if (body.costCodeId !== undefined) return { scope, costCodeId: body.costCodeId }
  if (body.scope == null) return { scope, costCodeId: option?.costCodeId ?? null }
  return { scope, costCodeId: scope === null ? null : await scopes.findDefaultCostCode(call, scope) }
}
