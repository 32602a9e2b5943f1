import type { Turn } from './claims.ts'
import type { WebhookName } from './dispatcher.ts'

/**
 * Who is served next: the organizations by turns, and within each one its subscriptions by turns, so that neither an
 * organization with a thousand subscriptions nor one with a thousand events keeps another waiting.
 */
export class Turns {
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
   * Takes out those that come next until their shares add up to `most`. Maps keep the order in which things were added, so
   * the longest waiting come first. `reserve` says what a subscription of an organization may have; where that is nothing,
   * the organization keeps its place.
   */
  next(most: number, reserve: (organizationId: string) => number): Turn[] {
    const taken: Turn[] = []
    let sum = 0
    // Whoever was served goes to the end, and is met there again while there is room.
    for (const [organizationId, webhooks] of this.#organizations) {
      const [first] = webhooks.values()
      if (first === undefined || sum >= most) break
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
