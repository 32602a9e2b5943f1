import { sql } from 'kysely'
import type { Vendor, VendorNotification } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { findLinkUrls } from '../../../platform/keys/portal-links.ts'
import type { OutgoingMail } from '../../office/mail/queue-mails.ts'
import type { MailLocale } from '../../office/message-templates/mail-locale.ts'
import { toSpanishScopeSql } from '../scopes/queries.ts'

/** The names that notices contain instead of IDs. */
interface NoticeNames {
  homes: Map<string, string>
  tasks: Map<string, TaskName>
  requests: Map<string, RequestRow>
  /** The invitations, by bid request and vendor. */
  invitations: Map<string, InvitationPlace>
}

interface InvitationPlace {
  id: string
  /** The portal link; null if there is none. */
  link: string | null
}

interface TaskName {
  name: string
  spanishName: string | null
}

/** The fields of a bid request in emails. */
export interface MailedRequest {
  number: string
  title: string | null
  scope: string
  spanishScope: string | null
  deadline: string
}

interface RequestRow extends MailedRequest {
  id: string
}

/** Returns the emails for the notices. The emails contain the names of the records. */
export async function renderNoticeMails(
  call: WriteCall,
  vendors: readonly Vendor[],
  notices: readonly VendorNotification[],
): Promise<OutgoingMail[]> {
  const names = await findNames(call, notices)
  const companies = new Map(vendors.map(({ id, companyName }) => [id, companyName]))
  return notices.map((notice) => {
    const { id: aboutId, kind, vendorId, recipients: to, bidRequestId, homeId, date, message } = notice
    const named = { 'vendor.companyName': companies.get(vendorId) ?? null, message }
    const request = bidRequestId === null ? undefined : names.requests.get(bidRequestId)
    if (request !== undefined) {
      const invitation = names.invitations.get(`${request.id} ${vendorId}`)
      return {
        ...{ kind: 'bid_reminder', to, vendorId, aboutId, link: invitation?.link ?? null },
        ...(invitation !== undefined && { replySubjectId: invitation.id }),
        values: (locale) => ({ ...named, date: locale.date(date), ...toRequestValues(request, locale) }),
      }
    }
    const home = homeId === null ? null : (names.homes.get(homeId) ?? null)
    const values = (locale: MailLocale) => {
      const work = describeWork(notice, names, locale)
      return { ...named, date: locale.date(date), 'home.name': home, work }
    }
    return { kind, to, vendorId, aboutId, values }
  })
}

export function toRequestValues(
  { number, title, scope, spanishScope, deadline }: MailedRequest,
  { language, date }: MailLocale,
) {
  const trade = (language === 'es' ? spanishScope : null) ?? scope
  return {
    ...{ 'bidRequest.number': number, 'bidRequest.title': title ?? trade },
    ...{ 'bidRequest.scope': trade, 'bidRequest.deadline': date(deadline) },
  }
}

function describeWork(
  { taskId, tasks }: VendorNotification,
  names: NoticeNames,
  { language, date, words }: MailLocale,
): string {
  const { work, insteadOf } = words
  const named = (id: string) => {
    const task = names.tasks.get(id)
    return (language === 'es' ? task?.spanishName : null) ?? task?.name ?? work
  }
  if (tasks.length === 0) return taskId === null ? work : named(taskId)
  return tasks
    .map(({ taskId, oldStartDate, newStartDate }) => {
      return `${named(taskId)}: ${insteadOf(date(newStartDate), date(oldStartDate))}`
    })
    .join('\n')
}

async function findNames(call: WriteCall, notices: readonly VendorNotification[]): Promise<NoticeNames> {
  const taskIds = notices.flatMap(({ taskId, tasks }) => [taskId, ...tasks.map((task) => task.taskId)])
  const requested = notices.filter(({ bidRequestId }) => bidRequestId !== null)
  const requests = await readRows<RequestRow>(
    call,
    sql`
      select "id", "number", "title", "scope", "deadline", ${sql.raw(toSpanishScopeSql('t."scope"'))} as "spanishScope"
      from "bidRequests" as t`,
    requested.map(({ bidRequestId }) => bidRequestId),
  )
  const homes = await readRows<{ id: string; name: string }>(
    call,
    sql`select "id", "name" from "homes"`,
    notices.map(({ homeId }) => homeId),
  )
  const tasks = await readRows<TaskName & { id: string }>(
    call,
    sql`select "id", "name", "spanishName" from "tasks"`,
    taskIds,
  )
  return {
    homes: new Map(homes.map(({ id, name }) => [id, name])),
    tasks: new Map(tasks.map((task) => [task.id, task])),
    requests: new Map(requests.map((request) => [request.id, request])),
    invitations: await findInvitations(call, requested),
  }
}

async function readRows<Row>(
  { db, organizationId }: WriteCall,
  select: ReturnType<typeof sql>,
  ids: readonly (string | null)[],
): Promise<Row[]> {
  const requested = [...new Set(ids.filter((id) => id !== null))]
  if (requested.length === 0) return []
  const { rows } = await sql<Row>`
    ${select} where "organizationId" = ${organizationId} and "id" = any(${requested}::text[])`.execute(db)
  return rows
}

async function findInvitations(
  call: WriteCall,
  requested: readonly VendorNotification[],
): Promise<Map<string, InvitationPlace>> {
  if (requested.length === 0) return new Map()
  const { rows } = await sql<{ id: string; place: string }>`
    select i."id", i."bidRequestId" || ' ' || i."vendorId" as "place" from "invitations" as i
    join unnest(${requested.map(({ bidRequestId }) => bidRequestId)}::text[], ${requested.map(({ vendorId }) => vendorId)}::text[])
      as a ("bidRequestId", "vendorId") on a."bidRequestId" = i."bidRequestId" and a."vendorId" = i."vendorId"
    where i."organizationId" = ${call.organizationId}`.execute(call.db)
  const links = await findLinkUrls(
    call,
    rows.map(({ id }) => id),
  )
  return new Map(rows.map(({ id, place }) => [place, { id, link: links.get(id) ?? null }]))
}
