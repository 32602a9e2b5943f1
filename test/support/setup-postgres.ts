import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { startPostgres } from '../../scripts/processes/postgres.ts'
import { openDatabase } from '../../server/platform/database/database.ts'
import { migrate } from '../../server/platform/database/migrate.ts'
import { buildPages } from '../../web/build.ts'
import { assertNoStatementIsSlowed } from './row-security-plans.ts'
import { assertStatementsAreSimple } from './statement-rules.ts'

const TEMPLATE = 'plumbline_template'

/** Starts a PostgreSQL server for this run and migrates one database, of which every test file gets a copy. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await buildPages()
  // Turns off fsync, because these tests do not depend on the disk. Other tests check with fsync that data survives a
  // crash.
  const postgres = await startPostgres({
    ...{ fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', wal_level: 'minimal', max_wal_senders: '0' },
    // Turns off autovacuum, which would process the databases of all test files, although each is needed only for a
    // moment.
    ...{ autovacuum: 'off', track_counts: 'off' },
    // Each worker runs up to three services at a time, each with a pool of connections.
    max_connections: String(100 + 50 * availableParallelism()),
  })
  if (postgres === null) throw new Error('The project "postgres" needs PostgreSQL; run "vitest --project pglite".')
  await printVersion(await postgres.database('postgres'))
  const template = await openDatabase({
    databaseUrl: await postgres.database(TEMPLATE),
    databaseConnections: 11,
    dataDir: '',
  })
  await migrate(template)
  await template.close()
  const statementsFolder = mkdtempSync(path.join(tmpdir(), 'plumbline-statements-'))
  const adminUrl = await postgres.database('postgres')
  project.provide('postgres', { adminUrl, templateName: TEMPLATE, statementsFolder })
  project.provide('pgliteTemplate', null)
  return async () => {
    try {
      assertStatementsAreSimple(statementsFolder)
      await assertNoStatementIsSlowed(await postgres.database(TEMPLATE), statementsFolder)
    } finally {
      rmSync(statementsFolder, { recursive: true, force: true })
      await postgres.stop()
    }
  }
}

async function printVersion(url: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query('show server_version')
  console.log(`The project "postgres" runs on PostgreSQL ${rows[0].server_version}.`)
  await client.end()
}
