import type { FieldError, SyncedRow, SyncMode, SyncResult } from '../../../client/contract.gen.ts'
import type { Call, WriteCall } from '../calls/call.ts'
import { type CheckedRow, createRowChecker, type RowSchema } from '../calls/row-checker.ts'
import { withConflictingRecord } from '../calls/unique-conflict.ts'
import { createSavepoint } from '../events/pending-rows.ts'
import {
  conflict,
  Problem,
  problem,
  toProblem,
  toRowProblem,
  validationFailed,
  valueTaken,
} from '../problems/problem.ts'
import { formatList } from '../values/format.ts'
import { changedFields, type Row, type RowChange } from './resource.ts'

/**
 * Syncs many records with another system in one request: a row whose key a record has changes that record, and any
 * other creates one. The rules are those of the operations on a single record. They are applied to all rows with the
 * data that a few statements have read, and two statements write all rows. Either all rows are written or none, or each
 * valid row is written separately.
 */
export interface SyncDefinition<Name extends RowSchema, R extends Row, Made extends { id: string } = R> {
  /** The schema of a row. */
  readonly schema: Name
  /** Returns what distinguishes the row from all others of the request: values by the field that an error points at. */
  keysOf(values: CheckedRow<Name>): Readonly<Record<string, string | null | undefined>>
  /**
   * Returns the outcome of each row, in order. It locks everything that it depends on, always in the same order, so
   * that two requests with the same rows wait for each other without deadlock.
   */
  decide(
    call: WriteCall,
    rows: readonly SyncRow<CheckedRow<Name>>[],
  ): Promise<readonly (PlannedWrite<R, Made> | Problem)[]>
  insertAll(call: WriteCall, created: readonly Made[]): Promise<void>
  updateAll(call: WriteCall, changed: readonly RowChange<R>[]): Promise<void>
  /** Does what follows from the rows, in the same transaction, after they are written. */
  settle?(call: WriteCall, written: readonly WrittenRow[]): Promise<void>
}

/** The effect of a row on its record. */
export interface WrittenRow {
  readonly id: string
  /** The record's version before; null if the row created it. */
  readonly before: number | null
  readonly version: number
}

/** A row that is valid by the contract. */
export interface SyncRow<Values> {
  /** Its index in the request. */
  readonly place: number
  readonly values: Values
  /** The fields that were sent. The rest of `values` are defaults. */
  readonly given: ReadonlySet<string>
}

/** The write for a row. */
export interface PlannedWrite<R, Made = R> {
  readonly id: string
  readonly made: Made | null
  /** The record itself, unless it is new, and others that change with it. */
  readonly changed: readonly RowChange<R>[]
  /** Rows of a lower rank are written first, because those of a higher one may refer to them. */
  readonly rank?: number
}

type RefusedRows = Map<number, Problem>
/** The versions of the changed records by ID. */
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

/** Returns the valid rows, and the problems of the others. All rows that share a key are invalid. */
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
        const holder = holders.get(`${field} ${key}`)
        if (holder === undefined) holders.set(`${field} ${key}`, { field, places: [place] })
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

/** The number of rows with the same key that an error names; enough to find the rest. */
const MAX_NAMED_ROWS = 10

/**
 * Returns the record of each row: the one with its `externalId`, or else the active one with its other key. A row may
 * give its `externalId` to a record without one. The keys are those before the request.
 */
export function matchRows<
  Values extends { id?: string | undefined; externalId?: string | null | undefined },
  R extends Row & { archivedAt: string | null; externalId: string | null },
>(
  rows: readonly SyncRow<Values>[],
  found: readonly R[],
  key: string,
  keyOf: (of: Values | R) => string | undefined,
): (R | Problem | null)[] {
  const byExternalId = new Map(found.map((record) => [record.externalId, record]))
  const byKey = new Map(found.filter(({ archivedAt }) => archivedAt === null).map((record) => [keyOf(record), record]))
  const meant = new Map<string, number>()
  return rows.map(({ place, values }) => {
    const { id, externalId = null } = values
    if (id !== undefined)
      return validationFailed([{ pointer: '/id', code: 'match', message: 'must be omitted unless match is id' }])
    const own = externalId === null ? undefined : byExternalId.get(externalId)
    const holder = byKey.get(keyOf(values))
    const isOther = own === undefined ? externalId !== null && holder?.externalId != null : own.id !== holder?.id
    if (holder !== undefined && isOther) return valueTaken(key, holder.id)
    const record = own ?? holder ?? null
    if (record === null) return null
    if (record.archivedAt !== null) return archivedRecordProblem()
    const before = meant.get(record.id)
    meant.set(record.id, place)
    return before === undefined ? record : duplicateRowProblem(before)
  })
}

/** Returns the result of the work, or the problem that it throws. */
export function returnProblem<T>(work: () => T): T | Problem {
  try {
    return work()
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
}

export function archivedRecordProblem(): Problem {
  return conflict('archived', 'Cannot change the record: it is archived.')
}

export function duplicateRowProblem(place: number): Problem {
  return validationFailed([
    { pointer: '', code: 'unique', message: `must not refer to the same record as row ${place}` },
  ])
}

/**
 * Writes all rows at once. If the database rejects them, because another request was faster or a value does not fit,
 * writes each half, down to the invalid rows.
 */
async function writeRows<Name extends RowSchema, R extends Row, Made extends { id: string }>(
  call: WriteCall,
  sync: SyncDefinition<Name, R, Made>,
  planned: readonly PlacedWrite<R, Made>[],
  { refused, raised }: { refused: RefusedRows; raised: NewVersions },
): Promise<void> {
  const created = planned.flatMap((row) => row.made ?? [])
  // The changes of a later row include those of earlier rows for the same record.
  const changed = new Map(planned.flatMap((row) => row.changed).map((each) => [each.after.id, each]))
  const changes = [...changed.values()].filter((each) => changedFields(each).length > 0)
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
      await withConflictingRecord(call, found)
      refused.set(only.place, found)
      return
    }
    const middle = planned.length >> 1
    await writeRows(call, sync, planned.slice(0, middle), { refused, raised })
    await writeRows(call, sync, planned.slice(middle), { refused, raised })
  }
}

/** Returns the effect of a row: it creates its record, changes it, or leaves it unchanged. */
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
    const isChanged = own !== undefined && changedFields(own).length > 0
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

/** Returns one problem for all invalid rows, which its pointers name. */
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
  // With several invalid rows, it would not be clear whose ID it is.
  const { conflictingId } = (faults.length === 1 && faults[0]?.[1].extras) || {}
  return conflict(reason, detail, { ...reported, ...(conflictingId !== undefined && { conflictingId }) })
}

/** The contract's maximum in a problem. */
const MAX_ROWS_IN_PROBLEM = 10

/** The code of the whole request's problem, if any of its rows has it; otherwise it is a conflict. */
const MOST_SEVERE_CODES = ['validation_failed', 'unknown_reference'] as const

/** The maximum number of errors in a problem. */
const MAX_ERRORS = 1000
