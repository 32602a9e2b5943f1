import type { Home, SaleContingencyStatus, SaleFinancing } from '../../../client/contract.gen.ts'
import { lockSaleWithHome } from '../../domain/selling/sales/change-sale.ts'
import { applyContingencyRecord, toContingencyFields } from '../../domain/selling/sales/contingencies.ts'
import { applyStageMove } from '../../domain/selling/sales/pipeline.ts'
import * as sales from '../../domain/selling/sales/queries.ts'
import { emptyToNull, type RowOf, readRows, splitList } from './data-files.ts'
import { listDemoHomes } from './demo-world.ts'
import { DETAILED_DAYS, MOMENT_BEFORE, type NamedIds, type Timeline } from './timeline.ts'

interface SaleInputs {
  /** The leads' IDs by email address. */
  readonly people: NamedIds<string>
  readonly leads: NamedIds<string>
  readonly communities: NamedIds<string>
  readonly plans: NamedIds<string>
  readonly options: NamedIds<string>
  readonly homes: NamedIds<Home>
}

type SaleRow = RowOf<'sales'>
type SaleStageName = (typeof STAGES)[number]

/** The stages of a new builder's sales, in order. */
const STAGES = [
  ...(['contract_signed', 'deposit_received', 'financing_approved', 'contingencies_cleared'] as const),
  ...(['selections_final', 'permit_ready', 'walkthrough_done', 'closed'] as const),
]

/** The number of days from the approval of a sale until the bank approves the loan. */
const DAYS_TO_FINANCE = 8
const DAYS_TO_CLEAR = 12

/** The commission as a percentage of the price. A canceled sale has none, as in the files. */
const COMMISSION_PERCENT = 3

/** The stages that need a home. They are waived in the sale of a lot whose home was built before homes were entered. */
const STAGES_NEEDING_HOME: ReadonlySet<SaleStageName> = new Set([
  'selections_final',
  'permit_ready',
  'walkthrough_done',
])

/**
 * Adds the sales of the past year. Most are sales of homes. Older ones are sales of lots whose homes were never
 * entered.
 */
export class Sales {
  readonly #timeline: Timeline
  readonly #made: SaleInputs
  readonly #deposits = readRows('sale-deposits')
  readonly #homes = listDemoHomes()

  constructor(timeline: Timeline, created: SaleInputs) {
    this.#timeline = timeline
    this.#made = created
  }

  plan(): void {
    for (const row of readRows('sales')) this.#on(this.#daysSince(row.saleDate), (ago) => this.#sell(ago, row))
  }

