import { sql } from 'kysely'
import type { Vendor, VendorNotification } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { findLinkUrls } from '../../../platform/keys/portal-links.ts'
import type { OutgoingMail } from '../../office/mail/queue-mails.ts'

/** The names that notices contain instead of IDs. */
interface NoticeNames {
  homes: Map<string, string>
  tasks: Map<string, string>
  requests: Map<string, RequestRow>
  /** The invitations, by bid request and vendor. */
  invitations: Map<string, InvitationPlace>
}

interface InvitationPlace {
  id: string
  /** The portal link; null if there is none. */
  link: string | null
}

interface RequestRow {
  id: string
  number: string
  title: string | null
  scope: string
  deadline: string
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
    const values = { 'vendor.companyName': companies.get(vendorId) ?? null, message, date }
    const request = bidRequestId === null ? undefined : names.requests.get(bidRequestId)
    if (request !== undefined) {
      const invitation = names.invitations.get(`${request.id} ${vendorId}`)
      return {
        ...{ kind: 'bid_reminder', to, vendorId, aboutId, link: invitation?.link ?? null },
        ...(invitation !== undefined && { replySubjectId: invitation.id }),
        values: { ...values, ...toRequestValues(request) },
      }
    }
    const home = homeId === null ? null : (names.homes.get(homeId) ?? null)
    return { kind, to, vendorId, aboutId, values: { ...values, 'home.name': home, work: describeWork(notice, names) } }
  })
}

export function toRequestValues({ number, title, scope, deadline }: Omit<RequestRow, 'id'>) {
  return {
    ...{ 'bidRequest.number': number, 'bidRequest.title': title ?? scope },
    ...{ 'bidRequest.scope': scope, 'bidRequest.deadline': deadline },
  }
}

function describeWork({ taskId, tasks }: VendorNotification, names: NoticeNames): string {
  const named = (id: string) => names.tasks.get(id) ?? 'work'
  if (tasks.length === 0) return taskId === null ? 'work' : named(taskId)
  return tasks
    .map(({ taskId, oldStartDate, newStartDate }) => `${named(taskId)}: ${newStartDate} instead of ${oldStartDate}`)
    .join('\n')
}

async function findNames(call: WriteCall, notices: readonly VendorNotification[]): Promise<NoticeNames> {
  const taskIds = notices.flatMap(({ taskId, tasks }) => [taskId, ...tasks.map((task) => task.taskId)])
  const requested = notices.filter(({ bidRequestId }) => bidRequestId !== null)
  const requests = await readRows<RequestRow>(
    call,
    sql`select "id", "number", "title", "scope", "deadline" from "bidRequests"`,
    requested.map(({ bidRequestId }) => bidRequestId),
  )
  return {
    homes: await findNamesIn(
      call,
      'homes',
      notices.map(({ homeId }) => homeId),
    ),
    tasks: await findNamesIn(call, 'tasks', taskIds),
    requests: new Map(requests.map((request) => [request.id, request])),
    invitations: await findInvitations(call, requested),
  }
}

interface NamedRow {
  id: string
  name: string
}

async function findNamesIn(call: WriteCall, table: 'homes' | 'tasks', ids: readonly (string | null)[]) {
  const rows = await readRows<NamedRow>(call, sql`select "id", "name" from ${sql.table(table)}`, ids)
  return new Map(rows.map(({ id, name }) => [id, name]))
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
