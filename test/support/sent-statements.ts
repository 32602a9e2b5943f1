import { subscribe } from 'node:diagnostics_channel'
import type { SentStatement } from '../../server/platform/database/pool-driver.ts'

/** All statements that this process has sent for one organization. Tenant isolation applies to them. */
const texts = new Set<string>()

subscribe('plumbline:statement', (message) => {
  const { text, narrow } = message as SentStatement
  if (narrow) texts.add(text)
})

/** Returns the statements that were sent for the first time since the last call. */
export function takeSentStatements(): string[] {
  const taken = [...texts].filter((text) => !isTaken.has(text))
  for (const text of taken) isTaken.add(text)
  return taken
}

const isTaken = new Set<string>()
