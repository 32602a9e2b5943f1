import type { Option, OptionStatus } from '../../../client/contract.gen.ts'
import * as options from '../../domain/costs/options/queries.ts'
import * as optionTakeoffs from '../../domain/costs/takeoffs/option-queries.ts'
import { toStoredOptionLines } from '../../domain/costs/takeoffs/option-takeoff.ts'
import { recordStatusChange } from '../../platform/events/status-history.ts'
import { emptyToNull, type RowOf, readRows, splitList, toNumberOrNull } from './data-files.ts'
import { NamedIds, type Timeline } from './timeline.ts'

interface OptionInputs {
  readonly costCodes: NamedIds<string>
  readonly parts: NamedIds<string>
  readonly plans: NamedIds<string>
}

/**
 * Adds the options and their takeoffs without their operations, as in the price book. A test checks the cost of each
 * option.
 */
export class Options {
  /** By code. */
  readonly made = new NamedIds<string>()
  readonly #timeline: Timeline
  readonly #book: OptionInputs

  constructor(timeline: Timeline, book: OptionInputs) {
    this.#timeline = timeline
    this.#book = book
  }

  async add(ago: number): Promise<void> {
    const rows = readRows('options')
    let rest = rows
    while (rest.length > 0) {
      const next = rest.filter((row) => listLinkedOptions(row).every((code) => this.made.has(code)))
      if (next.length === 0)
        throw new Error(`Options that require each other: ${rest.map(({ code }) => code).join(', ')}`)
      const call = this.#timeline.at(ago)
      const created = next.map((row) => options.make(call, this.#option(row)))
      await options.insertAll(call, created)
      for (const { code, id, status } of created) {
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
      await optionTakeoffs.replaceOptionLines(call, optionId, toStoredOptionLines(lines, { code }))
      for (const to of STATUS_STEPS[status] ?? [])
        await this.#timeline.do(ago, 'changeOptionStatus', { optionId, status: to })
    }
  }

  #option(row: RowOf<'options'>) {
    const { code, name, category, scope, unit, cutoffTaskName } = row
    return {
      ...{ code, name, category, unit, cutoffTaskName, scope: emptyToNull(scope), status: 'draft' as const },
      optionType: row.optionType as Option['optionType'],
      planIds: splitList(row.plans).map((plan) => this.#book.plans.get(plan)),
      communityIds: [],
      price: Number(row.price),
      costBasis: row.costBasis as Option['costBasis'],
      cost: toNumberOrNull(row.cost),
      costCodeId: scope === '' ? null : this.#book.costCodes.get(findDefaultCostCode(scope)),
      requiresOptionIds: splitList(row.requires).map((required) => this.made.get(required)),
      excludesOptionIds: splitList(row.excludes).map((excluded) => this.made.get(excluded)),
    }
  }

  /**
   * Returns the takeoff lines of the options. Structural options differ by plan, so their lines are in the file with
   * the plans. The lines have no lineId, so that they do not replace lines of the plan. A part that an option saves has
   * a negative quantity.
   */
  #lines() {
    const structural = readRows('takeoff').filter(({ option }) => option !== '')
    const others = readRows('option-takeoff').map((row) => ({ ...row, plan: '' }))
    return [...structural, ...others].map(
      ({ option, plan, sku, quantity, formula, wastePercent, costCode, taskName }) => ({
        ...{ option, planId: plan === '' ? null : this.#book.plans.get(plan), partId: this.#book.parts.get(sku) },
        ...{ quantity: toNumberOrNull(quantity), formula: emptyToNull(formula), wastePercent: Number(wastePercent) },
        ...{ costCodeId: this.#book.costCodes.get(costCode), taskName: emptyToNull(taskName) },
      }),
    )
  }
}

/** The status changes by which an option gets from draft to its status in the file. */
const STATUS_STEPS: Readonly<Record<string, readonly OptionStatus[]>> = {
  active: ['active'],
  retired: ['active', 'retired'],
}

function listLinkedOptions({ requires, excludes }: RowOf<'options'>): string[] {
  return [...splitList(requires), ...splitList(excludes)]
}

function findDefaultCostCode(scope: string): string {
  const row = readRows('scopes').find(({ name }) => name === scope)
  if (row === undefined) throw new Error(`Unknown demo trade "${scope}".`)
  return row.defaultCostCode
}
