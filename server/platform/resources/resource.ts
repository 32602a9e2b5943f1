import { isDeepStrictEqual } from 'node:util'
import { CompiledQuery } from 'kysely'
import { typeid } from 'typeid-js'
import type { Actor } from '../../../client/contract.gen.ts'
import { type Call, recordChange, type SealState, type Tenant, type WriteCall } from '../calls/call.ts'
import { assertIfMatch } from '../calls/etag.ts'
import type { Json } from '../calls/json.ts'
import { toUniqueConflict } from '../calls/unique-conflict.ts'
import { conflict, notFound, unknownReference } from '../problems/problem.ts'
import { toJsonRowsSql, toSelectColumnsSql } from './columns.ts'
import {
  type CheckedSchema,
  getStorage,
  type RecordName,
  type ResourceDeclaration,
  resolveColumns,
  type Schemas,
} from './declaration.ts'
import { createListing, type ItemExtension, type ListDefinition, type ListQuery, type Page } from './listing.ts'
import { registerRecordFinder } from './record-finders.ts'
import { createStatementCache } from './statement-texts.ts'

/**
 * Returns the functions that all resources have: to list, find, lock, insert, update, and archive records. A slice
 * declares where its resource is stored and which fields are computed. The types of the functions come from the
 * contract, because columns have the same names as fields.
 *
 * Statements are texts. Each combination of filters, sort order, and changed fields is built once and then cached. The
 * statements contain only declared names, and all values are parameters. All of them are limited to one organization.
 */
export function defineResource<
  const Schema extends RecordName,
  R extends Row = Extract<Schemas[Schema], Row>,
  const Without extends keyof Schemas[Schema] & string = never,
  const Stored extends string = never,
  const Computed extends string = never,
>(
  declaration: ResourceDeclaration<Schema, R, Without, Stored, Computed> &
    NoInfer<CheckedSchema<Schema, R, Without, Stored, Computed>>,
): Resource<R, Computed> {
  const { schema, toRecord = (_call: SealState, row: R): object => row, long, beside, filters, sorts } = declaration
  const { prefix, table } = getStorage(schema)
  const found = buildResource<R, Computed>(prefix, {
    table,
    columns: resolveColumns({ ...declaration, table }),
    long,
    beside,
    filters,
    sorts,
  })
  registerRecordFinder(schema, async (call, ids) => (await found.findAll(call, ids)).map((row) => toRecord(call, row)))
  return found
}

export interface Row {
  id: string
  version: number
  createdBy: Actor
  createdAt: string
  updatedAt: string
  archivedAt?: string | null
}

type ManagedField = 'id' | 'version' | 'createdBy' | 'createdAt' | 'updatedAt' | 'archivedAt'
/** The values of a new row. Omitted nullable fields become null. */
export type NewRowValues<R extends Row, Computed extends PropertyKey = never> = OptionalIfNull<
  Omit<R, ManagedField | Computed>
>
type OptionalIfNull<R> = { [Field in keyof R as null extends R[Field] ? never : Field]: R[Field] } & {
  [Field in keyof R as null extends R[Field] ? Field : never]?: R[Field] | undefined
}
/**
 * Makes the compiler report fields that the row does not have, because a new row may contain all fields of a request
 * body.
 */
type WithoutUnknown<Values, Known> = Values & { [Name in Exclude<keyof Values, keyof Known>]: never }
export type RowChanges<R extends Row, Computed extends PropertyKey = never> = {
  [Field in Exclude<keyof R, ManagedField | Computed>]?: R[Field] | undefined
} & { archivedAt?: string | null }

/** A new row that is not stored yet. */
export type NewRow<R extends Row, Computed extends PropertyKey = never> = Omit<R, Exclude<Computed, 'id'>> & {
  id: string
}

/** A row before and after a change of its own fields. */
export interface RowChange<R> {
  readonly before: R
  readonly after: R
  /** The names of changed columns that are not in the contract. */
  readonly hidden?: readonly string[]
}

