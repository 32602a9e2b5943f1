import { isDeepStrictEqual } from 'node:util'
import { CompiledQuery } from 'kysely'
import { typeid } from 'typeid-js'
import type { Actor } from '../../client/contract.gen.ts'
import { insertTogether } from '../database/database.ts'
import { BESIDE, rowsAsJson } from '../database/json-rows.ts'
import type { Insertion } from '../database/shared-statements.ts'
import { together } from '../database/together.ts'
import { type EventObject, type EventType, type MadeEvent, makeEvent, recordEvent } from '../events/record.ts'
import { type Call, isWriteCall, noteChange, type Tenant, type WriteCall } from '../http/call.ts'
import { checkIfMatch } from '../http/etag.ts'
import { refusedRow } from '../http/holder.ts'
import { Json } from '../http/json.ts'
import { conflict, notFound, unknownReference } from '../http/problem.ts'
import { asMembers, asValues } from './columns.ts'
import { columnsOf, type Declaration, type Fitting, type SchemaName, type Schemas, type TableName } from './declared.ts'
import { type Further, type Listed, type ListQuery, listing, type Page } from './listing.ts'
import { statementTexts } from './statement-texts.ts'

/**
 * What all resources have in common: how they are listed, found, locked, inserted, updated and archived. A slice
 * declares where its resource is stored and what is computed, and gets functions typed by the contract, because columns
 * have the names of the contract's fields.
 *
 * Statements are strings, built once for each combination that occurs (filters, sort, changed fields) and kept; they
 * contain only declared names, and every value is a parameter. Every statement is limited to one organization.
 */
export function resource<
  const Schema extends SchemaName,
  const Table extends TableName,
  R extends Row = Extract<Schemas[Schema], Row>,
  const Without extends keyof Schemas[Schema] & string = never,
  const Stored extends string = never,
  const Computed extends string = never,
>(
  declaration: Declaration<Schema, Table, R, Without, Stored, Computed> &
    NoInfer<Fitting<Schema, Table, R, Without, Stored, Computed>>,
): Resource<R, Computed> {
  const { prefix, table, long, beside, filters, sorts } = declaration
  return resourceOf(prefix, { table, columns: columnsOf(declaration), long, beside, filters, sorts })
}

export interface Row {
  id: string
  version: number
  createdBy: Actor
  createdAt: string
  updatedAt: string
  archivedAt?: string | null
}

type Kept = 'id' | 'version' | 'createdBy' | 'createdAt' | 'updatedAt' | 'archivedAt'
/** The values of a new row. A field that may be null becomes null if it is left out. */
export type Values<R extends Row, Computed extends PropertyKey = never> = Given<Omit<R, Kept | Computed>>
type Given<R> = { [Field in keyof R as null extends R[Field] ? never : Field]: R[Field] } & {
  [Field in keyof R as null extends R[Field] ? Field : never]?: R[Field] | undefined
}
/** A body is spread into a new row, so the compiler has to notice a field that the row does not have. */
type Only<Values, Known> = Values & { [Name in Exclude<keyof Values, keyof Known>]: never }
export type Changes<R extends Row, Computed extends PropertyKey = never> = {
  [Field in Exclude<keyof R, Kept | Computed>]?: R[Field] | undefined
} & { archivedAt?: string | null }

/** A row that was made and not stored. */
export type Made<R extends Row, Computed extends PropertyKey = never> = Omit<R, Exclude<Computed, 'id'>> & {
  id: string
}

/** A row before and after a change of its own fields. */
export interface Changed<R> {
  readonly before: R
  readonly after: R
  /** What changes besides and is not shown. */
  readonly hidden?: readonly string[]
}

/** The fields that the change changes. */
export function changedFields<R extends object>({ before, after, hidden = [] }: Changed<R>): string[] {
  const shown = Object.keys(after) as (keyof R & string)[]
  return [...shown.filter((field) => !isDeepStrictEqual(before[field], after[field])), ...hidden]
}

