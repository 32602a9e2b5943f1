import type { Event } from '../../client/contract.gen.ts'
import { humanizeField } from '../../server/platform/values/field-words.ts'
import { useListPage } from '../api/list-pages.ts'
import { useCan } from '../api/session.ts'
import { useActorNames } from './actor-names.ts'
import { EVENT_PHRASES } from './event-words.ts'
import { humanizeName } from './humanize-name.ts'
import { EmptyState, LoadError, SkeletonLines } from './states.tsx'
import { TimeText } from './time.tsx'

/** The maximum number of events. The event log contains all events. */
const MAX_EVENTS = 50

/** Shows the history of a record along a vertical line, newest first. */
export function RecordHistory({ of }: { of: string }) {
  const can = useCan()
  const page = useListPage(
    '/api/ext/events',
    { resourceId: of, sort: '-sequence', limit: MAX_EVENTS },
    { enabled: can('events:read') },
  )
  const events = page.data?.data ?? []
  const nameOf = useActorNames(events.map(({ actor }) => actor))
  if (!can('events:read')) return <EmptyState icon="events" title="Your role does not allow you to view the history" />
  if (page.error !== null)
    return <LoadError what="The history" error={page.error} onRetry={() => void page.refetch()} />
  if (page.data === undefined) return <SkeletonLines />
  if (events.length === 0) return <EmptyState icon="events" title="No history yet" />
  return (
    <>
      <ol className="timeline">
        {events.map((event) => (
          <li key={event.id} data-tone={chooseTone(event.type)}>
            <p>
              {describeEvent(event)} <span className="muted">by {nameOf(event.actor)}</span>
            </p>
            <TimeText at={event.timestamp} />
          </li>
        ))}
      </ol>
      {page.data.nextCursor !== null && <p className="small muted">Only the {MAX_EVENTS} newest changes are shown.</p>}
    </>
  )
}

function chooseTone(type: string): string | undefined {
  if (/\.(accepted|awarded|approved|completed|sent)$/.test(type)) return 'ok'
  if (/\.(rejected|declined|expired|failed|archived)$/.test(type)) return 'bad'
  return /\.(submitted|issued|created)$/.test(type) ? 'flow' : undefined
}

/** Fields that every change updates. They are left out, because they do not describe the change. */
const ALWAYS_CHANGED_FIELDS = ['version', 'updatedAt']

function describeEvent({ type, data }: Event): string {
  const what = EVENT_PHRASES[type] ?? humanizeName(type.split('.').slice(1).join(' '))
  const previous =
    'previous' in data && typeof data.previous === 'object' && data.previous !== null ? data.previous : {}
  const [was, is] = [previous, data.object].map((object) =>
    'status' in object ? humanizeName(String(object.status)) : '',
  )
  if (was !== '' && is !== '' && was !== is) return `${was} → ${is}`
  const changed = Object.keys(previous).filter((field) => !ALWAYS_CHANGED_FIELDS.includes(field))
  return changed.length === 0 ? what : `${what}: ${changed.map(humanizeField).join(', ')}`
}
