import type { Turn } from './claims.ts'
import type { WebhookName } from './dispatcher.ts'

/**
 * Chooses the next subscription. Organizations take turns, and so do the subscriptions within each organization.
 * Therefore, an organization with a thousand subscriptions or a thousand events does not delay the others.
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
   * Removes and returns the next subscriptions until their shares total at least `max`. Maps keep the order of
   * insertion, so the subscriptions that have waited longest are first. `reserve` returns the share of the next
   * subscription of an organization. If the share is 0, the organization keeps its position in the queue.
   */
  next(max: number, reserve: (organizationId: string) => number): Turn[] {
    const taken: Turn[] = []
    let sum = 0
    // An organization that has had its turn moves to the end of the map, where this loop reaches it again if there is
    // still capacity.
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
