import { assertIfMatch } from '../../platform/calls/etag.ts'
import type { Handlers } from '../../platform/calls/operation.ts'
import { requireSignedIn } from '../../platform/keys/principals.ts'
import { conflict } from '../../platform/problems/problem.ts'
import { formatNumber } from '../../platform/values/format.ts'
import { assertSkillPermitted } from '../skills/skill-catalog.ts'
import * as savedReports from './queries.ts'
import { planNextMailing } from './report-schedule.ts'
import {
  assertCanDeleteReport,
  assertRecipientsCanRead,
  assertReportOwner,
  assertReportVisible,
  canDeleteReport,
  listReadableReports,
  requireReport,
} from './saved-report.ts'

/** The maximum number of saved reports: enough for every user of a builder to save several. */
const MAX_SAVED_REPORTS = 500
/** The maximum number of users who can mark a report as a favorite. The contract declares the same limit. */
const MAX_FAVORITES = 500

export const savedReportOperations = {
  async listSavedReports({ query }, call) {
    const { id } = requireSignedIn(call)
    const visible = { ...query, visibleTo: id, reports: listReadableReports(call) }
    return { status: 200, body: await savedReports.list(call, visible) }
  },

  async createSavedReport({ body }, call) {
    const { id: ownerId } = requireSignedIn(call)
    const { name, report: reportName, input, isShared, schedule = null } = body
    const report = requireReport(call, reportName)
    assertSkillPermitted(call, report)
    report.check(structuredClone(input), call.currency)
    if (schedule !== null) await assertRecipientsCanRead(call, report, schedule)
    const nextMailingAt = schedule === null ? null : planNextMailing(schedule, call.timeZone, call.now)
    const created = await call.write(async (call) => {
      if ((await savedReports.countSavedReports(call)) >= MAX_SAVED_REPORTS)
        throw conflict(
          'limit_reached',
          `Cannot save the report: there are already ${formatNumber(MAX_SAVED_REPORTS)} saved reports. Delete one first.`,
        )
      return savedReports.insert(call, {
        ...{ name, report: reportName, input, ownerId, isShared, favoriteUserIds: [] },
        ...{ schedule, nextMailingAt, lastMailing: null },
      })
    })
    return { status: 201, body: created }
  },

  async getSavedReport({ path }, call) {
    const saved = await savedReports.find(call, path.savedReportId)
    if (!(await canDeleteReport(call, saved))) assertReportVisible(call, saved)
    return { status: 200, body: saved }
  },

  async updateSavedReport({ path, body, ifMatch }, call) {
    const saved = await call.write(async (call) => {
      const before = await savedReports.lock(call, path.savedReportId)
      assertReportVisible(call, before)
      assertReportOwner(call, before)
      assertIfMatch(ifMatch, before)
      const report = requireReport(call, before.report)
      if (body.input !== undefined) report.check(structuredClone(body.input), call.currency)
      const { schedule } = body
      if (schedule !== undefined && schedule !== null) await assertRecipientsCanRead(call, report, schedule)
      const planned =
        schedule === undefined
          ? {}
          : { nextMailingAt: schedule === null ? null : planNextMailing(schedule, call.timeZone, call.now) }
      return savedReports.update(call, before, { ...body, ...planned }, ifMatch)
    })
    return { status: 200, body: saved }
  },

  async deleteSavedReport({ path, ifMatch }, call) {
    await call.write(async (call) => {
      const before = await savedReports.lock(call, path.savedReportId)
      await assertCanDeleteReport(call, before)
      await savedReports.archive(call, before, ifMatch)
    })
    return { status: 204 }
  },

  async markSavedReport({ path, body }, call) {
    const { id } = requireSignedIn(call)
    const saved = await call.write(async (call) => {
      const before = await savedReports.lock(call, path.savedReportId)
      assertReportVisible(call, before)
      const others = before.favoriteUserIds.filter((userId) => userId !== id)
      if (body.isFavorite && others.length >= MAX_FAVORITES)
        throw conflict(
          'limit_reached',
          `Cannot mark "${before.name}": it is already a favorite of ${formatNumber(MAX_FAVORITES)} users.`,
        )
      return savedReports.update(call, before, { favoriteUserIds: body.isFavorite ? [...others, id] : others })
    })
    return { status: 200, body: saved }
  },
} satisfies Partial<Handlers>
