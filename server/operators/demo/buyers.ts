import type { Home, SelectionStatus } from '../../../client/contract.gen.ts'
import type { Contracts } from './contracts.ts'
import type { NamedIds, Timeline } from './timeline.ts'

interface BuyerInputs {
  readonly homes: NamedIds<Home>
  readonly vendors: NamedIds<string>
  readonly options: NamedIds<string>
  readonly contracts: Contracts
}

/** Records the selections of the buyers and their outcomes. */
export class Buyers {
  readonly #timeline: Timeline
  readonly #made: BuyerInputs

  constructor(timeline: Timeline, created: BuyerInputs) {
    this.#timeline = timeline
    this.#made = created
  }

  plan(): void {
    for (const choice of CHOICES) this.#timeline.on(choice.daysAgo, (ago) => this.#choose(ago, choice))
    for (const change of CHANGES) this.#timeline.on(change.daysAgo, (ago) => this.#sendChange(ago, change))
  }

  async #choose(ago: number, { home, what, moves = [], order, dueInDays, ...details }: BuyerChoice): Promise<void> {
    const { daysAgo: _, ...rest } = details
    const homeId = this.#made.homes.get(home).id
    const { id } = await this.#timeline.do(ago, 'addSelection', {
      ...{ ...rest, homeId },
      ...(typeof what === 'string' ? { optionId: this.#made.options.get(what) } : what),
      ...(dueInDays !== undefined && { deadline: this.#timeline.date(-dueInDays) }),
    })
    if (order !== undefined) this.#timeline.on(order.daysAgo, (day) => this.#order(day, homeId, id, order))
    for (const [status, daysAgo, reason] of moves)
      this.#timeline.on(daysAgo, (day) =>
        this.#timeline.do(day, 'changeSelectionStatus', {
          ...{ selectionId: id, status },
          ...(reason !== undefined && { reason }),
        }),
      )
  }

  /** Sends a change order to the buyers, who have not answered it yet. */
  async #sendChange(ago: number, { home, title, description, line }: BuyerChange): Promise<void> {
    const { saleId } = await this.#timeline.do(ago, 'getHome', { homeId: this.#made.homes.get(home).id })
    const change = { saleId, title, description, lines: [line] }
    const { id: buyerChangeId } = await this.#timeline.do(ago, 'createBuyerChange', change)
    await this.#timeline.do(ago, 'changeBuyerChangeStatus', { buyerChangeId, status: 'sent' })
  }

  /** Orders the budgeted parts of a selection at the vendor's prices. */
  async #order(ago: number, homeId: string, optionSelectionId: string, order: ChoiceOrder): Promise<void> {
    const { data } = await this.#timeline.do(ago, 'listBudgetLines', { homeId, optionSelectionId })
    const { id } = await this.#timeline.do(ago, 'createPurchaseOrder', {
      ...{ homeId, optionSelectionId },
      ...('contract' in order
        ? { contractId: this.#made.contracts.awarded.get(order.contract) }
        : { vendorId: this.#made.vendors.get(order.vendor), scope: data[0]?.scope }),
      lines: data.map(({ id, partId, quantity }) => ({ budgetLineId: id, partId, quantity })),
    })
    for (const status of order.moves) await this.#timeline.do(ago, 'changePurchaseOrderStatus', { poId: id, status })
  }
}

type ChoiceOrder = { daysAgo: number; moves: readonly string[] } & ({ vendor: string } | { contract: string })

interface BuyerChoice {
  home: string
  /** The code of an option, or the data of a custom selection. */
  what: string | { customDescription: string; unitPrice: number; cost: number; scope: string }
  daysAgo: number
  /** Each status, with the number of days ago when it was set and the reason. */
  moves?: readonly (readonly [SelectionStatus, number, string?])[]
  order?: ChoiceOrder
  dueInDays?: number
  allowanceAmount?: number
  color?: string
  location?: string
}

