import pg from 'pg'
import { keepLatest } from '../values/keep-latest.ts'
import { JsonRow, jsonForm } from './json-rows.ts'
import { type DataRow, passRowsOn, type RawRow } from './wire-rows.ts'
import { columnReader } from './wire-types.ts'

passRowsOn()

/**
 * Executes a prepared statement with as little work as the protocol allows: it is parsed rarely on each connection, its row
 * description is requested once per process (it cannot change; PostgreSQL would refuse the statement instead), and rows
 * are read by a function generated for it.
 *
 * It is a query as `pg` accepts for submission, with the methods that `pg` calls while the answer comes in. Some of
 * what it calls on the connection is not public, so package.json pins `pg` to the one version this was written against.
 */
export interface Statement {
  readonly name: string
  readonly text: string
  /** Rows for responses that pass them on as JSON; otherwise as objects. */
  readonly asJson: boolean
  /** Whether later statements rely on it: if it fails, so do all those behind it on its connection. */
  readonly isReliedOn: boolean
  read: ((row: DataRow) => unknown) | null
}

export interface StatementResult {
  rows: unknown[]
  rowCount: number
  /** What the database says it did, such as `UPDATE` or `COMMIT`. */
  command: string
}

/** The statements of one connection, in the order in which they are sent. */
export interface Sequence {
  isBroken: boolean
}

interface Connection {
  parse(message: { text: string; name: string }): void
  bind(message: object): void
  close(message: { type: 'S'; name: string }): void
  describe(message: { type: 'P'; name: string }): void
  execute(message: { portal: string; rows: number }): void
  sync(): void
}

interface Field {
  name: string
  dataTypeID: number
}

/** What is sent before a statement, in the same packet. */
export interface Preamble {
  readonly statement: Statement
  readonly values: readonly unknown[]
  /** Gets its rows, once the whole packet has been answered; without it they are of no interest. */
  readonly answered?: ((result: StatementResult) => void) | undefined
}

/** Is told of every answer, also of a refusal, for which there are no rows. */
export interface Watch {
  answered(answer: Answered): void
}

export interface Answered {
  readonly organizationId: string | null
  readonly text: string
  /** The statements that were prepared on the way. */
  readonly prepared: readonly Statement[]
  result: StatementResult
}

interface LeanQuery extends Answered {
  watch: Watch
  statement: Statement
  sequence: Sequence
  preambles: readonly Preamble[]
  /** The results of the preambles that have been answered. */
  before: StatementResult[]
  prepared: Statement[]
  values: readonly unknown[]
  callback: () => void
  rows: number
  failed: boolean
  answered(result: StatementResult): void
  fail(error: unknown): void
}

// Created without the constructor of pg.Query, which prepares for everything that we skip here.
const prototype: object = Object.assign(Object.create(pg.Query.prototype), {
  submit(this: LeanQuery, connection: Connection): null {
    const { statement, values, preambles } = this
    for (const before of preambles) {
      if (prepare(connection, before.statement)) this.prepared.push(before.statement)
      connection.bind(bound(before.statement.name, before.values))
      if (before.answered !== undefined && before.statement.read === null) connection.describe({ type: 'P', name: '' })
      connection.execute({ portal: '', rows: 0 })
    }
    if (prepare(connection, statement)) this.prepared.push(statement)
    connection.bind(bound(statement.name, values))
    if (statement.read === null) connection.describe({ type: 'P', name: '' })
    connection.execute({ portal: '', rows: 0 })
    connection.sync()
    return null
  },
  handleRowDescription(this: LeanQuery, message: { fields: Field[] }): void {
    const { statement } = answering(this)
    statement.read = statement.asJson ? jsonReader(message.fields) : objectReader(message.fields)
  },
  handleDataRow(this: LeanQuery, row: DataRow): void {
    const { statement, answered } = answering(this)
    if (answered !== undefined && statement.read !== null) this.result.rows.push(statement.read(row))
  },
  handleCommandComplete(this: LeanQuery, message: { text: string }): void {
    const { text } = message
    this.result.rowCount = Number(text.slice(text.lastIndexOf(' ') + 1)) || 0
    this.result.command = text.slice(0, (text.indexOf(' ') + 1 || text.length + 1) - 1)
    const { statement, answered } = answering(this)
    // A statement without rows has no description to wait for.
    if (answered !== undefined) statement.read ??= noRow
    if (this.before.length === this.preambles.length) return
    this.before.push(this.result)
    this.result = { rows: [], rowCount: 0, command: '' }
  },
  handleEmptyQuery(): void {},
  handlePortalSuspended(): void {},
  handleError(this: LeanQuery, error: unknown, connection: Connection): void {
    this.failed = true
    if (this.prepared.length > 0) doubt(connection, this.prepared)
    if (this.statement.isReliedOn) this.sequence.isBroken = true
    this.fail(error)
  },
  handleReadyForQuery(this: LeanQuery): void {
    this.watch.answered(this)
    if (this.failed) return
    if (this.sequence.isBroken) {
      this.fail(new Error('Connection terminated, because what went before had failed.'))
      return
    }
    for (const [i, result] of this.before.entries()) this.preambles[i]?.answered?.(result)
    this.answered(this.result)
  },
})

