import { beforeAll, describe, expect, test } from 'vitest'
import { contract, entriesAt, SKILL_RUNNERS, wholeContract } from '../../scripts/conformance/walked-contract.ts'
import type { PopulatedPlumbline } from '../support/populated-plumbline.ts'
import { describeEventErrors, listRecordedEvents, type RecordedEvent } from '../support/recorded-events.ts'

/** Performs every operation as its examples show it, and compares the events with `webhooks` in the contract. */
let recorded: RecordedEvent[]

export function testEvents(populated: () => PopulatedPlumbline): void {
  describe('events', () => {
    beforeAll(async () => {
      const { plumbline, world } = populated()
      // Each resource goes through everything that can be done to it, alternately forwards and backwards, because, for
      // example, no reminder can be sent for a closed request.
      const changing = [...contract.operations.values()].filter(({ method }) => method !== 'GET' && method !== 'DELETE')
      for (let which = 0; which < 6; which++) {
        for (const operation of which % 2 === 0 ? changing : changing.toReversed()) {
          const address = world.addressOf(operation, which)
          if (address === undefined) continue
          for (const body of world.bodiesOf(operation)) await world.send(operation, { address, body })
        }
      }
      // Operations for users are walked elsewhere (people.test.ts), and these are their only events.
      const owner = await plumbline.signIn()
      const reopening = { throughDate: null, reason: 'The auditor found a missing bill.' }
      await plumbline.post('/api/ext/ledger/close/reopen', reopening, owner)
      recorded = await listRecordedEvents(plumbline.database)
    }, 120_000)

    describe("each event matches the contract's declaration", () => {
      test.each(entriesAt('webhooks').map(([type]) => type))('%s', (type) => {
        for (const event of recorded.filter((each) => each.type === type)) expect(describeEventErrors(event)).toBe('')
      })
    })

    test('every event that an operation declares was emitted, and no other', () => {
      const emitted = new Set(recorded.map(({ type }) => type))
      const promised = [...wholeContract.operations.values()].flatMap(({ id, emits }) =>
        emits.map((type) => ({ id, type })),
      )
      const unasked = [...emitted].filter((type) => !promised.some((promise) => promise.type === type))
      expect(unasked.map((type) => `${type}: was emitted, and no operation says so under x-emits`)).toEqual([])
      const broken = promised.filter(({ type }) => !emitted.has(type))
      expect(broken.map(({ id, type }) => `${id}: says that it emits ${type}, and no example made it do so`)).toEqual(
        [],
      )
    })

    test('every event type that is listed as available was emitted, and no other', async () => {
      const { body } = await populated().plumbline.get('/api/ext/event-types')
      const listed: { type: string; available: boolean }[] = body.data
      const available = listed.filter((entry) => entry.available).map(({ type }) => type)
      expect([...new Set(recorded.map(({ type }) => type))].sort()).toEqual(available.sort())
    })

    // The whole suite checks that each of them emits all of it (test/support/seen-answers.ts).
    describe('each operation emits only what it declares under x-emits', () => {
      const writing = [...contract.operations.values()].filter(
        ({ method, id }) => method !== 'GET' && !SKILL_RUNNERS.has(id),
      )
      test.each(writing)('$id', ({ id, emits }) => {
        expect(emits).toEqual(expect.arrayContaining(populated().plumbline.emissions.of(id)))
      })
    })
  })
}
