import { type ReactNode, useId, useState } from 'react'
import { faultOf } from '../api/fault.ts'
import { Button } from './button.tsx'
import { ChangedSince } from './changed-since.tsx'
import { Dialog } from './dialog.tsx'
import { Form } from './form.tsx'

/**
 * A form in a dialog, as all of them are: faults stand at their fields, what cannot be said there at the top. Of a record
 * that somebody else changed meanwhile it shows what, and offers to save over it. `word` is the button: what it does.
 */
export function FormDialog<Record extends { version: number }>(props: {
  title: ReactNode
  note?: ReactNode
  size?: 'narrow' | 'usual' | 'wide'
  word: string
  isDanger?: boolean
  /** The change as it stands. */
  change: { error: unknown; isPending: boolean }
  /** The record that is changed, as the page has it now; its version is sent along, so that no change is lost. */
  of?: Record | undefined
  onSubmit(form: FormData, ifMatch: { 'If-Match'?: string }): void
  onClose(): void
  /** Beside the buttons. */
  aside?: ReactNode
  isDisabled?: boolean
  children: ReactNode
}) {
  const { title, note, size, word, isDanger = false, change, of, onSubmit, onClose, aside, children } = props
  const id = useId()
  // As it was when the form was opened: what others change meanwhile does not change what one sees.
  const [before] = useState(of)
  const [sent, setSent] = useState<FormData | null>(null)
  const isConflict = change.error !== null && faultOf(change.error).problem?.code === 'precondition_failed'
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
          <Button onClick={onClose}>Cancel</Button>
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
      <Form id={id} error={isConflict ? null : change.error} onSubmit={(form) => send(form, before?.version)}>
        {children}
      </Form>
    </Dialog>
  )
}
