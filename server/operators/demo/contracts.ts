import type { Bid } from '../../../client/contract.gen.ts'
import { NamedIds, type Timeline } from './timeline.ts'

interface ContractInputs {
  readonly communities: NamedIds<string>
  readonly vendors: NamedIds<string>
  readonly parts: NamedIds<string>
  readonly plans: NamedIds<string>
}

/** Adds the builder's contracts: one from an award, one that has ended, and two for next year. */
export class Contracts {
  /** The IDs of contracts from an award, by the title of the bid request. */
  readonly awarded = new NamedIds<string>()
  readonly #timeline: Timeline
  readonly #made: ContractInputs

  constructor(timeline: Timeline, created: ContractInputs) {
    this.#timeline = timeline
    this.#made = created
  }

  plan(): void {
    this.#timeline.on(235, async (ago) => {
      const contractId = await this.#draft(ago, {
        ...{ vendor: 'Travis Roof & Gutter', scope: 'roofing', contractType: 'unit_price', community: 'CH' },
        ...{ effectiveDate: this.#timeline.date(230), expirationDate: this.#timeline.date(-135) },
        lines: { 'RF-SHNG': 94.5 },
        notes: 'Shingles, installed. Prices apply to all homes in Cedar Hollow.',
      })
      this.#timeline.on(ago - 1, (day) => this.#move(day, contractId, 'active'))
      const reason = 'Left two homes open to the rain.'
      this.#timeline.on(165, (day) => this.#move(day, contractId, 'terminated', reason))
    })
    this.#timeline.on(6, (ago) =>
      this.#draft(ago, {
        ...{ vendor: 'Colorado River Builders Supply', scope: 'framing', contractType: 'material', community: 'MCC' },
        ...{ effectiveDate: this.#timeline.date(-44), expirationDate: this.#timeline.date(-408) },
        lines: { 'LUM-S925': 3.8425, 'LUM-2416': 7.45, 'LUM-T2416': 10.35, 'LUM-21012': 15.5 },
        notes: 'Lumber for the first twenty homes, delivered to the lot. Waiting for a signature.',
      }),
    )
    this.#timeline.on(5, async (ago) => {
      const contractId = await this.#draft(ago, {
        ...{ vendor: 'Smoothwall Drywall', scope: 'drywall', contractType: 'turnkey', community: 'MCC' },
        ...{ effectiveDate: this.#timeline.date(-44), expirationDate: this.#timeline.date(-408) },
        lumpSums: { P1650: 15_900, P2100: 18_750, P2850: 25_400 },
        notes: 'Board, hang, tape and texture for a whole house for one price, including scaffolding.',
      })
      await this.#move(ago, contractId, 'active')
    })
  }

  /** Accepts a bid for a whole community and activates the contract. */
  async award(ago: number, bid: Bid, title: string): Promise<void> {
    await this.#timeline.do(ago, 'acceptBid', { bidId: bid.id, reason: 'Lowest bid.' })
    const expirationDate = this.#timeline.date(ago - 365)
    const { id } = await this.#timeline.do(ago, 'createContract', { bidId: bid.id, expirationDate })
    await this.#move(ago, id, 'active')
    this.awarded.set(title, id)
  }

  async #draft(ago: number, { vendor, community, lines = {}, lumpSums = {}, ...terms }: Terms): Promise<string> {
    const { id } = await this.#timeline.do(ago, 'createContract', {
      ...terms,
      vendorId: this.#made.vendors.get(vendor),
      communityIds: [this.#made.communities.get(community)],
      lines: Object.entries(lines).map(([sku, unitPrice]) => ({ partId: this.#made.parts.get(sku), unitPrice })),
      lumpSums: Object.entries(lumpSums).map(([plan, amount]) => ({ planId: this.#made.plans.get(plan), amount })),
    })
    return id
  }

  #move(ago: number, contractId: string, status: 'active' | 'terminated', reason?: string) {
    return this.#timeline.do(ago, 'changeContractStatus', {
      contractId,
      status,
      ...(reason !== undefined && { reason }),
    })
  }
}

interface Terms {
  vendor: string
  scope: string
  contractType: 'turnkey' | 'unit_price' | 'material'
  community: string
  effectiveDate: string
  expirationDate: string
  notes: string
  /** The prices by part number. */
  lines?: Readonly<Record<string, number>>
  /** The cost of a whole home by plan code. */
  lumpSums?: Readonly<Record<string, number>>
}
