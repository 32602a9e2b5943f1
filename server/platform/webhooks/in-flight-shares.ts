/**
 * Limits the number of attempts that each builder may have in progress in this process.
 *
 * A receiver that does not respond blocks its attempts for ten seconds, and a builder may have many such receivers. A
 * builder therefore gets more capacity only while it uses less than is free. A single builder gets up to half of the
 * total. Two builders get a third each. An amount equal to the share of each builder always remains free for the next
 * builder. For the same reason, the share of each of a builder's subscriptions shrinks as the builder's capacity is
 * used up.
 */
export class InFlightShares {
  #underWay = 0
  readonly #organizations = new Map<string, number>()

  /**
   * Reserves a share for one more subscription of the organization, and returns the size of the share; 0 if the
   * subscription must wait.
   */
  reserve(organizationId: string): number {
    const own = this.#organizations.get(organizationId) ?? 0
    const room = MAX_IN_FLIGHT - this.#underWay - own
    if (room <= 0) return 0
    const share = Math.min(MAX_SHARE, Math.max(1, Math.floor(room / SHARE_FRACTION)))
    this.add(organizationId, share)
    return share
  }

  /** Adds `count` to the organization's attempts in progress; a negative `count` subtracts. */
  add(organizationId: string, count: number): void {
    const own = (this.#organizations.get(organizationId) ?? 0) + count
    this.#underWay += count
    if (own === 0) this.#organizations.delete(organizationId)
    else this.#organizations.set(organizationId, own)
  }
}

/**
 * The number of attempts is limited by the sockets and memory of one process, about 50 kB for each attempt over TLS.
 */
const MAX_IN_FLIGHT = 2000

/**
 * The maximum number of attempts that one subscription may have in progress. When less capacity is free, a subscription
 * gets this fraction of its builder's capacity.
 */
const MAX_SHARE = 32
const SHARE_FRACTION = 25
