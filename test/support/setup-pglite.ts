import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import type { TestProject } from 'vitest/node'
import { createEmbeddedDatabase } from '../../server/platform/database/database.ts'
import { migrate } from '../../server/platform/database/migrate.ts'
import { buildPages } from '../../web/build.ts'

/** Migrates one embedded database, of which every test file gets a copy. */
export default async function setup(project: TestProject): Promise<() => void> {
  await buildPages()
  const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-databases-'))
  const template = path.join(folder, 'template')
  const lite = await PGlite.create(template)
  await migrate(await createEmbeddedDatabase(lite))
  await reduceDatabase(lite)
  await lite.close()
  project.provide('postgres', null)
  project.provide('pgliteTemplate', template)
  return () => rmSync(folder, { recursive: true, force: true })
}

/**
 * Reduces the size of the database, which halves the time to copy and start it. This is possible because no copy is
 * used after its process ends, so a copy does not have to survive a crash. No other database is created in a copy.
 */
async function reduceDatabase(lite: PGlite): Promise<void> {
  const settings = { full_page_writes: 'off', wal_init_zero: 'off', wal_level: 'minimal', max_wal_senders: '0' }
  for (const [name, value] of Object.entries({ ...settings, shared_buffers: '16MB' }))
    await lite.exec(`alter system set ${name} = '${value}'`)
  await lite.exec(`update pg_database set datistemplate = false`)
  for (const name of ['template0', 'template1']) await lite.exec(`drop database ${name}`)
  // Writes a checkpoint. Without it, each copy would repeat the migrations from the log.
  await lite.exec('checkpoint')
}
