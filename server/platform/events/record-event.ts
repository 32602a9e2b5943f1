import { typeid } from 'typeid-js'
import type { webhooks } from '../../../client/contract.gen.ts'
import type { Call, EventRow, RecordedEvent, WriteCall } from '../calls/call.ts'
import { queueEvents } from './pending-rows.ts'

/** The event types and their records, from `webhooks` in the contract. */
export type EventType = keyof webhooks & string
export type EventObject<Type extends EventType> = EventData<Type>['object']
/** The fields in the data of an event besides the record and its previous values. Most events have none. */
export type EventExtras<Type extends EventType> = Omit<EventData<Type>, 'object' | 'previous'>
type EventData<Type extends EventType> = webhooks[Type]['post']['requestBody']['content']['application/json']['data']

/**
 * Records an event in the transaction of its change, so that either both or neither are committed. The payload is
 * created here, and all attempts deliver the same bytes.
 *
 * @param object the record after the change, as its GET operation returns it to a caller with read permission only
 * @param previous the previous values of the changed fields, or the whole record before the change
 */
export async function recordEvent<Type extends EventType>(
  call: WriteCall,
  type: Type,
  object: EventObject<Type> & WithId,
  previous?: Partial<EventObject<Type>> | null,
  extras?: EventExtras<Type>,
): Promise<void> {
  const event = buildEvent(call, type, object, previous, extras)
  await recordEvents(call, [event])
}

interface WithId {
  id: string
}

/** Records several events, in order. */
export async function recordEvents(call: WriteCall, events: readonly NewEvent[]): Promise<void> {
  call.events.push(...events.map(({ recorded }) => recorded))
  await queueEvents(
    call,
    events.map(({ row }) => row),
  )
}

export interface NewEvent {
  row: EventRow
  recorded: RecordedEvent
}

/** Returns the row of an event, for a statement that inserts the event together with other rows. */
export function buildEvent<Type extends EventType>(
  call: Call,
  type: Type,
  object: EventObject<Type> & WithId,
  previous?: Partial<EventObject<Type>> | null,
  extras?: EventExtras<Type>,
): NewEvent {
  const id = typeid('evt').toString()
  const occurredAt = call.now.toISOString()
  const before = previous ? previousValues(object, previous) : null
  const envelope = {
    id,
    type,
    timestamp: occurredAt,
    apiVersion: call.services.contract.version,
    organizationId: call.organizationId,
    actor: call.actor,
    data: { object: object as object, previous: before, ...(extras as object | undefined) },
  }
  let payload = JSON.stringify(envelope)
  if (payload.length > MAX_PAYLOAD_CHARACTERS) {
    const small = {
      id: object.id,
      url: `${call.services.config.publicUrl}/api/ext/${getCollection(type)}/${object.id}`,
    }
    payload = JSON.stringify({
      ...envelope,
      data: { object: small, previous: null, ...(extras as object | undefined) },
    })
  }
  return {
    row: {
      organizationId: call.organizationId,
      id,
      type,
      resourceId: object.id,
      actorId: call.actor.id,
      payload,
      occurredAt,
      requestId: call.requestId,
      address: call.address,
    },
    recorded: { id, type, resourceId: object.id, payload },
  }
}

// The maximum is 256 kB, but it is counted in characters, so texts with non-ASCII characters can be a little larger.
const MAX_PAYLOAD_CHARACTERS = 256 * 1024

// The URL path of the record of an event, by the first word of the event type.
const COLLECTIONS: Record<string, string> = {
  bid_request: 'bids/requests',
  period: 'ledger/closes',
  po: 'purchase-orders',
}

function getCollection(type: string): string {
  const noun = type.split('.', 1)[0] ?? type
  return COLLECTIONS[noun] ?? `${noun.replaceAll('_', '-')}s`
}

// These fields change every time, so previous values omit them.
const ALWAYS_CHANGED = new Set(['version', 'updatedAt'])

function previousValues(object: object, previous: object): Record<string, unknown> | null {
  const now = object as Record<string, unknown>
  const changed = Object.entries(previous).filter(
    // Most values are identical, which avoids serializing them for the comparison.
    ([field, old]) =>
      old !== now[field] && !ALWAYS_CHANGED.has(field) && JSON.stringify(old) !== JSON.stringify(now[field]),
  )
  return changed.length === 0 ? null : Object.fromEntries(changed)
}
