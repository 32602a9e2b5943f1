import type { Event } from '../../client/contract.gen.ts'
import { describeEventType } from './event-words.ts'
import { Icon } from './icon.tsx'
import { RecordName } from './record-name.tsx'
import { formatCount } from './text-formats.ts'

/**
 * Shows a numbered list of the events that a dry run would have created, in the form that subscribers would receive.
 */
export function EventList({ events, about }: { events: readonly Event[]; about?(event: Event): string | undefined }) {
  return (
    <div className="effect-box">
      <h3>
        <Icon name="events" />
        {formatCount(events.length, 'change')} will be made
      </h3>
      <ol className="effects in">
        {events.map((event, at) => (
          <li key={event.id}>
            <span className="n">{at + 1}</span>
            <span>
              {describeEventType(event.type)}{' '}
              <span className="muted">{about?.(event) ?? getEventObjectName(event)}</span>
            </span>
          </li>
        ))}
      </ol>
    </div>
  )
}

/** Returns the number or name of an event's record. */
export function getEventObjectName({ data }: Event): string {
  const object: object = data.object
  for (const field of ['number', 'name', 'companyName', 'title']) {
    const value = (object as Record<string, unknown>)[field]
    if (typeof value === 'string') return value
  }
  return ''
}

/** Shows the record of an event. If the record has no name, as for a notice, shows the vendor. */
export function EventSubject({ of }: { of: Event }) {
  const name = getEventObjectName(of)
  const { vendorId } = of.data.object as { vendorId?: unknown }
  return name === '' && typeof vendorId === 'string' ? <RecordName of="vendor" id={vendorId} isPlain /> : name
}

/** Returns the ID of an event's record. */
export function getEventObjectId({ data }: Event): string {
  return String((data.object as { id: unknown }).id)
}
