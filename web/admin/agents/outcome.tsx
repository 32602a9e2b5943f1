import { Link } from 'react-router'
import type { Event, Proposal, ProposalStatus } from '../../../client/contract.gen.ts'
import { inWords } from '../../ui/badge.tsx'
import { AboutEvent, idOfObject, nameOfObject } from '../../ui/event-list.tsx'
import { fieldInWords } from '../../ui/history.tsx'
import { Icon } from '../../ui/icon.tsx'
import { useFormats } from '../../ui/organization.ts'
import { Panel } from '../../ui/panel.tsx'
import { Empty } from '../../ui/states.tsx'
import { Value, Values } from '../../ui/values.tsx'
import { count } from '../../ui/words.ts'

const TITLES: Record<ProposalStatus, string> = {
  proposed: 'What it would do',
  approved: 'What it did',
  refused: 'What it would have done',
  expired: 'What it would have done',
}

/** What a proposal does to the builder's records: each change with what it was and what it becomes. */
export function Outcome({ of: { outcome, status } }: { of: Proposal }) {
  const { events, result, truncated } = outcome
  const title = TITLES[status]
  // What the trial made is nowhere else to be found.
  const made = new Map(
    events.filter(({ type }) => type.endsWith('.created')).map((event) => [idOfObject(event), nameOfObject(event)]),
  )
  if (truncated) {
    return (
      <Panel title={title}>
        <Empty icon="events" title="It is too large to be kept">
          It is about hundreds of records. Approving tries it first and shows what it would do now.
        </Empty>
      </Panel>
    )
  }
  return (
    <Panel title={title} hint={status === 'proposed' ? 'as it was tried when it was proposed' : undefined} isFlush>
      {events.length > 0 ? (
        <ol className="changes">
          {events.map((event) => (
            <Change key={event.id} event={event} made={made} />
          ))}
        </ol>
      ) : typeof result === 'object' && result !== null ? (
        <Values caption="What it returns" of={result as Record<string, unknown>} />
      ) : (
        <p className="muted">It sends no events and returns nothing.</p>
      )}
      {events.length > 0 && <p className="small muted">{count(events.length, 'event')} to subscribers.</p>}
    </Panel>
  )
}

/** What changes with every change says nothing about it. */
const ALWAYS = ['version', 'updatedAt']

/** What a record is worth, in the fields that the kinds of records have for it. */
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
        {inWords(event.type.replaceAll('.', ' '))}{' '}
        <b>
          <AboutEvent of={event} />
          {amount !== undefined && `, ${cents(amount)}`}
        </b>
        <code className="push faint">{event.type}</code>
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
          <Link to={`/bidding/${bidRequestId}`}>How it compares with the other bids</Link>
        </p>
      )}
    </li>
  )
}
