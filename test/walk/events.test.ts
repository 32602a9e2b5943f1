import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract, entriesAt } from '../../scripts/conformance/contract.ts'
import type { TestPlumbline } from '../support/plumbline.ts'
import { startPopulated } from '../support/populated.ts'
import { eventFaults, type RecordedEvent, recordedEvents } from '../support/recorded-events.ts'

/** Every operation is performed as its examples show it, and the events of it are held against `webhooks` in the contract. */
let plumbline: TestPlumbline
let stop: () => Promise<void>
let recorded: RecordedEvent[]

beforeAll(async () => {
  const populated = await startPopulated()
  const { world } = populated
  ;({ plumbline, stop } = populated)
  // Each thing is taken through all that can be done to it, one forwards, the next backwards: what a request can still be
  // reminded of is over once it is closed.
  const changing = [...contract.operations.values()].filter(({ method }) => method !== 'GET' && method !== 'DELETE')
  for (let which = 0; which < 6; which++) {
    for (const operation of which % 2 === 0 ? changing : changing.toReversed()) {
      const address = world.addressOf(operation, which)
      if (address === undefined) continue
      for (const body of world.bodiesOf(operation)) await world.send(operation, { address, body })
    }
  }
  recorded = await recordedEvents(plumbline.database)
}, 120_000)

afterAll(() => stop())

describe('each event is as the contract declares it', () => {
  test.each(entriesAt('webhooks').map(([type]) => type))('%s', (type) => {
    for (const event of recorded.filter((each) => each.type === type)) expect(eventFaults(event)).toBe('')
  })
})

test('every event that an operation says it emits was emitted, and no other', () => {
  const emitted = new Set(recorded.map(({ type }) => type))
  const promised = new Set(
    [...contract.operations.values()].flatMap(({ declaration, emits }) => [
      ...promises(declaration.description),
      ...emits,
    ]),
  )
  expect([...emitted].filter((type) => !promised.has(type))).toEqual([])
  expect([...promised].filter((type) => !emitted.has(type))).toEqual([])
})

// That each of them does emit all of it is seen in the whole suite (test/support/seen-answers.ts).
describe('each operation emits nothing but what it says under x-emits', () => {
  const writing = [...contract.operations.values()].filter(
    ({ method, id }) => method !== 'GET' && id !== 'executeSkill',
  )
  // Until the first operation says what it emits, none of them does.
  const isSaid = writing.some(({ emits }) => emits.length > 0)

  test.runIf(isSaid).for(writing)('$id', ({ id, emits }) => {
    expect(emits).toEqual(expect.arrayContaining(plumbline.emissions.of(id)))
  })
})

/** The events that a description names after the word "emits". */
function promises(description = ''): string[] {
  const start = description.search(/\bemits\b/i)
  return start === -1 ? [] : (description.slice(start).match(/[a-z_]+(\.[a-z_]+)+/g) ?? [])
}
