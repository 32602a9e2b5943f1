import {
  type Bid,
  type BudgetEstimate,
  type Community,
  type Contract,
  type Home,
  orThrow,
  type PurchaseOrder,
} from '../client/index.ts'
import { type Catalog, createCatalog } from './demo-catalog.ts'
import {
  formatMoney,
  getDateInDays,
  printCostCodes,
  printLine,
  printTable,
  type Stage,
  startChapter,
} from './demo-stage.ts'

/**
 * Performs the second act of the demo: from a plan to the orders of a home, with a budget that explains every cent. The
 * budget is computed from the takeoffs of the plan and of the buyer's options, and from vendors' prices. Parts without
 * a price are reported instead of being treated as free. Later, a bid becomes a contract with prices for these parts.
 */
export async function demonstrateBudgeting(stage: Stage, framerId: string): Promise<Home> {
  startChapter('The builder draws a plan and an option, and says what they take')
  const catalog = await createCatalog(stage)

  startChapter('A framer has prices for two of the three parts, one of them lower in a new community')
  const community = await openCommunity(stage)
  await addPrices(stage, { framerId, community, ...catalog })

  startChapter('A home is planned, and its buyer wants a patio')
  const home = await planHome(stage, community, catalog)
  await approvePatio(stage, home, catalog)

  startChapter('Its budget is computed')
  showEstimate(await estimateBudget(stage, home))

  startChapter('Money is set aside for the roof, and the budget is locked')
  const roof = { scope: 'roofing', costCodeId: catalog.codes.roof.id, description: 'Roof, before there is a price' }
  const at = { params: { path: { homeId: home.id } } }
  await orThrow(
    stage.plumbline.POST('/api/ext/homes/{homeId}/budget/lines', { ...at, body: { ...roof, amount: 10_500 } }),
  )
  await orThrow(stage.plumbline.POST('/api/ext/homes/{homeId}/budget/lock', at))
  await showLines(stage, home)

  startChapter('Roofers bid for the whole community, and the lowest bid becomes a contract')
  const contract = await activateRoofContract(stage, community, catalog)

  startChapter('The roof is ordered from the contract, at its price')
  const order = await orderRoof(stage, home, contract, catalog)

  startChapter('The budget explains every cent, by trade and by cost code')
  await explainBudget(stage, home, order)
  return home
}

async function openCommunity({ plumbline, traces }: Stage): Promise<Community> {
  const body = { name: 'Pecan Hollow', status: 'active', timeZone: 'America/Chicago', lotCount: 12 } as const
  const community = await orThrow(plumbline.POST('/api/ext/communities', { body }))
  const path = { communityId: community.id }
  traces.push(() => orThrow(plumbline.DELETE('/api/ext/communities/{communityId}', { params: { path } })))
  return community
}

/** Sends all prices at once, as from a price book. Prices of archived parts are no longer valid. */
async function addPrices(
  { plumbline }: Stage,
  { framerId, community, parts }: Catalog & { framerId: string; community: Community },
): Promise<void> {
  // A date far in the past, so that the price is valid in every time zone.
  const provided = { vendorId: framerId, effectiveDate: '2020-01-01' }
  const rows = [
    { ...provided, partId: parts.stud.id, unitPrice: 3.42 },
    { ...provided, partId: parts.labor.id, unitPrice: 5.125 },
    { ...provided, partId: parts.labor.id, unitPrice: 4.95, communityId: community.id },
  ]
  const { created } = await orThrow(plumbline.POST('/api/ext/prices/batch', { body: { rows } }))
  printLine(`${created} prices are in force: 3.42 a stud, and 5.125 or here 4.95 for a square foot of labor.`)
}

async function planHome({ plumbline, traces }: Stage, community: Community, { plan }: Catalog): Promise<Home> {
  const body = { name: 'Lot 4', communityId: community.id, lotNumber: '4', planId: plan.id, elevation: 'B' }
  const home = await orThrow(plumbline.POST('/api/ext/homes', { body }))
  const path = { homeId: home.id }
  traces.push(() => orThrow(plumbline.DELETE('/api/ext/homes/{homeId}', { params: { path } })))
  return home
}

async function approvePatio({ plumbline }: Stage, { id: homeId }: Home, { patio }: Catalog): Promise<void> {
  const body = { optionId: patio.id, location: 'Behind the kitchen' }
  const { id } = await orThrow(
    plumbline.POST('/api/ext/homes/{homeId}/selections', { params: { path: { homeId } }, body }),
  )
  const path = { selectionId: id }
  const { price, cost } = await orThrow(
    plumbline.POST('/api/ext/selections/{selectionId}/status', { params: { path }, body: { status: 'approved' } }),
  )
  printLine(`${patio.name}: the buyer pays ${formatMoney(price)}, and it costs ${formatMoney(cost)}.`)
}

function estimateBudget({ plumbline }: Stage, { id: homeId }: Home): Promise<BudgetEstimate> {
  return orThrow(plumbline.POST('/api/ext/homes/{homeId}/budget/estimate', { params: { path: { homeId } }, body: {} }))
}

function showEstimate({ total, priced, unpriced, on }: BudgetEstimate): void {
  printLine(`${priced} lines come to ${formatMoney(total)} at the prices of ${on}.`)
  printTable(unpriced.map(({ name, quantity, unit, issue }) => [name, `${quantity} ${unit}`, `not priced: ${issue}`]))
}

async function listBudgetLines({ plumbline }: Stage, { id: homeId }: Home) {
  const path = { homeId }
  const { data } = await orThrow(plumbline.GET('/api/ext/homes/{homeId}/budget/lines', { params: { path } }))
  return data
}

