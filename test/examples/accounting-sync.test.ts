import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openLedger } from '../../examples/accounting-sync/ledger.ts'
import { root } from '../../scripts/conformance/walked-contract.ts'
import { toLocalDate } from '../../server/platform/values/calendar.ts'
import { isTestedHere } from '../support/is-tested-here.ts'
import { buildSite, type Site } from '../support/site.ts'
import { type ServiceResponse, startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'

/** The program does not depend on the service's database, so one database is enough. */
const isHere = isTestedHere()

let plumbline: TestPlumbline
let site: Site
const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-ledger-'))
const LEDGER = path.join(folder, 'ledger.sqlite')

beforeAll(async () => {
  plumbline = await startTestPlumbline()
  site = await buildSite(plumbline)
})
afterAll(async () => {
  await plumbline.stop()
  rmSync(folder, { recursive: true })
})

type Body = ServiceResponse['body']
const post = async (to: string, body: object): Promise<Body> => {
  const response = await plumbline.post(`/api/ext${to}`, body, { key: site.key })
  expect(response.status, JSON.stringify(response.body)).toBeLessThan(300)
  return response.body
}
const list = async (from: string): Promise<Body[]> =>
  (await plumbline.get(`/api/ext${from}`, { key: site.key })).body.data

interface Ended {
  code: number | null
  signal: string | null
  output: string
}

function run(verb: string, dieAt = ''): Promise<Ended> {
  const program = path.join(root, 'examples/accounting-sync/main.ts')
  const preload = path.join(import.meta.dirname, 'die-at.ts')
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '--import', preload, program, verb], {
    env: { ...process.env, PLUMBLINE_URL: plumbline.url, PLUMBLINE_KEY: site.key, LEDGER, DIE_AT: dieAt },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  return new Promise((done, fail) => {
    child.on('error', fail)
    child.on('close', (code, signal) => done({ code, signal, output }))
  })
}

/** Creates a completed order and an approved payment for it. */
async function approvedPayment(unitPrice: number): Promise<void> {
  const lines = [{ description: 'Framing', quantity: 1, unitPrice }]
  const order = await post('/purchase-orders', { homeId: site.lot14, vendorId: site.loneStar, scope: 'framing', lines })
  for (const status of ['approved', 'issued']) await post(`/purchase-orders/${order.id}/status`, { status })
  await post(`/purchase-orders/${order.id}/progress`, { completedPercent: 100 })
  const payment = await post('/payments', { poId: order.id, invoiceNumber: `LS-${unitPrice}` })
  await post(`/payments/${payment.id}/status`, { status: 'approved' })
}

function printChecks(): number {
  const ledger = openLedger(LEDGER)
  const printed = ledger.printChecks(1, toLocalDate('America/Chicago', new Date()))
  ledger.close()
  return printed
}

test.skipIf(!isHere)(
  'the accounting example can be stopped at any request without duplicating or losing a record',
  { timeout: 120_000 },
  async () => {
    // If the ledger rejects a record, the program reports it and continues with other records.
    await post('/vendors', { companyName: 'A company whose name is longer than what the ledger takes' })
    const prices = [1200.1]
    for (const when of ['before', 'after'])
      for (const request of [1, 2, 3]) {
        prices.push(100.25 * prices.length)
        await approvedPayment(prices.at(-1) ?? 0)
        printChecks()
        const { signal, output } = await run('sync', `${when}:${request}`)
        expect([when, request, signal, output]).toEqual([when, request, 'SIGKILL', ''])
      }
    await approvedPayment(1200.1)
    expect(await run('sync')).toMatchObject({ code: 0, output: expect.stringContaining('Entered') })
    while (printChecks() > 0);
    expect(await run('sync')).toMatchObject({ code: 0, output: expect.stringContaining('told of') })

    const payments = await list('/payments?limit=200')
    expect(payments.map(({ amount, status }) => [amount, status])).toEqual(
      [...prices.slice(1), 1200.1].toReversed().map((price) => [price, 'paid']),
    )
    expect(new Set(payments.map(({ checkNumber }) => checkNumber)).size).toBe(prices.length)
    const vendors = await list('/vendors?limit=200')
    expect(vendors.filter(({ accountingId }) => accountingId === null)).toHaveLength(1)
    const ledger = openLedger(LEDGER)
    expect(
      ledger
        .entries('vendor')
        .map(({ accountingId }) => accountingId)
        .sort(),
    ).toEqual(vendors.flatMap(({ accountingId }) => accountingId ?? []).sort())
    expect(ledger.entries('payment')).toHaveLength(prices.length)
    expect(ledger.untold()).toEqual([])
    ledger.close()
    const { code, output } = await run('reconcile')
    expect([code, output]).toEqual([0, expect.stringContaining(`payment: ${prices.length} agree`)])
  },
)

test.skipIf(!isHere)('the accounting example finds differences between the ledger and the service', async () => {
  const renamed = await plumbline.patch(
    `/api/ext/vendors/${site.redrock}`,
    { companyName: 'Redrock Builders' },
    { key: site.key },
  )
  expect(renamed.status).toBe(200)
  const before = await run('reconcile')
  expect([before.code, before.output]).toEqual([
    1,
    expect.stringContaining('name is Redrock Builders in Plumbline and Redrock'),
  ])
  expect((await run('sync')).code).toBe(0)
  expect((await run('reconcile')).code).toBe(0)
})
