import { useMemo } from 'react'
import { Link, useSearchParams } from 'react-router'
import type { Event } from '../../../../client/contract.gen.ts'
import { plumbline, root } from '../../../api/plumbline.ts'
import { useLiveUpdates } from '../../../api/use-live-updates.ts'
import { ActorName } from '../../../ui/actor-name.tsx'
import { EventSubject, getEventObjectId } from '../../../ui/event-list.tsx'
import type { Filter } from '../../../ui/filter.tsx'
import { Listing } from '../../../ui/listing.tsx'
import { Page } from '../../../ui/page.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import type { Column } from '../../../ui/table.tsx'
import { TimeText } from '../../../ui/time.tsx'

const COLUMNS: readonly Column<Event>[] = [
  {
    head: 'Event',
    cell: ({ id, type }) => (
      <Link className="lead mono" to={`/settings/events/${id}`}>
        {type}
      </Link>
    ),
    csv: ({ type }) => type,
  },
  {
    head: 'Record',
    className: 'long',
    cell: (event) => (
      <>
        <span className="clip">
          <EventSubject of={event} />
        </span>
        <span className="sub mono">{getEventObjectId(event)}</span>
      </>
    ),
    csv: getEventObjectId,
  },
  { head: 'Changed by', cell: ({ actor }) => <ActorName of={actor} />, csv: ({ actor }) => actor.id ?? actor.type },
  {
    head: 'When',
    className: 'nowrap',
    cell: ({ timestamp }) => <TimeText at={timestamp} />,
    csv: ({ timestamp }) => timestamp,
  },
  {
    head: 'Number',
    numeric: true,
    isWideOnly: true,
    cell: ({ sequence }) => sequence,
    csv: ({ sequence }) => sequence,
  },
]

/** Lists all events in the form that subscribers receive. */
export function Component() {
  useLiveUpdates('at ease')
  const types = plumbline.useQuery('get', '/api/ext/event-types').data?.data
  const of = useSearchParams()[0].get('resourceId')
  const filters = useMemo<readonly Filter[]>(
    () => [
      { name: 'type', label: 'Type', options: (types ?? []).map(({ type }) => ({ value: type, label: type })) },
      ...(of === null ? [] : [{ name: 'resourceId', label: 'Record', options: [{ value: of, label: of }] }]),
    ],
    [types, of],
  )
  return (
    <Page title="Events" crumbs={[{ name: 'Settings' }, { name: 'Events' }]}>
      <div className="page-head">
        <h1>Events</h1>
        <p>
          Changes in order, as webhooks and API clients receive them.{' '}
          <a href={`${root}/docs/guides/webhooks`}>Read the guide</a>
        </p>
      </div>
      <Listing
        path="/api/ext/events"
        nouns={['event', 'events']}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        sort="-sequence"
        filters={filters}
        empty={
          <EmptyState icon="events" title="No events yet">
            Every change appears here after you add or edit a record.
          </EmptyState>
        }
      />
    </Page>
  )
}
