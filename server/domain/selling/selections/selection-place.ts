import type { Community, Home, Option, Selection } from '../../../../client/contract.gen.ts'
import type { Call, WriteCall } from '../../../platform/calls/call.ts'
import { conflict } from '../../../platform/problems/problem.ts'
import { dateIn } from '../../../platform/values/calendar.ts'
import { describeStatus, formatDate, formatList } from '../../../platform/values/format.ts'
import { type ActiveSelection, findActiveSelections } from '../../costs/budgets/selection-queries.ts'
import { explainNotSelectable } from '../../costs/options/option.ts'
import * as options from '../../costs/options/queries.ts'
import * as communities from '../../land/communities/queries.ts'
import { explainBudgetFixed } from '../../land/homes/home.ts'
import * as homes from '../../land/homes/queries.ts'
import { findOpenWith } from '../price-changes/queries.ts'
import * as selections from './queries.ts'
import { describeExclusion, listMissingRequirements } from './selection.ts'

/** The locked home of a selection, with its approved selections. */
export interface SelectionPlace {
  readonly home: Home
  readonly community: Community
  readonly standing: readonly ActiveSelection[]
  /** The current date in the community. */
  readonly on: string
}

/**
 * Locks the home and returns it with its selections. Every change of a selection does this first, so that two that
 * exclude each other are never approved concurrently.
 */
export async function lockSelectionPlace(call: WriteCall, homeId: string): Promise<SelectionPlace> {
  const home = await homes.lock(call, homeId)
  const reason = explainBudgetFixed(home)
  if (reason !== null) throw conflict('home_not_open', reason)
  const community = await communities.find(call, home.communityId)
  return {
    home,
    community,
    standing: await findActiveSelections(call, home.id),
    on: dateIn(community.timeZone, call.now),
  }
}

export async function lockWithHome(call: WriteCall, id: string) {
  const { homeId } = await selections.find(call, id)
  const place = await lockSelectionPlace(call, homeId)
  const before = await selections.lock(call, id)
  const option = before.optionId === null ? null : await options.find(call, before.optionId)
  return { place, before, option }
}

/**
 * Throws if the option is not available for the home, already selected, or incompatible with its approved selections.
 */
export async function assertCanSelect(
  call: Call,
  { home, standing }: SelectionPlace,
  option: Option,
  except: string | null,
) {
  const { id: optionId, code } = option
  const isOffered = except !== null || option.status === 'active' || option.archivedAt !== null
  const reason = isOffered
    ? explainNotSelectable(option, home)
    : `Cannot select ${code}: the option is ${describeStatus(option.status)}. Activate it first.`
  if (reason !== null) throw conflict('not_available', reason)
  const there = await selections.findStatusOfOption(call, { homeId: home.id, optionId, except })
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

/** Throws if the selection belongs to an open buyer change and can therefore only be decided with it. */
export async function assertDecidedAlone(call: Call, selection: Selection, name: string): Promise<void> {
  const change = selection.status === 'pending' ? await findOpenWith(call, selection) : undefined
  if (change === undefined) return
  throw conflict(
    'in_use',
    `${name} belongs to buyer change ${change.number} (${change.title}), which is ${describeStatus(change.status)}. Approve, decline or change it there.`,
    { conflictingId: change.id },
  )
}

/**
 * Returns the change order that permits changing an ordered selection; undefined if it is not ordered. Throws if there
 * is none.
 */
export async function requireChangeOrder(
  call: Call,
  selection: Selection,
  name: string,
  fields: readonly string[],
): Promise<string | undefined> {
  if (selection.status !== 'ordered' && selection.status !== 'installed') return undefined
  const changeOrder = await selections.findChangeOrder(call, selection)
  if (changeOrder !== undefined) return changeOrder
  const what = fields.length === 0 ? 'cancel it' : `change ${formatList(fields)}`
  throw conflict(
    'wrong_status',
    `${name} is already ${selection.status}. To ${what}, create and approve a purchase order of type change with optionSelectionId set to it.`,
  )
}

export async function assertCanApprove(
  call: Call,
  place: SelectionPlace,
  option: Option,
  selectionId: string,
): Promise<void> {
  await assertCanSelect(call, place, option, selectionId)
  const missing = await options.findAll(call, listMissingRequirements(option, place.standing))
  if (missing.length === 0) return
  const codes = missing.map(({ code }) => code).join(', ')
  const verb = missing.length === 1 ? 'is' : 'are'
  throw conflict(
    'not_available',
    `Cannot approve ${option.code}: it requires ${codes}, which ${verb} not approved for ${place.home.name}. Approve ${missing.length === 1 ? 'it' : 'them'} first.`,
  )
}