/** A select about a new row. Its text is made of the parameters that hold the organization and the values of the row. */
export interface Question<R extends Row, Read extends object> {
  text(organization: string, value: (field: keyof R & string) => string): string
  /** The rows as the database returns them. */
  readonly returns?: Read
}

export interface Resource<R extends Row, Computed extends PropertyKey = never> {
  /**
   * A page, according to `limit`, `cursor`, `sort` and the filters of the query. `within` adds plain conditions, and
   * `further` members of each item.
   */
  list<More extends object = object>(
    tenant: Tenant,
    query: ListQuery,
    within?: Record<string, string>,
    further?: Further<More>,
  ): Promise<Json<Page<R & More>>>
  /** The resource, archived or not; throws `not_found`. */
  find(tenant: Tenant, id: string): Promise<R>
  findOptional(tenant: Tenant, id: string): Promise<R | undefined>
  /** Like `find`, for an answer that passes it on as it is. */
  show(tenant: Tenant, id: string): Promise<Json<R>>
  /** The resources with these ids that exist, in the order of the ids. */
  findAll(tenant: Tenant, ids: readonly string[]): Promise<R[]>
  /**
   * The resources of which each of these fields has one of its values, in the order of their ids: for fields that few
   * records share, because it is no page.
   */
  findAllWith(tenant: Tenant, wanted: { readonly [Field in keyof R]?: readonly string[] }): Promise<R[]>
  /** Like `find`, and locks the row until the transaction ends. */
  lock(call: WriteCall, id: string): Promise<R>
  /**
   * Throws `unknown_reference` unless each id exists; `pointer` is that of the array, or of the field for a single id.
   */
  assertExist(tenant: Tenant, ids: readonly string[], pointer: string): Promise<void>
  /** Adds a row and returns the resource. */
  insert<Given extends Values<R, Computed>>(call: WriteCall, values: Only<Given, Values<R, Computed>>): Promise<R>
  /** A new resource that is not stored yet, without what is computed: `insertAll` stores it. */
  make<Given extends Values<R, Computed>>(call: Call, values: Only<Given, Values<R, Computed>>): Made<R, Computed>
  /** Stores many that were made, in one statement; `unshown` are the values of columns that are not among their fields. */
  insertAll(
    call: WriteCall,
    made: readonly Made<R, Computed>[],
    unshown?: Readonly<Record<string, number>>,
  ): Promise<void>
  /** Stores many locked rows as they are after a change, each at most once, in one statement. */
  updateAll(call: WriteCall, changed: readonly Changed<R>[]): Promise<void>
  /** Adds a row and its event in one statement, so no transaction is needed. */
  create<Given extends Values<R, Computed>>(
    call: Call,
    values: Only<Given, Values<R, Computed>>,
    event: EventType,
  ): Promise<R>
  /** Like `create`, and in the same statement reads what the question asks of the records as they were before. */
  createReading<Read extends object, Given extends Values<R, Computed>>(
    call: Call,
    values: Only<Given, Values<R, Computed>>,
    event: EventType,
    question: Question<R, Read>,
  ): Promise<{ row: R; read: Read[] }>
  /**
   * Changes a locked row; undefined fields stay. If nothing changes, nothing is written. An operation with an If-Match
   * passes it on, and gets `precondition_failed` if the version is a different one by now.
   */
  update(call: WriteCall, before: R, changes: Changes<R, Computed>, ifMatch?: string): Promise<R>
  /**
   * Changes a row to what `decide` makes of it, and records the event, in one statement that needs no transaction: it
   * takes the row only as it was read, and only if nobody holds it. Otherwise all is done anew with the row locked, so
   * `decide` may only read.
   */
  change(
    call: Call,
    id: string,
    told: { event: EventType; ifMatch?: string | undefined },
    decide: (call: Call, before: R) => Promise<Changes<R, Computed>>,
  ): Promise<R>
  archive(call: WriteCall, before: R, ifMatch?: string): Promise<R>
}

