import type { FieldError, SyncedRow, SyncMode, SyncResult } from '../../../client/contract.gen.ts'
import type { Call, WriteCall } from '../calls/call.ts'
import { type CheckedRow, createRowChecker, type RowSchema } from '../calls/row-checker.ts'
import { addConflictingRecord } from '../calls/unique-conflict.ts'
import { createSavepoint } from '../events/pending-rows.ts'
import {
  conflict,
  createValueTakenProblem,
  Problem,
  problem,
  toProblem,
  toRowProblem,
  validationFailed,
} from '../problems/problem.ts'
import { formatList } from '../values/format.ts'
import { createKeyLookup, toTypedKey } from '../values/typed-keys.ts'
import { listChangedFields, type Row, type RowChange } from './resource.ts'

/**
 * Syncs many records with another system in one request. If a record has the key of a row, the row changes this record.
 * Otherwise, the row creates a record. The rules are the same as for operations on a single record. A few statements
 * read the data for all rows, the rules are applied to each row, and two statements write all rows. Either all rows are
 * written or none. With best_effort, each valid row is written, even if others are invalid.
 */
export interface SyncDefinition<Name extends RowSchema, R extends Row, Made extends { id: string } = R> {
  /** The schema of a row. */
  readonly schema: Name
  /**
   * Returns the values that distinguish the row from the other rows of the request. The keys are the fields to which
   * errors point.
   */
  keysOf(values: CheckedRow<Name>): Readonly<Record<string, string | null | undefined>>
  /**
   * For each row, in order, returns the planned write or the problem. Locks all records on which the result depends,
   * always in the same order, so that two requests with the same rows cannot deadlock.
   */
  decide(
    call: WriteCall,
    rows: readonly SyncRow<CheckedRow<Name>>[],
  ): Promise<readonly (PlannedWrite<R, Made> | Problem)[]>
  insertAll(call: WriteCall, created: readonly Made[]): Promise<void>
  updateAll(call: WriteCall, changed: readonly RowChange<R>[]): Promise<void>
  /** Makes further changes after the rows are written, in the same transaction. */
  settle?(call: WriteCall, written: readonly WrittenRow[]): Promise<void>
}

/** The effect of a row on its record. */
export interface WrittenRow {
  readonly id: string
  /** The version of the record before the request; null if the row has created the record. */
  readonly before: number | null
  readonly version: number
}

/** A row that is valid according to the contract. */
export interface SyncRow<Values> {
  /** The position of the row in the request, starting at 0. */
  readonly place: number
  readonly values: Values
  /** The names of the fields that the client has sent. All other fields of `values` are defaults. */
  readonly given: ReadonlySet<string>
}

/** The planned write of a row. */
export interface PlannedWrite<R, Made = R> {
  readonly id: string
  readonly made: Made | null
  /**
   * The changes of existing records: of the row's own record if it exists, and of other records that change with it.
   */
  readonly changed: readonly RowChange<R>[]
  /** Rows with a lower rank are written first, because rows with a higher rank can refer to them. */
  readonly rank?: number
}

type RefusedRows = Map<number, Problem>
/** The new versions of changed records, by ID. */
type NewVersions = Map<string, number>
type PlacedWrite<R, Made> = PlannedWrite<R, Made> & { readonly place: number }

export async function syncRows<Name extends RowSchema, R extends Row, Made extends { id: string }>(
  call: Call,
  { mode, rows }: { mode: SyncMode; rows: readonly object[] },
  sync: SyncDefinition<Name, R, Made>,
): Promise<SyncResult> {
  const { asked, faulty } = checkRows(call, rows, sync)
  return call.write(async (call) => {
    const refused: RefusedRows = new Map(faulty)
    const good = asked.filter(({ place }) => !refused.has(place))
    const outcomes = good.length === 0 ? [] : await sync.decide(call, good)
    const planned: PlacedWrite<R, Made>[] = []
    for (const [i, { place }] of good.entries()) {
      const outcome = outcomes[i]
      if (outcome instanceof Problem) refused.set(place, outcome)
      else if (outcome !== undefined) planned.push({ ...outcome, place })
    }
    const assertWhole = () => {
      if (mode === 'all_or_nothing' && refused.size > 0) throw combineRowProblems(refused)
    }
    assertWhole()
    planned.sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0))
    const raised: NewVersions = new Map()
    await writeRows(call, sync, planned, { refused, raised })
    assertWhole()
    const written = planned.flatMap((row) => (refused.has(row.place) ? [] : toWrittenRow(row, raised)))
    await sync.settle?.(call, written)
    return toSyncResult(rows.length, planned, { refused, written })
  })
}

