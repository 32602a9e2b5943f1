import type { Home, SaleContingencyStatus, SaleFinancing } from '../../../client/contract.gen.ts'
import { lockWithHome } from '../../domain/selling/sales/change.ts'
import { counted, recorded } from '../../domain/selling/sales/contingencies.ts'
import { advanced } from '../../domain/selling/sales/pipeline.ts'
import * as sales from '../../domain/selling/sales/queries.ts'
import { listIn, orNull, type RowOf, rowsOf } from './rows.ts'
import { JUST_BEFORE, LONG_AGO, type Named, type Timeline } from './timeline.ts'
import { demoHomes } from './world.ts'

interface Made {
  /** By email address, like the leads. */
  readonly people: Named<string>
  readonly leads: Named<string>
  readonly communities: Named<string>
  readonly plans: Named<string>
  readonly options: Named<string>
  readonly homes: Named<Home>
}

type Row = RowOf<'sales'>
type Stage = (typeof STAGES)[number]

/** The stages of a new builder's sales, in order. */
const STAGES = [
  ...(['contract_signed', 'deposit_received', 'financing_approved', 'contingencies_cleared'] as const),
  ...(['selections_final', 'permit_ready', 'walkthrough_done', 'closed'] as const),
]

/** Days from the approval until the bank agrees, and until the contingency is cleared. */
const DAYS_TO_FINANCE = 8
const DAYS_TO_CLEAR = 12

/** The commission in percent of the price. A canceled sale has none, as in the files. */
const COMMISSION_PERCENT = 3

/** The stages that need a home, for the sale of a lot whose home was built before homes were entered. */
const ON_PAPER: ReadonlySet<Stage> = new Set(['selections_final', 'permit_ready', 'walkthrough_done'])

/**
 * Tells the sales of the past year, most of them of homes, and the older ones of lots whose homes were never entered.
 */
export class Sales {
  readonly #timeline: Timeline
  readonly #made: Made
  readonly #deposits = rowsOf('sale-deposits')
  readonly #homes = demoHomes()

  constructor(timeline: Timeline, made: Made) {
    this.#timeline = timeline
    this.#made = made
  }

  plan(): void {
    for (const row of rowsOf('sales')) this.#on(this.#daysSince(row.saleDate), (ago) => this.#sell(ago, row))
  }

