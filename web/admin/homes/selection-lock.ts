import type { BuyerChange, Home, Selection } from '../../../client/contract.gen.ts'

export interface SelectionPlace {
  home: Home
  /** The current date. */
  today: string
  /** The changes with the buyer that are not decided yet. */
  openChanges: readonly BuyerChange[]
}

/** Why a selection cannot be changed, or only with an additional step. */
export interface SelectionLock {
  word: string
  /** Whether nothing about the choice can be changed on this page. */
  isFixed: boolean
}

/** Returns whether the last day on which a selection can be changed without a reason has passed. */
export function isPastDeadline({ deadline }: Pick<Selection, 'deadline'>, today: string): boolean {
  return deadline !== null && deadline < today
}

/** Returns whether a selection is still undecided after its deadline. */
export function isOverdue(selection: Selection, today: string): boolean {
  return selection.status === 'pending' && isPastDeadline(selection, today)
}

/** Returns why a selection is locked; null if it can be changed freely. */
export function findSelectionLock(selection: Selection, place: SelectionPlace): SelectionLock | null {
  const homeLock = findHomeLock(place.home)
  if (homeLock !== null) return { word: homeLock, isFixed: true }
  const { status, id } = selection
  if (status === 'cancelled') return { word: 'canceled permanently', isFixed: true }
  if (status === 'declined') return { word: 'reopen it to change it', isFixed: true }
  const change = place.openChanges.find(({ lines }) => lines.some(({ optionSelectionId }) => optionSelectionId === id))
  if (change !== undefined) return { word: `decided with buyer change ${change.number}`, isFixed: true }
  if (status === 'installed') return { word: 'installed, needs a change order', isFixed: false }
  if (status === 'ordered') return { word: 'ordered, needs a change order', isFixed: false }
  return isPastDeadline(selection, place.today) ? { word: 'deadline passed, needs a reason', isFixed: false } : null
}

/** Returns why no selection of a home can be changed; null if selections can be changed. */
export function findHomeLock({ status, archivedAt }: Home): string | null {
  if (status === 'cancelled') return 'the home is canceled'
  return archivedAt === null ? null : 'the home is archived'
}
