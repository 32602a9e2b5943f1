import type { Webhook } from '../../client/contract.gen.ts'

/** The attempt that disables a subscription, counted in failures in a row. */
export const FAILURES_UNTIL_DISABLED = 50

/**
 * From so many failures in a row on, attempts are made one at a time. A receiver that is away for a minute while a
 * thousand events wait for it would otherwise be disabled within that minute.
 */
export const FAILURES_UNTIL_PROBING = 5

/** The first pause between such attempts; each further one is twice as long, up to `webhookProbeMaxSeconds`. */
export const FIRST_PROBE_SECONDS = 5

/** What one event can set in motion has a bound: so many receivers. */
export const MOST_ACTIVE = 50

/** Every event is matched against all subscriptions of its organization, and held for the disabled ones among them. */
export const MOST_WEBHOOKS = 200

/** How many deliveries one call of recoverWebhook takes on: a transaction of a few seconds at most. */
export const MOST_RECOVERED = 50_000

/** Events of a disabled subscription are held so long. */
export const HELD_MS = 14 * 24 * 3_600_000

/** Attempts, and deliveries that have ended, can be read so long at least. */
export const KEPT_DAYS = 30

interface Subscription {
  eventTypes: readonly string[]
  excludeOwnChanges: boolean
  ownerId: string | null
}

export function wants(webhook: Subscription, event: { type: string; actorId: string | null }): boolean {
  if (!webhook.eventTypes.includes(event.type) && !webhook.eventTypes.includes('*')) return false
  return !(webhook.excludeOwnChanges && event.actorId !== null && event.actorId === webhook.ownerId)
}

/** What follows when a subscription is switched on or off by hand. */
export function switched(status: Webhook['status'], now: Date) {
  return status === 'active'
    ? { status, disabledReason: null, disabledAt: null, consecutiveFailures: 0, pausedUntil: null }
    : { status, disabledReason: 'requested' as const, disabledAt: now.toISOString(), pausedUntil: null }
}

/** The subscription as a caller sees it: an old secret whose time is over is no longer spoken of. */
export function withoutEndedSecret(webhook: Webhook, now: Date): Webhook {
  const { previousSecretExpiresAt: expiry } = webhook
  return expiry !== null && Date.parse(expiry) <= now.getTime()
    ? { ...webhook, previousSecretExpiresAt: null }
    : webhook
}