function resourceOf<R extends Row, Computed extends PropertyKey>(
  prefix: string,
  listed: Listed,
): Resource<R, Computed> {
  const { table, columns: kinds } = listed
  const fields = Object.keys(kinds)
  const stored = fields.filter((field) => typeof kinds[field] === 'string')
  const isComputed = stored.length < fields.length
  const selected = asValues(kinds)
  const text = statementTexts()
  const filled = rowMaker<R, Values<R, Computed>>(stored)

  async function rows({ db, reads }: Tenant, statement: string, values: readonly unknown[]): Promise<R[]> {
    const { rows } = await db.executeQuery<R>(CompiledQuery.raw(statement, values as unknown[]))
    reads?.noteAll(rows)
    return rows
  }

  /** Writes a row, or says which of its values another record has. */
  async function written<Result = R>(call: Tenant, query: CompiledQuery<Result>, row: object): Promise<Result[]> {
    try {
      return (await call.db.executeQuery(query)).rows
    } catch (error) {
      throw refusedRow(error, table, row)
    }
  }

  function toColumn(field: string, value: unknown): unknown {
    if (value === null || value === undefined) return null
    const kind = kinds[field]
    return kind === 'json' || kind === 'json?' ? JSON.stringify(value) : value
  }

  const one = `select ${selected} from "${table}" as t where t."organizationId" = $1 and t."id" = $2`
  // After a wait for the lock the row is current, but its subqueries would be as of before, so they are read afterwards.
  const locking = isComputed
    ? `select t."id" from "${table}" as t where t."organizationId" = $1 and t."id" = $2 for no key update`
    : `${one} for no key update of t`
  const shown = `select ${asMembers(kinds)}, t."version" as "${VERSION}" from "${table}" as t where t."organizationId" = $1 and t."id" = $2`
  const all = `select ${selected} from "${table}" as t where t."organizationId" = $1 and t."id" = any($2)`
  const insertion = `insert into "${table}" ("organizationId", ${stored.map((field) => `"${field}"`).join(', ')}) values ($1, ${stored
    .map((_, i) => `$${i + 2}`)
    .join(', ')})`
  const insertionWithEvent = severalRows<R>(table, stored)
  const insertionsReading = new Map<object, Insertion>()
  // The database knows what the columns hold, so many rows are one parameter.
  const given = `json_populate_recordset(null::"${table}", $2::json)`
  const names = stored.map((field) => `"${field}"`).join(', ')
  const updateOfAll = `update "${table}" as t set ${stored
    .filter((field) => !KEPT.has(field))
    .map((field) => `"${field}" = g."${field}"`)
    .join(', ')}, "version" = t."version" + 1, "updatedAt" = $3
    from ${given} as g where t."organizationId" = $1 and t."id" = g."id"`

  async function findOptional(tenant: Tenant, id: string): Promise<R | undefined> {
    return (await rows(tenant, one, [tenant.organizationId, id]))[0]
  }

  function newRow(call: Call, values: Values<R, Computed>): R {
    const now = call.now.toISOString()
    return filled(values, {
      ...{ id: typeid(prefix).toString(), version: 1, createdBy: call.actor, createdAt: now, updatedAt: now },
      archivedAt: null,
    })
  }

  function insertValues(call: Call, row: R): unknown[] {
    const columns = row as unknown as Record<string, unknown>
    return [call.organizationId, ...stored.map((field) => toColumn(field, columns[field]))]
  }

  // A row and its event in one statement, which needs no transaction.
  async function createBy<Read extends object>(
    call: Call,
    given: Values<R, Computed>,
    type: EventType,
    insertion: Insertion,
  ): Promise<{ row: R; read: Read[] }> {
    if (call.answerIsKept) return call.write((call) => createBy(call, given, type, insertion))
    if (isComputed) throw new Error(`${table} has computed fields; insert it and record its event.`)
    const row = newRow(call, given)
    const event = makeEvent(call, type, row as unknown as EventObject<EventType> & { id: string })
    const values = [...insertValues(call, row), ...eventValues(event)]
    // Its event comes after those that the transaction has recorded already.
    if (isWriteCall(call)) await call.surroundings.storeRecorded(call)
    const read = await written<Read>(call, insertTogether(insertion, values), row)
    call.events.push(event.recorded)
    // A larger transaction announces all its events when it is committed.
    if (!call.isWriting) call.surroundings.eventsCommitted(1)
    return { row, read }
  }

  /** The fields that change, with their values: in whichever order they were sent, the same fields make one statement. */
  function toChange(before: R, changes: Changes<R, Computed>, ifMatch: string | undefined): [string, unknown][] {
    checkIfMatch(ifMatch, before)
    if (before.archivedAt != null) throw conflict('archived', 'An archived resource cannot be changed.')
    const old = before as unknown as Record<string, unknown>
    return Object.entries(changes as Record<string, unknown>)
      .filter(([field, value]) => value !== undefined && !isDeepStrictEqual(value, old[field]))
      .sort(([a], [b]) => (a < b ? -1 : 1))
  }

  function setting(names: readonly string[], first: number): string {
    const sets = names.map((name, i) => {
      if (typeof kinds[name] !== 'string') throw new Error(`${table} has no column ${name} to change.`)
      return `"${name}" = $${i + first}`
    })
    return `${sets.join(', ')}, "version" = t."version" + 1, "updatedAt" = $3`
  }

  /** Null if the row is not as it was read, or somebody holds it, who is not waited for on a connection that others share. */
  async function changeAtOnce(call: Call, before: R, changed: [string, unknown][], type: EventType): Promise<R | null> {
    const now = call.now.toISOString()
    const after = { ...before, ...Object.fromEntries(changed), version: before.version + 1, updatedAt: now }
    const event = makeEvent(call, type, after as unknown as EventObject<EventType> & { id: string }, before)
    const names = changed.map(([field]) => field)
    const statement = text(`change ${names.join()}`, () => {
      const sets = setting(names, 5)
      const columns = EVENT_COLUMNS.map((column, i) => `$${5 + names.length + i}${CASTS[column] ?? ''}`)
      return `with free as materialized (
          select "id" from "${table}" where "organizationId" = $1 and "id" = $2 and "version" = $4
          for no key update skip locked),
        changed as (update "${table}" as t set ${sets} from free where t."organizationId" = $1 and t."id" = free."id" returning t."id")
        insert into "events" ("organizationId", ${EVENT_COLUMNS.map((column) => `"${column}"`).join(', ')})
          select $1, ${columns.join(', ')} from changed returning "id"`
    })
    const values = changed.map(([field, value]) => toColumn(field, value))
    const all = [call.organizationId, before.id, now, before.version, ...values, ...eventValues(event)]
    const [done] = await written(call, CompiledQuery.raw(statement, all), after)
    if (done === undefined) return null
    call.events.push(event.recorded)
    call.surroundings.eventsCommitted(1)
    return after
  }

  return {
    findOptional,

    list: listing<R>(listed),

    async find(tenant, id) {
      const row = await findOptional(tenant, id)
      if (row === undefined) throw notFound()
      return row
    },

    async show({ db, organizationId, reads }, id) {
      const [row] = (await db.executeQuery(rowsAsJson(shown, [organizationId, id]))).rows
      if (row === undefined) throw notFound()
      const version = Number(row.cell(VERSION))
      reads?.note({ id, version })
      return new Json(row.json, null, version)
    },

    async findAll(tenant, ids) {
      if (ids.length === 0) return []
      const found = new Map((await rows(tenant, all, [tenant.organizationId, ids])).map((row) => [row.id, row]))
      return ids.flatMap((id) => found.get(id) ?? [])
    },

    findAllWith(tenant, wanted) {
      const names = Object.keys(wanted)
      const statement = text(`with ${names.join()}`, () => {
        const conditions = names.map((name, i) => `and t."${name}" = any($${i + 2})`)
        return `select ${selected} from "${table}" as t where t."organizationId" = $1 ${conditions.join(' ')} order by t."id"`
      })
      return rows(tenant, statement, [tenant.organizationId, ...Object.values(wanted)])
    },

    async lock(call, id) {
      // "no key update" still lets others insert rows that refer to this one.
      const locked = rows(call, locking, [call.organizationId, id])
      const [[row], whole] = await together(locked, isComputed ? findOptional(call, id) : locked.then(first))
      if (row === undefined || whole === undefined) throw notFound()
      return whole
    },

    async assertExist({ db, organizationId, reads }, ids, pointer) {
      if (ids.length === 0) return
      const found = await db.executeQuery<{ id: string; version: number }>(
        CompiledQuery.raw(
          `select t."id", t."version" from "${table}" as t where t."organizationId" = $1 and t."id" = any($2)`,
          [organizationId, [...ids]],
        ),
      )
      reads?.noteAll(found.rows)
      const known = new Set(found.rows.map((row) => row.id))
      const unknown = ids.flatMap((id, i) =>
        known.has(id) ? [] : [ids.length === 1 && !pointer.endsWith('s') ? pointer : `${pointer}/${i}`],
      )
      if (unknown.length > 0) throw unknownReference(unknown)
    },

    async insert(call, values) {
      const row = newRow(call, values)
      const inserted = written(call, CompiledQuery.raw(insertion, insertValues(call, row)), row)
      const [, whole] = await together(inserted, isComputed ? findOptional(call, row.id) : Promise.resolve(row))
      noteChange(call, row.id, 'created')
      if (whole === undefined) throw new Error(`The new row ${row.id} is not there.`)
      return whole
    },

    make(call, values) {
      return newRow(call, values)
    },

    async insertAll(call, made, unshown = {}) {
      if (made.length === 0) return
      const beside = Object.keys(unshown)
      const statement = text(`insert all ${beside.join()}`, () => {
        const columns = [names, ...beside.map((column) => `"${column}"`)].join(', ')
        const values = [names, ...beside.map((_, i) => `$${i + 3}`)].join(', ')
        return `insert into "${table}" ("organizationId", ${columns}) select $1, ${values} from ${given}`
      })
      const all = [call.organizationId, JSON.stringify(made), ...Object.values(unshown)]
      const query = CompiledQuery.raw(statement, all)
      // Of several rows the database does not say which one it refused.
      await written(call, query, made.length === 1 ? (made[0] ?? {}) : {})
      for (const { id } of made) noteChange(call, id, 'created')
    },

    async updateAll(call, changed) {
      if (changed.length === 0) return
      const after = JSON.stringify(changed.map((each) => each.after))
      const query = CompiledQuery.raw(updateOfAll, [call.organizationId, after, call.now.toISOString()])
      await written(call, query, changed.length === 1 ? (changed[0]?.after ?? {}) : {})
      for (const each of changed) noteChange(call, each.after.id, 'updated', changedFields(each))
    },

    async create(call, given, type) {
      return (await createBy(call, given, type, insertionWithEvent)).row
    },

    createReading<Read extends object>(
      call: Call,
      given: Values<R, Computed>,
      type: EventType,
      question: Question<R, Read>,
    ) {
      let insertion = insertionsReading.get(question)
      if (insertion === undefined) {
        insertion = severalRows(table, stored, question as Question<R, object>)
        insertionsReading.set(question, insertion)
      }
      return createBy<Read>(call, given, type, insertion)
    },

    async update(call, before, changes, ifMatch) {
      const changed = toChange(before, changes, ifMatch)
      if (changed.length === 0) return before
      const names = changed.map(([field]) => field)
      const statement = text(`update ${names.join()}`, () => {
        return `update "${table}" as t set ${setting(names, 4)}
          where t."organizationId" = $1 and t."id" = $2 returning ${selected}`
      })
      const values = changed.map(([field, value]) => toColumn(field, value))
      const all = [call.organizationId, before.id, call.now.toISOString(), ...values]
      const [row] = await written(call, CompiledQuery.raw(statement, all), { ...before, ...changes })
      if (row === undefined) throw notFound()
      noteChange(call, row.id, names.includes('archivedAt') ? 'archived' : 'updated', names)
      return row
    },

    async change(call, id, { event, ifMatch }, decide) {
      // Within a transaction the row is locked as well, and an answer that is kept needs one.
      if (!isComputed && !call.isWriting && !call.answerIsKept) {
        const before = await this.find(call, id)
        const changed = toChange(before, await decide(call, before), ifMatch)
        if (changed.length === 0) return before
        const after = await changeAtOnce(call, before, changed, event)
        if (after !== null) return after
      }
      return call.write(async (call) => {
        const before = await this.lock(call, id)
        const after = await this.update(call, before, await decide(call, before), ifMatch)
        const object = after as unknown as EventObject<EventType> & { id: string }
        if (after.version !== before.version) await recordEvent(call, event, object, before)
        return after
      })
    },

    async archive(call, before, ifMatch) {
      if (before.archivedAt != null) {
        checkIfMatch(ifMatch, before)
        return before
      }
      return this.update(call, before, { archivedAt: call.now.toISOString() } as Changes<R, Computed>, ifMatch)
    },
  }
}

