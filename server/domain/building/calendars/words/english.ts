import type { Task } from '../../../../../client/contract.gen.ts'

/** The texts of calendar events. */
export interface CalendarWords {
  statuses: Readonly<Record<Task['status'], string>>
  unconfirmed: string
}

export const english: CalendarWords = {
  statuses: {
    not_started: 'Not started',
    in_progress: 'In progress',
    completed: 'Completed',
    on_hold: 'On hold',
    skipped: 'Skipped',
  },
  unconfirmed: 'Date not confirmed',
}