  #on(daysAgo: number, run: (daysAgo: number) => Promise<unknown>): void {
    this.#timeline.on(daysAgo, run)
  }

  #daysSince(date: string): number {
    return this.#timeline.daysSince(date)
  }

  async #sell(ago: number, row: Row): Promise<void> {
    const leadId = row.leadEmail === '' ? null : this.#made.leads.get(row.leadEmail)
    const deposits = this.#depositsOf(row)
    const body = {
      ...this.#placeOf(row),
      buyers: listIn(row.buyers).map((name, i) => ({ name, email: i === 0 ? orNull(row.leadEmail) : null })),
      salesRepId: this.#made.people.get(row.salesRep),
      saleDate: this.#timeline.moved(row.saleDate),
      basePrice: Number(row.basePrice),
      lotPremium: Number(row.lotPremium),
      incentives: Number(row.incentives),
      discounts: Number(row.discounts),
      financing: financingOf(row, isDecidedLater(row) ? 'applied' : row.financingStatus),
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

  #depositsOf({ number }: Row): RowOf<'sale-deposits'>[] {
    return this.#deposits.filter(({ sale }) => sale === number)
  }

  #placeOf({ home, community, lotNumber, plan, elevation, options }: Row) {
    if (home !== '') return { homeId: this.#made.homes.get(home).id }
    return {
      ...{
        communityId: this.#made.communities.get(community),
        lotNumber,
        planId: this.#made.plans.get(plan),
        elevation,
      },
      optionIds: listIn(options).map((code) => this.#made.options.get(code)),
    }
  }

  /** Plans the completed stages, with what they depend on, and the approval. */
  #advance(saleId: string, row: Row): void {
    const done = STAGES.slice(0, STAGES.indexOf(row.lastStageDone as Stage) + 1)
    const [signed, prepared, closed] = [done.slice(0, 2), done.slice(2, -1), done.slice(-1)]
    for (const stages of done.length > 2 ? [signed, prepared, closed] : [done]) {
      const last = Math.min(...stages.map((stage) => this.#dayOf(stage, row)))
      if (stages.length > 1 && last >= LONG_AGO) this.#on(last, (ago) => this.#passAll(ago, saleId, row, stages))
      else for (const stage of stages) this.#on(this.#dayOf(stage, row), (ago) => this.#pass(ago, saleId, row, stage))
    }
    if (row.approvedDate !== '')
      this.#on(this.#daysSince(row.approvedDate), (ago) => this.#timeline.do(ago, 'approveSale', { saleId }))
  }

  async #pass(ago: number, saleId: string, row: Row, stage: Stage): Promise<void> {
    if (stage === 'financing_approved' && isDecidedLater(row)) await this.#finance(ago, saleId, row)
    if (stage === 'contingencies_cleared') await this.#decide(ago, saleId, row)
    await this.#timeline.do(ago, 'advanceSalePipeline', { saleId, ...moveOf(stage, row) })
  }

  /** Completes several old stages, each on its day. */
  async #passAll(ago: number, saleId: string, row: Row, stages: readonly Stage[]): Promise<void> {
    const call = this.#timeline.at(ago)
    const { sale, home } = await lockWithHome(call, saleId)
    let after = sale
    for (const stage of stages) {
      const day = this.#dayOf(stage, row)
      if (stage === 'financing_approved') after = { ...after, financing: financingOf(row, row.financingStatus) }
      if (stage === 'contingencies_cleared') {
        const decision = { contingencyId: 'C1', status: row.contingencyStatus as SaleContingencyStatus }
        after = { ...after, ...counted(recorded(after.contingencies, decision, this.#timeline.date(Math.round(day)))) }
      }
      const completedAt = this.#timeline.at(day).now.toISOString()
      const move = { status: 'done' as const, ...moveOf(stage, row), completedAt }
      after = { ...after, ...advanced(after, move, { home, pendingSelections: 0 }, call.now) }
    }
    const { financing, contingencies, openContingencies, pipeline, stage } = after
    await sales.update(call, sale, { financing, contingencies, openContingencies, pipeline, stage })
  }

  /** Returns how many days ago the stage was completed. */
  #dayOf(stage: Stage, row: Row): number {
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
        // The home is closed afterward.
        return closing + JUST_BEFORE
    }
  }

  #end(saleId: string, row: Row): void {
    const { cancelledDate, cancelReason: reason } = row
    if (cancelledDate === '') return
    const { disposition } = this.#depositsOf(row).find((deposit) => deposit.disposition !== '') ?? {}
    const depositDisposition = disposition === 'returned' ? 'refunded' : disposition
    // A home that will not be built is canceled afterward.
    this.#on(this.#daysSince(cancelledDate) + JUST_BEFORE, async (ago) => {
      if (isDecidedLater(row)) await this.#finance(ago, saleId, row)
      await this.#decide(ago, saleId, row)
      const disposed = depositDisposition === undefined ? {} : { depositDisposition }
      await this.#timeline.do(ago, 'cancelSale', { saleId, reason, ...disposed })
    })
  }

  /** Records the bank's decision. */
  async #finance(ago: number, saleId: string, row: Row): Promise<void> {
    await this.#timeline.do(ago, 'updateSale', { saleId, financing: financingOf(row, row.financingStatus) })
  }

  /** Records the outcome of the contingency. */
  async #decide(ago: number, saleId: string, { contingencyStatus: status }: Row): Promise<void> {
    if (status === 'pending') return
    await this.#timeline.do(ago, 'recordSaleContingency', { saleId, contingencyId: 'C1', status })
  }
}

/** Returns how the stage is passed: completed, or waived if there was no home that it depends on. */
function moveOf(stage: Stage, { home }: Row): { stage: Stage; status?: 'waived'; reason?: string } {
  if (home !== '' || !ON_PAPER.has(stage)) return { stage }
  return { stage, status: 'waived', reason: 'The house was built before its home was entered.' }
}

/** Returns whether the bank decided only after the sale. */
function isDecidedLater({ approvedDate, financingStatus }: Row): boolean {
  return approvedDate !== '' && ['approved', 'declined'].includes(financingStatus)
}

function financingOf({ financingType }: Row, status: string): SaleFinancing {
  return { type: financingType as SaleFinancing['type'], lender: null, status: status as SaleFinancing['status'] }
}
