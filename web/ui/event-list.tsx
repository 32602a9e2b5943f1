import type { Event } from '../../client/contract.gen.ts'
import { eventInWords } from './event-words.ts'
import { Icon } from './icon.tsx'
import { Name } from './name.tsx'
import { count } from './words.ts'

/** The events that a dry run would have fired, numbered, as subscribers would get them. */
export function EventList({ events, about }: { events: readonly Event[]; about?(event: Event): string | undefined }) {
  return (
    <div className="effect-box">
      <h3>
        <Icon name="events" />
        {count(events.length, 'change')} will be made
      </h3>
      <ol className="effects in">
        {events.map((event, at) => (
          <li key={event.id}>
            <span className="n">{at + 1}</span>
            <span>
              {eventInWords(event.type)} <span className="muted">{about?.(event) ?? nameOfObject(event)}</span>
            </span>
          </li>
        ))}
      </ol>
    </div>
  )
}

/** What an event is about, by the number or the name that its record has. */
export function nameOfObject({ data }: Event): string {
  const object: object = data.object
  for (const field of ['number', 'name', 'companyName', 'title']) {
    const value = (object as Record<string, unknown>)[field]
    if (typeof value === 'string') return value
  }
  return ''
}

/** The same on a page, by the vendor where the record has no name of its own, such as a notice. */
export function AboutEvent({ of }: { of: Event }) {
  const name = nameOfObject(of)
  const { vendorId } = of.data.object as { vendorId?: unknown }
  return name === '' && typeof vendorId === 'string' ? <Name of="vendor" id={vendorId} isPlain /> : name
}

/** The id of the record that the event is about. */
export function idOfObject({ data }: Event): string {
  return String((data.object as { id: unknown }).id)
}
