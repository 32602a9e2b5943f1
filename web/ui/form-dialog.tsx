import { type ReactNode, useId, useState } from 'react'
import { toErrorMessage } from '../api/error-message.ts'
import { Button } from './button.tsx'
import { ChangedSince } from './changed-since.tsx'
import { Dialog } from './dialog.tsx'
import { Form } from './form.tsx'
import { discardDraft, type FormEntries } from './use-form-draft.ts'

/**
 * Shows a form in a dialog. Errors of fields are shown at the fields, and all others at the top. If another user
 * changed the record in the meantime, the dialog shows the difference and offers to overwrite it. `word` is the label
 * of the button.
 */
export function FormDialog<Record extends { version: number }, Entries = unknown>(props: {
  title: ReactNode
  note?: ReactNode
  size?: 'narrow' | 'usual' | 'wide'
  word: string
  isDanger?: boolean
  /** The state of the mutation. */
  change: { error: unknown; isPending: boolean }
  /**
   * The record to change, as last loaded by the page. The form sends its version, so that no change by another user is
   * lost.
   */
  of?: Record | undefined
  /** Distinguishes forms with the same title and note on one page. */
  draft?: string
  /** The entries that are not in named controls. */
  entries?: FormEntries<Entries>
  onSubmit(form: FormData, ifMatch: { 'If-Match'?: string }): void
  onClose(): void
  /** Content that is shown next to the buttons. */
  aside?: ReactNode
  isDisabled?: boolean
  children: ReactNode
}) {
  const { title, note, size, word, isDanger = false, change, of, onSubmit, onClose, aside, children } = props
  const id = useId()
  const draft = [
    typeof title === 'string' ? title : word,
    typeof note === 'string' ? note : '',
    props.draft ?? '',
  ].join(' ')
  // The record from when the form was opened. Later changes by other users do not change the form.
  const [before] = useState(of)
  const [sent, setSent] = useState<FormData | null>(null)
  const isConflict = change.error !== null && toErrorMessage(change.error).problem?.code === 'precondition_failed'
  const send = (form: FormData, version: number | undefined) => {
    setSent(form)
    onSubmit(form, version === undefined ? {} : { 'If-Match': `"${version}"` })
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      {...(size !== undefined && { size })}
      {...(note !== undefined && { note })}
      tail={
        <>
          <span className="note">{aside}</span>
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
            busy={change.isPending}
            disabled={props.isDisabled}
          >
            {word}
          </Button>
        </>
      }
    >
      {isConflict && before !== undefined && of !== undefined && of.version !== before.version && (
        <ChangedSince
          error={change.error}
          before={before}
          now={of}
          onOverwrite={() => sent !== null && send(sent, of.version)}
        />
      )}
      <Form
        id={id}
        draft={draft}
        {...(props.entries !== undefined && { entries: props.entries })}
        error={isConflict ? null : change.error}
        onSubmit={(form) => send(form, before?.version)}
      >
        {children}
      </Form>
    </Dialog>
  )
}
