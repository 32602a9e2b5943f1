import type { Option, OptionStatus } from '../../../client/contract.gen.ts'
import * as options from '../../domain/costs/options/queries.ts'
import * as optionTakeoffs from '../../domain/costs/takeoffs/option-queries.ts'
import { wholeOptionLines } from '../../domain/costs/takeoffs/option-takeoff.ts'
import { recordStatusChange } from '../../platform/events/status-history.ts'
import { listIn, numberOrNull, orNull, type RowOf, rowsOf } from './rows.ts'
import { Named, type Timeline } from './timeline.ts'

interface Made {
  readonly costCodes: Named<string>
  readonly parts: Named<string>
  readonly plans: Named<string>
}

/**
 * Tells the options and their takeoffs. They bypass the operations, like the price book; a test checks the cost of
 * each.
 */
export class Options {
  /** By code. */
  readonly made = new Named<string>()
  readonly #timeline: Timeline
  readonly #book: Made

  constructor(timeline: Timeline, book: Made) {
    this.#timeline = timeline
    this.#book = book
  }

  async add(ago: number): Promise<void> {
    const rows = rowsOf('options')
    let rest = rows
    while (rest.length > 0) {
      const next = rest.filter((row) => named(row).every((code) => this.made.has(code)))
      if (next.length === 0)
        throw new Error(`Options that require each other: ${rest.map(({ code }) => code).join(', ')}`)
      const call = this.#timeline.at(ago)
      const made = next.map((row) => options.make(call, this.#option(row)))
      await options.insertAll(call, made)
      for (const { code, id, status } of made) {
        this.made.set(code, id)
        await recordStatusChange(call, { id, from: null, to: status })
      }
      rest = rest.filter((row) => !next.includes(row))
    }
    const takeoffs = Map.groupBy(this.#lines(), ({ option }) => option)
    const call = this.#timeline.at(ago)
    for (const { code, status } of rows) {
      const optionId = this.made.get(code)
      const lines = takeoffs.get(code) ?? []
      await optionTakeoffs.replaceLines(call, optionId, wholeOptionLines(lines, { code }))
      for (const to of MOVES[status] ?? []) await this.#timeline.do(ago, 'changeOptionStatus', { optionId, status: to })
    }
  }

  #option(row: RowOf<'options'>) {
    const { code, name, category, scope, unit, cutoffTaskName } = row
    return {
      ...{ code, name, category, unit, cutoffTaskName, scope: orNull(scope), status: 'draft' as const },
      optionType: row.optionType as Option['optionType'],
      planIds: listIn(row.plans).map((plan) => this.#book.plans.get(plan)),
      communityIds: [],
      price: Number(row.price),
      costBasis: row.costBasis as Option['costBasis'],
      cost: numberOrNull(row.cost),
      costCodeId: scope === '' ? null : this.#book.costCodes.get(defaultCostCode(scope)),
      requiresOptionIds: listIn(row.requires).map((required) => this.made.get(required)),
      excludesOptionIds: listIn(row.excludes).map((excluded) => this.made.get(excluded)),
    }
  }

  /**
   * Returns the takeoff lines. Structural options differ by plan, so their lines are in the plans' file. No line is
   * named, so that none replaces a line of the plan: what an option saves is a negative quantity.
   */
  #lines() {
    const structural = rowsOf('takeoff').filter(({ option }) => option !== '')
    const others = rowsOf('option-takeoff').map((row) => ({ ...row, plan: '' }))
    return [...structural, ...others].map(
      ({ option, plan, sku, quantity, formula, wastePercent, costCode, taskName }) => ({
        ...{ option, planId: plan === '' ? null : this.#book.plans.get(plan), partId: this.#book.parts.get(sku) },
        ...{ quantity: numberOrNull(quantity), formula: orNull(formula), wastePercent: Number(wastePercent) },
        ...{ costCodeId: this.#book.costCodes.get(costCode), taskName: orNull(taskName) },
      }),
    )
  }
}

/** The status changes that bring an option from draft to its status in the file. */
const MOVES: Readonly<Record<string, readonly OptionStatus[]>> = { active: ['active'], retired: ['active', 'retired'] }

function named({ requires, excludes }: RowOf<'options'>): string[] {
  return [...listIn(requires), ...listIn(excludes)]
}

function defaultCostCode(scope: string): string {
  const row = rowsOf('scopes').find(({ name }) => name === scope)
  if (row === undefined) throw new Error(`Unknown demo trade "${scope}".`)
  return row.defaultCostCode
}