const CHOICES: readonly BuyerChoice[] = [
  {
    ...{ home: 'JR 1', what: 'FN-PATIO', daysAgo: 140, location: 'Behind the kitchen' },
    order: { vendor: 'Broom Finish Flatwork', daysAgo: 62, moves: ['approved', 'issued', 'accepted', 'completed'] },
    moves: [
      ['approved', 138],
      ['ordered', 62],
      ['installed', 54],
    ],
  },
  { home: 'JR 14', what: 'ST-COVPAT', daysAgo: 104, moves: [['approved', 102]] },
  {
    ...{ home: 'JR 14', what: 'EX-BLKWIN', daysAgo: 104, color: 'Black' },
    order: { vendor: 'Clearview Windows', daysAgo: 46, moves: ['approved', 'issued', 'accepted'] },
    moves: [
      ['approved', 102],
      ['ordered', 46],
    ],
  },
  { home: 'JR 14', what: 'KI-UP42', daysAgo: 104, color: 'Linen', moves: [['approved', 102]] },
  // The price of the range that belongs to this selection starts only next year.
  { home: 'JR 14', what: 'KI-GRM', daysAgo: 101, moves: [['approved', 100]] },
  { home: 'JR 14', what: 'EL-LIGHT', daysAgo: 101, allowanceAmount: 900, moves: [['approved', 100]] },
  { home: 'JR 14', what: 'FL-CREDIT', daysAgo: 104, moves: [['declined', 99, 'The buyers chose the oak after all.']] },
  { home: 'JR 14', what: 'FL-WOOD', daysAgo: 98, color: 'Natural oak', moves: [['approved', 97]] },
  { home: 'JR 14', what: 'EL-PVRDY', daysAgo: 30, moves: [['approved', 28]] },
  {
    ...{ home: 'JR 14', what: 'EL-PV', daysAgo: 29, location: 'South roof' },
    order: { contract: 'Solar arrays, Juniper Ridge', daysAgo: 20, moves: ['approved', 'issued', 'accepted'] },
    moves: [
      ['approved', 26],
      ['ordered', 20],
    ],
  },
  { home: 'JR 22', what: 'FN-PATIO', daysAgo: 20, moves: [['approved', 18]] },
  // Its deadline has passed without a decision.
  { home: 'JR 22', what: 'ST-3CAR', daysAgo: 15, dueInDays: -2 },
  { home: 'JR 22', what: 'KI-QTZ', daysAgo: 9, color: 'Calacatta', location: 'Kitchen', dueInDays: 12 },
  { home: 'JR 22', what: 'BA-FRTUB', daysAgo: 9, dueInDays: 12 },
  {
    ...{ home: 'JR 22', daysAgo: 8, location: 'Laundry', dueInDays: 5 },
    what: { customDescription: 'Dog wash in the laundry room', unitPrice: 1850, cost: 1210, scope: 'plumbing' },
  },
  { home: 'BB 5', what: 'ST-FPL', daysAgo: 86, moves: [['approved', 84]] },
  {
    ...{ home: 'BB 8', what: 'ST-3CAR', daysAgo: 60 },
    moves: [
      ['approved', 58],
      ['cancelled', 36, 'The buyer could not get financing.'],
    ],
  },
  { home: 'MCC 1', what: 'EX-STAMP', daysAgo: 16, moves: [['approved', 15]] },
]

interface BuyerChange {
  home: string
  daysAgo: number
  title: string
  description: string
  line: { description: string; scope: string; price: number; cost: number }
}

const CHANGES: readonly BuyerChange[] = [
  {
    ...{ home: 'JR 22', daysAgo: 3, title: 'Gas connection at the patio' },
    description: 'The buyer would like to connect a grill. The line ends at the column of the patio.',
    line: { description: 'Gas line with a shutoff valve', scope: 'plumbing', price: 640, cost: 410 },
  },
]
