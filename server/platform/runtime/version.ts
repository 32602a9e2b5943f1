import { readFileSync } from 'node:fs'
import path from 'node:path'

/** Returns the version of Plumbline from its package.json. The API contract has a separate version. */
export function readOwnVersion(): string {
  const manifest = readFileSync(path.join(import.meta.dirname, '../../../package.json'), 'utf8')
  return (JSON.parse(manifest) as { version: string }).version
}
