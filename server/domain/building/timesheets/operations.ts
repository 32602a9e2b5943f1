import type { TimeEntry, Timesheet } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { assertIfMatch } from '../../../platform/calls/etag.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import { conflict } from '../../../platform/problems/problem.ts'
import { changeTimesheetStatus } from './change-timesheet-status.ts'
import { clockIn, clockOut, insertTimesheet } from './clock.ts'
import * as entries from './entry-queries.ts'
import { resolveEntryTimes } from './entry-times.ts'
import { resolvePosting } from './posting.ts'
import * as timesheets from './queries.ts'
import {
  assertCanSetRate,
  assertTimesheetNotApproved,
  assertTimesheetOpen,
  assertWeekStart,
  canSeeRates,
  hideRates,
} from './timesheet.ts'
import { addEntry, changeEntry, recalculateWeek, removeEntry } from './week.ts'

export const timesheetOperations = {
  async listTimesheets({ query }, call) {
    const list = canSeeRates(call) ? timesheets.listWithRates : timesheets.listWithoutRates
    return { status: 200, body: await list(call, query) }
  },

  async createTimesheet({ body }, call) {
    assertCanSetRate(call, body.rate)
    const sheet = await call.write(async (call) => {
      const { weekStartsOn, overtimeRule } = await timesheets.findWeekSettings(call)
      assertWeekStart(body.weekStarting, weekStartsOn)
      const user = await timesheets.lockUser(call, body.userId)
      const other = await timesheets.findTimesheetByWeek(call, user.id, body.weekStarting)
      if (other !== undefined)
        throw conflict(
          'already_done',
          `Cannot create the timesheet: ${user.name} already has a timesheet for that week (${other.id}).`,
          {
            errors: [
              {
                pointer: '/weekStarting',
                code: 'conflict',
                message: 'must be unique; the user already has a timesheet for this week',
              },
            ],
          },
        )
      return insertTimesheet(call, { ...body, overtimeRule })
    })
    return { status: 201, body: hideRates(call, sheet) }
  },

  async getTimesheet({ path }, call) {
    return { status: 200, body: hideRates(call, await timesheets.find(call, path.timesheetId)) }
  },

  async updateTimesheet({ path, body, ifMatch }, call) {
    assertCanSetRate(call, body.rate)
    const sheet = await call.write(async (call) => {
      const before = await timesheets.lock(call, path.timesheetId)
      assertIfMatch(ifMatch, before)
      assertTimesheetNotApproved(before)
      const isRecounted = body.rate !== undefined && body.rate !== before.rate
      return isRecounted ? recalculateWeek(call, before, body) : timesheets.update(call, before, body)
    })
    return { status: 200, body: hideRates(call, sheet) }
  },

  async changeTimesheetStatus({ path, body }, call) {
    const sheet = await call.write((call) => changeTimesheetStatus(call, path.timesheetId, body))
    return { status: 200, body: hideRates(call, sheet) }
  },

  async listTimeEntries({ path, query }, call) {
    const { timesheetId } = path
    await timesheets.find(call, timesheetId)
    const list = canSeeRates(call) ? entries.listWithRates : entries.listWithoutRates
    return { status: 200, body: await list(call, query, { timesheetId }) }
  },

  async addTimeEntry({ path, query, body }, call) {
    assertCanSetRate(call, body.rate)
    const { date, hours, startedAt, endedAt, breakMinutes, ...rest } = body
    const entry = await call.write(async (call) => {
      const { userId } = await timesheets.find(call, path.timesheetId)
      await timesheets.lockUser(call, userId)
      const sheet = await timesheets.lock(call, path.timesheetId)
      assertTimesheetOpen(sheet)
      const { timeZone, ...posting } = await resolvePosting(call, { ...rest, createScopes: query.createScopes })
      const provided = { date, hours, startedAt, endedAt, breakMinutes }
      return addEntry(call, sheet, {
        ...rest,
        ...posting,
        ...resolveEntryTimes(provided, null, { timeZone, now: call.now }),
      })
    })
    return { status: 201, body: hideRates(call, entry) }
  },

  async clockIn({ query, body }, call) {
    const entry = await call.write((call) => clockIn(call, body, query.createScopes))
    return { status: 201, body: hideRates(call, entry) }
  },

  async clockOut({ body }, call) {
    return { status: 200, body: hideRates(call, await call.write((call) => clockOut(call, body))) }
  },

  async getTimeEntry({ path }, call) {
    return { status: 200, body: hideRates(call, await entries.find(call, path.timeEntryId)) }
  },

  async updateTimeEntry({ path, query, body, ifMatch }, call) {
    assertCanSetRate(call, body.rate)
    const { date, hours, startedAt, endedAt, breakMinutes, ...rest } = body
    const entry = await call.write(async (call) => {
      const { sheet, entry } = await lockEntryWithSheet(call, path.timeEntryId)
      assertIfMatch(ifMatch, entry)
      if (entry.archivedAt !== null) throw conflict('archived', 'Cannot change the time entry: it has been removed.')
      assertTimesheetOpen(sheet)
      const { timeZone, ...posting } = await resolvePosting(call, { ...rest, createScopes: query.createScopes }, entry)
      const provided = { date, hours, startedAt, endedAt, breakMinutes }
      const times = resolveEntryTimes(provided, entry, { timeZone, now: call.now })
      return changeEntry(call, sheet, entry, { ...rest, ...posting, ...times })
    })
    return { status: 200, body: hideRates(call, entry) }
  },

  async removeTimeEntry({ path, ifMatch }, call) {
    await call.write(async (call) => {
      const { sheet, entry } = await lockEntryWithSheet(call, path.timeEntryId)
      assertIfMatch(ifMatch, entry)
      if (entry.archivedAt !== null) return
      assertTimesheetOpen(sheet)
      await removeEntry(call, sheet, entry)
    })
    return { status: 204 }
  },
} satisfies Partial<Handlers>

/**
 * Locks an entry and its timesheet, and returns both. All code locks first the user, then the timesheet, and then its
 * entries.
 */
async function lockEntryWithSheet(
  call: WriteCall,
  timeEntryId: string,
): Promise<{ sheet: Timesheet; entry: TimeEntry }> {
  const { userId, timesheetId } = await entries.find(call, timeEntryId)
  await timesheets.lockUser(call, userId)
  const sheet = await timesheets.lock(call, timesheetId)
  return { sheet, entry: await entries.find(call, timeEntryId) }
}