/**
 * Makes a new row of the values that were given and those that every row has. The function is generated, so that all rows
 * of a table have one shape; an object that grows field by field takes several times as long to be written as JSON.
 */
function rowMaker<R extends Row, Given>(stored: readonly string[]): (given: Given, kept: Row) => R {
  const members = stored.map((field) => {
    const name = JSON.stringify(field)
    const isKept = KEPT.has(field) || field === 'archivedAt'
    return isKept ? `${name}: kept[${name}]` : `${name}: given[${name}] ?? null`
  })
  return new Function('given', 'kept', `return { ${members.join(', ')} }`) as ReturnType<typeof rowMaker<R, Given>>
}

function first<Value>(values: readonly Value[]): Value | undefined {
  return values[0]
}

const VERSION = `${BESIDE}version` as const

// What an update sets by itself, or leaves as it was.
const KEPT: ReadonlySet<string> = new Set(['id', 'version', 'createdBy', 'createdAt', 'updatedAt'])

// Several rows and their events in one statement. Each row takes a run of parameters: the organization, the columns,
// and the rest of the event.
function severalRows<R extends Row>(
  table: string,
  stored: readonly string[],
  question?: Question<R, object>,
): Insertion {
  const texts: string[] = []
  const columns = stored.map((field) => `"${field}"`).join(', ')
  const width = 1 + stored.length + EVENT_COLUMNS.length
  const list = (first: number, count: number) => Array.from({ length: count }, (_, i) => `$${first + i}`).join(', ')
  function textOf(rows: number): string {
    const each = (of: (first: number, row: number) => string) =>
      Array.from({ length: rows }, (_, r) => of(r * width + 1, r))
    const created = `insert into "${table}" ("organizationId", ${columns})
          values ${each((first) => `(${list(first, 1 + stored.length)})`).join(', ')}`
    const told = `insert into "events" ("organizationId", ${EVENT_COLUMNS.map((column) => `"${column}"`).join(', ')})
          values ${each((first) => `($${first}, ${list(first + 1 + stored.length, EVENT_COLUMNS.length)})`).join(', ')}`
    if (question === undefined) return `with created as (${created}) ${told}`
    // What a statement reads is as it was before what it inserts.
    const read = each((first, row) => {
      const select = question.text(`$${first}`, (field) => `$${first + 1 + stored.indexOf(field)}`)
      return `select ${row} as "forRow", q.* from (${select}) as q`
    })
    return `with created as (${created}), told as (${told}) ${read.join(' union all ')}`
  }
  return {
    text(rows) {
      texts[rows] ??= textOf(rows)
      return texts[rows]
    },
  }
}

const EVENT_COLUMNS = ['id', 'type', 'resourceId', 'actorId', 'payload', 'occurredAt', 'requestId', 'address'] as const
/** Where a parameter is selected, it says what it is. */
const CASTS: Readonly<Record<string, string>> = { payload: '::json', occurredAt: '::timestamptz' }

function eventValues({ row }: MadeEvent): unknown[] {
  return EVENT_COLUMNS.map((column) => row[column])
}
