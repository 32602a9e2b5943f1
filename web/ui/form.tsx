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
import { toErrorMessage } from '../api/error-message.ts'
import { Icon } from './icon.tsx'

/** The errors of a form by the pointers of the problem. */
interface FormErrors {
  /** Returns the error of the field with this pointer, or below it; undefined if there is none. */
  at(pointer: string): string | undefined
  /** Registers a field that shows the errors of this pointer. Returns the function that removes it. */
  show(pointer: string): () => void
}

const NO_ERRORS: FormErrors = { at: () => undefined, show: () => () => {} }
const FormErrorsContext = createContext<FormErrors>(NO_ERRORS)

/**
 * A form whose fields show the errors of its submission. Errors without a field are shown at the top. The first field
 * with an error gets the focus.
 */
export function Form(props: {
  /** The error of the mutation; null if it has not failed. */
  error: unknown
  onSubmit(form: FormData): void
  children: ReactNode
  id?: string
}) {
  const { error, onSubmit, children, id } = props
  const form = useRef<HTMLFormElement>(null)
  const [shown, setShown] = useState<readonly string[]>([])
  const show = useCallback((pointer: string) => {
    setShown((before) => [...before, pointer])
    return () => setShown((before) => before.filter((one) => one !== pointer))
  }, [])
  const fault = error === null || error === undefined ? null : toErrorMessage(error)
  const errors = useMemo<FormErrors>(
    () => ({
      at: (pointer) => fault?.errors.find((one) => isAtPointer(one.pointer, pointer))?.message,
      show,
    }),
    [fault, show],
  )
  const elsewhere = fault?.errors.filter((one) => !shown.some((pointer) => isAtPointer(one.pointer, pointer))) ?? []
  const isSaidAtFields = fault !== null && fault.errors.length > 0 && elsewhere.length === 0

  useEffect(() => {
    if (error !== null && error !== undefined)
      form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [error])

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    // Includes the pressed button, because a form may have several.
    const submitter = (event.nativeEvent as SubmitEvent).submitter
    onSubmit(new FormData(event.currentTarget, submitter instanceof HTMLButtonElement ? submitter : null))
  }
  return (
    <FormErrorsContext value={errors}>
      <form ref={form} id={id} className="form" onSubmit={submit} noValidate>
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
        {children}
      </form>
    </FormErrorsContext>
  )
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
 * A field with the label above, the hint below, and the error of the problem's pointer. `name` is the property of the
 * input.
 */
export function Field(props: {
  name: string
  label: ReactNode
  hint?: ReactNode
  optional?: boolean
  /** The pointer of its errors, if it is not the property itself. */
  pointer?: string
  children(control: ControlProps): ReactNode
}) {
  const { name, label, hint, optional = false, pointer = `/${name}`, children } = props
  const id = useId()
  const errors = useContext(FormErrorsContext)
  const { show } = errors
  useEffect(() => show(pointer), [show, pointer])
  const fault = errors.at(pointer)
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

/** Shows the error of a group of controls, such as a choice of several. */
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

/** A single-line text field. */
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
  const { type = 'text', defaultValue, placeholder, autoFocus, autoComplete = 'off', min, max, ...field } = props
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

/** A choice of one option. Use a search for more than fifteen options. */
export function SelectField(props: {
  name: string
  label: ReactNode
  hint?: ReactNode
  optional?: boolean
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
export function readText(form: FormData, name: string): string | undefined {
  const value = form.get(name)
  const text = typeof value === 'string' ? value.trim() : ''
  return text === '' ? undefined : text
}

/** Returns the number in a field; undefined if it is empty. People write amounts with commas and currency signs. */
export function readNumber(form: FormData, name: string): number | undefined {
  const text = readText(form, name)?.replaceAll(/[$,\s]/g, '')
  return text === undefined || text === '' ? undefined : Number(text)
}
