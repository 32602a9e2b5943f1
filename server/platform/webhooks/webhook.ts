import type { Webhook } from '../../../client/contract.gen.ts'

/** The number of consecutive failures after which a subscription is disabled. */
export const FAILURES_UNTIL_DISABLED = 50

/**
 * After this number of consecutive failures, attempts are made one at a time. Otherwise, if a receiver is down for a
 * minute with a thousand events waiting, its subscription would be disabled within that minute.
 */
export const FAILURES_UNTIL_PROBING = 5

/**
 * The first pause between such attempts, in seconds. Each further pause is twice as long as the previous pause, up to
 * `webhookProbeMaxSeconds`.
 */
export const FIRST_PROBE_SECONDS = 5

/** The maximum number of receivers of a single event. */
export const MAX_ACTIVE = 50

/**
 * The maximum number of subscriptions of an organization. Every event is matched against all of its organization's
 * subscriptions, and held for disabled subscriptions.
 */
export const MAX_WEBHOOKS = 200

/**
 * The maximum number of deliveries recovered by one recoverWebhook call, whose transaction then takes a few seconds.
 */
export const MAX_RECOVERED = 50_000

/** Time for which events of a disabled subscription are held, in milliseconds. */
export const HELD_MS = 14 * 24 * 3_600_000

/** Minimum number of days for which attempts and finished deliveries remain readable. */
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

/** Returns the fields that change when a subscription is enabled or disabled by a user. */
export function planStatusSwitch(status: Webhook['status'], now: Date) {
  return status === 'active'
    ? { status, disabledReason: null, disabledAt: null, consecutiveFailures: 0, pausedUntil: null }
    : { status, disabledReason: 'requested' as const, disabledAt: now.toISOString(), pausedUntil: null }
}

/** Returns the subscription in the form in which a caller sees it, without an expired previous secret. */
export function omitEndedSecret(webhook: Webhook, now: Date): Webhook {
  const { previousSecretExpiresAt: expiry } = webhook
  return expiry !== null && Date.parse(expiry) <= now.getTime()
    ? { ...webhook, previousSecretExpiresAt: null }
    : webhook
}