/**
 * Returns the valid rows, and the problems of the invalid rows. If several rows have a key in common, all of them are
 * invalid.
 */
function checkRows<Name extends RowSchema>(
  call: Call,
  rows: readonly object[],
  sync: Pick<SyncDefinition<Name, Row>, 'schema' | 'keysOf'>,
): { asked: SyncRow<CheckedRow<Name>>[]; faulty: RefusedRows } {
  const check = createRowChecker(call, sync.schema)
  const asked: SyncRow<CheckedRow<Name>>[] = []
  const faulty: RefusedRows = new Map()
  const holders = new Map<string, { field: string; places: number[] }>()
  for (const [place, row] of rows.entries()) {
    const given = new Set(Object.keys(row))
    try {
      const values = check(row)
      asked.push({ place, values, given })
      for (const [field, key] of Object.entries(sync.keysOf(values))) {
        if (key == null) continue
        const name = `${field} ${ROW_KEYS_TYPED.has(field) ? toTypedKey(key) : key}`
        const holder = holders.get(name)
        if (holder === undefined) holders.set(name, { field, places: [place] })
        else holder.places.push(place)
      }
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      faulty.set(place, error)
    }
  }
  for (const { field, places } of holders.values()) {
    if (places.length === 1) continue
    const message = `must be unique; rows ${formatList(places.slice(0, MAX_NAMED_ROWS).map(String))} have the same value`
    for (const place of places) faulty.set(place, validationFailed([{ pointer: `/${field}`, code: 'unique', message }]))
  }
  return { asked, faulty }
}

/** The keys that are compared regardless of letter case and Unicode form. */
const ROW_KEYS_TYPED: ReadonlySet<string> = new Set(['sku', 'code', 'accountingId'])
/** The maximum number of rows with the same key that an error lists, which is enough to find the others. */
const MAX_NAMED_ROWS = 10

/**
 * For each row, returns the record with its `externalId` or, if there is none, the active record with its other key. A
 * row can set its `externalId` on a record that does not have one. Compares the keys that the records had before the
 * request.
 */
export function matchRowsByExternalId<
  Values extends { id?: string | undefined; externalId?: string | null | undefined },
  R extends Row & { archivedAt: string | null; externalId: string | null },
>(
  rows: readonly SyncRow<Values>[],
  found: readonly R[],
  key: string,
  keyOf: (of: Values | R) => string | undefined,
): (R | Problem | null)[] {
  const byExternalId = new Map(found.map((record) => [record.externalId, record]))
  const findByKey = createKeyLookup(
    found.filter(({ archivedAt }) => archivedAt === null),
    keyOf,
  )
  const meant = new Map<string, number>()
  return rows.map(({ place, values }) => {
    const { id, externalId = null } = values
    if (id !== undefined)
      return validationFailed([{ pointer: '/id', code: 'match', message: 'must be omitted unless match is id' }])
    const own = externalId === null ? undefined : byExternalId.get(externalId)
    const holder = findByKey(keyOf(values))
    const isOther = own === undefined ? externalId !== null && holder?.externalId != null : own.id !== holder?.id
    if (holder !== undefined && isOther) return createValueTakenProblem(key, holder.id)
    const record = own ?? holder ?? null
    if (record === null) return null
    if (record.archivedAt !== null) return createArchivedRecordProblem()
    const before = meant.get(record.id)
    meant.set(record.id, place)
    return before === undefined ? record : createDuplicateRowProblem(before)
  })
}

