import { cpSync } from 'node:fs'
import path from 'node:path'
import { inject } from 'vitest'

/**
 * Puts a copy of the run's migrated, empty embedded database into a data folder. This saves tests that are not about
 * the first start about five seconds.
 */
export function putMigratedDatabase(dataDir: string): void {
  const template = inject('pgliteTemplate')
  if (template === null) throw new Error('Only the runs on the embedded database have one to copy.')
  cpSync(template, path.join(dataDir, 'database'), { recursive: true })
}
