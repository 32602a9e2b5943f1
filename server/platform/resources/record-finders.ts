import type { WriteCall } from '../calls/call.ts'
import type { RecordName } from './declaration.ts'

/** Finds records by their IDs and returns them in the form of the contract, in the order of the IDs. */
export type RecordFinder = (call: WriteCall, ids: readonly string[]) => Promise<object[]>

const finders = new Map<RecordName, RecordFinder>()

/**
 * Registers the finder of a record type. Every resource is registered when its slice is loaded, so that an export
 * covers new types of records without a list of them. A slice may declare a schema twice, for example without some of
 * its columns. The first declaration is the complete record.
 */
export function registerRecordFinder(schema: RecordName, finder: RecordFinder): void {
  if (!finders.has(schema)) finders.set(schema, finder)
}

/** Returns the finder of a schema. Throws if no loaded slice has a resource for the schema. */
export function getRecordFinder(schema: RecordName): RecordFinder {
  const finder = finders.get(schema)
  if (finder === undefined) throw new Error(`Expected a domain folder to declare a resource for ${schema}.`)
  return finder
}
