import { type NamedKind, useName } from '../api/names.ts'
import { ActorName } from './actor-name.tsx'
import { quantity } from './figures.ts'
import { fieldInWords } from './history.tsx'
import { Name } from './name.tsx'
import { useFormats } from './organization.ts'
import { None } from './table.tsx'
import { count } from './words.ts'

/** The kinds of records that people know by name, by ID prefix. */
const KINDS: Readonly<Record<string, NamedKind>> = {
  ven: 'vendor',
  com: 'community',
  hom: 'home',
  po: 'order',
  pay: 'payment',
  usr: 'user',
  lead: 'lead',
  pln: 'plan',
  prt: 'part',
  opt: 'option',
  key: 'key',
  cc: 'costCode',
}

/** Nobody reads more rows; the JSON of the record has the rest. */
const MOST_ROWS = 60

/** Shows the fields of any record or input as a table in words, for records without a page. */
export function Values({ caption, of }: { caption: string; of: Readonly<Record<string, unknown>> }) {
  const all = rowsOf(of, '')
  const rows = all.slice(0, MOST_ROWS)
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
              <td>{count(all.length - rows.length, 'further value')}</td>
            </tr>
          )}
        </tbody>
      </table>
    </div>
  )
}

interface Row {
  path: string
  label: string
  value: unknown
}

/** Returns one row per value at any depth, with labels such as `Lines 2, unit price`. */
function rowsOf(value: unknown, path: string, label = ''): Row[] {
  if (typeof value !== 'object' || value === null || isPlainList(value)) {
    return [{ path, label: label === '' ? 'Value' : label.charAt(0).toUpperCase() + label.slice(1), value }]
  }
  if (Array.isArray(value)) {
    return value.flatMap((one, at) => rowsOf(one, `${path}/${at}`, `${label} ${at + 1}`.trim()))
  }
  return Object.entries(value).flatMap(([field, inner]) =>
    rowsOf(inner, `${path}/${field}`, label === '' ? fieldInWords(field) : `${label}, ${fieldInWords(field)}`),
  )
}

function isPlainList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.every((one) => typeof one !== 'object' || one === null)
}

const ID = /^([a-z]+)_[0-9a-hjkmnp-tv-z]{26}$/
const DATE = /^\d{4}-\d{2}-\d{2}$/
const INSTANT = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/
const STATE = /^[a-z]+(_[a-z]+)+$/

/** Shows one value for people: a record by its name, a date as a date. */
export function Value({ of: value }: { of: unknown }) {
  const { day, time } = useFormats()
  if (value === null || value === undefined || value === '') return <None word="nothing" />
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') return <span className="num">{quantity(value)}</span>
  if (Array.isArray(value)) {
    if (value.length === 0) return <None word="none" />
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
  const kind = KINDS[ID.exec(text)?.[1] ?? '']
  if (kind !== undefined) return <Reference of={kind} id={text} />
  if (ID.test(text)) return <code>{text}</code>
  if (DATE.test(text)) return day(text)
  if (INSTANT.test(text)) return time(text)
  return STATE.test(text) ? text.replaceAll('_', ' ') : text
}

function isActor(value: unknown): value is { type: string; id: string | null } {
  return typeof value === 'object' && value !== null && Object.keys(value).sort().join() === 'id,type'
}

/** Shows a record by its name, or by its ID if it does not exist, for example because a trial created it. */
function Reference({ of, id }: { of: NamedKind; id: string }) {
  const { data } = useName(of, id)
  return data === null ? <code>{id}</code> : <Name of={of} id={id} />
}
