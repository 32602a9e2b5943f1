import { isDeepStrictEqual } from 'node:util'
import type { PossibleDuplicate } from '../../../client/contract.gen.ts'
import type { WriteCall } from '../../platform/calls/call.ts'
import { validationFailed } from '../../platform/problems/problem.ts'
import { resolveReferences } from '../skills/references/resolve-references.ts'
import { findExistingRecord } from './find-existing-record.ts'
import type { ImportKindDefinition, RowValues } from './kinds/import-kind.ts'
import type { StoredRow } from './queries.ts'

/**
 * The outcome of saving a record, or the reason why the record was not saved. The outcome applies to all rows of the
 * record.
 */
export interface SavedRecord {
  readonly status: 'created' | 'updated' | 'unchanged' | 'skipped' | 'undecided'
  readonly id: string | null
  readonly version: number | null
  /** The previous values of the changed fields, to undo the change. */
  readonly before: Record<string, unknown> | null
  readonly possibleDuplicates: PossibleDuplicate[]
}

/**
 * Saves the record that consists of one or more rows. Calls the contract's operations for a single record, so that
 * their rules, permissions, events, and audit entries apply.
 *
 * @param decision the decision on possible duplicates; null if there is none
 */
export async function saveRecord(
  call: WriteCall,
  definition: ImportKindDefinition,
  rows: readonly RowValues[],
  decision: StoredRow['decision'],
): Promise<SavedRecord> {
  if (decision === 'skip') return { status: 'skipped', id: null, version: null, before: null, possibleDuplicates: [] }
  const { toInput = ([row = {}]) => row, complete } = definition
  const named = toInput(rows)
  const resolved: Record<string, unknown> = structuredClone(nestFields(named))
  await resolveInParts(call, resolved)
  const renamed = renameFields(resolved, definition.renamed ?? {})
  const input = complete === undefined ? renamed : await complete(call, renamed)
  if (definition.operations.archive === null) return replaceDocument(call, definition, input)
  const found = await findExistingRecord(call, definition, input)
  const { possibleDuplicates } = found
  const [first] = possibleDuplicates
  if (found.id === null && first !== undefined && decision === null)
    return { status: 'undecided', id: null, version: null, before: null, possibleDuplicates }
  const id = found.id ?? (decision === 'update' ? (first?.id ?? null) : null)
  const { id: _, ...fields } = input
  return id === null
    ? { ...(await createRecord(call, definition, fields)), possibleDuplicates }
    : { ...(await changeRecord(call, definition, id, omitFields(fields, found.foundBy))), possibleDuplicates }
}

type Written = Omit<SavedRecord, 'possibleDuplicates'>

async function createRecord(
  call: WriteCall,
  { fields: definitions, operations, toCreateInput = (fields) => ({ ...fields }) }: ImportKindDefinition,
  fields: Record<string, unknown>,
): Promise<Written> {
  const missing = Object.entries(definitions).filter(
    ([field, { isRequired }]) => isRequired === true && !field.includes('.') && fields[field] === undefined,
  )
  if (missing.length > 0)
    throw validationFailed(
      missing.map(([field]) => ({ pointer: `/${field}`, code: 'required', message: 'is required for a new record' })),
    )
  const { status } = operations
  const { status: requested, ...others } = toCreateInput(fields)
  const isLater = status !== undefined && requested !== undefined && !status.accepted.includes(String(requested))
  const initial = isLater ? (status.initial ?? undefined) : requested
  const created = (await call.operation(operations.create, {
    ...others,
    ...(initial !== undefined && { status: initial }),
  })) as { id: string; version: number; status?: string }
  if (!isLater || created.status === requested)
    return { status: 'created', id: created.id, version: created.version, before: null }
  const moved = await changeRecordStatus(call, operations, created.id, requested)
  return { status: 'created', id: created.id, version: moved, before: null }
}

