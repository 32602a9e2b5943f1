import { typeid } from 'typeid-js'
import type { webhooks } from '../../../client/contract.gen.ts'
import type { Call, EventRow, RecordedEvent, WriteCall } from '../calls/call.ts'
import { addEvents } from './recorded.ts'

/** The event types, and the resource that each carries, from the contract's `webhooks`. */
export type EventType = keyof webhooks & string
export type EventObject<Type extends EventType> = EventData<Type>['object']
/** What an event's data contain besides the resource and its old values; for most, nothing. */
export type EventExtras<Type extends EventType> = Omit<EventData<Type>, 'object' | 'previous'>
type EventData<Type extends EventType> = webhooks[Type]['post']['requestBody']['content']['application/json']['data']

/**
 * An event is a row in the transaction of the change that it reports: both are committed, or neither. Its payload is
 * fixed here, byte for byte, and delivered unchanged on every attempt.
 *
 * @param object the resource after the change, as its GET shows it to a caller who may only read
 * @param previous the old values of the fields that changed, or the whole resource before the change
 */
export async function recordEvent<Type extends EventType>(
  call: WriteCall,
  type: Type,
  object: EventObject<Type> & Identified,
  previous?: Partial<EventObject<Type>> | null,
  extras?: EventExtras<Type>,
): Promise<void> {
  const event = makeEvent(call, type, object, previous, extras)
  await recordEvents(call, [event])
}

interface Identified {
  id: string
}

/** Several events, in their order. */
export async function recordEvents(call: WriteCall, events: readonly MadeEvent[]): Promise<void> {
  call.events.push(...events.map(({ recorded }) => recorded))
  await addEvents(
    call,
    events.map(({ row }) => row),
  )
}

export interface MadeEvent {
  row: EventRow
  recorded: RecordedEvent
}

/** The row of an event, for a statement that inserts it along with something else. */
export function makeEvent<Type extends EventType>(
  call: Call,
  type: Type,
  object: EventObject<Type> & Identified,
  previous?: Partial<EventObject<Type>> | null,
  extras?: EventExtras<Type>,
): MadeEvent {
  const id = typeid('evt').toString()
  const occurredAt = call.now.toISOString()
  const before = previous ? changedFields(object, previous) : null
  const envelope = {
    id,
    type,
    timestamp: occurredAt,
    apiVersion: call.surroundings.contract.version,
    organizationId: call.organizationId,
    actor: call.actor,
    data: { object: object as object, previous: before, ...(extras as object | undefined) },
  }
  let payload = JSON.stringify(envelope)
  if (payload.length > MOST_CHARACTERS) {
    const small = {
      id: object.id,
      url: `${call.surroundings.config.publicUrl}/api/ext/${collectionOf(type)}/${object.id}`,
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

// 256 kB, counted in characters; non-ASCII text may take a little more.
const MOST_CHARACTERS = 256 * 1024

// The path under which an event's resource is read, by the first word of the event type.
const COLLECTIONS: Record<string, string> = { bid_request: 'bids/requests', po: 'purchase-orders' }

function collectionOf(type: string): string {
  const noun = type.split('.', 1)[0] ?? type
  return COLLECTIONS[noun] ?? `${noun.replaceAll('_', '-')}s`
}

// These change every time, so they say nothing about this change.
const ALWAYS_CHANGED = new Set(['version', 'updatedAt'])

function changedFields(object: object, previous: object): Record<string, unknown> | null {
  const now = object as Record<string, unknown>
  const changed = Object.entries(previous).filter(
    // Most are the same value, which need not be written to be compared.
    ([field, old]) =>
      old !== now[field] && !ALWAYS_CHANGED.has(field) && JSON.stringify(old) !== JSON.stringify(now[field]),
  )
  return changed.length === 0 ? null : Object.fromEntries(changed)
}
