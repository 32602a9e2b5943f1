import type { Home } from '../../../client/contract.gen.ts'
import type { NamedIds, Timeline } from './timeline.ts'

interface TimesheetInputs {
  /** The users' IDs by email address. */
  readonly people: NamedIds<string>
  readonly homes: NamedIds<Home>
}

/** Adds the hours of the superintendents: two submitted weeks that await approval, and the current week. */
export class Timesheets {
  readonly #timeline: Timeline
  readonly #made: TimesheetInputs

  constructor(timeline: Timeline, created: TimesheetInputs) {
    this.#timeline = timeline
    this.#made = created
  }

  plan(): void {
    // Weeks start on Monday.
    const sinceMonday = (new Date(`${this.#timeline.date(0)}T00:00:00Z`).getUTCDay() + 6) % 7
    for (const { person, homes, rate } of WORKERS) {
      const userId = this.#made.people.get(`${person}@harrowfinch.example.com`)
      for (const monday of [sinceMonday + 14, sinceMonday + 7, sinceMonday]) {
        // A past week is entered on its Saturday. The current week is entered up to yesterday.
        const ago = Math.max(monday - 5, 0)
        const days = Math.min(5, monday - ago)
        if (days === 0) continue
        this.#timeline.on(ago, () => this.#enter(ago, { userId, rate, homes, monday, days }))
      }
    }
  }

  async #enter(ago: number, { userId, rate, homes, monday, days }: DemoWeek): Promise<void> {
    const week = { userId, weekStarting: this.#timeline.date(monday), rate }
    const { id: timesheetId } = await this.#timeline.do(ago, 'createTimesheet', week)
    for (let day = 0; day < days; day++) {
      const homeId = this.#made.homes.get(homes[day % homes.length] ?? '').id
      const hours = day === 4 ? 6.5 : 8
      await this.#timeline.do(ago, 'addTimeEntry', {
        timesheetId,
        date: this.#timeline.date(monday - day),
        hours,
        homeId,
      })
    }
    if (ago > 0) await this.#timeline.do(ago, 'changeTimesheetStatus', { timesheetId, status: 'submitted' })
  }
}

interface DemoWeek {
  userId: string
  rate: number
  homes: readonly string[]
  /** The number of days ago at which the week began. */
  monday: number
  /** The number of days for which there are hours. */
  days: number
}

/** The workers by the part of their email address before the @, with the homes on which each works in turn. */
const WORKERS = [
  { person: 'marcus', homes: ['JR 14', 'JR 16'], rate: 46 },
  { person: 'bram', homes: ['BB 2'], rate: 58 },
] as const
