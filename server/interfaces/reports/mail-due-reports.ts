import type { ReportMailing, ReportSchedule, SavedReport } from '../../../client/contract.gen.ts'
import { canSendMail, queueInternalMail } from '../../domain/office/mail/queue-mails.ts'
import { type Call, createCall, type Services, type WriteCall } from '../../platform/calls/call.ts'
import { findHeldOrganizations } from '../../platform/due/held-organizations.ts'
import { createSystemCall, findUserPrincipal } from '../../platform/keys/principals.ts'
import { Problem } from '../../platform/problems/problem.ts'
import { toLocalDate } from '../../platform/values/calendar.ts'
import { formatCount } from '../../platform/values/format.ts'
import { truncateText } from '../../platform/values/placeholders.ts'
import { runSkill } from '../skills/execute-skill.ts'
import type { Skill } from '../skills/skill-catalog.ts'
import * as savedReports from './queries.ts'
import { type DueReport, findDueReports, findRecipients, type Recipient } from './queries.ts'
import { createReportFile, type ReportFile } from './report-file.ts'
import type { ReportSchema, Values } from './report-parts.ts'
import { planNextMailing, planRetry } from './report-schedule.ts'
import { canReadReport, findReport } from './saved-report.ts'

type ScheduledReport = SavedReport & { schedule: ReportSchedule }

/**
 * The maximum number of reports in one run of the job, because a report can take seconds. The next run continues with
 * the rest.
 */
const MAX_REPORTS = 20

/**
 * Sends the weekly emails that are due. Each user receives the report with the data that the user's permissions allow.
 * Several processes can do this at the same time. For each report, only the process that first stores its result sends
 * the emails.
 */
