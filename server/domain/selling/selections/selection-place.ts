import type { Community, Home, Option, Selection } from '../../../../client/contract.gen.ts'
import type { Call, WriteCall } from '../../../platform/calls/call.ts'
import { conflict } from '../../../platform/problems/problem.ts'
import { toLocalDate } from '../../../platform/values/calendar.ts'
import { describeStatus, formatDate, formatList } from '../../../platform/values/format.ts'
import { type ActiveSelection, findActiveSelections } from '../../costs/budgets/selection-queries.ts'
import { explainWhyOptionCannotBeSelected } from '../../costs/options/option.ts'
import * as options from '../../costs/options/queries.ts'
import * as communities from '../../land/communities/queries.ts'
import { explainWhyBudgetIsFixed } from '../../land/homes/home.ts'
import * as homes from '../../land/homes/queries.ts'
import { findOpenChangeOfSelection } from '../price-changes/queries.ts'
import * as selections from './queries.ts'
import { describeExclusion, listMissingRequirements } from './selection.ts'

/** The locked home of a selection, with its approved selections. */
export interface SelectionPlace {
  readonly home: Home
  readonly community: Community
  readonly standing: readonly ActiveSelection[]
  /** The current date in the community's time zone. */
  readonly on: string
}

/**
 * Locks the home and returns it with its selections. Every change of a selection locks the home first, so that two
 * selections that exclude each other cannot be approved concurrently.
 */
export async function lockSelectionPlace(call: WriteCall, homeId: string): Promise<SelectionPlace> {
  const home = await homes.lock(call, homeId)
  const reason = explainWhyBudgetIsFixed(home)
  if (reason !== null) throw conflict('home_not_open', reason)
  const community = await communities.find(call, home.communityId)
  return {
    home,
    community,
    standing: await findActiveSelections(call, home.id),
    on: toLocalDate(community.timeZone, call.now),
  }
}

export async function lockSelectionWithHome(call: WriteCall, id: string) {
  const { homeId } = await selections.find(call, id)
  const place = await lockSelectionPlace(call, homeId)
  const before = await selections.lock(call, id)
  const option = before.optionId === null ? null : await options.find(call, before.optionId)
  return { place, before, option }
}

/**
 * Throws if the option is not available for the home, is already selected, or is incompatible with the approved
 * selections of the home.
 */
export async function assertCanSelectOption(
  call: Call,
  { home, standing }: SelectionPlace,
  option: Option,
  except: string | null,
) {
  const { id: optionId, code } = option
  const isOffered = except !== null || option.status === 'active' || option.archivedAt !== null
  const reason = isOffered
    ? explainWhyOptionCannotBeSelected(option, home)
    : `Cannot select ${code}: the option is ${describeStatus(option.status)}. Activate it first.`
  if (reason !== null) throw conflict('not_available', reason)
  const there = await selections.findSelectionStatus(call, { homeId: home.id, optionId, except })
  if (there !== undefined)
    throw conflict(
      'already_ordered',
      `${home.name} already has a selection of ${code}, and it is ${there}. Change the quantity of that selection instead.`,
    )
  const excluded = describeExclusion(option, standing, home)
  if (excluded !== null) throw conflict('not_available', excluded)
}

export function assertBeforeDeadline(
  { on }: SelectionPlace,
  deadline: string | null,
  overrideReason: string | null | undefined,
): void {
  if (deadline === null || on <= deadline || overrideReason != null) return
  throw conflict(
    'deadline_passed',
    `The selection deadline was ${formatDate(deadline)}. To change the selection anyway, set overrideReason.`,
  )
}

/**
 * Throws if the selection is part of an open buyer change. Such a selection can only be decided together with that
 * change.
 */
export async function assertNotInOpenChange(call: Call, selection: Selection, name: string): Promise<void> {
  const change = selection.status === 'pending' ? await findOpenChangeOfSelection(call, selection) : undefined
  if (change === undefined) return
  throw conflict(
    'in_use',
    `Cannot change ${name}: it belongs to buyer change ${change.number} (${change.title}), which is ${describeStatus(change.status)}. Approve, decline, or change the selection in the buyer change instead.`,
    { conflictingId: change.id },
  )
}

/**
 * Returns the change order that permits changing an ordered selection; undefined if the selection is not ordered.
 * Throws if an ordered selection has no such change order.
 */
export async function requireChangeOrder(
  call: Call,
  selection: Selection,
  name: string,
  fields: readonly string[],
): Promise<string | undefined> {
  if (selection.status !== 'ordered' && selection.status !== 'installed') return undefined
  const changeOrder = await selections.findChangeOrderId(call, selection)
  if (changeOrder !== undefined) return changeOrder
  const what = fields.length === 0 ? 'cancel it' : `change ${formatList(fields)}`
  throw conflict(
    'wrong_status',
    `${name} is already ${selection.status}. To ${what}, create and approve a purchase order of type change whose optionSelectionId is this selection.`,
  )
}

export async function assertCanApproveOption(
  call: Call,
  place: SelectionPlace,
  option: Option,
  selectionId: string,
): Promise<void> {
  await assertCanSelectOption(call, place, option, selectionId)
  const missing = await options.findAll(call, listMissingRequirements(option, place.standing))
  if (missing.length === 0) return
  const codes = missing.map(({ code }) => code).join(', ')
  const verb = missing.length === 1 ? 'is' : 'are'
  throw conflict(
    'not_available',
    `Cannot approve ${option.code}: it requires ${codes}, which ${verb} not approved for ${place.home.name}. Approve ${missing.length === 1 ? 'it' : 'them'} first.`,
  )
}
