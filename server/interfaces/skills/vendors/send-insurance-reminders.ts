import type { FindExpiringInsuranceResult, SendInsuranceRemindersResult } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { createReportFooter } from '../frame/report.ts'
import { findExpiringInsurance } from './find-expiring-insurance.ts'
import { english } from './reminder-words/english.ts'
import type { ReminderWords } from './reminder-words/reminder-words.ts'
import { spanish } from './reminder-words/spanish.ts'

/** The maximum number of messages. A transaction with more would hold its locks for too long. */
const MAX_REMINDERS = 100

type VendorAtRisk = FindExpiringInsuranceResult['vendors'][number]

/** Requests a new certificate from each vendor whose insurance has expired or expires soon. */
export async function sendInsuranceReminders(
  { vendorIds, ...period }: Checked['SendInsuranceRemindersInput'],
  call: Call,
): Promise<SendInsuranceRemindersResult> {
  const found = await findExpiringInsurance(period, call)
  const due = found.vendors.filter(({ vendorId }) => vendorIds === undefined || vendorIds.includes(vendorId))
  const reminded: SendInsuranceRemindersResult['reminded'] = []
  for (const vendor of due.slice(0, MAX_REMINDERS)) {
    const { vendorId, documents } = vendor
    const { email, language } = await call.operation('getVendor', { vendorId })
    const channel = email === null ? 'in_app' : 'email'
    const { id } = await call.operation('sendMessage', {
      ...{ channel, recipients: [{ type: 'vendor', id: vendorId }] },
      ...writeReminder(vendor, language === 'es' ? spanish : english),
    })
    reminded.push({ vendorId, vendor: vendor.vendor, channel, messageId: id, documents })
  }
  return {
    ...{ reminded, remindedCount: reminded.length },
    ...createReportFooter(call, { truncated: found.truncated || due.length > reminded.length, unknown: found.unknown }),
  }
}

function writeReminder({ documents }: VendorAtRisk, words: ReminderWords): { subject: string; body: string } {
  const lines = documents.map(({ type, expirationDate, isExpired }) => {
    const policy = words.policies[type] ?? type
    return `- ${isExpired ? words.expired(policy, expirationDate) : words.expires(policy, expirationDate)}`
  })
  return { subject: words.subject, body: [words.opening, ...lines, words.closing].join('\n') }
}
