import { randomBytes, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { styleText } from 'node:util'
import { Command } from 'commander'
import { type Bid, createClient, orThrow, PlumblineError, type Vendor } from '../client/index.ts'
import { verifyWebhook } from '../client/webhooks.ts'
import { demonstrateBudgeting } from './demo-budget.ts'
import { type Receiver, startDemoReceiver } from './demo-receiver.ts'
import { demonstrateSale } from './demo-sale.ts'
import { demonstrateScheduling } from './demo-schedule.ts'
import { formatMoney, getDateInDays, printBudget, printLine, printTable, startChapter } from './demo-stage.ts'

/**
 * Runs a demo in four acts over real HTTP against a running service, with the client that integrators use. The acts are
 * the bidding pipeline from the first phone call to the order; a home from its plan to its orders; the home's schedule
 * from a template to a date that a vendor proposed; and another home from a lead to the closing:
 *
 *     npm start                        in one terminal
 *     npm run demo                     in another
 *     npm run demo -- --base-url https://plumbline.example.com --key plb_…
 *
 * The demo creates its own data (two communities with three homes, five vendors, a plan and an option with their parts,
 * cost codes and prices, a contract, a task template, and two leads). It archives this data at the end, even if a step
 * fails. Only sold and paid records remain.
 */
const options = new Command('demo')
  .description(
    'Plays the bidding pipeline, the planning of a home, its schedule and a sale against a running service, step by step.',
  )
  .option('--base-url <url>', 'where the service is', `http://127.0.0.1:${process.env.PORT || 3000}`)
  .option('--key <key>', "a key with all permissions (default: the demo builder's)")
  .parse()
  .opts<{ baseUrl: string; key?: string }>()
const { baseUrl } = options
const secret = `whsec_${randomBytes(24).toString('base64')}`
const plumbline = createClient({ baseUrl, key: options.key ?? readDemoKey(), fetch: fetchAndPrint })

/** The steps that undo the demo's changes at the end, in reverse order. */
const traces: (() => Promise<unknown>)[] = []

try {
  await playDemo()
} catch (error) {
  process.exitCode = 1
  printLine(styleText('red', describeReason(error)))
} finally {
  await undoTraces()
}

async function playDemo(): Promise<void> {
  startChapter('A subscriber listens')
  const caller = await orThrow(plumbline.GET('/api/ext/me'))
  printLine(`The key "${caller.name}" works for ${caller.organization.name}.`)
  const receiver = await startDemoReceiver(secret, (event) =>
    printLine(styleText('cyan', `⇠ ${event.type}`), styleText('dim', '(signature verified)')),
  )
  traces.push(() => receiver.close())
  const webhook = await orThrow(
    plumbline.POST('/api/ext/webhooks', { body: { url: receiver.url, eventTypes: ['*'], secret } }),
  ).catch((error: unknown) => {
    if (!(error instanceof PlumblineError) || error.code !== 'validation_failed') throw error
    // By default, only a service with the embedded database delivers webhooks to its own machine.
    throw new Error(
      `${describeReason(error)} The subscriber listens on this machine: start the service with WEBHOOK_ALLOW_PRIVATE=true.`,
    )
  })
  traces.push(() =>
    orThrow(plumbline.DELETE('/api/ext/webhooks/{webhookId}', { params: { path: { webhookId: webhook.id } } })),
  )
  const before = await findLastEventId()

  startChapter('The builder plans a home and freezes its budget')
  const home = await planHome()
  let budget = await orThrow(plumbline.GET('/api/ext/homes/{homeId}/budget', { params: { path: { homeId: home.id } } }))
  printBudget(budget)

  startChapter('The voice agent calls vendors and writes down who they are')
  const vendors = await callVendors()
  const [loneStar, hillCountry, blanco] = vendors

  startChapter('The voice agent asks them for bids')
  const request = await orThrow(
    plumbline.POST('/api/ext/bids/request', {
      params: { header: { 'Idempotency-Key': randomUUID() } },
      body: {
        vendorIds: vendors.map((vendor) => vendor.id),
        scope: 'framing',
        deadline: getDateInDays(14),
        communityId: home.communityId,
        homeIds: [home.id],
        title: 'Framing, Lot 15',
        message: 'One home, two stories, 2,450 sq ft. Start in five weeks.',
        bidType: 'unit_price',
        lines: [
          { lineId: 'walls', description: 'Wall framing, labor and material', quantity: 2450, unit: 'SF' },
          { lineId: 'trusses', description: 'Roof trusses, delivered and set', quantity: 1, unit: 'LS' },
          { lineId: 'sheathing', description: 'Roof sheathing', quantity: 2900, unit: 'SF' },
        ],
      },
    }),
  )
  const cancel = () =>
    orThrow(
      plumbline.POST('/api/ext/bids/requests/{bidRequestId}/cancel', {
        params: { path: { bidRequestId: request.id } },
        body: { reason: 'The demo was cut short.' },
      }),
    )
  traces.push(cancel)
  printLine(`${request.number} is ${request.status}; bids are taken until ${request.deadlineAt}.`)
  const links = new Map<string, CopiedLink>()
  for (const { id: invitationId, vendorId } of request.invitations) {
    const { portalUrl } = await orThrow(
      plumbline.POST('/api/ext/invitations/{invitationId}/portal-link', { params: { path: { invitationId } } }),
    )
    links.set(vendorId, { invitationId, token: portalUrl?.split('/').at(-1) ?? '' })
    const vendor = vendors.find(({ id }) => id === vendorId)
    printLine(`${vendor?.companyName}: ${portalUrl?.replace(/[^/.]+$/, '…')}`)
  }

  startChapter('The vendors answer, each in its own way')
  const bid = (vendor: Vendor, source: 'phone' | 'email', prices: Prices) =>
    submitBid(request.id, vendor, source, prices)
  const first = await bid(loneStar, 'phone', { walls: 10.5, trusses: 11_200, sheathing: 1.6 })
  await bid(blanco, 'email', { walls: 9.95, trusses: 11_900, sheathing: null })
  const reminded = await orThrow(
    plumbline.POST('/api/ext/bids/requests/{bidRequestId}/remind', { params: { path: { bidRequestId: request.id } } }),
  )
  const silent = reminded.invitations.filter((invitation) => invitation.remindersSent > 0)
  printLine(`${silent.length} vendor had not answered yet and was reminded.`)
  await bidInPortal(hillCountry, links.get(hillCountry.id), { walls: 10.2, trusses: 11_570, sheathing: 1.6 })
  const revised = await orThrow(
    plumbline.PATCH('/api/ext/bids/{bidId}', {
      params: { path: { bidId: first.id } },
      body: { lines: bidLines({ walls: 9.8, trusses: 11_200, sheathing: 1.6 }) },
    }),
  )
  printLine(
    `${loneStar.companyName} calls again and comes down to ${formatMoney(revised.amount)} (revision ${revised.revision}).`,
  )

  startChapter('The builder compares')
  const best = await compareBids(request.id)

  startChapter('The builder tries the award as a dry run, and then awards')
  await tryAward(best.bidId)
  const accepted = await awardConcurrently(best.bidId, 3)
  // Removes the step that cancels the request, because an awarded request cannot be canceled.
  traces.splice(traces.indexOf(cancel), 1)
  const [orderId] = accepted.poIds
  if (orderId === undefined) throw new Error('The award made no purchase order.')
  traces.push(() =>
    orThrow(
      plumbline.POST('/api/ext/purchase-orders/{poId}/status', {
        params: { path: { poId: orderId } },
        body: { status: 'void', reason: 'The demo is over.' },
      }),
    ),
  )

  startChapter('The order goes out, and the budget shows it')
  await placeOrder(orderId)
  budget = await orThrow(plumbline.GET('/api/ext/homes/{homeId}/budget', { params: { path: { homeId: home.id } } }))
  printBudget(budget)

  const stage = { plumbline, traces }
  const planned = await demonstrateBudgeting(stage, loneStar.id)
  await demonstrateScheduling(stage, { home: planned, framerId: loneStar.id, baseUrl, send: fetchAndPrint })
  await demonstrateSale(stage, { communityId: planned.communityId, framerId: loneStar.id })

  startChapter('The subscriber has received every event')
  await compareEvents(receiver, before)
}

async function planHome() {
  const community = await orThrow(
    plumbline.POST('/api/ext/communities', {
      body: {
        name: 'Sagebrush Point',
        status: 'active',
        city: 'Austin',
        state: 'TX',
        timeZone: 'America/Chicago',
        lotCount: 24,
      },
    }),
  )
  traces.push(() =>
    orThrow(
      plumbline.DELETE('/api/ext/communities/{communityId}', { params: { path: { communityId: community.id } } }),
    ),
  )
  const home = await orThrow(
    plumbline.POST('/api/ext/homes', { body: { name: 'Lot 15', communityId: community.id, lotNumber: '15' } }),
  )
  const at = { params: { path: { homeId: home.id } } }
  traces.push(() => orThrow(plumbline.DELETE('/api/ext/homes/{homeId}', at)))
  await orThrow(
    plumbline.POST('/api/ext/homes/{homeId}/budget/lines', {
      ...at,
      body: { scope: 'framing', description: 'Framing', quantity: 2800, unit: 'SF', unitCost: 15 },
    }),
  )
  await orThrow(
    plumbline.POST('/api/ext/homes/{homeId}/budget/lines', {
      ...at,
      body: { scope: 'plumbing', description: 'Rough and finish', amount: 18_500 },
    }),
  )
  await orThrow(plumbline.POST('/api/ext/homes/{homeId}/budget/lock', at))
  for (const status of ['permitting', 'ready_to_start'] as const) {
    await orThrow(plumbline.POST('/api/ext/homes/{homeId}/status', { ...at, body: { status } }))
  }
  return home
}

async function callVendors(): Promise<[Vendor, Vendor, Vendor]> {
  const record = async (contactName: string, companyName: string, email: string, phone: string): Promise<Vendor> => {
    const once = {
      params: { header: { 'Idempotency-Key': randomUUID() } },
      body: { companyName, contactName, email, phone, scopes: ['framing'] },
    }
    const vendor = await orThrow(plumbline.POST('/api/ext/vendors', once))
    const path = { vendorId: vendor.id }
    traces.push(() => orThrow(plumbline.DELETE('/api/ext/vendors/{vendorId}', { params: { path } })))
    // Sends the request twice, like an agent on a bad connection that does not know whether its request arrived.
    const again = await orThrow(plumbline.POST('/api/ext/vendors', once))
    if (again.id !== vendor.id) throw new Error('A repeated request made a second vendor.')
    printLine(`${contactName} of ${companyName}, sent twice, recorded once.`)
    return vendor
  }
  return [
    await record('Dana Whitfield', 'Lone Star Framing LLC', 'bids@lonestarframing.example.com', '+1 512 555 0142'),
    await record('Ray Sandoval', 'Hill Country Framers', 'ray@hillcountryframers.example.com', '+1 512 555 0163'),
    await record('Inez Calloway', 'Blanco River Builders', 'office@blancoriver.example.com', '+1 512 555 0188'),
  ]
}

/** The unit prices by line; null if the vendor leaves out the line. */
type Prices = Record<'walls' | 'trusses' | 'sheathing', number | null>

function bidLines(prices: Prices) {
  return Object.entries(prices).map(([lineId, unitPrice]) =>
    unitPrice === null ? { lineId, excluded: true } : { lineId, unitPrice },
  )
}

async function submitBid(
  bidRequestId: string,
  vendor: Vendor,
  source: 'phone' | 'email',
  prices: Prices,
): Promise<Bid> {
  const bid = await orThrow(
    plumbline.POST('/api/ext/bids', {
      params: { header: { 'Idempotency-Key': randomUUID() } },
      body: { bidRequestId, vendorId: vendor.id, source, lines: bidLines(prices), leadTimeDays: 14, durationDays: 12 },
    }),
  )
  printLine(`${vendor.companyName}, by ${source}: ${formatMoney(bid.amount)}`)
  return bid
}

/** A vendor's portal link that the builder has copied. */
interface CopiedLink {
  invitationId: string
  token: string
}

/** Prices the request through the portal's operations, as the vendor's own system would. */
async function bidInPortal(vendor: Vendor, link: CopiedLink | undefined, prices: Prices): Promise<void> {
  if (link === undefined) throw new Error(`${vendor.companyName} has no link.`)
  const portal = createClient({ baseUrl, key: link.token, fetch: fetchAndPrint })
  const params = { path: { invitationId: link.invitationId } }
  const body = { lines: bidLines(prices), leadTimeDays: 14, durationDays: 12 }
  await orThrow(portal.POST('/api/portal/invitations/{invitationId}/bid/draft', { params, body }))
  const { bid } = await orThrow(portal.POST('/api/portal/invitations/{invitationId}/bid/submit', { params, body: {} }))
  printLine(`${vendor.companyName}, in its portal: ${formatMoney(bid?.amount ?? null)}`)
}

/** Prints the bids side by side and returns the lowest complete bid. */
async function compareBids(bidRequestId: string) {
  const sheet = await orThrow(
    plumbline.GET('/api/ext/bids/requests/{bidRequestId}/comparison', { params: { path: { bidRequestId } } }),
  )
  const names = sheet.vendors.map((vendor) => vendor.companyName)
  printTable([
    ['', ...names],
    ...sheet.lines.map((line) => [
      line.description,
      ...line.prices.map((price) =>
        price.excluded ? 'left out' : `${formatMoney(price.amount)}${price.lowest ? ' ✓' : '  '}`,
      ),
    ]),
    ['In all', ...sheet.vendors.map((vendor) => `${formatMoney(vendor.amount)}  `)],
    ['Against the budget', ...sheet.vendors.map((vendor) => `${formatMoney(vendor.aboveBudgetAmount)}  `)],
  ])
  const whole = sheet.vendors.filter(
    (vendor) => vendor.awardable && vendor.excludedLineIds.length + vendor.missingLineIds.length === 0,
  )
  const [best] = whole.toSorted(
    (a, b) => (a.amount ?? Number.POSITIVE_INFINITY) - (b.amount ?? Number.POSITIVE_INFINITY),
  )
  if (best === undefined || best.bidId === null) throw new Error('There is no bid to award.')
  printLine(`Spread ${sheet.spreadPercent} %. The lowest complete bid is that of ${best.companyName}.`)
  return { ...best, bidId: best.bidId }
}

async function tryAward(bidId: string): Promise<void> {
  const trial = await orThrow(
    plumbline.POST('/api/ext/execute', {
      body: { skill: 'awardBid', input: { bidId, createPurchaseOrder: true }, dryRun: true },
    }),
  )
  printLine(`Nothing has changed yet. The award would emit: ${trial.events.map((event) => event.type).join(', ')}.`)
}

/** Sends several awards of the same bid at the same time, like an impatient double click. Only one of them succeeds. */
async function awardConcurrently(bidId: string, times: number): Promise<Bid> {
  const attempts = await Promise.all(
    Array.from({ length: times }, () =>
      plumbline.POST('/api/ext/bids/{bidId}/accept', {
        params: { path: { bidId } },
        body: { createPurchaseOrder: true, reason: 'The lowest complete bid.' },
      }),
    ),
  )
  const accepted = attempts.flatMap(({ data }) => data ?? [])
  printLine(
    `${times} awards at once: ${accepted.length} won, ${attempts.filter(({ response }) => response.status === 409).length} refused with 409.`,
  )
  const [bid] = accepted
  if (bid === undefined || accepted.length > 1) throw new Error(`${accepted.length} awards won, where one should have.`)
  return bid
}

async function placeOrder(poId: string): Promise<void> {
  const move = (status: 'approved' | 'issued' | 'accepted') =>
    orThrow(
      plumbline.POST('/api/ext/purchase-orders/{poId}/status', {
        params: { path: { poId } },
        body: { status },
      }),
    )
  let order = await move('approved')
  // An order that exceeds the budget or the caller's limit needs a second, explicit approval.
  if (order.status === 'pending_approval') order = await move('approved')
  order = await move('issued')
  order = await move('accepted')
  printLine(`${order.number} over ${formatMoney(order.total)} is ${order.status}.`)
}

/** Compares the events that the receiver got with the service's event log. */
async function compareEvents(receiver: Receiver, after: string | undefined): Promise<void> {
  const { data: happened } = await orThrow(
    plumbline.GET('/api/ext/events', { params: { query: { limit: 200, ...(after !== undefined && { after }) } } }),
  )
  await receiver.hears(
    happened.map((event) => event.id),
    15,
  )
  if (receiver.refused.length > 0) throw new Error(`A signature was wrong: ${receiver.refused[0]}`)
  printLine(
    `${happened.length} events happened, and ${receiver.events.size} were received, each with a valid signature.`,
  )
  const [event] = receiver.events.values()
  const forged = {
    headers: {
      'webhook-id': event?.id ?? '',
      'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
      'webhook-signature': 'v1,Zm9yZ2Vk',
    },
    body: JSON.stringify(event),
  }
  const problem = await verifyWebhook(forged, secret).then(() => 'believed!', describeReason)
  printLine(`The same event from somebody without the secret: ${problem}`)
}

async function findLastEventId(): Promise<string | undefined> {
  const { data } = await orThrow(
    plumbline.GET('/api/ext/events', { params: { query: { sort: '-sequence', limit: 1 } } }),
  )
  return data[0]?.id
}

async function undoTraces(): Promise<void> {
  if (traces.length === 0) return
  startChapter('Everything is cleaned up')
  for (const undo of traces.reverse()) {
    await undo().catch((error: unknown) => {
      process.exitCode = 1
      printLine(styleText('red', describeReason(error)))
    })
  }
}

/** Sends a request and prints it. If the key's limit per minute is exhausted, the client waits for the next minute. */
async function fetchAndPrint(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
  const request = new Request(input, init)
  const response = await fetch(request)
  const { pathname } = new URL(request.url)
  const replayed = response.headers.has('idempotent-replayed') ? ' replayed' : ''
  printLine(styleText('dim', `${request.method.padEnd(6)} ${pathname} → ${response.status}${replayed}`))
  if (response.status === 429)
    printLine(`The key's limit for this minute is used up; continuing in ${response.headers.get('retry-after')} s.`)
  return response
}

function readDemoKey(): string {
  const file = path.resolve(process.env.DATA_DIR || '.data', 'demo.json')
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { key: string }).key
  } catch {
    console.error(`There is no key in ${file}. Start the service first (npm start), or pass --key.`)
    process.exit(1)
  }
}

function describeReason(error: unknown): string {
  if (error instanceof PlumblineError) {
    const errors = error.errors.map((fault) => ` ${fault.pointer} ${fault.message}.`).join('')
    return `${error.message}${errors}`
  }
  const { message, cause } = error as Error
  // If there is no response, fetch throws this error for any reason.
  if (message === 'fetch failed') {
    const { code, message: why } = cause as { code?: string; message?: string }
    return `Nothing answers at ${baseUrl} (${code ?? why}). Start the service first: npm start`
  }
  return message
}
