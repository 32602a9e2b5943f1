import type { DailyLog } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { formatDate } from '../../../platform/values/format.ts'
import * as homes from '../../land/homes/queries.ts'
import { listRoleHolders, MAX_RECIPIENTS } from '../../messages/message.ts'
import { listMessageUsers } from '../../messages/queries.ts'
import { sendMessage } from '../../messages/send-message.ts'

/**
 * Sends the owners and admins of the builder a message about incidents, in the transaction that records the incidents.
 */
export async function reportIncidents(
  call: WriteCall,
  { homeId, logDate }: DailyLog,
  incidents: DailyLog['safety'],
): Promise<void> {
  if (incidents.length === 0) return
  const to = listRoleHolders(['owner', 'admin'], await listMessageUsers(call))
  if (to.length === 0) return
  const { name } = await homes.find(call, homeId)
  await sendMessage(call, {
    channel: 'email',
    subject: `Incident at ${name}`,
    body: [
      `An incident at ${name} was recorded in the daily log for ${formatDate(logDate)}.`,
      ...incidents.map(({ description, action }) =>
        action === null ? description : `${description}\n\nAction: ${action}`,
      ),
    ].join('\n\n'),
    to: to.slice(0, MAX_RECIPIENTS),
    relatedTo: { type: 'home', id: homeId },
    inReplyTo: null,
  })
}
