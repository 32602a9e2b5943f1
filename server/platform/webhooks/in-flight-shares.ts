/**
 * Limits the number of attempts that each builder can have in progress in this process.
 *
 * A receiver that does not respond occupies its attempts for ten seconds, and a builder can have many such receivers.
 * Therefore, a builder can use more capacity only while it uses less than the amount that is free. As a result, a
 * single builder uses at most half of the total, and two builders a third each. An equal share always remains free for
 * the next builder. In the same way, the share of another subscription of a builder decreases with the capacity that
 * the builder already uses.
 */
export class InFlightShares {
  #underWay = 0
  readonly #organizations = new Map<string, number>()

  /**
   * Reserves a share for another subscription of the organization, and returns the share; 0 if the subscription must
   * wait.
   */
  reserve(organizationId: string): number {
    const own = this.#organizations.get(organizationId) ?? 0
    const room = MAX_IN_FLIGHT - this.#underWay - own
    if (room <= 0) return 0
    const share = Math.min(MAX_SHARE, Math.max(1, Math.floor(room / SHARE_FRACTION)))
    this.add(organizationId, share)
    return share
  }

  /** Adds `count` to the organization's attempts in progress; a negative value subtracts. */
  add(organizationId: string, count: number): void {
    const own = (this.#organizations.get(organizationId) ?? 0) + count
    this.#underWay += count
    if (own === 0) this.#organizations.delete(organizationId)
    else this.#organizations.set(organizationId, own)
  }
}

/**
 * The maximum number of attempts in progress, which is limited by the sockets and the memory of one process. An attempt
 * over TLS uses about 50 kB.
 */
const MAX_IN_FLIGHT = 2000

/** The maximum number of attempts that one subscription can have in progress. */
const MAX_SHARE = 32
const SHARE_FRACTION = 25
