import type { Webhook } from '../../../client/contract.gen.ts'

/** The number of consecutive failures after which a subscription is disabled. */
export const FAILURES_UNTIL_DISABLED = 50

/**
 * The number of consecutive failures after which only one attempt at a time is made (probing). Without probing, a
 * subscription with a thousand pending events would be disabled if its receiver were unavailable for a minute.
 */
export const FAILURES_UNTIL_PROBING = 5

/** The pause in seconds before the next probe. Each further pause is twice as long, up to `webhookProbeMaxSeconds`. */
export const FIRST_PROBE_SECONDS = 5

/** The maximum number of active subscriptions, and thereby of receivers of a single event. */
export const MAX_ACTIVE = 50

/**
 * The maximum number of subscriptions of an organization. Every event is compared with all subscriptions of its
 * organization, and is held for those that are disabled.
 */
export const MAX_WEBHOOKS = 200

/**
 * The maximum number of deliveries that one call of recoverWebhook makes due. The transaction of such a call takes a
 * few seconds.
 */
export const MAX_RECOVERED = 50_000

/** The time in milliseconds for which the events of a disabled subscription are held. */
export const HELD_MS = 14 * 24 * 3_600_000

/** The minimum number of days for which attempts and finished deliveries can be read. */
export const KEPT_DAYS = 30

interface Subscription {
  eventTypes: readonly string[]
  excludeOwnChanges: boolean
  ownerId: string | null
}

export function matchesEvent(webhook: Subscription, event: { type: string; actorId: string | null }): boolean {
  if (!webhook.eventTypes.includes(event.type) && !webhook.eventTypes.includes('*')) return false
  return !(webhook.excludeOwnChanges && event.actorId !== null && event.actorId === webhook.ownerId)
}

/** Returns the fields that change when a user enables or disables a subscription. */
export function planStatusSwitch(status: Webhook['status'], now: Date) {
  return status === 'active'
    ? { status, disabledReason: null, disabledAt: null, consecutiveFailures: 0, pausedUntil: null }
    : { status, disabledReason: 'requested' as const, disabledAt: now.toISOString(), pausedUntil: null }
}

/** Returns the subscription as a caller sees it, without a previous secret that has expired. */
export function omitEndedSecret(webhook: Webhook, now: Date): Webhook {
  const { previousSecretExpiresAt: expiry } = webhook
  return expiry !== null && Date.parse(expiry) <= now.getTime()
    ? { ...webhook, previousSecretExpiresAt: null }
    : webhook
}
