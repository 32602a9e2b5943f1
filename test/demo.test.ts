import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isTestedHere } from './support/is-tested-here.ts'
import { startTestPlumbline, type TestPlumbline } from './support/test-plumbline.ts'

let plumbline: TestPlumbline
beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
afterAll(() => plumbline.stop())

const script = path.resolve(import.meta.dirname, '../scripts/demo.ts')

function play(...args: string[]): Promise<{ stdout: string; stderr: string; code?: number }> {
  return promisify(execFile)(process.execPath, [script, ...args], { env: { PATH: process.env.PATH, NO_COLOR: '1' } })
}

test('the demo script archives all its records at the end of the workflow', async () => {
  const { stdout } = await play('--base-url', plumbline.url, '--key', plumbline.key)
  expect(stdout).toContain('3 awards at once: 1 won, 2 refused with 409.')
  expect(stdout).toContain('Covered patio: the buyer pays 1,950.00, and it costs 775.08.')
  expect(stdout).toContain('5 lines come to 12,438.00 at the prices of')
  expect(stdout).toContain('Architectural shingles, laid  36.3 SQ  not priced: no_price')
  expect(stdout).toContain('CT-0001 is active: 285 per SQ.')
  expect(stdout).toContain('36.3 SQ × 285 = 10,345.50, issued.')
  expect(stdout).toMatch(/In all +22,938\.00 +10,345\.50 +0\.00 +0\.00 +22,938\.00/)
  expect(stdout).toContain('6 budget lines and PO-0004-01 are all of it.')
  expect(stdout).toContain('A dry run: 4 tasks, and the home ends on')
  expect(stdout).toContain('1 vendor was told another date: postponed.')
  expect(stdout).toMatch(/Walls framed is confirmed for \S+; the home ends on/)
  expect(stdout).toContain('Refused with 409: Cannot sell Lot 7: it is already reserved (SA-0001, ')
  expect(stdout).toMatch(/In all +414,500\.00/)
  expect(stdout).toContain('SA-0001 is approved, with 10,000.00 received.')
  expect(stdout).toContain('Lot 7 is under construction, and the next stage of SA-0001 is walkthrough_done.')
  expect(stdout).toMatch(/PO-0007-01 is closed: 23,026\.71 were paid of 23,026\.71\./)
  expect(stdout).toContain('Lot 7 has no completed sale.')
  expect(stdout).toContain('SA-0001 is pipeline complete, and Lot 7 is closed and sold.')
  expect(stdout).toMatch(/(\d+) events happened, and \1 were received, each with a valid signature\./)
  expect(stdout).toContain(
    'The same event from somebody without the secret: No signature matches the request body and the secret.',
  )
  const lists = [
    'vendors',
    'communities',
    'homes',
    'plans',
    'options',
    'parts',
    'cost-codes',
    'contracts',
    'task-templates',
    'webhooks',
  ]
  for (const list of lists) {
    expect((await plumbline.get(`/api/ext/${list}`)).body.data).toEqual([])
  }
  const { data: leads } = (await plumbline.get('/api/ext/leads')).body
  expect(leads.map((lead: { status: string }) => lead.status)).toEqual(['converted'])
  const { data: orders } = (await plumbline.get('/api/ext/purchase-orders')).body
  expect(orders.map((order: { status: string }) => order.status)).toEqual(['closed', 'void', 'void'])
})

test('the demo script fails with a reason if one of its requests is rejected', async () => {
  const key = await plumbline.newKey(['vendors:read', 'webhooks:write', 'events:read'])
  const refused = await play('--base-url', plumbline.url, '--key', key).catch(
    (error: { code: number; stdout: string }) => error,
  )
  expect(refused.code).toBe(1)
  expect(refused.stdout).toContain('permission_denied: This operation requires communities:write.')
  expect((await plumbline.get('/api/ext/webhooks')).body.data).toEqual([])
})

test.skipIf(!isTestedHere())(
  'the demo script without a running service explains how to start the service',
  async () => {
    const alone = await play('--base-url', 'http://127.0.0.1:9', '--key', plumbline.key).catch(
      (error: { code: number; stdout: string }) => error,
    )
    expect(alone.code).toBe(1)
    expect(alone.stdout).toContain('Nothing answers at http://127.0.0.1:9 (')
  },
)

test.skipIf(!isTestedHere())('the error of the demo script for an unknown option names the option', async () => {
  const refused = await play('--url', plumbline.url).catch((error: { code: number; stderr: string }) => error)
  expect(refused.code).toBe(1)
  expect(refused.stderr).toContain("unknown option '--url'")
  expect((await play('--help')).stdout).toContain('--base-url <url>')
})