async function changeRecord(
  call: WriteCall,
  { operations }: ImportKindDefinition,
  id: string,
  fields: Record<string, unknown>,
): Promise<Written> {
  const record = (await call.operation(operations.get, { [operations.id]: id })) as Record<string, unknown>
  const changes = Object.fromEntries(
    Object.entries(fields)
      .filter(([field]) => !operations.createOnly.includes(field))
      .map(([field, value]) => [field, mergeObject(record[field], value)])
      .filter(([field, value]) => !isDeepStrictEqual(record[String(field)], value)),
  )
  const noted = call.changes.length + call.events.length
  let version = Number(record.version)
  if (operations.update !== null && Object.keys(changes).length > 0) {
    const after = (await call.operation(operations.update, { ...changes, [operations.id]: id })) as { version: number }
    version = after.version
  }
  const before: Record<string, unknown> = Object.fromEntries(
    Object.keys(changes).flatMap((field) => (Object.hasOwn(record, field) ? [[field, record[field]]] : [])),
  )
  if (operations.status !== undefined && fields.status !== undefined && fields.status !== record.status) {
    version = await changeRecordStatus(call, operations, id, fields.status)
    before.status = record.status
  }
  const isChanged = call.changes.length + call.events.length > noted
  return { status: isChanged ? 'updated' : 'unchanged', id, version, before: isChanged ? before : null }
}

function omitFields(fields: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([field]) => !names.includes(field)))
}

/** Replaces a whole document, such as a takeoff, with the rows of the import that belong to it. */
async function replaceDocument(
  call: WriteCall,
  { operations }: ImportKindDefinition,
  input: Record<string, unknown>,
): Promise<SavedRecord> {
  const id = String(input[operations.id])
  const before = (await call.operation(operations.get, { [operations.id]: id })) as { lines: Record<string, unknown>[] }
  const lines = input.lines as Record<string, unknown>[]
  const isSame =
    lines.length === before.lines.length &&
    lines.every((line, i) =>
      Object.entries(line).every(([field, value]) => isDeepStrictEqual(before.lines[i]?.[field], value)),
    )
  const common = { id, version: null, possibleDuplicates: [] }
  if (isSame) return { ...common, status: 'unchanged', before: null }
  await call.operation(operations.create, { ...input, [operations.id]: id })
  return {
    ...common,
    status: before.lines.length === 0 ? 'created' : 'updated',
    before: { lines: before.lines },
  }
}

export async function changeRecordStatus(
  call: WriteCall,
  { id: name, status }: ImportKindDefinition['operations'],
  id: string,
  to: unknown,
): Promise<number> {
  if (status === undefined) throw new Error('Expected a kind whose status can be changed.')
  const { version } = (await call.operation(status.operation, {
    ...{ [name]: id, status: to, reason: 'Imported from a file.' },
  })) as { version: number }
  return version
}

/**
 * Replaces names with IDs. Resolves the lines of a document in parts, because one lookup can find only a limited number
 * of records.
 */
async function resolveInParts(call: WriteCall, input: Record<string, unknown>): Promise<void> {
  const { lines, rows, ...rest } = input
  await resolveReferences(call, rest, { alsoIds: false })
  Object.assign(input, rest)
  for (const part of [lines, rows]) {
    if (!Array.isArray(part)) continue
    for (let from = 0; from < part.length; from += LINES_PER_LOOKUP)
      await resolveReferences(call, { lines: part.slice(from, from + LINES_PER_LOOKUP) }, { alsoIds: false })
  }
}

/** A line refers to at most three records, and one lookup can find 500. */
const LINES_PER_LOOKUP = 100

/** Merges the parts of an address that the row contains into the stored address. */
function mergeObject(before: unknown, value: unknown): unknown {
  if (!isObject(value)) return value
  return isObject(before) ? { ...before, ...value } : value
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Converts a field such as `address.city` to a nested object. */
export function nestFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const nested: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(fields)) {
    const [name = field, part] = field.split('.')
    if (part === undefined) nested[name] = value
    else nested[name] = { ...(isObject(nested[name]) ? nested[name] : {}), [part]: value }
  }
  return nested
}

function renameFields(
  input: Record<string, unknown>,
  names: Readonly<Record<string, string>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(input).map(([field, value]) => [Object.hasOwn(names, field) ? names[field] : field, value]),
  ) as Record<string, unknown>
}
