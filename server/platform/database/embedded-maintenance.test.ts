import { sql } from 'kysely'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { addCopies } from '../../../test/support/add-copies.ts'
import { createPostgresUrl, createTestDatabase } from '../../../test/support/databases.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { type Database, openDatabase } from './database.ts'
import { analyzeGrownTables, maintainEmbeddedDatabase } from './embedded-maintenance.ts'
import { MIN_CONNECTIONS } from './pool-size.ts'

interface Known {
  /** The number of rows that the planner estimates; -1 if the table was never analyzed. */
  rows: number
  dead: number
  /** The number of rows that have been read by scans of any kind. */
  read: number
}

let plumbline: TestPlumbline
beforeEach(async () => {
  plumbline = await startTestPlumbline({}, { database: await countedDatabase() })
})
afterEach(() => plumbline.stop())

/**
 * Returns a database that counts changes. The server for these tests does not count changes, unlike other PostgreSQL
 * servers.
 */
async function countedDatabase(): Promise<Database> {
  const postgres = inject('postgres')
  if (postgres === null) return createTestDatabase()
  const databaseUrl = await createPostgresUrl(postgres)
  const admin = new pg.Client(postgres.adminUrl)
  await admin.connect()
  await admin.query(`alter database ${new URL(databaseUrl).pathname.slice(1)} set track_counts = on`)
  await admin.end()
  return openDatabase({ databaseUrl, databaseConnections: MIN_CONNECTIONS, dataDir: '' })
}

async function known(table: string, { statements }: Database = plumbline.database): Promise<Known> {
  await sql`select pg_stat_force_next_flush()`.execute(statements)
  const { rows } = await sql<Known>`
    select c."reltuples" as "rows", s."n_dead_tup" as "dead", s."seq_tup_read" + s."idx_tup_fetch" as "read"
    from "pg_class" c join "pg_stat_user_tables" s on s."relid" = c."oid" where c."relname" = ${table}`.execute(
    statements,
  )
  return rows[0] ?? { rows: Number.NaN, dead: Number.NaN, read: Number.NaN }
}

/** Returns the database with a `close` that does nothing, so that it stays open when the service stops. */
function leftOpen(database: Database): Database {
  return Object.create(database, { close: { value: async () => {} } })
}

test('table statistics are updated each time a growing table doubles in size', async () => {
  const add = async (count: number) => {
    const { id } = (await plumbline.post('/api/ext/vendors', { companyName: `Brazos Framing ${count}` })).body
    await addCopies(plumbline.database.statements, { table: 'vendors', id, count })
  }
  // A session reports its changes with a delay, so wait until they are counted.
  const learnt = () =>
    expect.poll(
      async () => {
        await analyzeGrownTables(plumbline.database)
        return (await known('vendors')).rows
      },
      { timeout: 20_000 },
    )
  await add(300)
  await learnt().toBe(301)
  await add(200)
  // The maintenance of the service may already have counted all 502 rows. Therefore, the added rows are more than this
  // number.
  await add(900)
  await learnt().toBe(1403)
})

test('maintenance of the embedded database ignores tables in other schemas', async () => {
  const { statements } = plumbline.database
  await sql`create schema "elsewhere"`.execute(statements)
  await sql`create table "elsewhere"."grown" as select generate_series(1, 1000) as "n"`.execute(statements)
  await sql`select pg_stat_force_next_flush()`.execute(statements)
  await analyzeGrownTables(plumbline.database)
  expect(await known('grown')).toMatchObject({ rows: -1 })
  await sql`drop schema "elsewhere" cascade`.execute(statements)
})

// A PostgreSQL server has background workers for this maintenance.
describe.skipIf(inject('postgres') !== null)('the embedded database', () => {
  async function rowsReadFor(target: string): Promise<number> {
    const { read } = await known('vendors')
    expect((await plumbline.get(target)).body.data).toHaveLength(20)
    return (await known('vendors')).read - read
  }

  test('maintenance of the embedded database removes overwritten rows', async () => {
    const database = await createTestDatabase()
    const stopped = await startTestPlumbline({}, { database: leftOpen(database) })
    const { id } = (await stopped.post('/api/ext/vendors', { companyName: 'Brazos Framing' })).body
    // The maintenance of a running service would affect the test.
    await stopped.stop()
    await addCopies(database.statements, { table: 'vendors', id, count: 79 })
    await sql`update "vendors" set "version" = 2`.execute(database.statements)
    expect(await known('vendors', database)).toMatchObject({ rows: -1, dead: 80 })
    await maintainEmbeddedDatabase(database)
    expect(await known('vendors', database)).toMatchObject({ rows: 80, dead: 0 })
    await database.close()
  })

  test('a query for one page of a long list reads only the rows of that page', async () => {
    const { id } = (await plumbline.post('/api/ext/vendors', { companyName: 'Brazos Framing' })).body
    await addCopies(plumbline.database.statements, { table: 'vendors', id, count: 8000 })
    // Remove the queue of the search index, because indexing would also read the new rows.
    await plumbline.database.statements.deleteFrom('searchQueue').execute()
    await maintainEmbeddedDatabase(plumbline.database)
    expect(await rowsReadFor('/api/ext/vendors?limit=20&sort=companyName')).toBeLessThan(30)
    expect(await rowsReadFor('/api/ext/vendors?limit=20')).toBeLessThan(30)
  })

  test('maintenance of the embedded database ignores a table with few changes', async () => {
    await plumbline.post('/api/ext/scopes', { name: 'Framing' })
    await maintainEmbeddedDatabase(plumbline.database)
    expect(await known('scopes')).toMatchObject({ rows: -1 })
  })
})
