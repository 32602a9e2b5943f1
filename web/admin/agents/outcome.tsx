import { Link } from 'react-router'
import type { Event, Proposal, ProposalStatus } from '../../../client/contract.gen.ts'
import { inWords } from '../../ui/badge.tsx'
import { AboutEvent, idOfObject, nameOfObject } from '../../ui/event-list.tsx'
import { eventInWords } from '../../ui/event-words.ts'
import { fieldInWords } from '../../ui/history.tsx'
import { Icon } from '../../ui/icon.tsx'
import { useFormats } from '../../ui/organization.ts'
import { Panel } from '../../ui/panel.tsx'
import { Empty } from '../../ui/states.tsx'
import { Value, Values } from '../../ui/values.tsx'
import { count } from '../../ui/words.ts'

const TITLES: Record<ProposalStatus, string> = {
  proposed: 'Proposed changes',
  approved: 'Changes made',
  refused: 'Changes not made',
  expired: 'Changes not made',
}

/** Shows how a proposal changes the builder's records: each change with the old and the new value. */
export function Outcome({ of: { outcome, status } }: { of: Proposal }) {
  const { events, result, truncated } = outcome
  const title = TITLES[status]
  // Records that the trial created exist only in its events.
  const made = new Map(
    events.filter(({ type }) => type.endsWith('.created')).map((event) => [idOfObject(event), nameOfObject(event)]),
  )
  if (truncated) {
    return (
      <Panel title={title}>
        <Empty icon="events" title="Too many changes to show">
          The proposal changes hundreds of records. Select Approve to preview the changes before they are made.
        </Empty>
      </Panel>
    )
  }
  return (
    <Panel title={title} hint={status === 'proposed' ? 'preview from when it was proposed' : undefined} isFlush>
      {events.length > 0 ? (
        <ol className="changes">
          {events.map((event) => (
            <Change key={event.id} event={event} made={made} />
          ))}
        </ol>
      ) : typeof result === 'object' && result !== null ? (
        <Values caption="Result" of={result as Record<string, unknown>} />
      ) : (
        <p className="muted">No changes.</p>
      )}
      {events.length > 0 && <p className="small muted">Webhooks receive {count(events.length, 'event')}.</p>}
    </Panel>
  )
}

/** Fields that every change updates, which say nothing about it. */
const ALWAYS = ['version', 'updatedAt']

/** The fields that contain the value of a record, for the different kinds of records. */
const AMOUNTS = ['amount', 'total', 'grossAmount'] as const

function Change({ event, made }: { event: Event; made: ReadonlyMap<string, string> }) {
  const { cents } = useFormats()
  const { previous } = event.data
  const object: Readonly<Record<string, unknown>> = event.data.object
  const amount = AMOUNTS.map((field) => object[field]).find((value) => typeof value === 'number')
  const { bidRequestId } = object
  const before = Object.entries(previous ?? {}).filter(([field]) => !ALWAYS.includes(field))
  return (
    <li>
      <h3>
        <Icon name="events" />
        {eventInWords(event.type)}{' '}
        <b>
          <AboutEvent of={event} />
          {amount !== undefined && `, ${cents(amount)}`}
        </b>
      </h3>
      {before.length > 0 && (
        <dl className="kv">
          {before.map(([field, value]) => (
            <div className="pair" key={field}>
              <dt>{inWords(fieldInWords(field))}</dt>
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
          <Link to={`/bidding/${bidRequestId}`}>Compare with the other bids</Link>
        </p>
      )}
    </li>
  )
}
