import { typeid } from 'typeid-js'
import type { webhooks } from '../../client/contract.gen.ts'
import type { Call, RecordedEvent, WriteCall } from '../http/call.ts'

/** The names of the events, and for each the resource that it carries, from the `webhooks` of the contract. */
export type EventType = keyof webhooks & string
export type EventObject<Type extends EventType> = EventData<Type>['object']
/** What the data of an event hold beside the resource and its old values; most hold nothing more. */
export type EventExtras<Type extends EventType> = Omit<EventData<Type>, 'object' | 'previous'>
type EventData<Type extends EventType> = webhooks[Type]['post']['requestBody']['content']['application/json']['data']

/**
 * An event is a row in the transaction of the change that it tells of: both hold, or neither. Its payload is fixed here,
 * to the byte, and delivered as it is on every attempt.
 *
 * @param object the resource as its GET shows it after the change to somebody who may only read
 * @param previous the old values of the fields that changed, or the whole resource as it was
 */
export async function recordEvent<Type extends EventType>(
  call: WriteCall,
  type: Type,
  object: EventObject<Type> & Identified,
  previous?: Partial<EventObject<Type>> | null,
  extras?: EventExtras<Type>,
): Promise<void> {
  const event = makeEvent(call, type, object, previous, extras)
  await call.db.insertInto('events').values(event.row).execute()
  call.events.push(event.recorded)
}

interface Identified {
  id: string
}

/** The row of an event, for a statement that writes it together with something else. */
export function makeEvent<Type extends EventType>(
  call: Call,
  type: Type,
  object: EventObject<Type> & Identified,
  previous?: Partial<EventObject<Type>> | null,
  extras?: EventExtras<Type>,
): { row: EventRow; recorded: RecordedEvent } {
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

export interface EventRow {
  organizationId: string
  id: string
  type: string
  resourceId: string
  actorId: string | null
  payload: string
  occurredAt: string
  /** Which request it was, and where it came from: what the audit trail adds to an event. */
  requestId: string
  address: string | null
}

// 256 kB, counted in characters; what is beyond ASCII may weigh a little more.
const MOST_CHARACTERS = 256 * 1024

// Where the resource of an event is read, by the first word of the event's name.
const COLLECTIONS: Record<string, string> = { bid_request: 'bids/requests', po: 'purchase-orders' }

function collectionOf(type: string): string {
  const noun = type.split('.', 1)[0] ?? type
  return COLLECTIONS[noun] ?? `${noun}s`
}

// What every change changes says nothing about this one.
const ALWAYS_CHANGED = new Set(['version', 'updatedAt'])

function changedFields(object: object, previous: object): Record<string, unknown> | null {
  const now = object as Record<string, unknown>
  const changed = Object.entries(previous).filter(
    ([field, old]) => !ALWAYS_CHANGED.has(field) && JSON.stringify(old) !== JSON.stringify(now[field]),
  )
  return changed.length === 0 ? null : Object.fromEntries(changed)
}
