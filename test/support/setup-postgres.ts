import type { TestProject } from 'vitest/node'
import { openDatabase } from '../../server/database/database.ts'
import { migrate } from '../../server/database/migrate.ts'
import { startPostgres } from './postgres.ts'

const TEMPLATE = 'plumbline_template'

/** Starts a PostgreSQL server for this run and migrates one database, which every test file then begins with a copy of. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  project.provide('pgliteTemplate', null)
  // What is durable is for the crash tests to find out; here a test file is made every few seconds.
  const server = await startPostgres({ fsync: 'off' })
  if (server === null) {
    project.provide('postgres', null)
    return undefined
  }
  const template = await openDatabase({ databaseUrl: await server.database(TEMPLATE), databasePoolSize: 1, dataDir: '' })
  await migrate(template)
  await template.close()
  project.provide('postgres', { adminUrl: await server.database('postgres'), templateName: TEMPLATE })
  return () => server.stop()
}
