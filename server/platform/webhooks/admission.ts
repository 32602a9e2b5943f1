import type { Webhook } from '../../../client/contract.gen.ts'
import type { Call, WriteCall } from '../calls/call.ts'
import { canReadEventType, getEventPermission } from '../events/readable-events.ts'
import { conflict, Problem } from '../problems/problem.ts'
import * as webhooks from './queries.ts'
import { MAX_ACTIVE, MAX_WEBHOOKS } from './webhook.ts'

/**
 * These functions check whether a subscription is allowed. A subscription must not include events that its creator or
 * editor may not read, exceed the maximum number of subscriptions, or accidentally have the same events and URL as
 * another subscription. Within an organization, the checks are executed one at a time. Otherwise, two concurrent
 * requests could together exceed the maximum, or create duplicates.
 */
interface SubscriptionRequest extends Pick<Webhook, 'url' | 'eventTypes'> {
  allowDuplicate?: boolean
}

/** Throws `permission_denied` or `conflict` if the new subscription is not allowed. */
export async function assertCanCreateWebhook(call: WriteCall, requested: SubscriptionRequest): Promise<void> {
  assertCanReadTypes(call, requested.eventTypes)
  await webhooks.lockActivation(call)
  if ((await webhooks.countWebhooks(call)) >= MAX_WEBHOOKS) {
    throw conflict(
      'limit_reached',
      `An organization can have at most ${MAX_WEBHOOKS} subscriptions. Delete a subscription that you no longer need.`,
    )
  }
  const active = await webhooks.listActiveWebhooks(call)
  assertBelowMaximum(active)
  assertNoDuplicate(requested, active)
}

/** Makes the same checks for a change of a locked subscription. */
export async function assertCanChangeWebhook(
  call: WriteCall,
  before: Webhook,
  changes: Partial<SubscriptionRequest & Pick<Webhook, 'status'>>,
): Promise<void> {
  const { url = before.url, eventTypes = before.eventTypes, status = before.status, allowDuplicate = false } = changes
  assertCanReadTypes(call, eventTypes)
  const wasActive = before.status === 'active'
  const isOther = !wasActive || changes.url !== undefined || changes.eventTypes !== undefined
  if (status !== 'active' || !isOther) return
  await webhooks.lockActivation(call)
  const others = (await webhooks.listActiveWebhooks(call)).filter(({ id }) => id !== before.id)
  // Organizations that had more active subscriptions before the limit was introduced can keep them.
  if (!wasActive) assertBelowMaximum(others)
  assertNoDuplicate({ url, eventTypes, allowDuplicate }, others)
}

function assertCanReadTypes(call: Call, eventTypes: Webhook['eventTypes']): void {
  const beyond = eventTypes.find((type) => type !== '*' && !canReadEventType(call, type))
  if (beyond === undefined) return
  const permission = getEventPermission(call.services.contract, beyond)
  throw new Problem('permission_denied', `Subscribing to ${beyond} requires ${permission}.`, { permission })
}

function assertBelowMaximum(others: webhooks.ActiveWebhook[]): void {
  if (others.length < MAX_ACTIVE) return
  throw conflict(
    'limit_reached',
    `An organization can have at most ${MAX_ACTIVE} active subscriptions. Disable or delete a subscription that you no longer need.`,
  )
}

function assertNoDuplicate(
  { url, eventTypes, allowDuplicate = false }: SubscriptionRequest,
  others: webhooks.ActiveWebhook[],
): void {
  if (allowDuplicate) return
  const types = new Set<string>(eventTypes)
  for (const other of others) {
    if (new URL(other.url).href !== new URL(url).href) continue
    const shared = types.has('*')
      ? other.eventTypes[0]
      : other.eventTypes.find((type) => type === '*' || types.has(type))
    if (shared === undefined) continue
    const what = shared === '*' ? 'every event' : shared
    throw conflict(
      'already_done',
      `The subscription ${other.id} already sends ${what} to this URL. Change that subscription, or set allowDuplicate to receive each event twice.`,
      {
        errors: [
          { pointer: '/url', code: 'conflict', message: `already receives ${what} from the subscription ${other.id}` },
        ],
      },
    )
  }
}
