import type { Webhook } from '../../../client/contract.gen.ts'

/** The number of consecutive failures that disables a subscription. */
export const FAILURES_UNTIL_DISABLED = 50

/**
 * From this many consecutive failures on, attempts are made one at a time. Otherwise a receiver that is down for a
 * minute with a thousand events waiting would be disabled within that minute.
 */
export const FAILURES_UNTIL_PROBING = 5

/** The first pause between such attempts. Each further one doubles, up to `webhookProbeMaxSeconds`. */
export const FIRST_PROBE_SECONDS = 5

/** The maximum number of receivers of a single event. */
export const MAX_ACTIVE = 50

/**
 * The maximum number of subscriptions. Every event is matched against all of its organization's, and held for the
 * disabled ones.
 */
export const MAX_WEBHOOKS = 200

/** The maximum number of deliveries of one recoverWebhook call: a transaction of a few seconds. */
export const MAX_RECOVERED = 50_000

/** How long events of a disabled subscription are held. */
export const HELD_MS = 14 * 24 * 3_600_000

/** How long attempts and ended deliveries remain readable, at least. */
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
export function planSwitch(status: Webhook['status'], now: Date) {
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
