import { recordLists } from './actions.gen.ts'

/** The part of an input's JSON Schema that a form needs. */
export interface InputSchema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly format?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, InputSchema>>
  readonly required?: readonly string[]
  readonly items?: InputSchema
  readonly anyOf?: readonly InputSchema[]
  readonly oneOf?: readonly InputSchema[]
  readonly maxLength?: number
  readonly minItems?: number
  readonly default?: unknown
  readonly examples?: readonly unknown[]
}

/** The control with which a user enters a value. */
export type Control =
  | { kind: 'text' | 'paragraph' | 'number' | 'date' | 'time' | 'switch' | 'json' }
  | { kind: 'choice'; options: readonly string[] }
  | { kind: 'choices'; options: readonly string[] }
  | { kind: 'record' | 'records'; list: RecordList }
  | { kind: 'texts' }
  | { kind: 'rows'; row: InputSchema }
  | { kind: 'group'; group: InputSchema }

export interface RecordList {
  readonly path: string
  readonly searches: boolean
}

/** The maximum length of text in a control with a single line. A field for longer text has several lines. */
const MAX_LINE_LENGTH = 200

export function chooseControl(name: string, schema: InputSchema): Control {
  const type = findType(schema)
  const list = findRecordList(name)
  if (type === 'array') return chooseListControl(name, schema.items ?? {})
  if (type === 'object') {
    return schema.properties === undefined ? { kind: 'json' } : { kind: 'group', group: schema }
  }
  if (schema.enum !== undefined) return { kind: 'choice', options: schema.enum.filter(isText) }
  if (type === 'boolean') return { kind: 'switch' }
  if (type === 'number' || type === 'integer') return { kind: 'number' }
  if (type !== 'string') return { kind: 'json' }
  if (schema.format === 'date') return { kind: 'date' }
  if (schema.format === 'date-time') return { kind: 'time' }
  if (list !== null) return { kind: 'record', list }
  return { kind: (schema.maxLength ?? 0) > MAX_LINE_LENGTH ? 'paragraph' : 'text' }
}

function chooseListControl(name: string, items: InputSchema): Control {
  const [first] = items.anyOf ?? items.oneOf ?? []
  // The first alternative describes the rows of a batch. The other alternative accepts any row, so that the service can
  // reject rows one by one.
  if (first?.properties !== undefined) return { kind: 'rows', row: first }
  if (items.properties !== undefined) return { kind: 'rows', row: items }
  if (items.enum !== undefined) return { kind: 'choices', options: items.enum.filter(isText) }
  const list = findRecordList(name)
  if (list !== null) return { kind: 'records', list }
  return findType(first ?? items) === 'string' ? { kind: 'texts' } : { kind: 'json' }
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

/** Returns the type of a value, ignoring null; undefined if the value can have several types. */
function findType({ type }: InputSchema): string | undefined {
  if (typeof type === 'string') return type
  const types = (type ?? []).filter((one) => one !== 'null')
  return types.length === 1 ? types[0] : undefined
}

export function canBeNull({ type }: InputSchema): boolean {
  return Array.isArray(type) && type.includes('null')
}

/** Fields whose name contains another word for the kind of record. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  salesRepId: 'userId',
  superintendentId: 'userId',
  parentId: 'costCodeId',
  keepId: 'vendorId',
  mergeId: 'vendorId',
}

/**
 * Returns the list in which the records of a field such as `toHomeIds` are found; null if the field does not refer to
 * records.
 */
export function findRecordList(field: string): RecordList | null {
  if (!/Ids?$/.test(field)) return null
  const name = field.replace(/s$/, '')
  const other = OTHER_NAMES[name]
  if (other !== undefined) return recordLists[other] ?? null
  if (/^(?:\w*P|p)oId$/.test(name)) return recordLists.poId ?? null
  const found = Object.keys(recordLists)
    .filter((known) => name === known || name.endsWith(known.charAt(0).toUpperCase() + known.slice(1)))
    .sort((a, b) => b.length - a.length)[0]
  return found === undefined ? null : (recordLists[found] ?? null)
}
