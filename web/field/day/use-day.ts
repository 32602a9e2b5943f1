import type { FieldDay, FieldHome, FieldTask, FieldVendor, HeldPermission } from '../../../client/contract.gen.ts'
import type { Superintendent } from '../outbox/database.ts'
import { toLocalDate } from './dates.ts'
import { useField } from './field-store.ts'

/** The stored day, with maps in which the screens look up records. */
export interface DayView {
  day: FieldDay
  userId: string
  /** The superintendent whose day is shown. Null if it is the user's own day. */
  superintendent: Superintendent | null
  can(permission: HeldPermission): boolean
  findHome(id: string): FieldHome | undefined
  findVendor(id: string | null): FieldVendor | undefined
}

/** Returns the stored day. Screens are shown only after a day has been stored. */
export function useDay(): DayView {
  const { day, stored } = useField()
  if (day === null || stored === null) throw new Error('Expected a stored day.')
  return {
    day,
    userId: stored.userId,
    superintendent: stored.superintendent,
    can: (permission) => stored.permissions.includes(permission),
    findHome: (id) => day.homes.find((home) => home.id === id),
    findVendor: (id) => day.vendors.find((vendor) => vendor.id === id),
  }
}

export function isTaskOpen({ status }: FieldTask): boolean {
  return status !== 'completed' && status !== 'skipped'
}

/** Returns whether an open task is planned for today, in progress, or late. */
export function isTaskDue(task: FieldTask, today: string): boolean {
  return isTaskOpen(task) && (task.status === 'in_progress' || task.plannedStart <= today)
}

export function isTaskLate({ status, plannedStart, plannedEnd }: FieldTask, today: string): boolean {
  return status === 'not_started' ? plannedStart < today : status === 'in_progress' && plannedEnd < today
}

export function getTodayAt(home: FieldHome): string {
  return toLocalDate(home.timeZone)
}
