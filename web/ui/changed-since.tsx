import { useState } from 'react'
import { humanizeField } from '../../server/platform/values/field-words.ts'
import { toErrorMessage } from '../api/error-message.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import { formatCount } from './text-formats.ts'

const ALWAYS_CHANGED_FIELDS = ['version', 'updatedAt']

/** The maximum number of changes in the list. Nobody reads a longer list change by change. */
const MAX_CHANGES_SHOWN = 60

/**
 * Shows what another user has changed since this user started to edit, and offers to overwrite the changes. `word` is
 * the label of the button; it defaults to a label that says so.
 */
export function ChangedSince<Record extends object>(props: {
  error: unknown
  /** The record from when editing started, and the current record. */
  before: Record
  now: Record | undefined
  /** Returns the label of a field, if it is not the name of the field. */
  labelOf?(field: string): string
  word?: string
  /** Sends the same change again, with the version of the current record. */
  onOverwrite(): void
}) {
  const { error, before, now, labelOf = humanizeField, word, onOverwrite } = props
  const [isOpen, setIsOpen] = useState(false)
  if (toErrorMessage(error).problem?.code !== 'precondition_failed') return null
  const fields = Object.keys({ ...before, ...now }).filter(
    (field) => !ALWAYS_CHANGED_FIELDS.includes(field),
  ) as (keyof Record & string)[]
  const changed =
    now === undefined ? [] : fields.filter((field) => JSON.stringify(before[field]) !== JSON.stringify(now[field]))
  return (
    <div className="banner" data-tone="warn" role="alert">
      <Icon name="swap" />
      <div>
        <strong>This record was changed while you were editing.</strong>{' '}
        <span className="muted">Your changes are not saved yet.</span>
        {isOpen && (
          <dl className="kv">
            {changed.slice(0, MAX_CHANGES_SHOWN).map((field) => (
              <div className="pair" key={field}>
                <dt>{labelOf(field)}</dt>
                <dd>
                  <del>{formatValue(before[field])}</del> → {formatValue(now?.[field])}
                </dd>
              </div>
            ))}
            {changed.length > MAX_CHANGES_SHOWN && (
              <div className="pair">
                <dt>More</dt>
                <dd>{formatCount(changed.length - MAX_CHANGES_SHOWN, 'further change')}</dd>
              </div>
            )}
          </dl>
        )}
      </div>
      <span className="row wrap">
        <Button small onClick={() => setIsOpen(!isOpen)} aria-expanded={isOpen}>
          Show changes
        </Button>
        <Button small look={word === undefined ? 'danger' : 'plain'} onClick={onOverwrite}>
          {word ?? 'Overwrite with my changes'}
        </Button>
      </span>
    </div>
  )
}

function formatValue(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'nothing'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
