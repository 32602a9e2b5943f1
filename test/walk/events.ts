import { beforeAll, describe, expect, test } from 'vitest'
import {
  contract,
  getValueAtPath,
  listEntriesAtPath,
  SKILL_RUNNERS,
  wholeContract,
} from '../../scripts/conformance/walked-contract.ts'
import { addDays } from '../../server/platform/values/calendar.ts'
import type { PopulatedPlumbline } from '../support/populated-plumbline.ts'
import { describeEventErrors, listRecordedEvents, type RecordedEvent } from '../support/recorded-events.ts'
import type { TestPlumbline } from '../support/test-plumbline.ts'

/** Performs every operation with its examples and compares the events with `webhooks` in the contract. */
let recorded: RecordedEvent[]

const HOUR_MS = 3_600_000

export function testEvents(populated: () => PopulatedPlumbline): void {
  describe('events', () => {
    beforeAll(async () => {
      const { plumbline, world } = populated()
      // Performs all operations of a resource, alternately in forward and reverse order, because some operations must
      // come before others. For example, no reminder can be sent after a request is closed.
      const changing = [...contract.operations.values()].filter(({ method }) => method !== 'GET' && method !== 'DELETE')
      for (let which = 0; which < 6; which++) {
        for (const operation of which % 2 === 0 ? changing : changing.toReversed()) {
          const address = world.addressOf(operation, which)
          if (address === undefined) continue
          for (const body of world.bodiesOf(operation)) await world.send(operation, { address, body })
        }
      }
      await payBill(plumbline)
      // These events come from operations for users, which people.test.ts tests.
      const owner = await plumbline.signIn()
      const reopening = { throughDate: null, reason: 'The auditor found a missing bill.' }
      await plumbline.post('/api/ext/ledger/close/reopen', reopening, owner)
      // After the examples, there is no open inspection and no permit that expires soon.
      const homeId = (await plumbline.get('/api/ext/homes?limit=1')).body.data[0].id
      const inspection = { homeId, name: 'Walk', authority: 'internal' }
      const { id } = (await plumbline.post('/api/ext/inspections', inspection)).body
      await plumbline.post(`/api/ext/inspections/${id}/result`, { result: 'passed' })
      const issuedDate = plumbline.clock.now().toISOString().slice(0, 10)
      const permit = {
        homeId,
        permitType: 'site',
        issuedDate: addDays(issuedDate, -1),
        expiryDate: addDays(issuedDate, 9),
      }
      await plumbline.post('/api/ext/permits', permit)
      await plumbline.until('/api/ext/events?type=permit.expiring', ({ body }) => body.data.length > 0)
      // For an emergency, the first target is a decision within four hours.
      const request = { homeId, description: 'Water runs through the ceiling.', severity: 'emergency' }
      expect((await plumbline.post('/api/ext/warranty-requests', request)).status).toBe(201)
      plumbline.clock.advance(5 * HOUR_MS)
      await plumbline.until('/api/ext/events?type=warranty_request.overdue', ({ body }) => body.data.length > 0)
      recorded = await listRecordedEvents(plumbline.database)
    }, 120_000)

    describe("each event matches the contract's declaration", () => {
      test.each(listEntriesAtPath('webhooks').map(([type]) => type))(
        'each event of type %s matches its declaration',
        (type) => {
          for (const event of recorded.filter((each) => each.type === type)) expect(describeEventErrors(event)).toBe('')
        },
      )
    })

    test('the test data contains exactly the events that the operations declare', () => {
      const emitted = new Set(recorded.map(({ type }) => type))
      const promised = [...wholeContract.operations.values()].flatMap(({ id, emits }) =>
        emits.map((type) => ({ id, type })),
      )
      const timed = listEntriesAtPath('webhooks').flatMap(([type]) =>
        getValueAtPath('webhooks', type, 'post', 'x-timed') === true ? type : [],
      )
      const unasked = [...emitted].filter(
        (type) => !timed.includes(type) && !promised.some((promise) => promise.type === type),
      )
      expect(unasked.map((type) => `${type}: was emitted, and neither x-emits nor x-timed says so`)).toEqual([])
      const broken = promised.filter(({ type }) => !emitted.has(type))
      expect(broken.map(({ id, type }) => `${id}: says that it emits ${type}, and no example made it do so`)).toEqual(
        [],
      )
    })

    test('the test data contains exactly the event types that are listed as available', async () => {
      const { body } = await populated().plumbline.get('/api/ext/event-types')
      const listed: { type: string; available: boolean }[] = body.data
      const available = listed.filter((entry) => entry.available).map(({ type }) => type)
      expect([...new Set(recorded.map(({ type }) => type))].sort()).toEqual(available.sort())
    })

    // test/support/seen-responses.ts checks for the whole suite that each operation emits all of its declared events.
    describe('each operation emits only what it declares under x-emits', () => {
      const writing = [...contract.operations.values()].filter(
        ({ method, id }) => method !== 'GET' && !SKILL_RUNNERS.has(id),
      )
      test.each(writing)('$id emits only the events that it declares', ({ id, emits }) => {
        expect(emits).toEqual(expect.arrayContaining(populated().plumbline.emissions.of(id)))
      })
    })
  })
}

/** Pays a bill in full. No single example does this, because both the bill and its payment must be approved. */
async function payBill({ key, post, get }: TestPlumbline): Promise<void> {
  const path = '/api/ext'
  const vendor = await post(`${path}/vendors`, { companyName: 'Brazos Dumpsters' }, { key })
  const homes = await get(`${path}/homes?limit=1`, { key })
  const lines = [{ homeId: homes.body.data[0].id, description: 'Dumpster', amount: 300 }]
  const bill = await post(`${path}/bills`, { vendorId: vendor.body.id, lines }, { key })
  await post(`${path}/bills/${bill.body.id}/status`, { status: 'approved' }, { key })
  const payment = await post(`${path}/payments`, { billId: bill.body.id }, { key })
  for (const status of ['approved', 'paid'])
    await post(
      `${path}/payments/${payment.body.id}/status`,
      { status, ...(status === 'paid' && { overrideReason: 'On paper.' }) },
      { key },
    )
}
