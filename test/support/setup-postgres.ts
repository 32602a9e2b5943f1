import { availableParallelism } from 'node:os'
import type { TestProject } from 'vitest/node'
import { startPostgres } from '../../scripts/processes/postgres.ts'
import { openDatabase } from '../../server/database/database.ts'
import { migrate } from '../../server/database/migrate.ts'
import { buildPages } from '../../web/build.ts'

const TEMPLATE = 'plumbline_template'

/** Starts a PostgreSQL server for this run and migrates one database, of which every test file gets a copy. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await buildPages()
  // These tests do not depend on the disk; surviving a crash is tested elsewhere, with fsync on.
  const postgres = await startPostgres({
    ...{ fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', wal_level: 'minimal', max_wal_senders: '0' },
    // It would go round the databases of all test files, though each is needed only for a moment.
    ...{ autovacuum: 'off', track_counts: 'off' },
    // Every worker has up to three services at a time, each with a connection pool.
    max_connections: String(100 + 50 * availableParallelism()),
  })
  if (postgres === null) throw new Error('The project "postgres" needs PostgreSQL; run "vitest --project pglite".')
  const template = await openDatabase({
    databaseUrl: await postgres.database(TEMPLATE),
    databaseConnections: 11,
    dataDir: '',
  })
  await migrate(template)
  await template.close()
  project.provide('postgres', { adminUrl: await postgres.database('postgres'), templateName: TEMPLATE })
  project.provide('pgliteTemplate', null)
  return () => postgres.stop()
}
