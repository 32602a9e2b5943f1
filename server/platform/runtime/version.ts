import { readFileSync } from 'node:fs'
import path from 'node:path'

/** The version of this Plumbline, as its package says; the contract has a version of its own. */
export function ownVersion(): string {
  const manifest = readFileSync(path.join(import.meta.dirname, '../../../package.json'), 'utf8')
  return (JSON.parse(manifest) as { version: string }).version
}
