/**
 * How much of this process each builder may have under way.
 *
 * A receiver that hangs holds its attempts for ten seconds, and a builder may have many of them. So a builder is given more
 * only while it has less under way than is free: alone it comes to half of all, two of them to a third each, and whatever
 * they do there is as much left for the next one as each of them has. Within a builder's room its subscriptions have
 * shares that get smaller as it fills up, for the same reason.
 */
export class Shares {
  #underWay = 0
  readonly #organizations = new Map<string, number>()

  /** Sets aside what one more subscription of the organization may have under way, and says how much; 0 when it has to wait. */
  reserve(organizationId: string): number {
    const own = this.#organizations.get(organizationId) ?? 0
    const room = MOST_UNDER_WAY - this.#underWay - own
    if (room <= 0) return 0
    const share = Math.min(LARGEST_SHARE, Math.max(1, Math.floor(room / SHARES_LEFT)))
    this.add(organizationId, share)
    return share
  }

  /** So many more are under way, or fewer where it is negative. */
  add(organizationId: string, count: number): void {
    const own = (this.#organizations.get(organizationId) ?? 0) + count
    this.#underWay += count
    if (own === 0) this.#organizations.delete(organizationId)
    else this.#organizations.set(organizationId, own)
  }
}

/** Sockets and memory of one process set this bound: some 50 kB each over TLS. */
const MOST_UNDER_WAY = 2000

/** What one subscription may have under way at most, and what part of its builder's room it is left with below that. */
const LARGEST_SHARE = 32
const SHARES_LEFT = 25
