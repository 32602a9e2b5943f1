import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from '../../scripts/conformance/walked-contract.ts'
import { findFreePort } from '../../scripts/processes/service.ts'
import { isTestedHere } from '../support/is-tested-here.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'

/** The program does not depend on the service's database, so one database is enough. */
const isHere = isTestedHere()

let plumbline: TestPlumbline
beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
afterAll(() => plumbline.stop())

async function run(): Promise<string> {
  const program = path.join(root, 'examples/bidding-pipeline/main.ts')
  const env = {
    ...process.env,
    PLUMBLINE_URL: plumbline.url,
    PLUMBLINE_KEY: plumbline.key,
    PORT: `${await findFreePort()}`,
  }
  const { stdout } = await promisify(execFile)(process.execPath, [program], { env, timeout: 60_000 })
  return stdout
}

test.skipIf(!isHere)(
  'the bidding example creates vendors, a bid request, and an order that is synced to accounting',
  async () => {
    const first = await run()
    expect(first).toMatch(/^BR-0001 went to Guadalupe Framers for Lot 7, Pecan Creek:$/m)
    expect(first).toMatch(/^PO-0007-01 over 40500 USD, in accounting as QB-po_\w+\.$/m)
    expect((await plumbline.get('/api/ext/webhooks')).body.data).toEqual([])
    await expect(run()).rejects.toThrow('invalid_transition: Cannot change the status from pending_approval')
    const count = async (list: string) => (await plumbline.get(`/api/ext/${list}`)).body.data.length
    expect([await count('vendors'), await count('homes'), await count('purchase-orders')]).toEqual([2, 1, 2])
  },
)
