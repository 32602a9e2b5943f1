import { type RawBuilder, sql } from 'kysely'
import type { MatchBy } from '../../../client/contract.gen.ts'
import type { Tenant, WriteCall } from '../calls/call.ts'
import { createValueTakenProblem, type Problem, unknownReference, validationFailed } from '../problems/problem.ts'
import { createKeyLookup, isTypedKeyColumn } from '../values/typed-keys.ts'
import { createArchivedRecordProblem, type SyncRow } from './sync-rows.ts'

/** The keys with which a row can identify its record. */
export type RowKeys = { readonly [Key in MatchBy]?: string | null | undefined }
export type KeyedRecord = { readonly id: string; readonly archivedAt: string | null } & {
  readonly [Key in OtherKey]?: string | null
}

/** Returns the keys that distinguish a row from the other rows of the request. */
export function getRowKeys(values: RowKeys): Record<string, string | null | undefined> {
  const { id, accountingId, externalId } = values
  return { id, accountingId, externalId }
}

type OtherKey = Exclude<MatchBy, 'id'>

/** Locks the records that match a key of a row, in the order of their IDs, and returns their IDs. */
export async function lockRecordsByKey(
  call: WriteCall,
  table: string,
  fields: readonly OtherKey[],
  rows: readonly SyncRow<RowKeys>[],
): Promise<string[]> {
  return findByKeys(call, table, fields, rows, sql`for no key update`)
}

/** Like lockRecordsByKey, but without locking, for records that another lock already protects. */
export async function findRecordIdsByKey(
  call: WriteCall,
  table: string,
  fields: readonly OtherKey[],
  rows: readonly SyncRow<RowKeys>[],
): Promise<string[]> {
  return findByKeys(call, table, fields, rows, sql``)
}

/**
 * Requests for the same table are executed one at a time. Otherwise, two requests that create the same records would
 * wait for each other, or the later one would fail instead of finding the records unchanged.
 */
async function findByKeys(
  { db, organizationId }: WriteCall,
  table: string,
  fields: readonly OtherKey[],
  rows: readonly SyncRow<RowKeys>[],
  locking: RawBuilder<unknown>,
): Promise<string[]> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`${organizationId} ${table}`}, 74185026))`.execute(db)
  const valuesOf = (key: MatchBy) => rows.flatMap(({ values }) => values[key] ?? [])
  const having = fields.map(
    (field) => sql`
      union select "id" from ${sql.table(table)}
      where "organizationId" = ${organizationId} and ${
        isTypedKeyColumn(table, field)
          ? sql`${sql.id(`${field}Key`)} = any(array(select "typedKey"("key") from unnest(${valuesOf(field)}::text[]) as k ("key")))`
          : sql`${sql.id(field)} = any(${valuesOf(field)}::text[])`
      }`,
  )
  const { rows: found } = await sql<{ id: string }>`
    select "id" from ${sql.table(table)}
    where "organizationId" = ${organizationId} and "id" = any(array(
      select unnest(${valuesOf('id')}::text[]) ${sql.join(having, sql``)}))
    order by "id" ${locking}`.execute(db)
  return found.map(({ id }) => id)
}

/**
 * For each row, returns the record that its key identifies; null if the row creates a record. Compares the keys that
 * the records had before the request, so a row cannot receive an identifier that belonged to another record at that
 * time.
 */
export function matchRowsByKey<Values extends RowKeys, R extends KeyedRecord>(
  rows: readonly SyncRow<Values>[],
  found: readonly R[],
  match: MatchBy,
): (R | Problem | null)[] {
  const by = (key: MatchBy) =>
    new Map(found.flatMap((record) => (record[key] == null ? [] : [[record[key], record] as const])))
  const [ids, externalIds] = [by('id'), by('externalId')]
  const holders: Record<MatchBy, (key: string) => R | undefined> = {
    id: (key) => ids.get(key),
    accountingId: createKeyLookup(found, (record) => record.accountingId),
    externalId: (key) => externalIds.get(key),
  }
  return rows.map(({ values }) => {
    const key = values[match]
    if (key == null && match !== 'id') return toKeyProblem(match, 'required', `is required when match is ${match}`)
    if (values.id !== undefined && match !== 'id')
      return toKeyProblem('id', 'match', `must be omitted when match is ${match}`)
    const record = key == null ? null : (holders[match](key) ?? null)
    if (record === null && key != null && match === 'id') return unknownReference(['/id'])
    if (record !== null && record.archivedAt !== null) return createArchivedRecordProblem()
    for (const field of ['accountingId', 'externalId'] as const) {
      const value = values[field]
      const holder = value == null ? undefined : holders[field](value)
      if (holder !== undefined && holder.id !== record?.id) return createValueTakenProblem(field, holder.id)
    }
    return record
  })
}

function toKeyProblem(field: string, code: string, message: string): Problem {
  return validationFailed([{ pointer: `/${field}`, code, message }])
}

/** Returns those of the given IDs that exist in the table. */
export async function findKnownIds(
  { db, organizationId }: Tenant,
  table: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const { rows } = await sql<{ id: string }>`
    select "id" from ${sql.table(table)}
    where "organizationId" = ${organizationId} and "id" = any(${[...new Set(ids)]}::text[])`.execute(db)
  return new Set(rows.map(({ id }) => id))
}
