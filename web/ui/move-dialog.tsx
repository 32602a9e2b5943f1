import { type ReactNode, useId, useState } from 'react'
import type { Event } from '../../client/contract.gen.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { EventList } from './event-list.tsx'
import { Field, Form } from './form.tsx'
import { ChangeError, SkeletonLines } from './states.tsx'
import { discardDraft } from './use-form-draft.ts'

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
  const id = useId()
  const [text, setText] = useState('')
  const provided = text.trim() === '' ? undefined : text.trim()
  const remedy = props.remedy?.(error ?? trial?.error)
  const isDisabled =
    // A dry run in progress would find that the record has already moved, and would be rejected.
    props.isBlocked === true || trial?.isFetching === true || (reason === 'needed' && provided === undefined)
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
          <Button
            onClick={() => {
              discardDraft(id)
              onClose()
            }}
          >
            Cancel
          </Button>
          <Button
            look={isDanger ? 'danger solid' : 'primary'}
            type="submit"
            form={id}
            busy={isPending}
            // Disables the button during the change. A dry run at this time would find that the status has already
            // changed, and would be rejected.
            disabled={isDisabled}
          >
            {word}
          </Button>
        </>
      }
    >
      <Form id={id} draft={title} error={error} onSubmit={() => !isDisabled && !isPending && onConfirm(provided)}>
        <p>{effect}</p>
        {error === null || error === undefined ? <ChangeError error={trial?.error} remedy={remedy} /> : remedy}
        {reason !== undefined && (
          <Field name="reason" label="Reason" optional={reason === 'optional'}>
            {(control) => (
              <input
                {...control}
                className="input"
                maxLength={400}
                autoComplete="off"
                value={text}
                onChange={(event) => setText(event.target.value)}
              />
            )}
          </Field>
        )}
        {fields}
        {trial !== null &&
          (trial.data !== undefined
            ? // Some changes record no events, and a list of 0 changes would be wrong.
              trial.data.events.length > 0 && <EventList events={trial.data.events} />
            : (trial.error === null || trial.error === undefined) && <SkeletonLines lines={2} />)}
      </Form>
    </Dialog>
  )
}
