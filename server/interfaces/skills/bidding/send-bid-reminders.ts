import { sql } from 'kysely'
import type { SendBidRemindersResult } from '../../../../client/contract.gen.ts'
import { OPEN_INVITATION_STATUSES } from '../../../domain/bidding/bid-requests/bid-request.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { addDays } from '../../../platform/values/calendar.ts'
import { createReportFooter, getToday, truncateRows } from '../frame/report.ts'
import { remindVendors } from './remind-vendors.ts'

/** The maximum number of requests. A larger transaction would hold its locks for too long. */
const MAX_REQUESTS = 50

export async function sendBidReminders(
  { bidRequestId, withinDays }: Checked['SendBidRemindersInput'],
  call: Call,
): Promise<SendBidRemindersResult> {
  const until = addDays(getToday(call), withinDays)
  const found = bidRequestId === undefined ? await findRequestsDueUntil(call, until) : [bidRequestId]
  const { rows: ids, truncated } = truncateRows(found, MAX_REQUESTS)
  const requests: SendBidRemindersResult['requests'] = []
  for (const id of ids) {
    const request = await call.operation('getBidRequest', { bidRequestId: id })
    const bidRequest = `${request.number} ${request.title ?? request.scope}`
    requests.push({
      bidRequestId: id,
      bidRequest,
      deadline: request.deadline,
      reminded: await remindVendors(call, request),
    })
  }
  return {
    requests,
    remindedCount: requests.reduce((count, { reminded }) => count + reminded.length, 0),
    ...createReportFooter(call, { truncated }),
  }
}

async function findRequestsDueUntil({ db, organizationId }: Call, until: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select r."id" from "bidRequests" r
    where r."organizationId" = ${organizationId} and r."status" = 'sent' and r."deadline" <= ${until}
      and exists (select from "invitations" i
        where i."organizationId" = r."organizationId" and i."bidRequestId" = r."id"
          and i."status" = any(${[...OPEN_INVITATION_STATUSES]}::text[]))
    order by r."deadline", r."id" limit ${MAX_REQUESTS + 1}`.execute(db)
  return rows.map(({ id }) => id)
}
