import {
  type Home,
  type HomeStatus,
  type Lead,
  orThrow,
  PlumblineError,
  type PurchaseOrder,
  type Sale,
} from '../client/index.ts'
import { formatMoney, getDateInDays, printLine, printTable, type Stage, startChapter } from './demo-stage.ts'

/**
 * Performs the last act of the demo: a lead becomes a buyer. The home is started, built, and paid for, and is closed
 * once its sale is complete. The payments equal the order to the cent.
 */
export async function demonstrateSale(stage: Stage, { communityId, framerId }: DemoPlace): Promise<void> {
  startChapter('Two families want the same home, and one sees it')
  const home = await planHome(stage, communityId)
  const first = await addLead(stage, home, 'Marsh')
  const leads = [first, await addLead(stage, home, 'Quillfeather')]
  await recordVisit(stage, first)

  startChapter('Both become buyers at once, and one gets the home')
  const sale = await convertOnce(stage, leads, home)

  startChapter('The deposit is paid, the contract is signed, and the sale is approved')
  await approveSale(stage, sale)

  startChapter('The financing is approved, and construction starts')
  await startHome(stage, home, sale)

  startChapter('The framer is paid to the cent for the framing')
  await payOrder(stage, await orderFraming(stage, home, framerId))

  startChapter('The home is completed, and is closed after its sale')
  await closeSale(stage, home, sale)
}

export interface DemoPlace {
  communityId: string
  framerId: string
}

async function planHome(stage: Stage, communityId: string): Promise<Home> {
  const { plumbline, traces } = stage
  const home = await orThrow(
    plumbline.POST('/api/ext/homes', { body: { name: 'Lot 7', communityId, lotNumber: '7', basePrice: 412_000 } }),
  )
  const at = { params: { path: { homeId: home.id } } }
  traces.push(async () => {
    const { status } = await orThrow(plumbline.GET('/api/ext/homes/{homeId}', at))
    // A closed home is kept. A home that the demo has not finished is canceled.
    for (const next of status === 'closed' ? (['warranty', 'archived'] as const) : (['cancelled'] as const))
      await moveHome(stage, home, next)
  })
  const body = { scope: 'framing', amount: 24_000 }
  await orThrow(plumbline.POST('/api/ext/homes/{homeId}/budget/lines', { ...at, body }))
  return home
}

function moveHome({ plumbline }: Stage, { id: homeId }: Home, status: HomeStatus): Promise<Home> {
  return orThrow(plumbline.POST('/api/ext/homes/{homeId}/status', { params: { path: { homeId } }, body: { status } }))
}

async function addLead({ plumbline, traces }: Stage, { communityId }: Home, lastName: string): Promise<Lead> {
  const body = {
    ...{ lastName, email: `${lastName.toLowerCase()}@example.com`, source: 'website' as const },
    ...{ communityIds: [communityId], budgetMin: 380_000, budgetMax: 440_000 },
  }
  const lead = await orThrow(plumbline.POST('/api/ext/leads', { body }))
  const path = { leadId: lead.id }
  traces.push(async () => {
    const { status } = await orThrow(plumbline.GET('/api/ext/leads/{leadId}', { params: { path } }))
    // A converted lead is kept.
    if (status !== 'converted') await orThrow(plumbline.DELETE('/api/ext/leads/{leadId}', { params: { path } }))
  })
  return lead
}

async function recordVisit({ plumbline }: Stage, { id: leadId, lastName, score }: Lead): Promise<void> {
  const at = { params: { path: { leadId } } }
  const body = { activityType: 'visit' as const, notes: 'Liked the kitchen of the model.' }
  await orThrow(plumbline.POST('/api/ext/leads/{leadId}/activities', { ...at, body }))
  await orThrow(plumbline.POST('/api/ext/leads/{leadId}/status', { ...at, body: { status: 'proposal' } }))
  const after = await orThrow(plumbline.GET('/api/ext/leads/{leadId}', at))
  printLine(`The score of ${lastName} rises from ${score} to ${after.score}:`)
  printTable(after.scoreReasons.map(({ reason, points }) => [reason, String(points)]))
}

