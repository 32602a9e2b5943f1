import type { Turn } from './claims.ts'
import type { WebhookName } from './dispatcher.ts'

/**
 * Chooses the next subscription: in turn among the organizations, and within each organization in turn among its
 * subscriptions. Neither an organization with a thousand subscriptions nor an organization with a thousand events can
 * therefore delay others.
 */
export class FairQueue {
  readonly #organizations = new Map<string, Map<string, WebhookName>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  add(webhook: WebhookName): void {
    const webhooks = this.#organizations.get(webhook.organizationId) ?? new Map<string, WebhookName>()
    this.#organizations.set(webhook.organizationId, webhooks)
    if (webhooks.has(webhook.webhookId)) return
    webhooks.set(webhook.webhookId, webhook)
    this.#size++
  }

  /**
   * Removes and returns the next subscriptions, until their shares add up to `max`. Maps keep the insertion order, so
   * the subscriptions that have waited longest come first. `reserve` returns the share of one of an organization's
   * subscriptions. If the share is 0, the organization keeps its place.
   */
  next(max: number, reserve: (organizationId: string) => number): Turn[] {
    const taken: Turn[] = []
    let sum = 0
    // An organization that was served moves to the end, where this loop finds it again while capacity remains.
    for (const [organizationId, webhooks] of this.#organizations) {
      const [first] = webhooks.values()
      if (first === undefined || sum >= max) break
      const share = reserve(organizationId)
      if (share === 0) continue
      sum += share
      taken.push({ ...first, most: share })
      webhooks.delete(first.webhookId)
      this.#size--
      this.#organizations.delete(organizationId)
      if (webhooks.size > 0) this.#organizations.set(organizationId, webhooks)
    }
    return taken
  }
}
