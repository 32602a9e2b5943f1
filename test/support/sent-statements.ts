import { subscribe } from 'node:diagnostics_channel'
import type { SentStatement } from '../../server/platform/database/pool-driver.ts'

/** The texts of all statements that this process has sent for one organization, to which tenant isolation applies. */
const texts = new Set<string>()

subscribe('plumbline:statement', (message) => {
  const { text, narrow } = message as SentStatement
  if (narrow) texts.add(text)
})

/** Returns the texts that were first sent since the last call. */
export function takeSentStatements(): string[] {
  const taken = [...texts].filter((text) => !isTaken.has(text))
  for (const text of taken) isTaken.add(text)
  return taken
}

const isTaken = new Set<string>()
