import {
  createContext,
  type FormEvent,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react'
import {
  describeTypedNumberError,
  formatTypedNumber,
  parseTypedNumber,
} from '../../server/platform/values/typed-number.ts'
import { toErrorMessage } from '../api/error-message.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import { type FormEntries, useFormDraft } from './use-form-draft.ts'
import { useFormats } from './use-formats.ts'

/** The errors of a form by pointer. */
interface FormErrors {
  /**
   * Returns the error of the field with this pointer or of a field below it; undefined if there is none. Ignores the
   * error of a field that the user has changed since.
   */
  at(pointer: string, control?: string): string | undefined
  /** Returns the error in the text of the control with this name; undefined if the text is valid. */
  ofControl(name: string): string | undefined
  /** Registers a field that shows the errors of this pointer. Returns a function that unregisters the field. */
  show(pointer: string): () => void
}

const NO_ERRORS: FormErrors = { at: () => undefined, ofControl: () => undefined, show: () => () => {} }
const FormErrorsContext = createContext<FormErrors>(NO_ERRORS)

/**
 * Shows a form whose fields show the errors of the last submission. Errors without a field are shown at the top. The
 * first field with an error gets the focus.
 */
export function Form<Entries = unknown>(props: {
  /** The error of the mutation; null if there is none. */
  error: unknown
  onSubmit(form: FormData): void
  children: ReactNode
  id?: string
  /**
   * Identifies the form among the forms of its page, so that its unsaved entries can be stored. Null for a form that
   * saves nothing, such as the input of a report.
   */
  draft?: string | null
  /** The entries that belong to no named control. */
  entries?: FormEntries<Entries>
}) {
  const { error, onSubmit, children, draft: name = 'form', entries } = props
  const ownId = useId()
  const id = props.id ?? ownId
  const form = useRef<HTMLFormElement>(null)
  const draft = useFormDraft({ form, id, name, entries, error })
  const [changed, setChanged] = useState<ReadonlySet<string>>(NOTHING_CHANGED)
  const [shown, setShown] = useState<readonly string[]>([])
  const show = useCallback((pointer: string) => {
    setShown((before) => [...before, pointer])
    return () => setShown((before) => before.filter((one) => one !== pointer))
  }, [])
  const [refused, setRefused] = useState<UnclearTextError | null>(null)
  const fault = error === null || error === undefined ? null : toErrorMessage(error)
  const errors = useMemo<FormErrors>(
    () => ({
      at: (pointer, control) =>
        control !== undefined && changed.has(control)
          ? undefined
          : fault?.errors.find((one) => isAtPointer(one.pointer, pointer) && !isChanged(one.pointer, changed))?.message,
      ofControl: (name) => (refused?.control === name ? refused.message : undefined),
      show,
    }),
    [fault, refused, changed, show],
  )
  const elsewhere = fault?.errors.filter((one) => !shown.some((pointer) => isAtPointer(one.pointer, pointer))) ?? []
  const isSaidAtFields = fault !== null && fault.errors.length > 0 && elsewhere.length === 0

  useEffect(() => setChanged(NOTHING_CHANGED), [error])
  const noteChange = (event: FormEvent<HTMLFormElement>) => {
    const { target } = event
    const control = target instanceof HTMLElement ? (target.getAttribute('name') ?? target.dataset.field ?? '') : ''
    if (control === '') return
    if (fault !== null && !changed.has(control)) setChanged(new Set([...changed, control]))
    if (refused?.control === control) setRefused(null)
  }

  useEffect(() => {
    if (refused !== null) findControl(form.current, refused.control)?.focus()
    else if (error !== null && error !== undefined)
      form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [error, refused])

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    // Includes the pressed button in the data, because a form may have several buttons.
    const submitter = (event.nativeEvent as SubmitEvent).submitter
    try {
      draft.noteSubmit()
      onSubmit(new FormData(event.currentTarget, submitter instanceof HTMLButtonElement ? submitter : null))
      setRefused(null)
    } catch (error) {
      if (!(error instanceof UnclearTextError)) throw error
      setRefused(error)
    }
  }
  return (
    <FormErrorsContext value={errors}>
      <form ref={form} id={id} className="form" onSubmit={submit} onInput={noteChange} noValidate>
        {draft.restoredAt !== null && <RestoredNote at={draft.restoredAt} onDiscard={draft.undo} />}
        {fault !== null && !isSaidAtFields && (
          <div className="banner" data-tone="bad" role="alert">
            <Icon name="warn" />
            <div>
              <strong>{fault.title}</strong> <span className="muted">{fault.detail}</span>
              {elsewhere.map((one) => (
                <p key={one.pointer + one.message}>{one.message}</p>
              ))}
            </div>
          </div>
        )}
        {refused !== null && (
          <div className="banner" data-tone="bad" role="alert">
            <Icon name="warn" />
            <div>
              {refused.text} {refused.message}.
            </div>
          </div>
        )}
        {children}
      </form>
    </FormErrorsContext>
  )
}

/** Shows that the form contains entries from an earlier visit. */
function RestoredNote({ at, onDiscard }: { at: number; onDiscard(): void }) {
  const { time } = useFormats()
  return (
    <div className="banner" role="status">
      <Icon name="info" />
      <span>Your unsaved entries from {time(new Date(at).toISOString())} have been filled in.</span>
      <Button small onClick={onDiscard}>
        Discard entries
      </Button>
    </div>
  )
}

const NOTHING_CHANGED: ReadonlySet<string> = new Set()

/**
 * Returns whether the user has changed the control to which an error belongs. The control has the same name as the
 * error's pointer.
 */
function isChanged(pointer: string | undefined, changed: ReadonlySet<string>): boolean {
  return pointer !== undefined && changed.has(pointer.slice(1))
}

function findControl(form: HTMLFormElement | null, name: string): HTMLElement | null {
  return form?.querySelector<HTMLElement>(`[name="${CSS.escape(name)}"]`) ?? null
}

function isAtPointer(fault: string | undefined, pointer: string): boolean {
  return fault === pointer || fault?.startsWith(`${pointer}/`) === true
}

export interface ControlProps {
  id: string
  name: string
  'aria-invalid': true | undefined
  'aria-describedby': string | undefined
}

/**
 * Shows a field with its label above, its hint below, and the error of its pointer. `name` is the property of the
 * input.
 */
export function Field(props: {
  name: string
  label: ReactNode
  hint?: ReactNode
  optional?: boolean
  /** The pointer of the field's errors, if it is not the pointer of the property. */
  pointer?: string
  children(control: ControlProps): ReactNode
}) {
  const { name, label, hint, optional = false, pointer = `/${name}`, children } = props
  const id = useId()
  const errors = useContext(FormErrorsContext)
  const { show } = errors
  useEffect(() => show(pointer), [show, pointer])
  const fault = errors.ofControl(name) ?? errors.at(pointer, name)
  const described = [hint === undefined ? '' : `${id}-hint`, fault === undefined ? '' : `${id}-fault`].join(' ').trim()
  return (
    <div className="field">
      <label htmlFor={id}>
        {label} {optional && <span className="faint">optional</span>}
      </label>
      {children({
        ...{ id, name },
        'aria-invalid': fault === undefined ? undefined : true,
        'aria-describedby': described === '' ? undefined : described,
      })}
      {hint !== undefined && (
        <span className="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {fault !== undefined && (
        <span className="error" id={`${id}-fault`}>
          <Icon name="warn" />
          {fault}
        </span>
      )}
    </div>
  )
}

/** Shows the error of a group of controls, such as a group of checkboxes. */
export function FieldErrorAt({ pointer }: { pointer: string }) {
  const errors = useContext(FormErrorsContext)
  const { show } = errors
  useEffect(() => show(pointer), [show, pointer])
  const fault = errors.at(pointer)
  if (fault === undefined) return null
  return (
    <p className="error" role="alert">
      <Icon name="warn" />
      {fault}
    </p>
  )
}

/** Shows a text field with a single line. */
export function TextField(props: {
  name: string
  label: ReactNode
  hint?: ReactNode
  optional?: boolean
  pointer?: string
  type?: 'text' | 'email' | 'date' | 'tel' | 'number' | 'datetime-local'
  defaultValue?: string | number
  placeholder?: string
  autoFocus?: boolean
  autoComplete?: string
  min?: string | number
  max?: string | number
}) {
  const {
    type = 'text',
    placeholder,
    autoFocus,
    autoComplete = 'off',
    min,
    max,
    defaultValue: initial,
    ...field
  } = props
  const defaultValue = typeof initial === 'number' ? formatTypedNumber(initial) : initial
  return (
    <Field {...field}>
      {(control) => (
        <input
          {...control}
          {...{ type, defaultValue, placeholder, min, max, autoComplete }}
          className="input"
          // biome-ignore lint/a11y/noAutofocus: the first field of a dialog that the user just opened to fill in.
          autoFocus={autoFocus}
        />
      )}
    </Field>
  )
}

export function TextAreaField(props: {
  name: string
  label: ReactNode
  hint?: ReactNode
  optional?: boolean
  defaultValue?: string
  rows?: number
}) {
  const { defaultValue, rows = 3, ...field } = props
  return (
    <Field {...field}>{(control) => <textarea {...control} {...{ defaultValue, rows }} className="input" />}</Field>
  )
}

/** Shows a field in which the user chooses one option. For more than fifteen options, use a field with a search. */
export function SelectField(props: {
  name: string
  label: ReactNode
  hint?: ReactNode
  optional?: boolean
  pointer?: string
  defaultValue?: string
  value?: string
  onChange?(value: string): void
  options: readonly { value: string; label: string }[]
}) {
  const { defaultValue, value, onChange, options, ...field } = props
  return (
    <Field {...field}>
      {(control) => (
        <select
          {...control}
          {...{ defaultValue, value }}
          className="input"
          onChange={onChange && ((event) => onChange(event.target.value))}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

/** Returns the trimmed text of a field; undefined if it is empty. */
export function readTextField(form: FormData, name: string): string | undefined {
  const value = form.get(name)
  const text = typeof value === 'string' ? value.trim() : ''
  return text === '' ? undefined : text
}

/** Returns the text fields with these names that are not empty. */
export function readTextFields<Name extends string>(form: FormData, ...names: Name[]): { [name in Name]?: string } {
  const texts = names.flatMap((name) => {
    const text = readTextField(form, name)
    return text === undefined ? [] : [[name, text] as const]
  })
  return Object.fromEntries(texts) as { [name in Name]?: string }
}

/** Thrown if the text in a control is not valid. The form shows the message and sends nothing. */
class UnclearTextError extends Error {
  readonly control: string
  readonly text: string

  constructor(control: string, text: string, message: string) {
    super(message)
    this.control = control
    this.text = text
  }
}

/**
 * Returns the number in a field; undefined if it is empty. Accepts commas and currency symbols. Throws if the text is
 * ambiguous, and the form then asks for a clear number.
 */
export function readNumberField(form: FormData, name: string): number | undefined {
  const text = readTextField(form, name)
  if (text === undefined) return undefined
  const { value, error } = parseTypedNumber(text)
  if (error !== null) throw new UnclearTextError(name, text, describeTypedNumberError(error))
  return value ?? undefined
}