async function showLines(stage: Stage, home: Home): Promise<void> {
  const lines = await listBudgetLines(stage, home)
  printTable(
    lines.map(({ description, source, quantity, unit, unitCost, budgeted }) => [
      ...[description ?? '', source === 'manual' ? 'by hand' : source === 'base' ? 'the plan' : 'the option'],
      ...[quantity === null ? '' : `${quantity} ${unit} × ${unitCost}`, formatMoney(budgeted)],
    ]),
  )
}

async function activateRoofContract(stage: Stage, community: Community, { parts, codes }: Catalog): Promise<Contract> {
  const { plumbline, traces } = stage
  const roofers = [await addRoofer(stage, 'Guadalupe Roofing'), await addRoofer(stage, 'Blue Mesa Roofing')]
  const request = await orThrow(
    plumbline.POST('/api/ext/bids/request', {
      body: {
        vendorIds: roofers,
        scope: 'roofing',
        deadline: getDateInDays(14),
        communityId: community.id,
        title: 'Roofs of Pecan Hollow',
        bidType: 'unit_price',
        lines: [
          {
            ...{ lineId: 'shingles', description: 'Shingles, laid, for twelve homes', quantity: 430, unit: 'SQ' },
            ...{ partId: parts.shingles.id, costCodeId: codes.roof.id },
          },
        ],
      },
    }),
  )
  const bids: Bid[] = []
  for (const [i, vendorId] of roofers.entries()) {
    const lines = [{ lineId: 'shingles', unitPrice: i === 0 ? 291.5 : 285 }]
    const body = { bidRequestId: request.id, vendorId, source: 'email' as const, lines }
    const bid = await orThrow(plumbline.POST('/api/ext/bids', { body }))
    bids.push(bid)
    printLine(`${request.number}: ${formatMoney(bid.amount)} for 430 SQ`)
  }
  const [lowest] = bids.toSorted((one, other) => (one.amount ?? 0) - (other.amount ?? 0))
  if (lowest === undefined) throw new Error('There is no bid to award.')
  const bidId = lowest.id
  await orThrow(plumbline.POST('/api/ext/bids/{bidId}/accept', { params: { path: { bidId } }, body: {} }))
  // The price is valid since yesterday, so that it is valid today in every time zone.
  const body = { bidId, effectiveDate: getDateInDays(-1), expirationDate: getDateInDays(365) }
  const { id } = await orThrow(plumbline.POST('/api/ext/contracts', { body }))
  const at = { params: { path: { contractId: id } } }
  traces.push(() => orThrow(plumbline.DELETE('/api/ext/contracts/{contractId}', at)))
  const move = (status: 'active' | 'terminated') =>
    orThrow(plumbline.POST('/api/ext/contracts/{contractId}/status', { ...at, body: { status } }))
  const contract = await move('active')
  traces.push(() => move('terminated'))
  printLine(`${contract.number} is ${contract.status}: ${contract.lines[0]?.unitPrice} per ${contract.lines[0]?.unit}.`)
  return contract
}

async function addRoofer({ plumbline, traces }: Stage, companyName: string): Promise<string> {
  const { id } = await orThrow(plumbline.POST('/api/ext/vendors', { body: { companyName, scopes: ['roofing'] } }))
  traces.push(() => orThrow(plumbline.DELETE('/api/ext/vendors/{vendorId}', { params: { path: { vendorId: id } } })))
  return id
}

async function orderRoof(
  stage: Stage,
  home: Home,
  { id: contractId, number }: Contract,
  { parts }: Catalog,
): Promise<PurchaseOrder> {
  const { plumbline, traces } = stage
  const lines = [{ partId: parts.shingles.id, quantity: 36.3 }]
  const { id } = await orThrow(
    plumbline.POST('/api/ext/purchase-orders', { body: { homeId: home.id, contractId, lines } }),
  )
  const path = { poId: id }
  const move = (status: 'approved' | 'issued' | 'void', reason: string | null = null) =>
    orThrow(
      plumbline.POST('/api/ext/purchase-orders/{poId}/status', {
        params: { path },
        body: { status, reason },
      }),
    )
  traces.push(() => move('void', 'The demo is over.'))
  await move('approved')
  const order = await move('issued')
  printLine(
    `${order.number} of ${number}: 36.3 SQ × ${order.lines[0]?.unitPrice} = ${formatMoney(order.total)}, ${order.status}.`,
  )
  return order
}

/** Prints the budget, and checks to the cent that its figures match those of its lines and of the order. */
async function explainBudget(stage: Stage, home: Home, order: PurchaseOrder): Promise<void> {
  const path = { homeId: home.id }
  const budget = await orThrow(stage.plumbline.GET('/api/ext/homes/{homeId}/budget', { params: { path } }))
  printCostCodes(budget)
  const lines = await listBudgetLines(stage, home)
  for (const { costCodes } of budget.scopes)
    for (const { costCodeId, code, budgeted, committed } of costCodes) {
      const posted = <Line extends { costCodeId: string | null }>(line: Line) => line.costCodeId === costCodeId
      const isBudgeted = toCents(budgeted) === sumAmounts(lines.filter(posted).map((line) => line.budgeted))
      const isCommitted =
        toCents(committed) === sumAmounts(order.lines.filter(posted).map((line) => line.total + line.taxAmount))
      if (!isBudgeted || !isCommitted) throw new Error(`The budget of ${code} does not add up.`)
    }
  printLine(`${lines.length} budget lines and ${order.number} are all of it.`)
}

function toCents(amount: number): number {
  return Math.round(amount * 100)
}

function sumAmounts(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + toCents(amount), 0)
}
