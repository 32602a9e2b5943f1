import type { Webhook } from '../../../client/contract.gen.ts'
import { recordAuditEntries } from '../../platform/audit/record-audit-entries.ts'
import type { Services } from '../../platform/calls/call.ts'
import type { Db } from '../../platform/database/database.ts'
import { storePendingRows } from '../../platform/events/pending-rows.ts'
import { createSystemCallInTransaction } from '../../platform/keys/principals.ts'
import * as webhooks from '../../platform/webhooks/queries.ts'
import type { DisabledWebhook } from '../../platform/webhooks/settlement.ts'
import { FAILURES_UNTIL_DISABLED, HELD_MS } from '../../platform/webhooks/webhook.ts'
import { listRoleHolders, MAX_RECIPIENTS } from './message.ts'
import { listMessageUsers } from './queries.ts'
import { sendMessage } from './send-message.ts'

/**
 * Notifies the owners and admins of a builder that a webhook subscription was disabled, also by email if there is a
 * mail server. The notification is part of the transaction that disables the subscription, so it is sent exactly once.
 */
export async function notifyDisabledWebhooks(
  trx: Db,
  services: Services,
  disabled: DisabledWebhook[],
): Promise<() => void> {
  let events = 0
  for (const { organizationId, webhookId, reason } of disabled) {
    const call = await createSystemCallInTransaction(services, trx, organizationId)
    const changed = ['status', 'disabledReason', 'disabledAt']
    await recordAuditEntries(trx, [
      {
        ...{ organizationId, at: call.now, actor: call.actor, requestId: call.requestId },
        ...{ action: 'webhook.updated', resourceId: webhookId, changed },
      },
    ])
    const to = listRoleHolders(['owner', 'admin'], await listMessageUsers(call))
    if (to.length === 0) continue
    const webhook = await webhooks.find(call, webhookId)
    await sendMessage(call, {
      channel: 'email',
      subject: 'A webhook subscription was disabled',
      body: writeText(webhook, reason, reason === 'failures' ? await webhooks.findLastError(call, webhookId) : null),
      to: to.slice(0, MAX_RECIPIENTS),
      relatedTo: { type: 'webhook', id: webhookId },
      inReplyTo: null,
    })
    await storePendingRows(call)
    events += call.events.length
  }
  return () => {
    if (events > 0) services.eventsCommitted(events)
  }
}

const HELD_DAYS = HELD_MS / 86_400_000

function writeText(webhook: Webhook, reason: DisabledWebhook['reason'], error: string | null): string {
  const { id, url } = webhook
  const path = `/api/ext/webhooks/${id}`
  const held = `New events are kept for ${HELD_DAYS} days.`
  return [
    `Events are no longer sent to ${url} (${id}). ${REASON_TEXTS[reason](webhook, error)}`,
    reason === 'owner_revoked'
      ? `${held} To keep the webhook, another user must take it over by setting its status to active with their own API key (PATCH ${path}). The service then sends the kept events that this user may read. Otherwise, delete the webhook (DELETE ${path}).`
      : `${held} When the receiver works again, set the status of the webhook to active (PATCH ${path}) to send the kept events. To send the events that failed before, use POST ${path}/recover. GET ${path}/deliveries lists the failures.`,
  ].join('\n\n')
}

const REASON_TEXTS: Record<DisabledWebhook['reason'], (webhook: Webhook, error: string | null) => string> = {
  gone: ({ disabledAt }) =>
    `At ${disabledAt}, the receiver responded with 410 Gone, which means that it no longer accepts events.`,
  failures: ({ disabledAt }, error) =>
    `At ${disabledAt} the ${FAILURES_UNTIL_DISABLED}th attempt in a row failed.${error === null ? '' : ` The last one: ${error}`}`,
  owner_revoked: ({ disabledAt, owner }) =>
    `At ${disabledAt}, the ${owner.type} that the webhook acts for (${owner.id}) was revoked or disabled, had expired, or lacked the permission to manage webhooks.`,
}
