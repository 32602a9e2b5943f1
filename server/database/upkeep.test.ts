import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../test/support/plumbline.ts'
import { keepUp } from './upkeep.ts'

let plumbline: TestPlumbline
beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
afterAll(() => plumbline.stop())

interface Known {
  /** How many rows the planner believes that there are; -1 where nobody has counted. */
  rows: number
  dead: number
}

async function known(table: string): Promise<Known> {
  await sql`select pg_stat_force_next_flush()`.execute(plumbline.database.statements)
  const { rows } = await sql<Known>`
    select c."reltuples" as "rows", s."n_dead_tup" as "dead"
    from "pg_class" c join "pg_stat_user_tables" s on s."relid" = c."oid" where c."relname" = ${table}`.execute(
    plumbline.database.statements,
  )
  return rows[0] ?? { rows: Number.NaN, dead: Number.NaN }
}

test('the embedded database learns how much there is, and is rid of what was overwritten', async () => {
  const { database, organizationId } = plumbline
  if (!database.embedded) return
  for (let i = 0; i < 80; i++) await plumbline.post('/api/ext/vendors', { companyName: `Brazos Framing ${i}` })
  // Each event is written once more when it is given its place.
  await plumbline.until('/api/ext/events?sort=-sequence&limit=1', ({ body }) => body.data[0]?.sequence === 80)
  expect(await known('vendors')).toMatchObject({ rows: -1 })
  expect((await known('events')).dead).toBeGreaterThan(50)
  await keepUp(database)
  expect(await known('vendors')).toEqual({ rows: 80, dead: 0 })
  expect(await known('events')).toEqual({ rows: 80, dead: 0 })

  await database.statements.deleteFrom('vendors').where('organizationId', '=', organizationId).execute()
  await keepUp(database)
  expect(await known('vendors')).toEqual({ rows: 0, dead: 0 })
})

test('a table that has hardly changed is left alone', async () => {
  const { database } = plumbline
  if (!database.embedded) return
  await plumbline.post('/api/ext/scopes', { name: 'Framing' })
  await keepUp(database)
  expect(await known('scopes')).toMatchObject({ rows: -1 })
})
