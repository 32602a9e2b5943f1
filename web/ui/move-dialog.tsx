import { type ReactNode, useState } from 'react'
import type { Event } from '../../client/contract.gen.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { EventList } from './event-list.tsx'
import { ChangeError, SkeletonLines } from './states.tsx'

/**
 * Lets the user change the status of a record. Shows the effect, asks for a reason if the service records one, and
 * performs the change. The effect comes from a dry run. If the user's role does not allow dry runs, only a description
 * is shown.
 */
export function MoveDialog(props: {
  title: string
  /** The effect in one sentence. */
  effect: ReactNode
  /** The label of the button. */
  word: string
  isDanger?: boolean
  reason?: 'needed' | 'optional'
  /** Additional fields for the form. */
  fields?: ReactNode
  trial: { data?: { events: readonly Event[] } | undefined; error: unknown; isFetching: boolean } | null
  error: unknown
  /** Returns advice about an error, in addition to the text of the problem. */
  remedy?(error: unknown): ReactNode
  /** Whether the service would reject the change. The button is then disabled. */
  isBlocked?: boolean
  isPending: boolean
  onConfirm(reason: string | undefined): void
  onClose(): void
}) {
  const { title, effect, word, isDanger = false, reason, fields, trial, error, isPending, onConfirm, onClose } = props
  const [text, setText] = useState('')
  const provided = text.trim() === '' ? undefined : text.trim()
  return (
    <Dialog
      open
      onClose={onClose}
      size="narrow"
      title={title}
      note={trial === null ? undefined : 'This is a preview. Nothing has been changed yet.'}
      tail={
        <>
          <span className="note" />
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look={isDanger ? 'danger solid' : 'primary'}
            busy={isPending}
            // Disables the button during the change. A dry run at this time would find that the status has already
            // changed, and would be rejected.
            disabled={
              props.isBlocked === true || trial?.isFetching === true || (reason === 'needed' && provided === undefined)
            }
            onClick={() => onConfirm(provided)}
          >
            {word}
          </Button>
        </>
      }
    >
      <div className="stack">
        <p>{effect}</p>
        <ChangeError error={error ?? trial?.error} remedy={props.remedy?.(error ?? trial?.error)} />
        {reason !== undefined && (
          <div className="field">
            <label htmlFor="move-reason">
              Reason {reason === 'optional' && <span className="faint">optional</span>}
            </label>
            <input
              className="input"
              id="move-reason"
              maxLength={400}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          </div>
        )}
        {fields}
        {trial !== null &&
          (trial.data !== undefined ? (
            <EventList events={trial.data.events} />
          ) : (
            (trial.error === null || trial.error === undefined) && <SkeletonLines lines={2} />
          ))}
      </div>
    </Dialog>
  )
}
