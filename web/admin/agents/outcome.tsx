import type { Event, Proposal, ProposalStatus } from '../../../client/contract.gen.ts'
import { inWords } from '../../ui/badge.tsx'
import { nameOfObject } from '../../ui/event-list.tsx'
import { fieldInWords } from '../../ui/history.tsx'
import { Icon } from '../../ui/icon.tsx'
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
            <Change key={event.id} event={event} />
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

function Change({ event }: { event: Event }) {
  const { object, previous } = event.data
  const before = Object.entries(previous ?? {}).filter(([field]) => !ALWAYS.includes(field))
  const name = nameOfObject(event)
  return (
    <li>
      <h3>
        <Icon name="events" />
        {inWords(event.type.replaceAll('.', ' '))} {name !== '' && <b>{name}</b>}
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
                → <Value of={object[field]} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </li>
  )
}
