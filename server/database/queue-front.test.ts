import { sql } from 'kysely'
import { typeid } from 'typeid-js'
import { afterEach, expect, inject, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../test/support/plumbline.ts'
import { QueueFront } from './queue-front.ts'

/** A front that has read a queue up to the place at 0, 1, 7 and 13 s, which took no time. */
function frontAt(place: number): QueueFront {
  const front = new QueueFront()
  for (const atMs of [0, 1000, 7000, 13_000])
    front.read({ after: front.after(atMs), first: null, upTo: place, fromMs: atMs, toMs: atMs })
  return front
}

test('a queue is read from its beginning until something has left it for seconds', () => {
  const front = new QueueFront()
  const read = (atMs: number, upTo: number) => {
    const after = front.after(atMs)
    front.read({ after, first: upTo, upTo, fromMs: atMs, toMs: atMs })
    return after
  }
  expect([read(10, 1), read(20, 2), read(900, 3), read(1900, 4)]).toEqual([0, 0, 0, 0])
  // What was reached two seconds before has settled.
  expect([read(2100, 5), read(2200, 6), read(3000, 7)]).toEqual([0, 1, 1])
  expect([read(4200, 8), read(4300, 9)]).toEqual([0, 5])
})

test('it is read from its beginning each second, or after twenty times as long as that took, or five seconds', () => {
  const front = frontAt(7)
  expect([front.after(13_100), front.after(13_999), front.after(14_000)]).toEqual([7, 7, 0])
  front.read({ after: 0, first: null, upTo: null, fromMs: 14_000, toMs: 14_200 })
  expect([front.after(15_300), front.after(18_199), front.after(18_200)]).toEqual([7, 7, 0])
  front.read({ after: 0, first: null, upTo: null, fromMs: 19_000, toMs: 20_000 })
  expect([front.after(24_999), front.after(25_000)]).toEqual([7, 0])
})

test('what appears behind, as after a failover, makes it be read from its beginning for some seconds', () => {
  const front = frontAt(7)
  front.read({ after: 0, first: 3, upTo: 4, fromMs: 14_000, toMs: 14_000 })
  expect(front.after(14_500)).toBe(0)
  front.read({ after: 0, first: 5, upTo: 5, fromMs: 16_500, toMs: 16_500 })
  expect(front.after(16_600)).toBe(4)
})

const started: TestPlumbline[] = []
afterEach(async () => {
  for (const plumbline of started.splice(0)) await plumbline.stop()
})

// The embedded database has one transaction at a time.
test.skipIf(inject('postgres') === null)('an event that is committed long after later ones is not lost', async () => {
  const plumbline = await startTestPlumbline()
  started.push(plumbline)
  const { database, organizationId } = plumbline
  const post = async (companyName: string) => (await plumbline.post('/api/ext/vendors', { companyName })).body.id
  await post('Redrock Carpentry')
  const id = typeid('evt').toString()
  const [written, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const late = database.transaction(async (trx) => {
    await sql`insert into "events" ("organizationId", "id", "type", "resourceId", "payload", "occurredAt")
      select "organizationId", ${id}, "type", "resourceId", replace("payload", "id", ${id}), "occurredAt"
      from "events" where "organizationId" = ${organizationId}`.execute(trx)
    written.resolve()
    await over.promise
  })
  await written.promise
  // Until the dispatcher reads from a place behind it: what left two seconds ago has settled at the next event.
  const begun = performance.now()
  while (performance.now() - begun < 5000) {
    const resourceId = await post('Brazos Framing')
    await plumbline.until(`/api/ext/events?resourceId=${resourceId}`, ({ body }) => body.data.length === 1)
  }
  over.resolve()
  await late
  const sequence = async () => {
    const { rows } = await sql<{ sequence: number | null }>`
      select "sequence" from "events" where "organizationId" = ${organizationId} and "id" = ${id}`.execute(
      database.statements,
    )
    return rows[0]?.sequence
  }
  await expect.poll(sequence, { timeout: 10_000 }).toBeGreaterThan(0)
})
