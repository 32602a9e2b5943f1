import type { WriteCall } from '../calls/call.ts'
import type { RecordName } from './declaration.ts'

/** Finds records by their IDs and returns them as the contract shows them, in the order of the IDs. */
export type RecordFinder = (call: WriteCall, ids: readonly string[]) => Promise<object[]>

const finders = new Map<RecordName, RecordFinder>()

/**
 * Registers the finder of a record. Every resource registers itself when its slice is loaded, so that an export covers
 * new records without a list of them. A slice may declare a schema twice, for example without some of its columns; the
 * first declaration is the complete record.
 */
export function registerFinder(schema: RecordName, finder: RecordFinder): void {
  if (!finders.has(schema)) finders.set(schema, finder)
}

/** Returns the finder of a schema. Throws if no loaded slice has a resource for it. */
export function findFinder(schema: RecordName): RecordFinder {
  const finder = finders.get(schema)
  if (finder === undefined) throw new Error(`Expected a domain folder to declare a resource for ${schema}.`)
  return finder
}
