import type { ComplianceDocument, Vendor } from '../../../client/contract.gen.ts'
import type { Db } from '../../database/database.ts'
import { recordEvent } from '../../events/record.ts'
import { recordStatusChange } from '../../events/status-history.ts'
import type { Call } from '../../http/call.ts'
import { dateIn } from '../../values/calendar.ts'
import { type Judgement, judge, settledStatus } from './compliance-document.ts'
import * as documents from './queries.ts'

/**
 * `vendors.complianceStatus` is stored, because lists filter by it and awards depend on it. It is written here alone: in
 * the transaction of each change to a document, and by the clock. Both settle first what the calendar has done to the
 * documents, so that a change never hides that another document has run out.
 *
 * The vendor has to be locked.
 */
export async function judgeAfterChange(trx: Db, call: Call, vendor: Vendor): Promise<void> {
  const { judgement } = await settle(trx, call, vendor)
  await documents.writeDueDate(trx, call, vendor, judgement)
  await publish(trx, call, vendor, judgement)
}

/** What the calendar alone makes of a vendor. Nothing that can be seen may have changed; then no event tells of it. */
export async function judgeByCalendar(trx: Db, call: Call, vendor: Vendor): Promise<void> {
  const { judgement, expired } = await settle(trx, call, vendor)
  await documents.writeDueDate(trx, call, vendor, judgement)
  if (expired > 0 || judgement.status !== vendor.complianceStatus) await publish(trx, call, vendor, judgement)
}

async function settle(trx: Db, call: Call, vendor: Vendor): Promise<{ judgement: Judgement; expired: number }> {
  const today = dateIn(call.timeZone, call.now)
  const counted = await documents.countedOf(trx, call.organizationId, vendor.id)
  let expired = 0
  for (const document of counted) {
    if (settledStatus(document.status, document.expirationDate, today) === document.status) continue
    await expire(trx, call, document)
    expired++
  }
  return { judgement: judge(counted, today), expired }
}

async function expire(trx: Db, call: Call, document: ComplianceDocument): Promise<void> {
  // An If-Match is about what the caller changes, not about what the calendar does beside it.
  await documents.update(trx, { ...call, ifMatch: undefined }, document, { status: 'expired' })
  const by = { ...call, actor: { type: 'system', id: null } } as const
  await recordStatusChange(trx, by, { id: document.id, from: document.status, to: 'expired' })
}

async function publish(trx: Db, call: Call, vendor: Vendor, judgement: Judgement): Promise<void> {
  const judged = await documents.writeJudgement(trx, call, vendor, judgement)
  await recordEvent(trx, call, 'vendor.updated', judged, vendor)
}
