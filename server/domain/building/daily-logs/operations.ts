import { assertIfMatch } from '../../../platform/calls/etag.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { conflict, invalidTransition, validationFailed } from '../../../platform/problems/problem.ts'
import { toLocalDate } from '../../../platform/values/calendar.ts'
import { formatDate } from '../../../platform/values/format.ts'
import * as communities from '../../land/communities/queries.ts'
import * as homes from '../../land/homes/queries.ts'
import { assertLogEditable, listNewIncidents, resolveLogContent } from './daily-log.ts'
import { createDailyLogPdf } from './daily-log-pdf.ts'
import * as logs from './queries.ts'
import { reportIncidents } from './report-incidents.ts'

/** The maximum in the API contract. */
const MAX_ADDENDA = 50

export const dailyLogOperations = {
  async listDailyLogs({ query }, call) {
    return { status: 200, body: await logs.list(call, query) }
  },

  async createDailyLog({ body }, call) {
    const log = await call.write(async (call) => {
      await homes.assertExist(call, [body.homeId], '/homeId')
      // Locking the home ensures that it has only one log per day.
      const home = await homes.lock(call, body.homeId)
      if (home.archivedAt !== null) throw conflict('archived', `Cannot add a log to ${home.name}: it is archived.`)
      const { timeZone } = await communities.find(call, home.communityId)
      const today = toLocalDate(timeZone, call.now)
      const { logDate = today, workDone, ownerNote, sharedWithOwner, externalId } = body
      if (logDate > today)
        throw validationFailed([
          { pointer: '/logDate', code: 'maximum', message: `must not be after today (${today})` },
        ])
      const taken = await logs.findLogIdByDay(call, home.id, logDate)
      if (taken !== undefined)
        throw conflict(
          'value_taken',
          `${home.name} already has a log for ${formatDate(logDate)}. Edit that log instead.`,
          {
            conflictingId: taken,
          },
        )
      const bounds = await logs.findDayBounds(call, timeZone, logDate)
      const { editableUntil } = bounds
      if (new Date(editableUntil) <= call.now)
        throw conflict(
          'edit_window_closed',
          `Cannot add a log for ${formatDate(logDate)}: logs are locked 48 hours after the end of their day.`,
        )
      const content = await resolveLogContent(call, home.id, body)
      const { id } = await logs.insert(call, {
        ...{ homeId: home.id, communityId: home.communityId, logDate, status: 'draft' as const },
        ...{ crews: [], deliveries: [], visitors: [], safety: [], ...content, addenda: [] },
        ...{ workDone, ownerNote, sharedWithOwner, editableUntil, externalId },
      })
      await logs.storeDayBounds(call, id, bounds)
      const created = await logs.find(call, id)
      await recordStatusChange(call, { id: created.id, from: null, to: created.status })
      await reportIncidents(call, created, listNewIncidents([], created.safety))
      return created
    })
    return { status: 201, body: log }
  },

  async getDailyLog({ path }, call) {
    return { status: 200, body: await logs.find(call, path.dailyLogId) }
  },

  async updateDailyLog({ path, body, ifMatch }, call) {
    const log = await call.write(async (call) => {
      const before = await logs.lock(call, path.dailyLogId)
      assertIfMatch(ifMatch, before)
      assertLogEditable(call, before)
      const { workDone, ownerNote, sharedWithOwner, externalId } = body
      const content = await resolveLogContent(call, before.homeId, body)
      const after = await logs.update(call, before, { ...content, workDone, ownerNote, sharedWithOwner, externalId })
      await reportIncidents(call, after, listNewIncidents(before.safety, after.safety))
      return after
    })
    return { status: 200, body: log }
  },

  async submitDailyLog({ path, ifMatch }, call) {
    const log = await call.write(async (call) => {
      const before = await logs.lock(call, path.dailyLogId)
      assertIfMatch(ifMatch, before)
      assertLogEditable(call, before)
      if (before.status !== 'draft') throw invalidTransition(before.status, 'submitted', [])
      if (before.workDone === null && before.crews.length === 0)
        throw conflict(
          'missing_data',
          `Cannot submit the log for ${formatDate(before.logDate)}: it has neither work nor crews. Set workDone or crews first.`,
        )
      const submittedAt = call.now.toISOString()
      const after = await logs.update(call, before, { status: 'submitted', submittedAt, submittedBy: call.actor })
      await recordStatusChange(call, { id: after.id, from: before.status, to: after.status })
      await recordEvent(call, 'daily_log.submitted', after, before)
      return after
    })
    return { status: 200, body: log }
  },

  async addDailyLogAddendum({ path, body }, call) {
    const log = await call.write(async (call) => {
      const before = await logs.lock(call, path.dailyLogId)
      if (before.status === 'draft')
        throw conflict(
          'wrong_status',
          `Cannot add an addendum to the log for ${formatDate(before.logDate)}: it is a draft. Edit it instead.`,
        )
      if (before.addenda.length >= MAX_ADDENDA)
        throw conflict('limit_reached', `The log already has ${MAX_ADDENDA} addenda, the maximum.`)
      const addendum = { text: body.text, by: call.actor, at: call.now.toISOString() }
      return logs.update(call, before, { addenda: [...before.addenda, addendum] })
    })
    return { status: 200, body: log }
  },

  async getDailyLogPdf({ path }, call) {
    return { status: 200, body: await createDailyLogPdf(call, path.dailyLogId) }
  },
} satisfies Partial<Handlers>