/** Returns the names of the changed fields. */
export function listChangedFields<R extends object>({ before, after, hidden = [] }: RowChange<R>): string[] {
  const shown = Object.keys(after) as (keyof R & string)[]
  return [...shown.filter((field) => !isDeepStrictEqual(before[field], after[field])), ...hidden]
}

export interface Resource<R extends Row, Computed extends PropertyKey = never> {
  /**
   * Returns a page according to the query's `limit`, `cursor`, `sort`, and filters. `within` contains additional
   * conditions, and `further` computes additional members of each item.
   */
  list<More extends object = object>(
    tenant: Tenant,
    query: ListQuery,
    within?: Record<string, string>,
    further?: ItemExtension<More>,
  ): Promise<Json<Page<R & More>>>
  /** Returns the record, which may be archived. Throws `not_found` if the record does not exist. */
  find(tenant: Tenant, id: string): Promise<R>
  findOptional(tenant: Tenant, id: string): Promise<R | undefined>
  /** Returns the records with these IDs that exist, in the order of their IDs. */
  findAll(tenant: Tenant, ids: readonly string[]): Promise<R[]>
  /**
   * Returns the records in which each of these fields has one of the given values, in the order of their IDs. The
   * result has no pages, so use this function only for fields whose values are shared by few records.
   */
  findAllWith(tenant: Tenant, requested: { readonly [Field in keyof R]?: readonly string[] }): Promise<R[]>
  /** Like `find`, but also locks the row until the transaction ends. */
  lock(call: WriteCall, id: string): Promise<R>
  /**
   * Throws `unknown_reference` if one of the IDs does not exist. `pointer` is the JSON pointer to the array, or to the
   * field with a single ID.
   */
  assertExist(tenant: Tenant, ids: readonly string[], pointer: string): Promise<void>
  /** Inserts a row and returns the record. */
  insert<Given extends NewRowValues<R, Computed>>(
    call: WriteCall,
    values: WithoutUnknown<Given, NewRowValues<R, Computed>>,
  ): Promise<R>
  /** Returns a new record without computed fields. The record is not stored until `insertAll` is called. */
  make<Given extends NewRowValues<R, Computed>>(
    call: Call,
    values: WithoutUnknown<Given, NewRowValues<R, Computed>>,
  ): NewRow<R, Computed>
  /**
   * Inserts several new records with one statement. `unshown` contains the values of columns that are not fields of the
   * records.
   */
  insertAll(
    call: WriteCall,
    created: readonly NewRow<R, Computed>[],
    unshown?: Readonly<Record<string, number>>,
  ): Promise<void>
  /** Stores the changes of several locked rows with one statement. Each row must occur only once. */
  updateAll(call: WriteCall, changed: readonly RowChange<R>[]): Promise<void>
  /**
   * Updates a locked row. Undefined fields keep their values. If no field changes, writes nothing. Throws
   * `precondition_failed` if `ifMatch` is not the current version.
   */
  update(call: WriteCall, before: R, changes: RowChanges<R, Computed>, ifMatch?: string): Promise<R>
  archive(call: WriteCall, before: R, ifMatch?: string): Promise<R>
}

