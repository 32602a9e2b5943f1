import type { Insertable } from 'kysely'
import type { components } from '../../../client/contract.gen.ts'
import type { SealState } from '../calls/call.ts'
import { records } from '../calls/records.gen.ts'
import { columns as database } from '../database/columns.gen.ts'
import type { Tables } from '../database/database.ts'
import type { ColumnKind, Columns } from './columns.ts'
import { kinds as contract } from './kinds.gen.ts'

/**
 * The declaration of the resource of a slice, and the values that are derived from it. The contract defines the fields,
 * their order, and their types. The migrated database defines the types of the columns, and which columns contain IDs.
 * The compiler and the startup compare both with each other, so a slice declares only data that is in neither of them.
 */
export interface ResourceDeclaration<
  Schema extends RecordName,
  R,
  Without extends string,
  Stored extends string,
  Computed extends string,
> {
  /** The schema of the record in the contract. Its `x-record` contains the table and the prefix of the IDs. */
  schema: Schema
  /** The type of a row, if it differs from the record in the contract. */
  row?: RowType<R>
  /** Converts a row to the record in the contract, if they differ. */
  toRecord?(call: SealState, row: NoInfer<R>): Schemas[Schema]
  /** The fields of the contract that are not part of a row, because other code adds them. */
  without?: readonly Without[]
  /** The columns that are not in the contract, or have another form there. */
  stored?: { [Field in Stored]: Field extends keyof NoInfer<R> ? Kind<NoInfer<R>[Field]> : never }
  /** The SQL of each field of row `t` that is not a column. */
  computed?: { [Field in Computed]: Field extends keyof NoInfer<R> ? string : never }
  /** The fields that can be long. The column `bytes` of the table contains their approximate total size. */
  long?: TableOf<Schema> extends SizedTable ? readonly (keyof NoInfer<R> & string)[] : never
  /** The SQL of a JSON value of row `t`. The calling code computes additional members of each list item from it. */
  beside?: string
  /**
   * The query parameters that do more than compare the column with the same name. The function returns an SQL condition
   * on the parameter.
   */
  filters?: Record<string, (parameter: string) => string>
  /**
   * The fields that are sorted by another column, because an index on decimals cannot be used for lists (see migration
   * 0024).
   */
  sorts?: { [Field in keyof NoInfer<R> & string]?: SortColumn }
}

export interface SortColumn {
  column: string
  /** Returns SQL that converts a value of the field to a value of that column. */
  from(value: string): string
}

export interface RowType<R> {
  /** Never set. The property only stores the type. */
  readonly row?: R
}

export function declareRowType<R>(): RowType<R> {
  return {}
}

export type SchemaName = keyof typeof contract & keyof Schemas
/** The schemas with an `x-record` and a table in the database. */
export type RecordName = SchemaName & keyof typeof records
export type TableOf<Schema extends RecordName> = (typeof records)[Schema]['table'] & TableName
export type TableName = keyof typeof database & keyof Tables
export type Schemas = components['schemas']

/** Returns the table with the records of a schema, and the prefix of their IDs. */
export function getStorage(schema: RecordName): (typeof records)[RecordName] {
  return records[schema]
}

/** The tables with a column for the size of their rows. */
type SizedTable = { [Table in TableName]: 'bytes' extends keyof (typeof database)[Table] ? Table : never }[TableName]

/** A declaration cannot declare that a column contains IDs. Only the database defines this. */
type PlainKind = Exclude<ColumnKind, 'id'>
type StoredKind = PlainKind | `${PlainKind}?`

/** The kinds of columns that are allowed for a field of this type. */
type Kind<T> = `${ColumnKindOf<NonNullable<T>>}${null extends T ? '?' : ''}`
type ColumnKindOf<T> = T extends boolean
  ? 'boolean'
  : T extends number
    ? 'integer' | 'decimal'
    : T extends readonly string[]
      ? 'texts'
      : T extends string
        ? string extends T
          ? 'text' | 'date' | 'instant'
          : 'enum'
        : 'json'

/** For each kind, the types of columns that can store it. */
const COLUMN_TYPES_BY_KIND = {
  text: ['text', 'id'],
  enum: ['text'],
  date: ['date'],
  instant: ['timestamptz'],
  integer: ['integer', 'bigint'],
  decimal: ['numeric'],
  boolean: ['boolean'],
  texts: ['text[]'],
  json: ['json'],
} as const satisfies Record<PlainKind, readonly string[]>

