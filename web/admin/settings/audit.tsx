import { useMemo } from 'react'
import { Link, useSearchParams } from 'react-router'
import type { AuditEntry } from '../../../client/contract.gen.ts'
import { auditResourceTypeValues } from '../../../client/enums.gen.ts'
import { ActorName } from '../../ui/actor-name.tsx'
import { inWords } from '../../ui/badge.tsx'
import type { Filter } from '../../ui/filter.tsx'
import { fieldInWords } from '../../ui/history.tsx'
import { Listing } from '../../ui/listing.tsx'
import { useFormats } from '../../ui/organization.ts'
import { Page } from '../../ui/page.tsx'
import { ParamDate, withParam } from '../../ui/param-select.tsx'
import { Empty } from '../../ui/states.tsx'
import { type Column, None } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'

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
    options: auditResourceTypeValues.map((value) => ({ value, label: inWords(value) })),
  },
]
/** The filters that a click on a cell can set. */
const BY_CLICK = [
  { name: 'action', label: 'Action' },
  { name: 'actorId', label: 'By' },
  { name: 'resourceId', label: 'Record' },
  { name: 'address', label: 'IP address' },
] as const

/** The audit trail: who did what, when and from where, including rejected requests. */
export function Component() {
  const [params] = useSearchParams()
  const { beginOf } = useFormats()
  const filters = useMemo<readonly Filter[]>(
    () => [
      ...FILTERS,
      ...BY_CLICK.flatMap(({ name, label }) => {
        const value = params.get(name)
        return value === null ? [] : [{ name, label, options: [{ value, label: value }] }]
      }),
    ],
    [params],
  )
  const [from, until] = [params.get('from'), params.get('until')]
  return (
    <Page title="Audit" crumbs={[{ name: 'Settings' }, { name: 'Audit' }]}>
      <div className="page-head">
        <h1>Audit</h1>
        <p>A permanent record of actions and denied attempts, with user, time and IP address.</p>
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
          <Empty icon="audit" title="No entries in this period">
            Choose another period. Entries are kept for 400 days by default.
          </Empty>
        }
      />
    </Page>
  )
}

const COLUMNS: readonly Column<AuditEntry>[] = [
  {
    head: 'Action',
    cell: ({ action, changed, outcome, reason, count }) => (
      <>
        <Narrow to="action" value={action}>
          <span className={outcome === 'refused' ? 'lead mono tone-bad' : 'lead mono'}>{action}</span>
        </Narrow>
        <span className="sub clip" title={changed.join(', ')}>
          {outcome === 'refused'
            ? `denied${count > 1 ? ` ${count} times` : ''}: ${inWords(reason ?? '').toLowerCase()}`
            : changed.map(fieldInWords).join(', ')}
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
        {inWords(resourceType)}
        <span className="sub mono">
          <Narrow to="resourceId" value={resourceId}>
            {resourceId}
          </Narrow>
        </span>
      </>
    ),
    csv: ({ resourceId }) => resourceId,
  },
  {
    head: 'By',
    cell: ({ actor }) => (
      <>
        <ActorName of={actor} />
        {actor.id !== null && (
          <span className="sub">
            <Narrow to="actorId" value={actor.id}>
              all from this user
            </Narrow>
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
        <None word="internal" />
      ) : (
        <Narrow to="address" value={address}>
          <span className="mono">{address}</span>
        </Narrow>
      ),
    csv: ({ address }) => address,
  },
  { head: 'When', sort: 'at', className: 'nowrap', cell: ({ at }) => <Time at={at} />, csv: ({ at }) => at },
  {
    head: 'Event',
    isWideOnly: true,
    cell: ({ eventId }) => (eventId === null ? <None /> : <Link to={`/settings/events/${eventId}`}>view event</Link>),
    csv: ({ eventId }) => eventId,
  },
  { head: 'Request', isOnlyExported: true, cell: () => null, csv: ({ requestId }) => requestId },
]

/** Filters the list by the value of the cell. */
function Narrow(props: { to: (typeof BY_CLICK)[number]['name']; value: string; children: React.ReactNode }) {
  const [params] = useSearchParams()
  const after = new URLSearchParams(params)
  after.delete('cursor')
  return (
    <Link className="plain" to={{ search: withParam(after, props.to, props.value) }}>
      {props.children}
    </Link>
  )
}