export async function mailDueReports(services: Services): Promise<void> {
  const { statements } = services.database
  const failures: unknown[] = []
  const held = await findHeldOrganizations(statements)
  const due = await findDueReports(statements, { now: services.clock.now(), held, max: MAX_REPORTS })
  for (const report of due) {
    try {
      await mailReport(services, report)
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0)
    throw new AggregateError(failures, `Failed to run ${failures.length} of ${formatCount(due.length, 'report')}.`)
}

/**
 * Emails a report. If writing the emails fails, still stores the result and the time of the next attempt, so that this
 * report does not block others. Afterward, throws any unexpected errors.
 */
async function mailReport(services: Services, { organizationId, id }: DueReport): Promise<void> {
  const call = await createSystemCall(services, organizationId)
  const saved = await savedReports.find(call, id)
  const { schedule } = saved
  if (schedule === null) return
  const at = call.now.toISOString()
  try {
    const { letters, result, isTemporary, failures } = await prepareMailing(call, { ...saved, schedule })
    await call.write(async (call) => {
      const current = await savedReports.lock(call, id)
      // Another process was faster, or a user has changed the schedule.
      if (current.version !== saved.version) return
      for (const letter of letters) await queueLetter(call, saved, letter)
      await savedReports.storeMailing(call, saved, {
        nextMailingAt: (isTemporary ? planRetry : planNextMailing)(schedule, call.timeZone, call.now),
        lastMailing: { at, ...result },
      })
    })
    if (failures.length > 0) throw new AggregateError(failures, `Failed to run ${saved.report}.`)
  } catch (error) {
    // If the result has already been stored, the version has changed, and this statement has no effect.
    await savedReports.storeMailing(call, saved, {
      nextMailingAt: planRetry(schedule, call.timeZone, call.now),
      lastMailing: {
        at,
        ...toResult(findMailedToday(call, saved), { status: 'failed', skippedUserIds: [] }),
        detail: 'The emails with the report could not be written.',
      },
    })
    throw error
  }
}

const MAX_DETAIL_LENGTH = 500

/** The emails of a report and their result. */
interface PreparedMailing {
  letters: readonly Letter[]
  result: Omit<ReportMailing, 'at'>
  /** Whether an error prevented all emails and may be resolved within an hour. */
  isTemporary: boolean
  /** Unexpected errors. */
  failures: readonly unknown[]
}

interface Letter {
  user: Recipient
  file: ReportFile | null
}

/**
 * Returns the users who already received the report today, before an attempt for the other users. A report is due once a
 * week, so a second email on one day is such an attempt.
 */
function findMailedToday({ timeZone, now }: Call, { schedule, lastMailing }: SavedReport): string[] {
  if (schedule === null || lastMailing === null) return []
  if (toLocalDate(timeZone, new Date(lastMailing.at)) !== toLocalDate(timeZone, now)) return []
  return lastMailing.userIds.filter((id) => schedule.userIds.includes(id))
}

/** Returns the result of a mailing. If an earlier attempt already mailed the report to users, the report is mailed. */
function toResult(
  userIds: readonly string[],
  { status, skippedUserIds }: Pick<ReportMailing, 'status' | 'skippedUserIds'>,
): Pick<ReportMailing, 'status' | 'userIds' | 'skippedUserIds'> {
  return { status: userIds.length > 0 ? 'mailed' : status, userIds: [...userIds], skippedUserIds }
}

async function prepareMailing(call: Call, saved: ScheduledReport): Promise<PreparedMailing> {
  const { schedule } = saved
  const report = findReport(call.services, saved.report)
  const earlierIds = findMailedToday(call, saved)
  const users = await findRecipients(
    call,
    schedule.userIds.filter((id) => !earlierIds.includes(id)),
  )
  const readers = report === undefined ? [] : users.filter((user) => canReadReport(report, user))
  const findOthers = (some: readonly Recipient[]) => {
    const ids = new Set([...earlierIds, ...some.map(({ id }) => id)])
    return schedule.userIds.filter((id) => !ids.has(id))
  }
  const mailNothing = (status: 'skipped' | 'failed', detail: string): PreparedMailing => ({
    ...{ letters: [], isTemporary: false, failures: [] },
    result: { ...toResult(earlierIds, { status, skippedUserIds: findOthers(readers) }), detail },
  })
  const [owner] = await findRecipients(call, [saved.ownerId])
  if (owner === undefined || owner.status === 'disabled')
    return mailNothing('skipped', 'The user who saved the report is deactivated.')
  if (report === undefined || readers.length === 0)
    return mailNothing('skipped', 'None of the recipients are allowed to read the report.')
  if (!canSendMail(call)) return mailNothing('failed', 'The operator has not configured a mail server.')
  const { letters, errors } = await writeLetters(call, { saved, report, readers })
  const failures = errors.filter((error) => !isExpected(error))
  const [error] = errors
  const detail = errors.length === 0 ? null : describeError(error)
  const isTemporary = errors.some(isTemporaryError)
  if (letters.length === 0 && detail !== null) return { ...mailNothing('failed', detail), isTemporary, failures }
  const mailed = letters.map(({ user }) => user)
  const userIds = [...earlierIds, ...mailed.map(({ id }) => id)]
  const result = { ...toResult(userIds, { status: 'mailed', skippedUserIds: findOthers(mailed) }), detail }
  return { letters, result, isTemporary, failures }
}

function isExpected(error: unknown): error is Problem {
  return error instanceof Problem && error.status < 500
}

function isTemporaryError(error: unknown): boolean {
  return !isExpected(error) || error.status === 429
}

function describeError(error: unknown): string {
  return isExpected(error) ? truncateText(error.message, MAX_DETAIL_LENGTH) : 'The report could not be calculated.'
}

/**
 * Runs the report once for each role, because some reports show more data to users with more permissions. An error for
 * one role does not affect the emails to users with other roles.
 */
async function writeLetters(
  call: Call,
  { saved, report, readers }: { saved: ScheduledReport; report: Skill; readers: readonly Recipient[] },
): Promise<{ letters: Letter[]; errors: unknown[] }> {
  const letters: Letter[] = []
  const errors: unknown[] = []
  for (const users of Map.groupBy(readers, ({ role }) => role).values()) {
    const [first] = users
    if (first === undefined) continue
    try {
      const file = await createFileFor(call, { saved, report, userId: first.id })
      letters.push(...users.map((user) => ({ user, file })))
    } catch (error) {
      errors.push(error)
    }
  }
  return { letters, errors }
}

/** Runs the report with the permissions of a user, and returns its file. */
async function createFileFor(
  { services, organizationId }: Call,
  { saved, report, userId }: { saved: ScheduledReport; report: Skill; userId: string },
): Promise<ReportFile | null> {
  const principal = await findUserPrincipal(services.database.statements, organizationId, userId)
  const call = createCall(services, { principal, requestId: saved.id, address: null })
  const { result } = await runSkill(call, report, structuredClone(saved.input), false)
  return createReportFile(saved.schedule.format, {
    ...{ name: saved.name, builder: principal.organization.name, currency: call.currency },
    date: toLocalDate(call.timeZone, call.now),
    result: result as Values,
    schema: report.outputSchema as ReportSchema,
  })
}

async function queueLetter(call: WriteCall, saved: SavedReport, { user, file }: Letter): Promise<void> {
  const builder = call.principal.organization.name
  const page = new URL(`${call.services.config.publicUrl}/reports/${saved.report}`)
  for (const [name, value] of Object.entries(saved.input))
    page.searchParams.set(name, typeof value === 'string' ? value : JSON.stringify(value))
  page.searchParams.set('saved', saved.id)
  const first = file === null ? 'Your weekly report is ready.' : `Your weekly report is attached (${file.fileName}).`
  await queueInternalMail(call, {
    kind: 'report',
    to: user.email,
    userId: user.id,
    aboutId: saved.id,
    subject: `${saved.name}, ${builder}`,
    text: `${user.name},\n\n${first} You can also open it here:\n\n${page}\n\nThe user who saved the report can change or end this email on the report page. An owner or admin can delete the saved report there.`,
    link: null,
    attachment: file,
  })
}
