import { Link } from 'react-router'
import type { Event, Proposal, ProposalStatus } from '../../../client/contract.gen.ts'
import { humanizeField } from '../../../server/platform/values/field-words.ts'
import { EventSubject, getEventObjectId, getEventObjectName } from '../../ui/event-list.tsx'
import { describeEventType } from '../../ui/event-words.ts'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Icon } from '../../ui/icon.tsx'
import { Panel } from '../../ui/panel.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { useFormats } from '../../ui/use-formats.ts'
import { Value, ValueTable } from '../../ui/value-table.tsx'

const STATUS_TITLES: Record<ProposalStatus, string> = {
  proposed: 'Proposed changes',
  approved: 'Changes made',
  refused: 'Changes not made',
  expired: 'Changes not made',
}

/** Shows how a proposal changes the builder's records, with the old and new value for each change. */
export function ProposalOutcome({ of: { outcome, status } }: { of: Proposal }) {
  const { events, result, truncated } = outcome
  const title = STATUS_TITLES[status]
  // Records that the dry run created exist only in the events of the dry run.
  const created = new Map(
    events
      .filter(({ type }) => type.endsWith('.created'))
      .map((event) => [getEventObjectId(event), getEventObjectName(event)]),
  )
  if (truncated) {
    return (
      <Panel title={title}>
        <EmptyState icon="events" title="Too many changes to show">
          The proposal changes hundreds of records. Select Approve to preview the changes before they are made.
        </EmptyState>
      </Panel>
    )
  }
  return (
    <Panel title={title} hint={status === 'proposed' ? 'preview from the time of the proposal' : undefined} isFlush>
      {events.length > 0 ? (
        <ol className="changes">
          {events.map((event) => (
            <Change key={event.id} event={event} made={created} />
          ))}
        </ol>
      ) : typeof result === 'object' && result !== null ? (
        <ValueTable caption="Result" of={result as Record<string, unknown>} />
      ) : (
        <p className="muted">No changes.</p>
      )}
      {events.length > 0 && <p className="small muted">Webhooks receive {formatCount(events.length, 'event')}.</p>}
    </Panel>
  )
}

/** Fields that every change updates. They are left out, because they do not describe the change. */
const ALWAYS_CHANGED_FIELDS = ['version', 'updatedAt']

/** The fields that can contain a record's amount. They differ by kind of record. */
const AMOUNT_FIELDS = ['amount', 'total', 'grossAmount'] as const

function Change({ event, made }: { event: Event; made: ReadonlyMap<string, string> }) {
  const { cents } = useFormats()
  const { previous } = event.data
  const object: Readonly<Record<string, unknown>> = event.data.object
  const amount = AMOUNT_FIELDS.map((field) => object[field]).find((value) => typeof value === 'number')
  const { bidRequestId } = object
  const before = Object.entries(previous ?? {}).filter(([field]) => !ALWAYS_CHANGED_FIELDS.includes(field))
  return (
    <li>
      <h3>
        <Icon name="events" />
        {describeEventType(event.type)}{' '}
        <b>
          <EventSubject of={event} />
          {amount !== undefined && `, ${cents(amount)}`}
        </b>
      </h3>
      {before.length > 0 && (
        <dl className="kv">
          {before.map(([field, value]) => (
            <div className="pair" key={field}>
              <dt>{humanizeName(humanizeField(field))}</dt>
              <dd>
                <del>
                  <Value of={value} />
                </del>{' '}
                → {made.get(String(object[field])) ?? <Value of={object[field]} />}
              </dd>
            </div>
          ))}
        </dl>
      )}
      {typeof bidRequestId === 'string' && (
        <p className="small">
          <Link to={`/bidding/${bidRequestId}`}>Compare this bid with the other bids</Link>
        </p>
      )}
    </li>
  )
}
