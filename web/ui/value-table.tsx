import { humanizeField } from '../../server/platform/values/field-words.ts'
import { type NamedKind, useRecordName } from '../api/record-names.ts'
import { ActorName } from './actor-name.tsx'
import { formatQuantity } from './number-formats.ts'
import { findRecordKind, RecordName } from './record-name.tsx'
import { EmptyCell } from './table.tsx'
import { formatCount } from './text-formats.ts'
import { useFormats } from './use-formats.ts'

/** The maximum number of rows. Users do not read more. The JSON of the record contains everything. */
const MAX_ROWS = 60

/** Shows the fields of any record or input as a table. Used for records that have no page of their own. */
export function ValueTable({ caption, of }: { caption: string; of: Readonly<Record<string, unknown>> }) {
  const all = toRows(of, '')
  const rows = all.slice(0, MAX_ROWS)
  return (
    <div className="table-wrap">
      <table className="table values">
        <caption className="sr">{caption}</caption>
        <tbody>
          {rows.map(({ path, label, value }) => (
            <tr key={path}>
              <th scope="row">{label}</th>
              <td>
                <Value of={value} />
              </td>
            </tr>
          ))}
          {all.length > rows.length && (
            <tr>
              <th scope="row">More</th>
              <td>{formatCount(all.length - rows.length, 'further value')}</td>
            </tr>
          )}
        </tbody>
      </table>
    </div>
  )
}

interface ValueRow {
  path: string
  label: string
  value: unknown
}

/** Returns a row for each value at any depth, with labels such as `Lines 2, unit price`. */
function toRows(value: unknown, path: string, label = ''): ValueRow[] {
  if (typeof value !== 'object' || value === null || isPlainList(value)) {
    return [{ path, label: label === '' ? 'Value' : label.charAt(0).toUpperCase() + label.slice(1), value }]
  }
  if (Array.isArray(value)) {
    return value.flatMap((one, at) => toRows(one, `${path}/${at}`, `${label} ${at + 1}`.trim()))
  }
  return Object.entries(value).flatMap(([field, inner]) =>
    toRows(inner, `${path}/${field}`, label === '' ? humanizeField(field) : `${label}, ${humanizeField(field)}`),
  )
}

function isPlainList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.every((one) => typeof one !== 'object' || one === null)
}

const ID_PATTERN = /^([a-z]+)_[0-9a-hjkmnp-tv-z]{26}$/
const DATE_PATTERN = /^\d{4}-\d{2}-\d{2}$/
const TIMESTAMP_PATTERN = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/
const ENUM_PATTERN = /^[a-z]+(_[a-z]+)+$/

/** Shows a value in the form for users: a record by its name, and a date as a formatted date. */
export function Value({ of: value }: { of: unknown }) {
  const { day, time } = useFormats()
  if (value === null || value === undefined || value === '') return <EmptyCell word="nothing" />
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') return <span className="num">{formatQuantity(value)}</span>
  if (Array.isArray(value)) {
    if (value.length === 0) return <EmptyCell word="none" />
    return value.map((one, at) => (
      <span key={at}>
        {at > 0 && ', '}
        <Value of={one} />
      </span>
    ))
  }
  if (isActor(value)) return <ActorName of={value} />
  if (typeof value === 'object') return <code>{JSON.stringify(value)}</code>
  const text = String(value)
  const kind = ID_PATTERN.test(text) ? findRecordKind(text) : undefined
  if (kind !== undefined) return <RecordLink of={kind} id={text} />
  if (ID_PATTERN.test(text)) return <code>{text}</code>
  if (DATE_PATTERN.test(text)) return day(text)
  if (TIMESTAMP_PATTERN.test(text)) return time(text)
  return ENUM_PATTERN.test(text) ? text.replaceAll('_', ' ') : text
}

function isActor(value: unknown): value is { type: string; id: string | null } {
  return typeof value === 'object' && value !== null && Object.keys(value).sort().join() === 'id,type'
}

/** Shows a record by its name. If the record does not exist, for example because a dry run created it, shows its ID. */
function RecordLink({ of, id }: { of: NamedKind; id: string }) {
  const { data } = useRecordName(of, id)
  return data === null ? <code>{id}</code> : <RecordName of={of} id={id} />
}
