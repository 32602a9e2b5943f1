import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { inject } from 'vitest'

/**
 * Puts a copy of the run's migrated, empty embedded database into a data folder, for a test that starts processes on it
 * and is not about the first start: that makes and migrates a database for some five seconds.
 */
export function putMigratedDatabase(dataDir: string): void {
  const database = path.join(dataDir, 'database')
  mkdirSync(database, { recursive: true, mode: 0o700 })
  execFileSync('tar', ['-xf', inject('pgliteTemplate') ?? '', '-C', database])
}
