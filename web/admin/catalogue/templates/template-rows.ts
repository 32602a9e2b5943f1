import type {
  FieldError,
  TaskKind,
  TaskLagUnit,
  TaskLinkType,
  TaskTemplateRow,
  TaskTemplateRowInput,
} from '../../../../client/contract.gen.ts'
import { describeCycle } from '../../../../server/domain/building/schedule/describe-cycle.ts'
import { type ScheduledRow, scheduleTemplate } from '../../../../server/domain/building/schedule/schedule-template.ts'
import { humanizeField } from '../../../../server/platform/values/field-words.ts'
import {
  describeTypedNumberError,
  formatTypedNumber,
  parseTypedNumber,
} from '../../../../server/platform/values/typed-number.ts'
import type { CellAccess, SheetColumn } from '../../../ui/sheet-rows.ts'

/** The columns of the sheet, in the order in which cells are pasted. */
export const TEMPLATE_COLUMNS = [
  { name: 'name', head: 'Task', isProse: true },
  { name: 'spanishName', head: 'Spanish name', isProse: true, lang: 'es' },
  { name: 'scope', head: 'Trade', suggests: true },
  { name: 'duration', head: 'Workdays', look: 'number', placeholder: '1' },
  { name: 'waits', head: 'Waits for' },
] as const satisfies readonly SheetColumn[]

export type TemplateColumn = (typeof TEMPLATE_COLUMNS)[number]['name']
export type RowErrors = Readonly<Partial<Record<TemplateColumn, string>>>

/** A predecessor of a row. It keeps its row if the user renames or moves that row. */
export interface RowLink {
  /** The key of the predecessor. */
  readonly to: string
  /** The name that the predecessor had when the template was loaded, for a predecessor that the user removes. */
  readonly name: string
  readonly type: TaskLinkType
  readonly lagDays: number
  readonly lagUnit: TaskLagUnit
}

/** One row of a template, as the user has typed it. */
export interface TemplateRow {
  readonly key: string
  readonly name: string
  readonly spanishName: string
  readonly scope: string
  readonly phase: string
  readonly taskKind: TaskKind
  readonly duration: string
  readonly vendorId: string
  readonly links: readonly RowLink[]
  /** The text that the user is typing for the predecessors. Null if the links are used. */
  readonly waits: string | null
  readonly checklist: readonly string[]
}

/** The meaning of a row in its template. */
export interface RowReading {
  readonly errors: RowErrors
  /** Null if the rows cannot be scheduled. */
  readonly schedule: ScheduledRow | null
  readonly links: readonly RowLink[]
}

export interface TemplateReading {
  /** The readings of all rows that are not empty, by key. */
  readonly rows: ReadonlyMap<string, RowReading>
  /** Null if the rows cannot be scheduled. */
  readonly workdays: number | null
  readonly errorCount: number
}

/** The limits of the service. */
const MAX_DURATION = 1000
const MAX_LAG = 365
/** The number of letters of a name in a message about a cycle. */
const MAX_NAME_LENGTH = 60

export function createRow(): TemplateRow {
  return {
    ...{ key: crypto.randomUUID(), name: '', spanishName: '', scope: '', phase: '', taskKind: 'work', duration: '' },
    ...{ vendorId: '', links: [], waits: null, checklist: [] },
  }
}

export function toTemplateRows(rows: readonly TaskTemplateRow[]): TemplateRow[] {
  const keys = new Map(rows.map(({ name }, at) => [name, `row-${at}`]))
  return rows.map((row, at) => ({
    ...{ key: `row-${at}`, name: row.name, spanishName: row.spanishName ?? '', scope: row.scope ?? '' },
    ...{ phase: row.phase ?? '', taskKind: row.taskKind, vendorId: row.vendorId ?? '', waits: null },
    duration: row.taskKind === 'milestone' ? '' : formatTypedNumber(row.durationDays),
    links: row.predecessors.map((link) => ({ ...link, to: keys.get(link.name) ?? '' })),
    checklist: row.checklist,
  }))
}

export function isEmptyRow({ name, spanishName, scope, phase, duration, vendorId, ...row }: TemplateRow): boolean {
  const texts = [name, spanishName, scope, phase, duration, vendorId, row.waits ?? '']
  return texts.every((text) => text.trim() === '') && row.links.length === 0 && row.checklist.length === 0
}