function buildResource<R extends Row, Computed extends PropertyKey>(
  prefix: string,
  listed: ListDefinition,
): Resource<R, Computed> {
  const { table, columns: kinds } = listed
  const fields = Object.keys(kinds)
  const stored = fields.filter((field) => typeof kinds[field] === 'string')
  const isComputed = stored.length < fields.length
  const selected = toSelectColumnsSql(kinds)
  const text = createStatementCache()

  async function rows({ db, reads }: Tenant, statement: string, values: readonly unknown[]): Promise<R[]> {
    const { rows } = await db.executeQuery<R>(CompiledQuery.raw(statement, values as unknown[]))
    reads?.noteAll(rows)
    return rows
  }

  async function items({ db, reads }: Tenant, statement: string, values: readonly unknown[]): Promise<R[]> {
    const { rows } = await db.executeQuery<{ item: R }>(CompiledQuery.raw(statement, values as unknown[]))
    const found = rows.map(({ item }) => item)
    reads?.noteAll(found)
    return found
  }

  /**
   * Executes a statement that writes a row. If another record has the same unique value, throws a problem that contains
   * the value.
   */
  async function written(call: Tenant, statement: string, values: readonly unknown[], row: object): Promise<R[]> {
    try {
      return (await call.db.executeQuery<R>(CompiledQuery.raw(statement, values as unknown[]))).rows
    } catch (error) {
      throw toUniqueConflict(error, table, row)
    }
  }

  function toColumn(field: string, value: unknown): unknown {
    if (value === null || value === undefined) return null
    const kind = kinds[field]
    return kind === 'json' || kind === 'json?' ? JSON.stringify(value) : value
  }

  const own = `${toJsonRowsSql(kinds, `"${table}" as t`)} where t."organizationId" = $1`
  const one = `${own} and t."id" = $2`
  const all = `${own} and t."id" = any($2)`
  // If the statement had to wait for the lock, it returns the current row, but its subqueries return an earlier state.
  // Therefore, computed fields are read in a second statement.
  const locking = isComputed
    ? `select t."id" from "${table}" as t where t."organizationId" = $1 and t."id" = $2 for no key update`
    : `select ${selected} from "${table}" as t where t."organizationId" = $1 and t."id" = $2 for no key update of t`
  const insertion = `insert into "${table}" ("organizationId", ${stored.map((field) => `"${field}"`).join(', ')}) values ($1, ${stored
    .map((_, i) => `$${i + 2}`)
    .join(', ')})`
  // The database knows the types of the columns, so a single parameter can contain many rows.
  const provided = `json_populate_recordset(null::"${table}", $2::json)`
  const names = stored.map((field) => `"${field}"`).join(', ')
  const updateOfAll = `update "${table}" as t set ${stored
    .filter((field) => !MANAGED_FIELDS.has(field))
    .map((field) => `"${field}" = g."${field}"`)
    .join(', ')}, "version" = t."version" + 1, "updatedAt" = $3
    from ${provided} as g where t."organizationId" = $1 and t."id" = g."id"`

  async function findOptional(tenant: Tenant, id: string): Promise<R | undefined> {
    return (await items(tenant, one, [tenant.organizationId, id]))[0]
  }

  async function find(tenant: Tenant, id: string): Promise<R> {
    const row = await findOptional(tenant, id)
    if (row === undefined) throw notFound()
    return row
  }

  function newRow(call: Call, values: NewRowValues<R, Computed>): R {
    const now = call.now.toISOString()
    const kept: Record<string, unknown> = {
      ...{ id: typeid(prefix).toString(), version: 1, createdBy: call.actor, createdAt: now, updatedAt: now },
      archivedAt: null,
    }
    const given = values as Record<string, unknown>
    return Object.fromEntries(stored.map((field) => [field, kept[field] ?? given[field] ?? null])) as unknown as R
  }

  function insertValues(call: Call, row: R): unknown[] {
    const columns = row as unknown as Record<string, unknown>
    return [call.organizationId, ...stored.map((field) => toColumn(field, columns[field]))]
  }

  /**
   * Returns the changed fields with their values. The fields are sorted, so that the same fields always result in the
   * same statement.
   */
  function toChange(before: R, changes: RowChanges<R, Computed>, ifMatch: string | undefined): [string, unknown][] {
    assertIfMatch(ifMatch, before)
    if (before.archivedAt != null) throw conflict('archived', 'Cannot change the record: it is archived.')
    const old = before as unknown as Record<string, unknown>
    return Object.entries(changes as Record<string, unknown>)
      .filter(([field, value]) => value !== undefined && !isDeepStrictEqual(value, old[field]))
      .sort(([a], [b]) => (a < b ? -1 : 1))
  }

  function setting(names: readonly string[], first: number): string {
    const sets = names.map((name, i) => {
      if (typeof kinds[name] !== 'string')
        throw new Error(`Expected ${table} to have a column ${name} that can be changed.`)
      return `"${name}" = $${i + first}`
    })
    return `${sets.join(', ')}, "version" = t."version" + 1, "updatedAt" = $3`
  }

  async function update(call: WriteCall, before: R, changes: RowChanges<R, Computed>, ifMatch?: string): Promise<R> {
    const changed = toChange(before, changes, ifMatch)
    if (changed.length === 0) return before
    const names = changed.map(([field]) => field)
    const statement = text(`update ${names.join()}`, () => {
      return `update "${table}" as t set ${setting(names, 4)}
        where t."organizationId" = $1 and t."id" = $2 returning ${isComputed ? 't."id"' : selected}`
    })
    const values = changed.map(([field, value]) => toColumn(field, value))
    const all = [call.organizationId, before.id, call.now.toISOString(), ...values]
    const [row] = await written(call, statement, all, { ...before, ...changes })
    if (row === undefined) throw notFound()
    recordChange(call, row.id, names.includes('archivedAt') ? 'archived' : 'updated', names)
    return isComputed ? find(call, row.id) : row
  }

  return {
    findOptional,

    list: createListing<R>(listed),

    find,

    async findAll(tenant, ids) {
      if (ids.length === 0) return []
      const found = new Map((await items(tenant, all, [tenant.organizationId, ids])).map((row) => [row.id, row]))
      return ids.flatMap((id) => found.get(id) ?? [])
    },

    findAllWith(tenant, requested) {
      const names = Object.keys(requested)
      const statement = text(`with ${names.join()}`, () => {
        const conditions = names.map((name, i) => `and t."${name}" = any($${i + 2})`)
        return `${own} ${conditions.join(' ')} order by t."id"`
      })
      return items(tenant, statement, [tenant.organizationId, ...Object.values(requested)])
    },

    async lock(call, id) {
      // With "no key update", other transactions can still insert rows that refer to this row.
      const [locked] = await rows(call, locking, [call.organizationId, id])
      const row = locked !== undefined && isComputed ? await findOptional(call, id) : locked
      if (row === undefined) throw notFound()
      return row
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
      await written(call, insertion, insertValues(call, row), row)
      recordChange(call, row.id, 'created')
      return isComputed ? find(call, row.id) : row
    },

    make(call, values) {
      return newRow(call, values)
    },

    async insertAll(call, created, unshown = {}) {
      if (created.length === 0) return
      const beside = Object.keys(unshown)
      const statement = text(`insert all ${beside.join()}`, () => {
        const columns = [names, ...beside.map((column) => `"${column}"`)].join(', ')
        const values = [...stored.map((field) => `g."${field}"`), ...beside.map((_, i) => `$${i + 3}`)].join(', ')
        return `insert into "${table}" ("organizationId", ${columns})
          select o."id", ${values} from "organizations" as o cross join ${provided} as g where o."id" = $1`
      })
      const all = [call.organizationId, JSON.stringify(created), ...Object.values(unshown)]
      // If there are several rows, the database does not report which one it has rejected.
      await written(call, statement, all, created.length === 1 ? (created[0] ?? {}) : {})
      for (const { id } of created) recordChange(call, id, 'created')
    },

    async updateAll(call, changed) {
      if (changed.length === 0) return
      const after = JSON.stringify(changed.map((each) => each.after))
      const all = [call.organizationId, after, call.now.toISOString()]
      await written(call, updateOfAll, all, changed.length === 1 ? (changed[0]?.after ?? {}) : {})
      for (const each of changed) recordChange(call, each.after.id, 'updated', listChangedFields(each))
    },

    update,

    async archive(call, before, ifMatch) {
      if (before.archivedAt != null) {
        assertIfMatch(ifMatch, before)
        return before
      }
      return update(call, before, { archivedAt: call.now.toISOString() } as RowChanges<R, Computed>, ifMatch)
    },
  }
}

// The fields that an update sets automatically or must not change.
const MANAGED_FIELDS: ReadonlySet<string> = new Set(['id', 'version', 'createdBy', 'createdAt', 'updatedAt'])
