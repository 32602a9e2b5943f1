import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { formatMoment } from '../day/dates.ts'
import {
  addToExistingLog,
  discardEntry,
  forgetDay,
  isForExistingLog,
  retryHeldEntry,
  syncField,
  useField,
} from '../day/field-store.ts'
import { root } from '../day/root.ts'
import type { Entry, HoldReason } from '../outbox/entry.ts'
import { SyncStatus } from '../parts/sync-status.tsx'

/** Lists the entries that have not been sent or that the service rejected. Shows the reason for each. */
export function OutboxScreen() {
  const { entries, stored, isSyncing, lastRun } = useField()
  return (
    <>
      <title>Outbox · Field</title>
      <header className="top">
        <div>
          <h1>Outbox</h1>
          <SyncStatus />
        </div>
        <Button icon="refresh" busy={isSyncing} onClick={() => void syncField(true)}>
          Send now
        </Button>
      </header>
      {lastRun === 'busy' && (
        <p className="pad caution">The server could not process all requests. They will be sent again in a moment.</p>
      )}
      {entries.length === 0 && <p className="pad">Everything is sent.</p>}
      {entries.map((entry) => (
        <EntryCard key={entry.id} entry={entry} isOwn={entry.userId === stored?.userId} />
      ))}
      <SignOut waiting={entries.length} />
    </>
  )
}

function EntryCard({ entry, isOwn }: { entry: Entry; isOwn: boolean }) {
  const { entries } = useField()
  const [asks, setAsks] = useState(false)
  const { title, place, held, enteredAt, firstSentAt, dependsOn } = entry
  const dependents = entries.filter((other) => other.dependsOn === entry.id).length
  const before = entries.find(
    (other) => other.id === dependsOn || (other.about === entry.about && other.sequence < entry.sequence && other.held),
  )
  const state = !isOwn
    ? 'The entry waits until the user who made it signs in.'
    : before !== undefined
      ? `Waits for "${before.title}".`
      : firstSentAt !== null
        ? 'The entry was sent, but no response has arrived yet. The entry will be sent again but counted only once.'
        : 'This entry was not sent yet.'
  return (
    <article className="row-card" aria-label={title}>
      <div className="what">
        <strong>{title}</strong>
        <span className="muted">
          {place}, {formatMoment(enteredAt)}
        </span>
        {held === null && <span className="state">{state}</span>}
      </div>
      {held !== null && <HeldReason held={held} />}
      <div className="acts">
        <Button onClick={() => setAsks(true)}>Delete</Button>
        {isForExistingLog(entry) && <Button onClick={() => void addToExistingLog(entry)}>Add to that log</Button>}
        {held !== null && (
          <Button look="primary" onClick={() => void retryHeldEntry(entry, held.changed !== undefined)}>
            {held.changed === undefined ? 'Send again' : 'Send my version anyway'}
          </Button>
        )}
      </div>
      {asks && (
        <div className="ask">
          <span>
            Delete "{title}"{dependents > 0 && ` and ${formatCount(dependents, 'entry', 'entries')} that need it`}? You
            cannot undo this.{held === null && firstSentAt !== null && ' It may have arrived already.'}
          </span>
          <Button look="danger solid" onClick={() => void discardEntry(entry)}>
            Delete
          </Button>
          <Button onClick={() => setAsks(false)}>Cancel</Button>
        </div>
      )}
    </article>
  )
}

function HeldReason({ held }: { held: HoldReason }) {
  return (
    <div className="held" role="note">
      <strong>{held.title}</strong>
      <p>{held.detail}</p>
      {held.changed !== undefined && (
        <dl>
          {held.changed.map(({ field, seen, current }) => (
            <div key={field}>
              <dt>{FIELD_WORDS[field] ?? field}</dt>
              <dd>
                When you entered it: {formatValue(seen)}. Now: {formatValue(current)}.
              </dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  )
}

const FIELD_WORDS: Readonly<Record<string, string>> = {
  status: 'Status',
  vendorId: 'Vendor',
  checklist: 'Checklist',
  workDone: 'Work of the day',
  crews: 'Crews',
  safety: 'Safety',
}

function formatValue(value: unknown): string {
  if (value === null || value === undefined) return 'none'
  if (Array.isArray(value)) return value.map(formatItem).join(', ') || 'empty'
  return String(value).replaceAll('_', ' ')
}

/** Formats a checklist item, a safety entry, or a crew of a daily log. */
function formatItem(item: {
  text?: string
  done?: boolean
  description?: string
  name?: string | null
  scope?: string | null
}) {
  if (item.text !== undefined) return `${item.done ? '☑' : '☐'} ${item.text}`
  return item.description ?? item.name ?? item.scope ?? 'crew'
}

function SignOut({ waiting }: { waiting: number }) {
  const { stored } = useField()
  const [asks, setAsks] = useState(false)
  const signOut = async () => {
    const response = await fetch(`${root}/api/admin/session`, { method: 'DELETE' }).catch(() => null)
    if (response?.ok) await forgetDay()
  }
  return (
    <div className="pad stack">
      <p className="muted">
        Signed in as {stored?.userName}. <a href={`${root}/`}>Open the admin area</a>
      </p>
      <div className="acts">
        <Button onClick={() => (waiting > 0 ? setAsks(true) : void signOut())}>Sign out</Button>
      </div>
      {asks && (
        <div className="ask">
          <span>
            {formatCount(waiting, 'entry is', 'entries are')} not sent yet. The entries stay on this phone until you
            sign in again.
          </span>
          <Button look="danger solid" onClick={() => void signOut()}>
            Sign out
          </Button>
          <Button onClick={() => setAsks(false)}>Cancel</Button>
        </div>
      )}
    </div>
  )
}
