/**
 * Limits how many attempts of this process each builder may have in progress.
 *
 * A receiver that does not respond blocks its attempts for ten seconds, and a builder may have many of them. So a
 * builder gets more capacity only while it uses less than is free: one builder alone gets up to half of the total, two
 * get a third each, and as much is always left for the next builder as each of them has. For the same reason, the share
 * of each of a builder's subscriptions shrinks as the builder's capacity fills up.
 */
export class InFlightShares {
  #underWay = 0
  readonly #organizations = new Map<string, number>()

  /** Reserves a share for one more subscription of the organization and returns its size; 0 if it must wait. */
  reserve(organizationId: string): number {
    const own = this.#organizations.get(organizationId) ?? 0
    const room = MAX_IN_FLIGHT - this.#underWay - own
    if (room <= 0) return 0
    const share = Math.min(MAX_SHARE, Math.max(1, Math.floor(room / SHARE_FRACTION)))
    this.add(organizationId, share)
    return share
  }

  /** Adds to the organization's attempts in progress, or subtracts if `count` is negative. */
  add(organizationId: string, count: number): void {
    const own = (this.#organizations.get(organizationId) ?? 0) + count
    this.#underWay += count
    if (own === 0) this.#organizations.delete(organizationId)
    else this.#organizations.set(organizationId, own)
  }
}

/** Limited by the sockets and memory of one process: about 50 kB each over TLS. */
const MAX_IN_FLIGHT = 2000

/**
 * The most one subscription may have in progress. When less is free, it gets this fraction of its builder's capacity.
 */
const MAX_SHARE = 32
const SHARE_FRACTION = 25
