import { describeSchemaErrors } from '../../scripts/conformance/walked-contract.ts'
import type { Database } from '../../server/platform/database/database.ts'
import type { TestPlumbline } from './test-plumbline.ts'

/** An event in the form that subscribers receive. */
export interface SentEvent {
  id: string
  type: string
  actor: { type: string; id: string | null }
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts on any recorded data.
  data: any
}

/** Returns all events about the builder's resources so far, in order. */
export async function listEvents(
  plumbline: TestPlumbline,
  organizationId: string,
  types?: RegExp,
): Promise<SentEvent[]> {
  const rows = await selectInOrder(plumbline.database).where('organizationId', '=', organizationId).execute()
  return rows.filter((row) => types?.test(row.type) !== false).map(({ payload }) => JSON.parse(payload))
}

/** Returns all events about one resource so far, in order. */
export async function listEventsAbout(plumbline: TestPlumbline, resourceId: string): Promise<SentEvent[]> {
  const rows = await selectInOrder(plumbline.database).where('resourceId', '=', resourceId).execute()
  return rows.map(({ payload }) => JSON.parse(payload))
}

function selectInOrder(database: Database) {
  return database.statements
    .selectFrom('events')
    .select(['id', 'type', 'resourceId', 'payload'])
    .orderBy('recordedOrder')
}

export interface RecordedEvent {
  id: string
  type: string
  resourceId: string
  payload: SentEvent
}

/** Returns all events in a database in the order in which they were recorded. */
export async function listRecordedEvents(database: Database): Promise<RecordedEvent[]> {
  const rows = await selectInOrder(database).execute()
  return rows.map((row) => ({ ...row, payload: JSON.parse(row.payload) }))
}

/**
 * Returns the events in a database that do not match the contract's `webhooks`, with their errors, one on each line.
 */
export async function listBrokenEvents(database: Database): Promise<string[]> {
  const lines = []
  for (const event of await listRecordedEvents(database)) {
    const wrong = describeEventErrors(event)
    if (wrong !== '') lines.push(`${event.type} ${event.id}: ${wrong}`)
  }
  return lines
}

export function describeEventErrors({ id, type, resourceId, payload }: RecordedEvent): string {
  if (payload.id !== id || payload.type !== type || payload.data.object.id !== resourceId) {
    return `the row and its payload differ: ${JSON.stringify(payload)}`
  }
  return describeSchemaErrors(payload, 'webhooks', type, 'post', 'requestBody', 'content', 'application/json', 'schema')
}
