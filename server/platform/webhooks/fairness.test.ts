import { typeid } from 'typeid-js'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { type Receiver, startReceiver } from '../../../scripts/processes/receiver.ts'
import { type Builder, startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { createVault } from '../encryption/vault.ts'
import { FairQueue } from './fair-queue.ts'
import { InFlightShares } from './in-flight-shares.ts'
import { createWebhookSecret, getSecretEncryptionContext } from './webhook-secret.ts'

let plumbline: TestPlumbline
let hanging: Receiver
let healthy: Receiver
let other: Builder

const HANGING = 700
/** Half of the maximum number of attempts that a process can have in progress. */
const MAX_OF_ONE = 1000

describe('shares of the delivery capacity', () => {
  /** Assigns shares until no organization can get another one, and returns the total of each organization. */
  function fill(shares: InFlightShares, organizations: string[]): Record<string, number> {
    const turns = new FairQueue()
    const sums: Record<string, number> = {}
    for (const organizationId of organizations)
      for (let i = 0; i < 2000; i++) turns.add({ organizationId, webhookId: `${organizationId} ${i}` })
    for (;;) {
      const chosen = turns.next(512, (organizationId) => shares.reserve(organizationId))
      if (chosen.length === 0) return sums
      for (const { organizationId, most } of chosen) sums[organizationId] = (sums[organizationId] ?? 0) + most
    }
  }

  test('all builders with waiting deliveries get a share of the delivery capacity', () => {
    expect(fill(new InFlightShares(), ['a'])).toEqual({ a: 1000 })
    const two = Object.values(fill(new InFlightShares(), ['a', 'b']))
    for (const sum of two) expect(Math.abs(sum - 2000 / 3)).toBeLessThan(2)
    const hundred = Array.from({ length: 100 }, (_, i) => `${i}`)
    const all = Object.values(fill(new InFlightShares(), hundred))
    expect(all).toHaveLength(100)
    expect(Math.min(...all)).toBeGreaterThan(0)
    expect(Math.max(...all)).toBeLessThanOrEqual(40)
  })

  test('a builder that uses its maximum leaves delivery capacity for other builders', () => {
    const shares = new InFlightShares()
    fill(shares, ['a'])
    expect(shares.reserve('a')).toBe(0)
    expect(shares.reserve('b')).toBe(32)
    // When attempts end, their capacity becomes available.
    shares.add('a', -100)
    expect(shares.reserve('a')).toBeGreaterThan(0)
  })

  test('deliveries of different builders are sent in turn, regardless of the number of subscriptions', () => {
    const turns = new FairQueue()
    for (let i = 0; i < 700; i++) turns.add({ organizationId: 'a', webhookId: `a${i}` })
    turns.add({ organizationId: 'b', webhookId: 'b0' })
    const shares = new InFlightShares()
    const [first, second] = turns.next(512, (organizationId) => shares.reserve(organizationId))
    expect([first?.webhookId, second?.webhookId]).toEqual(['a0', 'b0'])
  })
})

// With the embedded database, claiming so many deliveries takes longer than the receivers stay silent.
describe.skipIf(inject('postgres') === null)(
  'a builder with 700 unresponsive receivers, created before the limit existed',
  () => {
    beforeAll(async () => {
      plumbline = await startTestPlumbline()
      other = await plumbline.newBuilder()
      hanging = await startReceiver()
      healthy = await startReceiver()
    })
    afterAll(async () => {
      await hanging.close()
      await healthy.close()
      await plumbline.stop()
    }, 60_000)

    test('a backlog of one builder does not stop deliveries of another builder', async () => {
      let [open, most] = [0, 0]
      hanging.answer((_request, response) => {
        most = Math.max(most, ++open)
        response.on('close', () => open--)
      })
      await subscribeBeforeTheLimit(hanging.url)
      const subscription = { url: healthy.url, eventTypes: ['vendor.created'] }
      expect((await plumbline.post('/api/ext/webhooks', subscription, { key: other.key })).status).toBe(201)
      for (let i = 0; i < 4; i++) await createVendor(plumbline.key)
      // 2,800 deliveries are due.
      await hanging.until(() => open > HANGING)
      for (let i = 1; i <= 20; i++) {
        await createVendor(other.key)
        await healthy.until(i)
      }
      expect(most).toBeGreaterThan(HANGING)
      expect(most).toBeLessThanOrEqual(MAX_OF_ONE)
    }, 60_000)
  },
)

async function subscribeBeforeTheLimit(url: string): Promise<void> {
  const { organizationId, database, config } = plumbline
  const now = plumbline.clock.now()
  const system = JSON.stringify({ type: 'system', id: null })
  const rows = Array.from({ length: HANGING }, () => {
    const id = typeid('whk').toString()
    return {
      ...{ organizationId, id, url, eventTypes: ['vendor.created'], status: 'active', excludeOwnChanges: false },
      ...{ version: 1, createdBy: system, owner: system, createdAt: now, updatedAt: now },
      secret: createVault(config.encryptionKey).seal(
        createWebhookSecret(),
        getSecretEncryptionContext(organizationId, id),
      ),
    }
  })
  await database.statements.insertInto('webhooks').values(rows).execute()
}

let count = 0
async function createVendor(key: string): Promise<void> {
  const { status } = await plumbline.post('/api/ext/vendors', { companyName: `Vendor ${++count}` }, { key })
  expect(status).toBe(201)
}
