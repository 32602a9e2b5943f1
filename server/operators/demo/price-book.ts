import type { CostCategory } from '../../../client/contract.gen.ts'
import * as costCodes from '../../domain/costs/cost-codes/queries.ts'
import * as parts from '../../domain/costs/parts/queries.ts'
import * as prices from '../../domain/costs/prices/queries.ts'
import { emptyToNull, type RowOf, readFigures, readRows, splitList, toNumberOrNull } from './data-files.ts'
import { NamedIds, type Timeline } from './timeline.ts'

/**
 * Adds the plans, cost codes, parts, and prices from the files in `data`. Writes these hundreds of rows in bulk without
 * their operations, which would make a first start take seconds longer. A test checks that the rows follow the same
 * rules.
 */
export class PriceBook {
  readonly plans = new NamedIds<string>()
  readonly costCodes = new NamedIds<string>()
  readonly parts = new NamedIds<string>()
  readonly #timeline: Timeline
  readonly #communities: NamedIds<string>
  readonly #vendors: NamedIds<string>

  constructor(timeline: Timeline, created: { communities: NamedIds<string>; vendors: NamedIds<string> }) {
    this.#timeline = timeline
    this.#communities = created.communities
    this.#vendors = created.vendors
  }

  /** Adds the cost codes from the top of the chart downward, and then the trades, each with its default cost code. */
  async addChart(ago: number): Promise<void> {
    let rest = readRows('cost-codes')
    while (rest.length > 0) {
      const next = rest.filter(({ parentCode }) => parentCode === '' || this.costCodes.has(parentCode))
      if (next.length === 0) throw new Error(`Cost codes without a parent: ${rest.map(({ code }) => code).join(', ')}`)
      const call = this.#timeline.at(ago)
      const created = next.map(({ code, name, parentCode, category, scope }) =>
        costCodes.make(call, {
          ...{ code, name, category: category as CostCategory, scope: emptyToNull(scope) },
          parentId: parentCode === '' ? null : this.costCodes.get(parentCode),
        }),
      )
      await costCodes.insertAll(call, created)
      for (const { code, id } of created) this.costCodes.set(code, id)
      rest = rest.filter((row) => !next.includes(row))
    }
    for (const { name, spanishName, code, sequence, defaultCostCode } of readRows('scopes')) {
      const defaultCostCodeId = this.costCodes.get(defaultCostCode)
      const named = { name, spanishName, code, sequence: Number(sequence) }
      await this.#timeline.do(ago, 'createScope', { ...named, defaultCostCodeId })
    }
  }

  async addParts(ago: number): Promise<void> {
    const call = this.#timeline.at(ago)
    const created = readRows('parts').map(({ sku, name, unit, scope, costCode, manufacturer, leadTimeDays }) =>
      parts.make(call, {
        ...{
          sku,
          name,
          unit,
          scope,
          manufacturer: emptyToNull(manufacturer),
          leadTimeDays: toNumberOrNull(leadTimeDays),
        },
        costCodeId: this.costCodes.get(costCode),
      }),
    )
    await parts.insertAll(call, created)
    for (const { sku, id } of created) this.parts.set(sku, id)
  }

  async addPlans(ago: number): Promise<void> {
    const takeoffs = Map.groupBy(readRows('takeoff'), ({ plan }) => plan)
    for (const rows of Map.groupBy(readRows('plans'), ({ code }) => code).values()) {
      const { id, code } = await this.#timeline.do(ago, 'createPlan', this.#plan(rows))
      this.plans.set(code, id)
      const lines = (takeoffs.get(code) ?? []).filter(({ option }) => option === '').map((line) => this.#line(line))
      await this.#timeline.do(ago, 'replaceTakeoff', { planId: id, lines })
      await this.#timeline.do(ago, 'changePlanStatus', { planId: id, status: 'released' })
    }
  }

  /**
   * Returns a plan. The plan's figures are those of its first elevation. For the other elevations, returns the
   * differences.
   */
  #plan([first, ...others]: readonly RowOf<'plans'>[]) {
    if (first === undefined) throw new Error('Expected the plan to have at least one row.')
    const figures = readFigures(first)
    const ofPlan = new Map(figures.map(({ name, value }) => [name, value]))
    return {
      ...{ code: first.code, name: first.name, figures },
      communityIds: splitList(first.communities).map((code) => this.#communities.get(code)),
      squareFeet: Number(first.squareFeet),
      bedrooms: Number(first.bedrooms),
      bathrooms: Number(first.bathrooms),
      garageSpaces: Number(first.garageSpaces),
      stories: Number(first.stories),
      basePrice: Number(first.basePrice),
      elevations: [first, ...others].map((row) => ({
        ...{ code: row.elevation, price: Number(row.elevationPrice) },
        figures: readFigures(row).filter(({ name, value }) => ofPlan.get(name) !== value),
      })),
    }
  }

  #line({ elevation, sku, quantity, formula, wastePercent, costCode, taskName }: RowOf<'takeoff'>) {
    return {
      // A part occurs only once in a plan with its elevations, so its number can be the line's ID.
      ...{ lineId: sku, elevation: emptyToNull(elevation), partId: this.parts.get(sku) },
      ...{ quantity: toNumberOrNull(quantity), formula: emptyToNull(formula), wastePercent: Number(wastePercent) },
      ...{ costCodeId: this.costCodes.get(costCode), taskName: emptyToNull(taskName) },
    }
  }

  /**
   * Schedules each price to be added two weeks before its first day, but not before its vendor was added and not in the
   * future.
   */
  planPrices(sinceWhen: (vendor: string) => number): void {
    const rows = readRows('prices').toSorted((a, b) => (a.effectiveDate < b.effectiveDate ? -1 : 1))
    const days = Map.groupBy(rows, ({ vendor, effectiveDate }) =>
      Math.max(1, Math.min(this.#timeline.daysSince(effectiveDate) + 14, sinceWhen(vendor) - 1)),
    )
    for (const [day, ofDay] of days) this.#timeline.on(day, (ago) => this.#addPrices(ago, ofDay))
  }

  async #addPrices(ago: number, rows: readonly RowOf<'prices'>[]): Promise<void> {
    const [ending, plain] = [rows.filter(endsOtherPrice), rows.filter((row) => !endsOtherPrice(row))]
    const call = this.#timeline.at(ago)
    await prices.insertAll(
      call,
      plain.map((row) => prices.make(call, this.#price(row))),
    )
    for (const row of ending) await this.#timeline.do(ago, 'addPrice', { ...this.#price(row), endPrevious: true })
  }

  #price(row: RowOf<'prices'>) {
    const { effectiveDate, expirationDate, note } = row
    return {
      partId: this.parts.get(row.sku),
      vendorId: this.#vendors.get(row.vendor),
      communityId: row.community === '' ? null : this.#communities.get(row.community),
      planId: row.plan === '' ? null : this.plans.get(row.plan),
      unitPrice: Number(row.unitPrice),
      effectiveDate: this.#timeline.moved(effectiveDate),
      expirationDate: expirationDate === '' ? null : this.#timeline.moved(expirationDate),
      minQuantity: Number(row.minQuantity),
      preferred: row.preferred === 'true',
      note: note === '' ? null : this.#timeline.moved(note),
    }
  }
}

/** Returns whether a price ends another one. Only the prices with this note do. */
function endsOtherPrice({ note }: RowOf<'prices'>): boolean {
  return note.endsWith("ends the same vendor's earlier price")
}