/** Returns the result of the function, or the problem that it throws. */
export function catchProblem<T>(work: () => T): T | Problem {
  try {
    return work()
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

export function createArchivedRecordProblem(): Problem {
  return conflict('archived', 'Cannot change the record: it is archived.')
}

export function createDuplicateRowProblem(position: number): Problem {
  return validationFailed([
    { pointer: '', code: 'unique', message: `must not refer to the same record as row ${position}` },
  ])
}

/**
 * Writes all rows together. The database can reject them if a value is not valid or a concurrent request was faster.
 * Then writes each half separately, and so on, until the invalid rows are found.
 */
async function writeRows<Name extends RowSchema, R extends Row, Made extends { id: string }>(
  call: WriteCall,
  sync: SyncDefinition<Name, R, Made>,
  planned: readonly PlacedWrite<R, Made>[],
  { refused, raised }: { refused: RefusedRows; raised: NewVersions },
): Promise<void> {
  const created = planned.flatMap((row) => row.made ?? [])
  // If several rows change the same record, the change of the last row includes those of the earlier rows.
  const changed = new Map(planned.flatMap((row) => row.changed).map((each) => [each.after.id, each]))
  const changes = [...changed.values()].filter((each) => listChangedFields(each).length > 0)
  if (created.length + changes.length === 0) return
  const mark = await createSavepoint(call)
  try {
    await sync.insertAll(call, created)
    await sync.updateAll(call, changes)
    await mark.keep()
    for (const { before } of changes) raised.set(before.id, (raised.get(before.id) ?? before.version) + 1)
  } catch (error) {
    const found = toProblem(error)
    if (found.status >= 500) throw error
    await mark.undo()
    const [only] = planned
    if (only !== undefined && planned.length === 1) {
      await addConflictingRecord(call, found)
      refused.set(only.place, found)
      return
    }
    const middle = planned.length >> 1
    await writeRows(call, sync, planned.slice(0, middle), { refused, raised })
    await writeRows(call, sync, planned.slice(middle), { refused, raised })
  }
}

/** Returns the effect of a row, which creates its record, changes it, or leaves it unchanged. */
function toWrittenRow<R extends Row, Made>(
  { id, made, changed }: PlacedWrite<R, Made>,
  raised: NewVersions,
): WrittenRow {
  const before = made === null ? (changed.find(({ after }) => after.id === id)?.before.version ?? null) : null
  return { id, before, version: raised.get(id) ?? before ?? 1 }
}

function toSyncResult<R extends Row, Made>(
  count: number,
  planned: readonly PlacedWrite<R, Made>[],
  { refused, written }: { refused: RefusedRows; written: readonly WrittenRow[] },
): SyncResult {
  const byPlace = new Map(planned.map((row) => [row.place, row]))
  const versions = new Map(written.map(({ id, version }) => [id, version]))
  const rows = Array.from({ length: count }, (_, row): SyncedRow => {
    const fault = refused.get(row)
    const done = byPlace.get(row)
    if (fault !== undefined || done === undefined)
      return { row, status: 'failed', id: null, version: null, problem: toSyncedRowProblem(fault) }
    const own = done.changed.find(({ after }) => after.id === done.id)
    const isChanged = own !== undefined && listChangedFields(own).length > 0
    return {
      row,
      status: done.made !== null ? 'created' : isChanged ? 'updated' : 'unchanged',
      id: done.id,
      version: versions.get(done.id) ?? null,
      problem: null,
    }
  })
  const counted = (status: SyncedRow['status']) => rows.filter((row) => row.status === status).length
  return {
    created: counted('created'),
    updated: counted('updated'),
    unchanged: counted('unchanged'),
    failed: counted('failed'),
    rows,
  }
}

function toSyncedRowProblem(fault: Problem | undefined): SyncedRow['problem'] {
  if (fault === undefined) throw new Error('Expected a problem for a row that was not written.')
  return toRowProblem(fault)
}

/** Combines the problems of all invalid rows in one problem. Its pointers contain the positions of the rows. */
function combineRowProblems(refused: RefusedRows): Problem {
  const faults = [...refused].sort(([a], [b]) => a - b)
  const errors = faults.flatMap(([place, { code, message, extras }]): FieldError[] =>
    (extras.errors ?? [{ pointer: '', code, message }]).map((error) => ({
      ...error,
      pointer: `/rows/${place}${error.pointer}`,
    })),
  )
  const detail =
    faults.length === 1
      ? 'No row was written, because 1 row has errors. See `errors`.'
      : `No row was written, because ${faults.length} rows have errors. See \`errors\`.`
  const reported = { errors: errors.slice(0, MAX_ERRORS) }
  const code = MOST_SEVERE_CODES.find((each) => faults.some(([, fault]) => fault.code === each))
  if (code !== undefined) {
    const didYouMean = [...new Set(faults.flatMap(([, { extras }]) => extras.didYouMean ?? []))].slice(
      0,
      MAX_ROWS_IN_PROBLEM,
    )
    return problem(code, detail, {
      ...reported,
      ...(code === 'unknown_reference' && didYouMean.length > 0 && { didYouMean }),
    })
  }
  const reason = faults.find(([, { extras }]) => extras.reason !== undefined)?.[1].extras.reason ?? 'not_available'
  // If there are several invalid rows, it would not be clear to which of them the ID belongs.
  const { conflictingId } = (faults.length === 1 && faults[0]?.[1].extras) || {}
  return conflict(reason, detail, { ...reported, ...(conflictingId !== undefined && { conflictingId }) })
}

/** The maximum number of rows in a problem of the contract. */
const MAX_ROWS_IN_PROBLEM = 10

/** If a row has one of these codes, it becomes the code of the entire problem. Otherwise, the code is `conflict`. */
const MOST_SEVERE_CODES = ['validation_failed', 'unknown_reference'] as const

/** The maximum number of errors in a problem. */
const MAX_ERRORS = 1000