async function convertOnce({ plumbline, traces }: Stage, leads: readonly Lead[], home: Home): Promise<Sale> {
  const attempts = await Promise.all(
    leads.map(({ id: leadId }) =>
      plumbline.POST('/api/ext/leads/{leadId}/convert', {
        params: { path: { leadId } },
        body: {
          ...{ homeId: home.id, lotPremium: 6_500, incentives: 4_000, targetCloseDate: getDateInDays(150) },
          financing: { type: 'conventional', lender: 'First Hill Bank', status: 'applied' },
          deposits: [{ amount: 10_000, dueDate: getDateInDays(7) }],
          contingencies: [{ type: 'financing', dueDate: getDateInDays(30) }],
        },
      }),
    ),
  )
  const [sale, ...others] = attempts.flatMap(({ data }) => data ?? [])
  if (sale === undefined || others.length > 0) throw new Error(`${others.length + 1} sales were made of one home.`)
  traces.push(() => cancelUnlessComplete({ plumbline, traces }, sale))
  for (const { error } of attempts) if (error !== undefined) printLine(`Refused with ${error.status}: ${error.detail}`)
  const path = { saleId: sale.id }
  const { lines, totalPrice } = await orThrow(plumbline.GET('/api/ext/sales/{saleId}/price', { params: { path } }))
  printTable([
    ...lines.map(({ description, amount }) => [description, formatMoney(amount)]),
    ['In all', formatMoney(totalPrice)],
  ])
  return sale
}

async function cancelUnlessComplete({ plumbline }: Stage, { id: saleId }: Sale): Promise<void> {
  const at = { params: { path: { saleId } } }
  const { status, depositsReceived } = await orThrow(plumbline.GET('/api/ext/sales/{saleId}', at))
  if (status === 'pipeline_complete') return
  const settled = depositsReceived > 0 ? { depositDisposition: 'refunded' as const } : {}
  const body = { reason: 'The demo was cut short.', ...settled }
  await orThrow(plumbline.POST('/api/ext/sales/{saleId}/cancel', { ...at, body }))
}

function advanceTo({ plumbline }: Stage, { id: saleId }: Sale, stage: string): Promise<Sale> {
  const at = { params: { path: { saleId } } }
  return orThrow(plumbline.POST('/api/ext/sales/{saleId}/pipeline', { ...at, body: { stage } }))
}

async function approveSale(stage: Stage, sale: Sale): Promise<void> {
  const at = { params: { path: { saleId: sale.id } } }
  const deposit = { depositId: 'D1', status: 'received' as const }
  await orThrow(stage.plumbline.POST('/api/ext/sales/{saleId}/deposits', { ...at, body: deposit }))
  for (const each of ['contract_signed', 'deposit_received']) await advanceTo(stage, sale, each)
  const { number, status, depositsReceived } = await orThrow(
    stage.plumbline.POST('/api/ext/sales/{saleId}/approve', { ...at, body: {} }),
  )
  printLine(`${number} is ${status}, with ${formatMoney(depositsReceived)} received.`)
}

async function startHome(stage: Stage, home: Home, sale: Sale): Promise<void> {
  const { plumbline } = stage
  const at = { params: { path: { saleId: sale.id } } }
  const financing = { type: 'conventional', lender: 'First Hill Bank', status: 'approved' } as const
  await orThrow(plumbline.PATCH('/api/ext/sales/{saleId}', { ...at, body: { financing } }))
  const cleared = { contingencyId: 'C1', status: 'cleared' as const }
  await orThrow(plumbline.POST('/api/ext/sales/{saleId}/contingencies', { ...at, body: cleared }))
  await orThrow(plumbline.POST('/api/ext/homes/{homeId}/budget/lock', { params: { path: { homeId: home.id } } }))
  for (const status of ['permitting', 'ready_to_start', 'under_construction'] as const)
    await moveHome(stage, home, status)
  let reached = sale
  for (const each of ['financing_approved', 'contingencies_cleared', 'selections_final', 'permit_ready'])
    reached = await advanceTo(stage, sale, each)
  printLine(`${home.name} is under construction, and the next stage of ${sale.number} is ${reached.stage}.`)
}

async function orderFraming(stage: Stage, home: Home, vendorId: string): Promise<PurchaseOrder> {
  const { plumbline, traces } = stage
  const lines = [{ description: 'Framing, labor and material', quantity: 2333, unit: 'SF', unitPrice: 9.87 }]
  const body = { homeId: home.id, vendorId, scope: 'framing', retainagePercent: 10, lines }
  const { id } = await orThrow(plumbline.POST('/api/ext/purchase-orders', { body }))
  const at = { params: { path: { poId: id } } }
  traces.push(async () => {
    const { status } = await orThrow(plumbline.GET('/api/ext/purchase-orders/{poId}', at))
    if (status === 'closed') return
    const { data } = await orThrow(plumbline.GET('/api/ext/payments', { params: { query: { poId: id } } }))
    const reason = 'The demo was cut short.'
    for (const { id: paymentId } of data)
      await orThrow(
        plumbline.POST('/api/ext/payments/{paymentId}/void', { params: { path: { paymentId } }, body: { reason } }),
      )
    await moveOrder(stage, id, 'void')
  })
  for (const status of ['approved', 'issued', 'accepted'] as const) await moveOrder(stage, id, status)
  return recordProgress(stage, id, 40)
}