export const TEMPLATE_CELLS: CellAccess<TemplateRow, TemplateColumn> = {
  read: (row, name) => row[name] ?? '',
  write: (row, cells) => ({ ...row, ...cells }),
  isEmpty: isEmptyRow,
}

/** Returns whether two rows have the same content. */
export function isSameRow(a: TemplateRow, b: TemplateRow): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}

/** Schedules the rows, and finds the errors that can be found without the service. */
export function readTemplate(rows: readonly TemplateRow[]): TemplateReading {
  const filled = rows.filter((row) => !isEmptyRow(row))
  const known = new Map(filled.map((row) => [row.key, row]))
  const counts = Map.groupBy(filled, ({ name }) => name.trim())
  const read = filled.map((row) => {
    const { links, error } = readLinks(row, rows, known)
    const duration = readDuration(row)
    const name = row.name.trim()
    const errors: Partial<Record<TemplateColumn, string>> = {
      ...(name === '' && { name: 'is required' }),
      ...(name !== '' && counts.get(name)?.[0] !== row && { name: 'must be unique; another row has the same name' }),
      ...('error' in duration && { duration: duration.error }),
      ...(error !== null && { waits: error }),
    }
    return { row, links, errors, days: 'error' in duration ? 1 : duration.days }
  })
  const outcome = scheduleTemplate(
    read.map(({ row, links, days }) => ({
      ...{ name: row.key, durationDays: days },
      predecessors: links
        .filter(({ to }) => known.has(to))
        .map(({ to, type, lagDays, lagUnit }) => ({ name: to, type, lagDays, lagUnit })),
    })),
  )
  const ring = 'ring' in outcome ? outcome.ring : []
  const nameOf = (key: string) => known.get(key)?.name.trim().slice(0, MAX_NAME_LENGTH) ?? ''
  const readings = read.map(({ row, links, errors }, at): [string, RowReading] => {
    const place = ring.indexOf(row.key)
    const cycle = place < 0 ? [] : [...ring.slice(place), ...ring.slice(0, place)].map(nameOf)
    return [
      row.key,
      {
        links,
        errors: {
          ...(cycle.length > 0 && { waits: describeCycle(cycle) }),
          ...('beyondId' in outcome &&
            outcome.beyondId === row.key && { duration: 'must not be scheduled centuries away from the start date' }),
          ...errors,
        },
        schedule: 'rows' in outcome ? (outcome.rows[at] ?? null) : null,
      },
    ]
  })
  return {
    rows: new Map(readings),
    workdays: 'workdays' in outcome && filled.length > 0 ? outcome.workdays : null,
    errorCount: readings.filter(([, { errors }]) => Object.keys(errors).length > 0).length,
  }
}

function readDuration({ taskKind, duration }: TemplateRow): { days: number } | { error: string } {
  if (taskKind === 'milestone') return { days: 0 }
  const { value, error } = parseTypedNumber(duration, { decimals: 0, isNegativeAllowed: false })
  if (error !== null) return { error: describeTypedNumberError(error) }
  if (value === 0) return { error: 'must be at least 1' }
  return (value ?? 1) > MAX_DURATION ? { error: `must not exceed ${MAX_DURATION}` } : { days: value ?? 1 }
}

const LINK = /^(\d{1,4})\s*(FS|SS|FF|SF)?\s*(?:([+−-])\s*(\d{1,4})\s*(c)?d?)?$/i

/** Returns the links of a row: those that the user has typed as text, or else those that were chosen before. */
function readLinks(
  row: TemplateRow,
  rows: readonly TemplateRow[],
  known: ReadonlyMap<string, TemplateRow>,
): { links: readonly RowLink[]; error: string | null } {
  const typed = row.waits === null ? row.links : parseLinks(row.waits, rows, known)
  if (typeof typed === 'string') return { links: row.links, error: typed }
  const removed = typed.find(({ to }) => !known.has(to))
  if (removed !== undefined) return { links: typed, error: `waits for ${removed.name}, which is not in the template` }
  const seen = new Set<string>()
  for (const { to, type, lagDays } of typed) {
    const name = known.get(to)?.name ?? ''
    if (to === row.key) return { links: typed, error: 'must not wait for itself' }
    if (seen.has(`${to} ${type}`)) return { links: typed, error: `must not wait for ${name} twice in the same way` }
    if (Math.abs(lagDays) > MAX_LAG) return { links: typed, error: `must have lags of at most ${MAX_LAG} days` }
    seen.add(`${to} ${type}`)
  }
  return { links: typed, error: null }
}

