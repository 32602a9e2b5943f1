import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import type { TestProject } from 'vitest/node'
import { overPGlite } from '../../server/database/database.ts'
import { migrate } from '../../server/database/migrate.ts'
import { buildPages } from '../../web/build.ts'

/** Migrates one embedded database, of which every test file gets a copy. */
export default async function setup(project: TestProject): Promise<() => void> {
  await buildPages()
  const lite = await PGlite.create()
  await migrate(await overPGlite(lite))
  const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-template-'))
  const file = path.join(folder, 'database.tar')
  writeFileSync(file, Buffer.from(await (await lite.dumpDataDir('none')).arrayBuffer()))
  await lite.close()
  project.provide('postgres', null)
  project.provide('pgliteTemplate', file)
  return () => rmSync(folder, { recursive: true, force: true })
}
