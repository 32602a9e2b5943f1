import type { Services, WriteCall } from '../../../platform/calls/call.ts'
import { processDueItems } from '../../../platform/due/process-due-items.ts'
import * as homes from '../../land/homes/queries.ts'
import { findRecipients } from '../../messages/find-recipients.ts'
import { sendMessage } from '../../messages/send-message.ts'
import type { VendorMessageWords } from '../words/english.ts'
import { getVendorMessageWords } from '../words/vendor-message-words.ts'
import * as punchItems from './queries.ts'

/** Sends each vendor one message about all items of a home that were recently assigned to it. */
export async function notifyPunchAssignments(services: Services): Promise<void> {
  await processDueItems(services, {
    what: 'punch items to announce',
    find: punchItems.findDueNotices,
    claim: punchItems.lockAvailableHomes,
    settle: (call, homeId) => notifyVendors(call, homeId),
  })
}

async function notifyVendors(call: WriteCall, homeId: string): Promise<void> {
  const items = await punchItems.claimNotices(call, homeId)
  if (items.length === 0) return
  const home = await homes.find(call, homeId)
  for (const [vendorId, own] of Map.groupBy(items, (item) => item.vendorId)) {
    const { found } = await findRecipients(call, [{ type: 'vendor', id: vendorId }])
    const to = found.filter(({ gone }) => gone === null)
    if (to.length === 0) continue
    const words = getVendorMessageWords(to[0]?.language)
    await sendMessage(call, {
      channel: 'email',
      subject: words.punch.subject(home.name),
      body: writeText(words, home.name, own),
      to,
      relatedTo: { type: 'home', id: homeId },
      inReplyTo: null,
    })
  }
}

/** The portal shows the complete list. */
const MAX_LISTED = 40

function writeText(
  { date, punch }: VendorMessageWords,
  homeName: string,
  items: readonly punchItems.UnnoticedItem[],
): string {
  const lines = items.slice(0, MAX_LISTED).map(({ number, location, description, dueDate }) => {
    const place = location === null ? '' : ` ${location}:`
    return `${number}${place} ${description} ${punch.due(date(dueDate))}`
  })
  const rest = items.length > MAX_LISTED ? [punch.more(items.length - MAX_LISTED)] : []
  return [punch.opening(items.length, homeName), [...lines, ...rest].join('\n'), punch.closing].join('\n\n')
}
