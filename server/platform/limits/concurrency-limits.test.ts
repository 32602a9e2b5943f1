import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type ServiceResponse, startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { operations } from '../../interfaces/operations.ts'

let plumbline: TestPlumbline
/** Releases the held requests, and no longer holds later requests. */
let release: () => void
let held: Promise<void>
let arrived: number
let whenArrived: () => void

// The handlers of getUsage and openPortal wait until the test releases them.
const handlers: typeof operations = {
  ...operations,
  async getUsage(input, call) {
    await hold()
    return operations.getUsage(input, call)
  },
  async openPortal(input, call) {
    await hold()
    return operations.openPortal(input, call)
  },
}

async function hold(): Promise<void> {
  arrived++
  whenArrived()
  await held
}

/** Sends requests that are held, and resolves when all of them are held. */
async function sendHeld(count: number, send: () => Promise<ServiceResponse>): Promise<Promise<ServiceResponse>[]> {
  const requested = arrived + count
  const all = new Promise<void>((done) => {
    whenArrived = () => {
      if (arrived === requested) done()
    }
  })
  const sent = Array.from({ length: count }, send)
  await all
  return sent
}

beforeAll(async () => {
  plumbline = await startTestPlumbline({ CONCURRENCY_PER_KEY: '3', CONCURRENCY_PER_ORGANIZATION: '5' }, { handlers })
})
beforeEach(() => {
  arrived = 0
  whenArrived = () => {}
  held = new Promise((done) => {
    release = done
  })
})
afterAll(() => plumbline.stop())

const usage = (key: string) => plumbline.get('/api/ext/usage', { key })

test('a key that exceeds its maximum of concurrent requests gets too_many_concurrent_requests', async () => {
  const { key } = await plumbline.newBuilder()
  const under = await sendHeld(3, () => usage(key))
  const refused = await usage(key)
  expect([refused.status, refused.body.code]).toEqual([429, 'too_many_concurrent_requests'])
  expect(refused.headers.get('retry-after')).toBe('1')
  release()
  for (const answer of await Promise.all(under)) expect(answer.status).toBe(200)
  const next = await usage(key)
  expect([next.status, next.body.minute.used]).toEqual([200, 4])
})

test('the keys of one builder share a concurrency limit that other builders do not use', async () => {
  const [{ key, organizationId }, neighbor] = [await plumbline.newBuilder(), await plumbline.newBuilder()]
  const second = await plumbline.newKey([], organizationId)
  const under = [...(await sendHeld(3, () => usage(key))), ...(await sendHeld(2, () => usage(second)))]
  const refused = await usage(second)
  expect([refused.status, refused.body.code]).toEqual([429, 'too_many_concurrent_requests'])
  expect((await plumbline.get('/api/ext/vendors', { key: neighbor.key })).status).toBe(200)
  release()
  for (const answer of await Promise.all(under)) expect(answer.status).toBe(200)
})

test('the concurrency limit of a vendor does not affect its builder', async () => {
  const token = await plumbline.newPortalToken()
  const open = () => plumbline.post('/api/portal/visits', {}, { key: token })
  const under = await sendHeld(3, open)
  expect((await open()).body.code).toBe('too_many_concurrent_requests')
  const own = await sendHeld(3, () => usage(plumbline.key))
  release()
  for (const answer of await Promise.all([...under, ...own])) expect(answer.status).toBe(200)
})

test('a rejected request no longer counts toward the concurrency limit', async () => {
  const { key } = await plumbline.newBuilder()
  for (let i = 0; i < 10; i++) {
    expect((await plumbline.post('/api/ext/vendors', { companyName: 7 }, { key })).status).toBe(422)
    expect((await plumbline.get('/api/ext/vendors/ven_0', { key })).status).toBe(404)
  }
})