function moveOrder({ plumbline }: Stage, poId: string, status: 'approved' | 'issued' | 'accepted' | 'void') {
  const body = { status, ...(status === 'void' && { reason: 'The demo was cut short.' }) }
  return orThrow(
    plumbline.POST('/api/ext/purchase-orders/{poId}/status', {
      params: { path: { poId } },
      body,
    }),
  )
}

function recordProgress({ plumbline }: Stage, poId: string, completedPercent: number): Promise<PurchaseOrder> {
  const at = { params: { path: { poId } } }
  return orThrow(plumbline.POST('/api/ext/purchase-orders/{poId}/progress', { ...at, body: { completedPercent } }))
}

/** Pays for work with a payment run, first for the completed part, then for the rest, and finally the retainage. */
async function payOrder(stage: Stage, order: PurchaseOrder): Promise<void> {
  const { plumbline } = stage
  printLine(`${order.number} over ${formatMoney(order.total)}: ${formatMoney(order.completedAmount)} are done.`)
  const run = await orThrow(
    plumbline.POST('/api/ext/payment-runs', {
      // Uses a date in the future, so that the payment is due.
      body: { vendorIds: [order.vendorId], throughDate: getDateInDays(60), method: 'ach' },
    }),
  )
  const paymentIds = [...run.paymentIds]
  for (const paymentId of run.paymentIds) await markPaid(stage, paymentId)
  await recordProgress(stage, order.id, 100)
  for (const paymentType of ['final', 'retainage_release'] as const) {
    const { id } = await orThrow(plumbline.POST('/api/ext/payments', { body: { poId: order.id, paymentType } }))
    paymentIds.push(id)
    await markPaid(stage, id)
  }
  const query = { ids: paymentIds, sort: 'createdAt' as const }
  const { data: paid } = await orThrow(plumbline.GET('/api/ext/payments', { params: { query } }))
  printTable([
    ['', 'done', 'held back', 'paid'],
    ...paid.map(({ number, paymentType, grossAmount, retainageWithheld, amount }) => [
      ...[
        `${number}, ${paymentType.replaceAll('_', ' ')}`,
        formatMoney(grossAmount),
        formatMoney(retainageWithheld),
        formatMoney(amount),
      ],
    ]),
  ])
  const at = { params: { path: { poId: order.id } } }
  const { status, paidAmount } = await orThrow(plumbline.GET('/api/ext/purchase-orders/{poId}', at))
  const sum = paid.reduce((total, { amount }) => total + Math.round(amount * 100), 0)
  if (sum !== Math.round(order.total * 100)) throw new Error(`${order.number} was not paid to the cent.`)
  printLine(`${order.number} is ${status}: ${formatMoney(paidAmount)} were paid of ${formatMoney(order.total)}.`)
}

async function markPaid({ plumbline }: Stage, paymentId: string): Promise<void> {
  const at = { params: { path: { paymentId } } }
  for (const status of ['approved', 'paid'] as const)
    await orThrow(plumbline.POST('/api/ext/payments/{paymentId}/status', { ...at, body: { status } }))
}

async function closeSale(stage: Stage, home: Home, sale: Sale): Promise<void> {
  await moveHome(stage, home, 'completed')
  await advanceTo(stage, sale, 'walkthrough_done')
  const tooEarly = await moveHome(stage, home, 'closed').catch((error: unknown) => {
    if (error instanceof PlumblineError && error.code === 'conflict') return error.message
    throw error
  })
  if (typeof tooEarly !== 'string') throw new Error('A home was closed whose sale is not complete.')
  printLine(tooEarly)
  const { number, status } = await advanceTo(stage, sale, 'closed')
  const { salesStatus, ...closed } = await moveHome(stage, home, 'closed')
  printLine(`${number} is ${status.replaceAll('_', ' ')}, and ${home.name} is ${closed.status} and ${salesStatus}.`)
}
