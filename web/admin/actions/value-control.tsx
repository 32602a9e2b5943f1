import { type ReactNode, useState } from 'react'
import {
  describeTypedNumberError,
  formatTypedNumber,
  parseTypedNumber,
} from '../../../server/platform/values/typed-number.ts'
import type { ControlProps } from '../../ui/form.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { useFormats } from '../../ui/use-formats.ts'
import { UnclearText } from './entered-values.ts'
import { canBeNull, chooseControl, type InputSchema } from './input-schema.ts'
import { RecordChoice } from './record-choice.tsx'

/** Shows the control for one value, without its label. */
export function ValueControl(props: {
  attributes: ControlProps & { 'aria-label'?: string }
  name: string
  schema: InputSchema
  isRequired: boolean
  /** Whether the control is in a table cell, where it has only one line. */
  isCell?: boolean
  value: unknown
  onChange(value: unknown): void
}) {
  const { attributes, name, schema, isRequired, isCell = false, value, onChange } = props
  const chosen = chooseControl(name, schema)
  const control = isCell && chosen.kind === 'paragraph' ? ({ kind: 'text' } as const) : chosen
  const { toLocalTime, fromLocalTime } = useFormats()
  // Clearing a field clears the stored value if the value can be null. Otherwise, the value is left out.
  const none = canBeNull(schema) ? null : undefined
  const setText = (text: string) => onChange(text === '' ? none : text)
  const text = value instanceof UnclearText ? value.text : toText(value)
  switch (control.kind) {
    case 'paragraph':
      return (
        <textarea {...attributes} className="input" rows={3} value={text} onChange={(e) => setText(e.target.value)} />
      )
    case 'number':
      return (
        <TypedInput
          value={value}
          write={toText}
          read={(typed) => parseNumberInput(typed, none)}
          onChange={onChange}
          render={(typed, setTyped) => (
            <input
              {...attributes}
              className="input num"
              inputMode="decimal"
              autoComplete="off"
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
          )}
        />
      )
    case 'date':
      return (
        <input {...attributes} className="input" type="date" value={text} onChange={(e) => setText(e.target.value)} />
      )
    case 'time':
      return (
        <input
          {...attributes}
          className="input"
          type="datetime-local"
          value={text === '' ? '' : toLocalTime(text)}
          onChange={(event) => onChange(event.target.value === '' ? none : fromLocalTime(event.target.value))}
        />
      )
    case 'switch':
      return (
        <select
          {...attributes}
          className="input"
          value={text}
          onChange={(event) => onChange(event.target.value === '' ? none : event.target.value === 'true')}
        >
          {(!isRequired || value === undefined) && <option value="">{toDefaultWord(schema)}</option>}
          <option value="true">Yes</option>
          <option value="false">No</option>
        </select>
      )
    case 'choice':
      return (
        <select {...attributes} className="input" value={text} onChange={(event) => setText(event.target.value)}>
          {(!isRequired || value === undefined) && <option value="">{toDefaultWord(schema)}</option>}
          {control.options.map((option) => (
            <option key={option} value={option}>
              {humanizeName(option)}
            </option>
          ))}
        </select>
      )
    case 'record':
      return (
        <RecordChoice
          control={attributes}
          list={control.list}
          value={typeof value === 'string' ? [value] : []}
          isMultiple={false}
          onChange={([id]) => onChange(id ?? none)}
        />
      )
    case 'records':
      return (
        <RecordChoice
          control={attributes}
          list={control.list}
          value={Array.isArray(value) ? (value as string[]) : []}
          isMultiple
          onChange={(ids) => onChange(ids.length === 0 ? undefined : ids)}
        />
      )
    case 'texts':
      return (
        <textarea
          {...attributes}
          className="input"
          rows={3}
          placeholder="One per line"
          value={Array.isArray(value) ? value.join('\n') : ''}
          onChange={(event) => onChange(toLines(event.target.value))}
        />
      )
    case 'json':
      return (
        <TypedInput
          value={value}
          write={(one) => (one === undefined ? '' : JSON.stringify(one, null, 2))}
          read={readJson}
          onChange={onChange}
          render={(typed, setTyped) => (
            <textarea
              {...attributes}
              className="input code"
              rows={4}
              spellCheck={false}
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
          )}
        />
      )
    default:
      return (
        <input
          {...attributes}
          className="input"
          autoComplete="off"
          value={text}
          onChange={(e) => setText(e.target.value)}
        />
      )
  }
}

/** Keeps the text as the user typed it, while the form stores the value that the text represents. */
function TypedInput(props: {
  value: unknown
  write(value: unknown): string
  read(text: string): unknown
  onChange(value: unknown): void
  render(text: string, setText: (text: string) => void): ReactNode
}) {
  const { value, write, read, onChange, render } = props
  const [typed, setTyped] = useState({ text: write(value), value })
  // The value has changed without typing, for example because the user removed a row.
  const text = Object.is(typed.value, value) ? typed.text : value instanceof UnclearText ? value.text : write(value)
  return render(text, (changed) => {
    const meant = read(changed)
    setTyped({ text: changed, value: meant })
    onChange(meant)
  })
}

function toText(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return formatTypedNumber(value)
  return typeof value === 'boolean' ? String(value) : ''
}

/** Returns the label of the option with which the user leaves a choice to the service. */
function toDefaultWord(schema: InputSchema): string {
  if (typeof schema.default === 'string') return `${humanizeName(schema.default)} (default)`
  if (typeof schema.default === 'boolean') return schema.default ? 'Yes (default)' : 'No (default)'
  return 'Not set'
}

export function parseNumberInput(text: string, none: null | undefined): unknown {
  if (text.trim() === '') return none
  const { value, error } = parseTypedNumber(text)
  return error === null ? value : new UnclearText(text, describeTypedNumberError(error))
}

function readJson(text: string): unknown {
  if (text.trim() === '') return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return new UnclearText(text, 'must be valid JSON')
  }
}

/** Keeps an empty last line, so that the user can start a new line. */
function toLines(text: string): string[] | undefined {
  return text === '' ? undefined : text.split('\n')
}
