import { sql } from 'kysely'
import pg from 'pg'
import { describe, expect, inject, test } from 'vitest'
import { createPostgresUrl } from '../../../test/support/databases.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { openDatabase } from './database.ts'
import { DEFAULT_CONNECTIONS } from './pool-size.ts'

test("the default connections of four processes fit within PostgreSQL's default limit", () => {
  expect(4 * DEFAULT_CONNECTIONS).toBeLessThanOrEqual(100 - 3)
})

// The embedded database has one connection.
describe.skipIf(inject('postgres') === null)('a process under load', () => {
  test('a process opens no more database connections than its maximum', async () => {
    const plumbline = await startTestPlumbline({ DATABASE_CONNECTIONS: '14' })
    try {
      expect(await load(plumbline)).toEqual(new Set([200, 201]))
      const open = await connections(plumbline)
      expect(open).toBeLessThanOrEqual(14)
      expect(open).toBeGreaterThan(5)
    } finally {
      await plumbline.stop()
    }
  })

  test('a process that gets fewer database connections than its maximum still handles all requests', async () => {
    const url = await createPostgresUrl(inject('postgres') ?? { adminUrl: '', templateName: '' })
    const admin = new pg.Client(url)
    await admin.connect()
    await admin.query(`create role "modest" login password 'modest' connection limit 9`)
    await admin.query(`grant "${new URL(url).username}" to "modest"`)
    const databaseUrl = Object.assign(new URL(url), { username: 'modest', password: 'modest' }).href
    const plumbline = await startTestPlumbline(
      {},
      { database: await openDatabase({ databaseUrl, databaseConnections: 24, dataDir: '' }) },
    )
    try {
      expect(await load(plumbline)).toEqual(new Set([200, 201]))
      expect(await connections(plumbline)).toBe(9 + 1)
    } finally {
      await plumbline.stop()
      await admin.end()
    }
  })
})

/** Sends concurrent reads, single writes, and transactions, and returns the statuses of the responses. */
async function load(plumbline: TestPlumbline): Promise<Set<number | undefined>> {
  const { body: vendor } = await plumbline.post('/api/ext/vendors', { companyName: 'Brazos Framing' })
  const answers = await Promise.all(
    Array.from({ length: 90 }, (_, n) =>
      [
        () => plumbline.get('/api/ext/vendors'),
        () => plumbline.post('/api/ext/vendors', { companyName: `Vendor ${n}` }),
        () => plumbline.patch(`/api/ext/vendors/${vendor.id}`, { companyName: `Vendor ${n}` }),
      ][n % 3]?.(),
    ),
  )
  return new Set(answers.map((answer) => answer?.status))
}

async function connections({ database }: TestPlumbline): Promise<number | undefined> {
  const { rows } = await sql<{ open: number }>`
    select count(*)::integer as "open" from "pg_stat_activity" where "datname" = current_database()`.execute(
    database.statements,
  )
  return rows[0]?.open
}