  #on(daysAgo: number, run: (daysAgo: number) => Promise<unknown>): void {
    this.#timeline.on(daysAgo, run)
  }

  #daysSince(date: string): number {
    return this.#timeline.daysSince(date)
  }

  async #sell(ago: number, row: SaleRow): Promise<void> {
    const leadId = row.leadEmail === '' ? null : this.#made.leads.get(row.leadEmail)
    const deposits = this.#depositsOf(row)
    const body = {
      ...this.#placeOf(row),
      buyers: splitList(row.buyers).map((name, i) => ({ name, email: i === 0 ? emptyToNull(row.leadEmail) : null })),
      salesRepId: this.#made.people.get(row.salesRep),
      saleDate: this.#timeline.moved(row.saleDate),
      basePrice: Number(row.basePrice),
      lotPremium: Number(row.lotPremium),
      incentives: Number(row.incentives),
      discounts: Number(row.discounts),
      financing: toFinancing(row, isFinancingDecidedLater(row) ? 'applied' : row.financingStatus),
      commissionPercent: COMMISSION_PERCENT,
      targetCloseDate: this.#timeline.moved(row.targetCloseDate),
      deposits: deposits.map(({ amount, dueDate }) => ({
        ...{ amount: Number(amount), dueDate: this.#timeline.moved(dueDate) },
      })),
      contingencies: [{ type: row.contingencyType }],
    }
    const { id: saleId } =
      leadId === null
        ? await this.#timeline.do(ago, 'createSale', body)
        : await this.#timeline.do(ago, 'convertLead', { leadId, ...body })
    deposits.forEach(({ receivedDate }, i) => {
      if (receivedDate === '') return
      const received = { saleId, depositId: `D${i + 1}`, status: 'received' }
      this.#on(this.#daysSince(receivedDate), (day) => this.#timeline.do(day, 'recordSaleDeposit', received))
    })
    this.#advance(saleId, row)
    this.#end(saleId, row)
  }

  #depositsOf({ number }: SaleRow): RowOf<'sale-deposits'>[] {
    return this.#deposits.filter(({ sale }) => sale === number)
  }

  #placeOf({ home, community, lotNumber, plan, elevation, options }: SaleRow) {
    if (home !== '') return { homeId: this.#made.homes.get(home).id }
    return {
      ...{
        communityId: this.#made.communities.get(community),
        lotNumber,
        planId: this.#made.plans.get(plan),
        elevation,
      },
      optionIds: splitList(options).map((code) => this.#made.options.get(code)),
    }
  }

  /** Schedules the completed stages, the data on which they depend, and the approval. */
  #advance(saleId: string, row: SaleRow): void {
    const done = STAGES.slice(0, STAGES.indexOf(row.lastStageDone as SaleStageName) + 1)
    const [signed, prepared, closed] = [done.slice(0, 2), done.slice(2, -1), done.slice(-1)]
    for (const stages of done.length > 2 ? [signed, prepared, closed] : [done]) {
      const last = Math.min(...stages.map((stage) => this.#dayOf(stage, row)))
      if (stages.length > 1 && last >= DETAILED_DAYS) this.#on(last, (ago) => this.#passAll(ago, saleId, row, stages))
      else for (const stage of stages) this.#on(this.#dayOf(stage, row), (ago) => this.#pass(ago, saleId, row, stage))
    }
    if (row.approvedDate !== '')
      this.#on(this.#daysSince(row.approvedDate), (ago) => this.#timeline.do(ago, 'approveSale', { saleId }))
  }

  async #pass(ago: number, saleId: string, row: SaleRow, stage: SaleStageName): Promise<void> {
    if (stage === 'financing_approved' && isFinancingDecidedLater(row)) await this.#finance(ago, saleId, row)
    if (stage === 'contingencies_cleared') await this.#decide(ago, saleId, row)
    await this.#timeline.do(ago, 'advanceSalePipeline', { saleId, ...toStageMove(stage, row) })
  }

  /** Completes several old stages at once, each with its own date. */
  async #passAll(ago: number, saleId: string, row: SaleRow, stages: readonly SaleStageName[]): Promise<void> {
    const call = this.#timeline.at(ago)
    const { sale, home } = await lockSaleWithHome(call, saleId)
    let after = sale
    for (const stage of stages) {
      const day = this.#dayOf(stage, row)
      if (stage === 'financing_approved') after = { ...after, financing: toFinancing(row, row.financingStatus) }
      if (stage === 'contingencies_cleared') {
        const decision = { contingencyId: 'C1', status: row.contingencyStatus as SaleContingencyStatus }
        after = {
          ...after,
          ...toContingencyFields(
            applyContingencyRecord(after.contingencies, decision, this.#timeline.date(Math.round(day))),
          ),
        }
      }
      const completedAt = this.#timeline.at(day).now.toISOString()
      const move = { status: 'done' as const, ...toStageMove(stage, row), completedAt }
      after = { ...after, ...applyStageMove(after, move, { home, pendingSelections: 0 }, call.now) }
    }
    const { financing, contingencies, openContingencies, pipeline, stage } = after
    await sales.update(call, sale, { financing, contingencies, openContingencies, pipeline, stage })
  }

  /** Returns the number of days ago at which the stage was completed. */
  #dayOf(stage: SaleStageName, row: SaleRow): number {
    const signed = row.approvedDate === '' ? this.#daysSince(row.saleDate) - 1 : this.#daysSince(row.approvedDate)
    const { days } = this.#homes.find(({ key }) => key === row.home) ?? {}
    const cleared = signed - DAYS_TO_CLEAR
    const closing = this.#daysSince(row.targetCloseDate)
    switch (stage) {
      case 'contract_signed':
        return signed
      case 'deposit_received':
        return Math.min(
          signed,
          ...this.#depositsOf(row)
            .slice(0, 1)
            .map(({ receivedDate }) => this.#daysSince(receivedDate)),
        )
      case 'financing_approved':
        return signed - DAYS_TO_FINANCE
      case 'contingencies_cleared':
        return cleared
      case 'selections_final':
      case 'permit_ready':
        return days?.ready ?? cleared
      case 'walkthrough_done':
        return days == null || days.completed === null ? closing + 3 : days.completed - 1
      case 'closed':
        // The sale ends shortly before the home is closed on the same day.
        return closing + MOMENT_BEFORE
    }
  }

  #end(saleId: string, row: SaleRow): void {
    const { cancelledDate, cancelReason: reason } = row
    if (cancelledDate === '') return
    const { disposition } = this.#depositsOf(row).find((deposit) => deposit.disposition !== '') ?? {}
    const depositDisposition = disposition === 'returned' ? 'refunded' : disposition
    // A home that will not be built is canceled later on the same day.
    this.#on(this.#daysSince(cancelledDate) + MOMENT_BEFORE, async (ago) => {
      if (isFinancingDecidedLater(row)) await this.#finance(ago, saleId, row)
      await this.#decide(ago, saleId, row)
      const disposed = depositDisposition === undefined ? {} : { depositDisposition }
      await this.#timeline.do(ago, 'cancelSale', { saleId, reason, ...disposed })
    })
  }

  /** Records the bank's decision. */
  async #finance(ago: number, saleId: string, row: SaleRow): Promise<void> {
    await this.#timeline.do(ago, 'updateSale', { saleId, financing: toFinancing(row, row.financingStatus) })
  }

  /** Records the outcome of the contingency. */
  async #decide(ago: number, saleId: string, { contingencyStatus: status }: SaleRow): Promise<void> {
    if (status === 'pending') return
    await this.#timeline.do(ago, 'recordSaleContingency', { saleId, contingencyId: 'C1', status })
  }
}

/** Returns how to pass a stage: it is completed or, if it needs a home that does not exist, waived. */
function toStageMove(
  stage: SaleStageName,
  { home }: SaleRow,
): { stage: SaleStageName; status?: 'waived'; reason?: string } {
  if (home !== '' || !STAGES_NEEDING_HOME.has(stage)) return { stage }
  return { stage, status: 'waived', reason: 'The house was built before its home was entered.' }
}

/** Returns whether the bank decided after the sale was approved. */
function isFinancingDecidedLater({ approvedDate, financingStatus }: SaleRow): boolean {
  return approvedDate !== '' && ['approved', 'declined'].includes(financingStatus)
}

function toFinancing({ financingType }: SaleRow, status: string): SaleFinancing {
  return { type: financingType as SaleFinancing['type'], lender: null, status: status as SaleFinancing['status'] }
}
