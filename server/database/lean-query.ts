import pg from 'pg'
import { columnReader, columnText } from './wire-types.ts'

/**
 * One execution of a prepared statement, with as little work as the protocol allows: it is parsed once per connection,
 * its row description is asked for once per process (the description of a prepared statement cannot change; PostgreSQL
 * refuses instead), and a row is read by one function made for the statement.
 *
 * It is a query as `pg` lets one submit it, with the methods that `pg` calls while the answer comes in. Some of what it
 * calls on the connection is not public, so package.json pins `pg` to the one version that this was written against.
 */
export interface Statement {
  readonly name: string
  readonly text: string
  /** Rows as JSON text, for answers that pass them on; else as objects. */
  readonly asJson: boolean
  /** Whether those behind it rely on it: when it fails, nothing that follows on its connection counts. */
  readonly isReliedOn: boolean
  read: ((fields: RawRow) => unknown) | null
}

export type RawRow = readonly (string | null)[]

/** A row that is passed on as it is: its JSON, and its columns as the database wrote them. */
export interface JsonRow {
  readonly json: string
  readonly names: readonly string[]
  readonly raw: RawRow
}

export function cellOf({ names, raw }: JsonRow, name: string): string | null | undefined {
  return raw[names.indexOf(name)]
}

/** Begins the name of a column that holds members of the object, as JSON. */
export const MEMBERS = '{'

/** Begins the name of a column that is told of a row and is no part of the object. Such columns stand at the end. */
export const BESIDE = '|'

/** The JSON of a row of such a select that was read as an object. */
export function jsonOfMembers(row: object): string {
  const members = Object.entries(row)
    .filter(([name]) => !name.startsWith(BESIDE))
    .map(([name, value]) => (name.startsWith(MEMBERS) ? value : `${JSON.stringify(name)}:${JSON.stringify(value)}`))
  return `{${members.join()}}`
}

export interface StatementResult {
  rows: unknown[]
  rowCount: number
}

/** The statements of one connection, in the order in which they are sent. */
export interface Sequence {
  isBroken: boolean
}

interface Connection {
  parsedStatements: Record<string, string | undefined>
  submittedNamedStatements: Record<string, string | undefined>
  parse(message: { text: string; name: string }): void
  bind(message: object): void
  describe(message: { type: 'P'; name: string }): void
  execute(message: { portal: string; rows: number }): void
  sync(): void
}

interface Field {
  name: string
  dataTypeID: number
}

/** What is done before a statement, in the same transaction; `statement` is prepared already and has no rows. */
export interface Preamble {
  readonly statement: Statement
  readonly values: readonly unknown[]
}

interface LeanQuery {
  statement: Statement
  sequence: Sequence
  preamble: Preamble | null
  name: string
  text: string
  values: readonly unknown[]
  callback: () => void
  rows: number
  result: StatementResult
  failed: boolean
  done(result: StatementResult): void
  fail(error: unknown): void
}

// Made without running the constructor of pg.Query, which prepares for all that is left out here.
const prototype: object = Object.assign(Object.create(pg.Query.prototype), {
  submit(this: LeanQuery, connection: Connection): null {
    const { statement, name, values } = this
    // What has no name is one among many on this connection, and the connection keeps only the last of them.
    if (name === '') connection.parse({ text: statement.text, name })
    else if (
      connection.parsedStatements[name] === undefined &&
      connection.submittedNamedStatements[name] === undefined
    ) {
      connection.parse({ text: statement.text, name })
      connection.submittedNamedStatements[name] = statement.text
    }
    const { preamble } = this
    if (preamble !== null) {
      connection.bind({ portal: '', statement: preamble.statement.name, values: preamble.values, binary: false })
      connection.execute({ portal: '', rows: 0 })
    }
    connection.bind({ portal: '', statement: name, values, binary: false, valueMapper: toParameter })
    if (statement.read === null) connection.describe({ type: 'P', name: '' })
    connection.execute({ portal: '', rows: 0 })
    connection.sync()
    return null
  },
  handleRowDescription(this: LeanQuery, message: { fields: Field[] }): void {
    this.statement.read = this.statement.asJson ? jsonReader(message.fields) : objectReader(message.fields)
  },
  handleDataRow(this: LeanQuery, message: { fields: RawRow }): void {
    if (this.statement.read !== null) this.result.rows.push(this.statement.read(message.fields))
  },
  handleCommandComplete(this: LeanQuery, message: { text: string }): void {
    if (this.preamble !== null) {
      this.preamble = null
      return
    }
    this.result.rowCount = Number(message.text.slice(message.text.lastIndexOf(' ') + 1)) || 0
    // A statement without rows has no description to wait for.
    this.statement.read ??= noRow
  },
  handleEmptyQuery(): void {},
  handlePortalSuspended(): void {},
  handleError(this: LeanQuery, error: unknown): void {
    this.failed = true
    if (this.statement.isReliedOn) this.sequence.isBroken = true
    this.fail(error)
  },
  handleReadyForQuery(this: LeanQuery): void {
    if (this.failed) return
    if (this.sequence.isBroken) this.fail(new Error('Connection terminated, because what went before had failed.'))
    else this.done(this.result)
  },
})

export function execute(
  client: pg.Client,
  statement: Statement,
  values: readonly unknown[],
  sequence: Sequence,
  preamble: Preamble | null = null,
): Promise<StatementResult> {
  return new Promise((done, fail) => {
    const { name, text } = statement
    const own = {
      statement,
      sequence,
      preamble,
      name,
      text,
      values,
      callback: ignore,
      rows: 0,
      failed: false,
      done,
      fail,
    }
    const query: LeanQuery = Object.assign(Object.create(prototype), own, { result: { rows: [], rowCount: 0 } })
    client.query(query as unknown as pg.Submittable)
  })
}

function ignore(): void {}
function noRow(): null {
  return null
}

// What `pg` itself does with a value is right for all of them; most are texts, and need nothing done.
const prepareValue = (pg as unknown as { utils: { prepareValue(value: unknown): unknown } }).utils.prepareValue
function toParameter(value: unknown): unknown {
  return typeof value === 'string' || value === null ? value : prepareValue(value)
}

// One function per statement, written out, so that every row is an object of one shape made in one go. Names come from
// our own statements; they are quoted all the same.
function objectReader(fields: Field[]): (row: RawRow) => unknown {
  const readers = fields.map((field) => columnReader(field.dataTypeID))
  const members = fields.map(({ name }, i) => {
    const value = readers[i] === null ? `row[${i}]` : `(row[${i}] === null ? null : read[${i}](row[${i}]))`
    return `${JSON.stringify(name)}: ${value}`
  })
  return new Function('read', `return (row) => ({ ${members.join(', ')} })`)(readers) as (row: RawRow) => unknown
}

function jsonReader(fields: Field[]): (row: RawRow) => JsonRow {
  const names = fields.map(({ name }) => name)
  const writers = fields.map((field) => columnText(field.dataTypeID))
  const parts = fields.flatMap(({ name }, i) => {
    if (name.startsWith(BESIDE)) return []
    const start = i === 0 ? '{' : ','
    if (name.startsWith(MEMBERS)) return `'${start}' + row[${i}]`
    const value = writers[i] === null ? `row[${i}]` : `write[${i}](row[${i}])`
    return `${JSON.stringify(`${start}${JSON.stringify(name)}:`)} + (row[${i}] === null ? 'null' : ${value})`
  })
  const body = `return (row) => ({ json: ${parts.join(' + ')} + '}', names, raw: row })`
  return new Function('write', 'names', body)(writers, names) as (row: RawRow) => JsonRow
}