/** Returns the links in a text such as `3, 5SS+2`, or an error. The numbers are those of the rows. */
function parseLinks(
  text: string,
  rows: readonly TemplateRow[],
  known: ReadonlyMap<string, TemplateRow>,
): RowLink[] | string {
  const links: RowLink[] = []
  for (const part of text.split(/[,;]/).map((one) => one.trim())) {
    if (part === '') continue
    const [whole, number, type, sign, lag, calendar] = LINK.exec(part) ?? []
    if (whole === undefined) return `must be row numbers, such as 3 or 3SS+2: ${part}`
    const row = rows[Number(number) - 1]
    if (row === undefined || !known.has(row.key)) return `must be row numbers; there is no row ${number}`
    links.push({
      ...{ to: row.key, name: row.name, lagDays: Number(lag ?? 0) * (sign === undefined || sign === '+' ? 1 : -1) },
      type: (type?.toUpperCase() ?? 'FS') as TaskLinkType,
      lagUnit: calendar === undefined ? 'workdays' : 'calendar_days',
    })
  }
  return links
}

/** Returns the row with its typed predecessors as links, if the text is valid. */
export function settleLinks(row: TemplateRow, reading: RowReading | undefined): TemplateRow {
  if (row.waits === null || reading === undefined || reading.errors.waits !== undefined) return row
  return { ...row, links: reading.links, waits: null }
}

/** Formats links as text with row numbers, such as `3, 5SS+2`. */
export function formatLinks(links: readonly RowLink[], numberOf: (key: string) => number | undefined): string {
  return links
    .map(({ to, type, lagDays, lagUnit }) => {
      const lag = lagDays === 0 ? '' : `${lagDays > 0 ? '+' : '-'}${Math.abs(lagDays)}`
      const unit = lagDays !== 0 && lagUnit === 'calendar_days' ? 'cd' : ''
      return `${numberOf(to) ?? '?'}${type === 'FS' ? '' : type}${lag}${unit}`
    })
    .join(', ')
}

/** Returns the rows to send. Only rows without errors can be sent. */
export function toRowInputs(rows: readonly TemplateRow[], reading: TemplateReading): TaskTemplateRowInput[] {
  const names = new Map(rows.map(({ key, name }) => [key, name.trim()]))
  const orNull = (text: string) => (text.trim() === '' ? null : text.trim())
  return rows.map((row) => {
    const duration = readDuration(row)
    return {
      name: row.name.trim(),
      spanishName: orNull(row.spanishName),
      scope: orNull(row.scope),
      phase: orNull(row.phase),
      taskKind: row.taskKind,
      durationDays: 'error' in duration ? 1 : duration.days,
      vendorId: orNull(row.vendorId),
      predecessors: (reading.rows.get(row.key)?.links ?? []).map(({ to, name, type, lagDays, lagUnit }) => ({
        ...{ name: names.get(to) ?? name, type, lagDays, lagUnit },
      })),
      checklist: row.checklist.map((item) => item.trim()).filter((item) => item !== ''),
    }
  })
}

const COLUMN_OF_FIELD: Readonly<Record<string, TemplateColumn>> = {
  name: 'name',
  spanishName: 'spanishName',
  scope: 'scope',
  durationDays: 'duration',
  predecessors: 'waits',
}

/** Returns the row and the column to which an error of the service points; null if it points elsewhere. */
export function findErrorCell({
  pointer,
  message,
}: FieldError): { at: number; column: TemplateColumn; message: string } | null {
  const [, at, field = ''] = /^\/rows\/(\d+)(?:\/(\w+))?/.exec(pointer ?? '') ?? []
  if (at === undefined) return null
  const column = COLUMN_OF_FIELD[field]
  // The sheet has no column for the other fields, such as the phase, so the error names the field.
  if (column === undefined)
    return { at: Number(at), column: 'name', message: `${humanizeField(field)} ${message}`.trim() }
  return { at: Number(at), column, message }
}