interface DeclaredColumns {
  schema: string
  table: string
  without?: readonly string[]
  stored?: Readonly<Record<string, StoredKind>>
  computed?: Readonly<Record<string, string>>
}

/**
 * Returns the columns of the declared resource in the order of the contract, followed by the columns that are not in
 * the contract.
 */
export function resolveColumns({ schema, table, without = [], stored = {}, computed = {} }: DeclaredColumns): Columns {
  const fields = entryNamed<Record<string, StoredKind>>(contract, schema)
  const types = entryNamed<Record<string, string>>(database, table)
  if (fields === undefined) throw new Error(`The contract has no record ${schema}.`)
  if (types === undefined) throw new Error(`The database has no table ${table}.`)
  const columns: Record<string, Columns[string]> = {}
  for (const name of new Set([...Object.keys(fields), ...Object.keys(stored), ...Object.keys(computed)])) {
    const sql = entryNamed<string>(computed, name)
    const kind = entryNamed<StoredKind>(stored, name) ?? entryNamed<StoredKind>(fields, name)
    if (without.includes(name)) continue
    if (sql !== undefined) columns[name] = { sql, isInstant: kind?.startsWith('instant') === true }
    else if (kind !== undefined)
      columns[name] = resolveColumn(`${table}.${name}`, entryNamed<string>(types, name), kind)
  }
  return columns
}

function resolveColumn(place: string, type: string | undefined, kind: StoredKind): Columns[string] {
  if (type === undefined) throw new Error(`The database has no column ${place}, which is "${kind}" in the contract.`)
  const mark = kind.endsWith('?') ? '?' : ''
  const fitting: readonly string[] = COLUMN_TYPES_BY_KIND[(mark ? kind.slice(0, -1) : kind) as PlainKind]
  if (!fitting.some((one) => `${one}${mark}` === type))
    throw new Error(`The column ${place} is "${type}", which cannot store "${kind}".`)
  return type === `id${mark}` ? `id${mark}` : kind
}

function entryNamed<T>(of: object, name: string): T | undefined {
  return Object.hasOwn(of, name) ? (of as Record<string, T>)[name] : undefined
}

/**
 * Makes the same checks in the compiler. If a declaration is wrong, the compiler rejects the schema, and the error
 * contains the reason.
 */
export type CheckedSchema<
  Schema extends RecordName,
  R,
  Without extends string,
  Stored extends string,
  Computed extends string,
> =
  DeclarationError<Schema, TableOf<Schema>, R, Without | Stored, Computed> extends infer Found extends string
    ? [Found] extends [never]
      ? unknown
      : { schema: { fault: `${Found}.` } }
    : never

type DeclarationError<Schema extends SchemaName, Table extends TableName, R, Other, Computed> =
  | FieldError<Omit<(typeof contract)[Schema], (Other & string) | (Computed & string)>, TableTypes<Table>>
  | RowError<Exclude<RequiredKeys<R>, Computed>, keyof TableTypes<Table>>
  | UnfilledColumn<Exclude<RequiredColumns<Table>, keyof R>>

type TableTypes<Table extends TableName> = (typeof database)[Table]

type FieldError<Fields, Columns> = {
  [Name in keyof Fields & string]: Name extends keyof Columns
    ? Columns[Name] extends TypesThatHold<Fields[Name]>
      ? never
      : `The column ${Name} is "${Columns[Name] & string}", which cannot store "${Fields[Name] & string}"`
    : `There is no column ${Name}`
}[keyof Fields & string]

type TypesThatHold<Kind> = Kind extends `${infer Plain extends PlainKind}?`
  ? `${(typeof COLUMN_TYPES_BY_KIND)[Plain][number]}?`
  : (typeof COLUMN_TYPES_BY_KIND)[Kind & PlainKind][number]

type RowError<Names, Columns> = Names extends Columns ? never : `There is no column ${Names & string}`

type UnfilledColumn<Names> = Names extends string ? `Nothing fills the column ${Names}, which cannot be null` : never
type RequiredColumns<Table extends TableName> = Exclude<RequiredKeys<Insertable<Tables[Table]>>, 'organizationId'>
type RequiredKeys<T> = { [Name in keyof T]-?: undefined extends T[Name] ? never : Name }[keyof T]
