import type { WriteCall } from '../calls/call.ts'
import type { RecordName } from './declaration.ts'

/** Finds records by their IDs, and returns them as they appear in the contract, in the order of the IDs. */
export type RecordFinder = (call: WriteCall, ids: readonly string[]) => Promise<object[]>

const finders = new Map<RecordName, RecordFinder>()

/**
 * Registers the finder for a type of record. Each resource is registered when its slice is loaded, so that an export
 * includes new types of records without a list of them. A slice can declare a schema twice, for example without some
 * columns. The first declaration has the complete record.
 */
export function registerRecordFinder(schema: RecordName, finder: RecordFinder): void {
  if (!finders.has(schema)) finders.set(schema, finder)
}

/** Returns the finder for a schema. Throws if no loaded slice has a resource with the schema. */
export function getRecordFinder(schema: RecordName): RecordFinder {
  const finder = finders.get(schema)
  if (finder === undefined) throw new Error(`Expected a domain folder to declare a resource for ${schema}.`)
  return finder
}
