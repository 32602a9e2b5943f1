import { sql } from 'kysely'
import { faults } from '../../scripts/conformance/contract.ts'
import type { Database } from '../../server/database/database.ts'

export interface RecordedEvent {
  id: string
  type: string
  resourceId: string
  payload: { id: string; type: string; data: { object: { id: string } } }
}

/** Every event of a database, in the order in which they were recorded. */
export async function recordedEvents(database: Database): Promise<RecordedEvent[]> {
  const { rows } = await sql<RecordedEvent>`
    select "id", "type", "resourceId", "payload" from "events" order by "recordedOrder"`.execute(database.statements)
  return rows
}

/** What is wrong with the events of a database by the contract's `webhooks`, one line for each broken event. */
export async function brokenEvents(database: Database): Promise<string[]> {
  const lines = []
  for (const event of await recordedEvents(database)) {
    const wrong = eventFaults(event)
    if (wrong !== '') lines.push(`${event.type} ${event.id}: ${wrong}`)
  }
  return lines
}

export function eventFaults({ id, type, resourceId, payload }: RecordedEvent): string {
  if (payload.id !== id || payload.type !== type || payload.data.object.id !== resourceId) {
    return `the row and its payload differ: ${JSON.stringify(payload)}`
  }
  return faults(payload, 'webhooks', type, 'post', 'requestBody', 'content', 'application/json', 'schema')
}