/** The statement of the packet that the database answers now. */
function answering(query: LeanQuery): Preamble {
  return query.preambles[query.before.length] ?? query
}

/**
 * What each connection was told to prepare, the oldest first. `pg` is given no names, because its own record is of the
 * statement that it takes for the one being answered, and loses a statement that was sent again while another run of it
 * was still to fail.
 */
const preparedOn = new WeakMap<Connection, Map<string, Prepared>>()

interface Prepared {
  uses: number
}

/** The plan of a list takes a hundred kilobytes of the database's memory for as long as it is prepared: these, 40 MB. */
const MOST_PREPARED = 400

/**
 * By then a statement is prepared anew. PostgreSQL compares the plan for any values with those for some values by what they
 * were expected to cost when it made them: where the table has grown since, it may go on to plan a list at each call,
 * which takes as long as to read it.
 */
const MOST_USES = 10_000

// An unnamed statement is one of many on this connection, which keeps only the latest.
function prepare(connection: Connection, { name, text }: Statement): boolean {
  if (name === '') {
    connection.parse({ text, name })
    return false
  }
  const prepared = preparedOn.get(connection) ?? noted(connection)
  const known = prepared.get(name)
  if (known !== undefined && known.uses < MOST_USES) {
    known.uses++
    return false
  }
  // To close a statement that does not exist is no error.
  connection.close({ type: 'S', name })
  connection.parse({ text, name })
  const forgotten = keepLatest(prepared, name, { uses: 1 }, MOST_PREPARED)
  if (forgotten !== undefined) connection.close({ type: 'S', name: forgotten })
  return true
}

function noted(connection: Connection): Map<string, Prepared> {
  const prepared = new Map<string, Prepared>()
  preparedOn.set(connection, prepared)
  return prepared
}

// Something failed in the packet that said so, so nobody knows whether it was prepared.
function doubt(connection: Connection, statements: readonly Statement[]): void {
  for (const { name } of statements) preparedOn.get(connection)?.set(name, { uses: MOST_USES })
}

function bound(statement: string, values: readonly unknown[]): object {
  return { portal: '', statement, values, binary: false, valueMapper: toParameter }
}

/** @param organizationId whose statement it is, for the watch */
export function execute(
  client: pg.ClientBase,
  watch: Watch,
  organizationId: string | null,
  statement: Statement,
  values: readonly unknown[],
  sequence: Sequence,
  preambles: readonly Preamble[] = NONE,
): Promise<StatementResult> {
  return new Promise((answered, fail) => {
    const own = {
      organizationId,
      watch,
      statement,
      sequence,
      preambles,
      before: [],
      prepared: [],
      text: statement.text,
      values,
      callback: ignore,
      rows: 0,
      failed: false,
      answered,
      fail,
    }
    const query: LeanQuery = Object.assign(Object.create(prototype), own, {
      result: { rows: [], rowCount: 0, command: '' },
    })
    client.query(query as unknown as pg.Submittable)
  })
}

const NONE: readonly Preamble[] = []

function ignore(): void {}
function noRow(): null {
  return null
}

// `pg`'s own conversion is right for all values; most are texts, which need none.
const prepareValue = (pg as unknown as { utils: { prepareValue(value: unknown): unknown } }).utils.prepareValue
function toParameter(value: unknown): unknown {
  return typeof value === 'string' || value === null ? value : prepareValue(value)
}

// One generated function per statement, so that every row is created at once and has the same shape. Names come from
// our own statements; they are quoted all the same.
function objectReader(fields: Field[]): (row: DataRow) => unknown {
  const readers = fields.map((field) => columnReader(field.dataTypeID))
  const members = fields.map(({ name }, i) => {
    const value = readers[i] === null ? `row[${i}]` : `(row[${i}] === null ? null : read[${i}](row[${i}]))`
    return `${JSON.stringify(name)}: ${value}`
  })
  const read = new Function('read', `return (row) => ({ ${members.join(', ')} })`)(readers) as (row: RawRow) => unknown
  return (row) => read(row.fields)
}

function jsonReader(fields: Field[]): (row: DataRow) => JsonRow {
  const form = jsonForm(fields)
  return (row) => new JsonRow(row, form)
}
