import { useMemo } from 'react'
import { Link, useSearchParams } from 'react-router'
import type { AuditEntry } from '../../../client/contract.gen.ts'
import { auditResourceTypeValues } from '../../../client/enums.gen.ts'
import { humanizeField } from '../../../server/platform/values/field-words.ts'
import { ActorName } from '../../ui/actor-name.tsx'
import { describeEventType } from '../../ui/event-words.ts'
import type { Filter } from '../../ui/filter.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Listing } from '../../ui/listing.tsx'
import { Page } from '../../ui/page.tsx'
import { ParamDate, setQueryParam } from '../../ui/param-select.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { type Column, EmptyCell } from '../../ui/table.tsx'
import { TimeText } from '../../ui/time.tsx'
import { useFormats } from '../../ui/use-formats.ts'

const FILTERS: readonly Filter[] = [
  {
    name: 'outcome',
    label: 'Outcome',
    options: [
      { value: 'done', label: 'Done' },
      { value: 'refused', label: 'Denied' },
    ],
  },
  {
    name: 'resourceType',
    label: 'Record type',
    options: auditResourceTypeValues.map((value) => ({ value, label: humanizeName(value) })),
  },
]
/** The filters that the user can set by choosing a cell of the table. */
const CLICK_FILTERS = [
  { name: 'action', label: 'Action' },
  { name: 'actorId', label: 'Performed by' },
  { name: 'resourceId', label: 'Record' },
  { name: 'address', label: 'IP address' },
] as const

/** Shows the audit trail: the actor, the action, the time, and the origin of each change and each rejected request. */
export function Component() {
  const [params] = useSearchParams()
  const { beginOf } = useFormats()
  const filters = useMemo<readonly Filter[]>(
    () => [
      ...FILTERS,
      ...CLICK_FILTERS.flatMap(({ name, label }) => {
        const value = params.get(name)
        if (value === null) return []
        return [{ name, label, options: [{ value, label: name === 'action' ? describeEventType(value) : value }] }]
      }),
    ],
    [params],
  )
  const [from, until] = [params.get('from'), params.get('until')]
  return (
    <Page title="Audit" crumbs={[{ name: 'Settings' }, { name: 'Audit' }]}>
      <div className="page-head">
        <h1>Audit</h1>
        <p>A permanent record of actions and denied attempts, with user, time, and IP address.</p>
      </div>
      <Listing
        path="/api/ext/audit-entries"
        nouns={['entry', 'entries']}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        sort="-at"
        filters={filters}
        query={{
          ...(from !== null && { createdAfter: beginOf(from) }),
          ...(until !== null && { createdBefore: beginOf(until) }),
        }}
        aside={
          <>
            <ParamDate name="from" label="From" />
            <ParamDate name="until" label="Before" />
          </>
        }
        empty={
          <EmptyState icon="audit" title="No entries in this period">
            Choose another period. Entries are kept for 400 days by default.
          </EmptyState>
        }
      />
    </Page>
  )
}

const ACTOR_FILTER_LABELS: Record<AuditEntry['actor']['type'], string> = {
  user: 'All entries from this user',
  key: 'All entries from this API key',
  vendor: 'All entries from this vendor',
  home_owner: 'All entries from this home owner',
  operator: 'All entries from the operator',
  system: 'All entries from the service',
}

const COLUMNS: readonly Column<AuditEntry>[] = [
  {
    head: 'Action',
    cell: ({ action, changed, outcome, reason, count }) => (
      <>
        <NarrowLink to="action" value={action}>
          <span className={outcome === 'refused' ? 'lead tone-bad' : 'lead'}>{describeEventType(action)}</span>
        </NarrowLink>
        <span className="sub clip" title={changed.join(', ')}>
          {outcome === 'refused'
            ? `denied${count > 1 ? ` ${count} times` : ''}: ${humanizeName(reason ?? '').toLowerCase()}`
            : changed.map(humanizeField).join(', ')}
        </span>
      </>
    ),
    csv: ({ action }) => action,
  },
  { head: 'Outcome', isOnlyExported: true, cell: () => null, csv: ({ outcome }) => outcome },
  { head: 'Reason', isOnlyExported: true, cell: () => null, csv: ({ reason }) => reason },
  { head: 'Changed fields', isOnlyExported: true, cell: () => null, csv: ({ changed }) => changed.join(' ') },
  {
    head: 'Record',
    className: 'long',
    cell: ({ resourceType, resourceId }) => (
      <>
        {humanizeName(resourceType)}
        <span className="sub mono">
          <NarrowLink to="resourceId" value={resourceId}>
            {resourceId}
          </NarrowLink>
        </span>
      </>
    ),
    csv: ({ resourceId }) => resourceId,
  },
  {
    head: 'Performed by',
    cell: ({ actor }) => (
      <>
        <ActorName of={actor} />
        {actor.id !== null && (
          <span className="sub">
            <NarrowLink to="actorId" value={actor.id}>
              {ACTOR_FILTER_LABELS[actor.type]}
            </NarrowLink>
          </span>
        )}
      </>
    ),
    csv: ({ actor }) => actor.id ?? actor.type,
  },
  {
    head: 'IP address',
    className: 'nowrap',
    cell: ({ address }) =>
      address === null ? (
        <EmptyCell word="internal" />
      ) : (
        <NarrowLink to="address" value={address}>
          <span className="mono">{address}</span>
        </NarrowLink>
      ),
    csv: ({ address }) => address,
  },
  { head: 'When', sort: 'at', className: 'nowrap', cell: ({ at }) => <TimeText at={at} />, csv: ({ at }) => at },
  {
    head: 'Event',
    isWideOnly: true,
    cell: ({ eventId }) =>
      eventId === null ? <EmptyCell /> : <Link to={`/settings/events/${eventId}`}>View event</Link>,
    csv: ({ eventId }) => eventId,
  },
  { head: 'Request', isOnlyExported: true, cell: () => null, csv: ({ requestId }) => requestId },
]

/** Shows a link that filters the list by the value of the cell. */
function NarrowLink(props: { to: (typeof CLICK_FILTERS)[number]['name']; value: string; children: React.ReactNode }) {
  const [params] = useSearchParams()
  const after = new URLSearchParams(params)
  after.delete('cursor')
  return (
    <Link className="plain" to={{ search: setQueryParam(after, props.to, props.value) }}>
      {props.children}
    </Link>
  )
}
