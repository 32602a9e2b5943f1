import { fetchRecordName } from '../../api/record-names.ts'
import { readAction } from './call-action.ts'
import type { NamedRecord } from './describe-record.ts'

/** The maximum number of IDs in one request. */
const MAX_IDS = 200

interface Batch {
  readonly ids: Set<string>
  readonly loaded: Promise<Map<string, NamedRecord>>
}

const open = new Map<string, Batch>()

/**
 * Reads a record by its ID; null if it cannot be read. Reads all records that a form needs at the same time in one
 * request.
 */
export async function loadRecord(path: string, id: string): Promise<NamedRecord | null> {
  let batch = open.get(path)
  if (batch === undefined || batch.ids.size >= MAX_IDS) {
    const ids = new Set<string>()
    // Waits until the form has rendered, because each of its fields requests its own record.
    const loaded = new Promise<void>((resolve) => setTimeout(resolve)).then(async () => {
      if (open.get(path)?.ids === ids) open.delete(path)
      const records = await listRecords(path, { ids: [...ids].sort(), limit: MAX_IDS })
      return new Map(records.map((record) => [record.id, record]))
    })
    batch = { ids, loaded }
    open.set(path, batch)
  }
  batch.ids.add(id)
  return (await batch.loaded).get(id) ?? null
}

/** Returns the first page of a list. */
export async function listRecords(path: string, query: Readonly<Record<string, unknown>>): Promise<NamedRecord[]> {
  const { data } = (await readAction({ label: '', permissions: [], path }, query)) as { data: NamedRecord[] }
  return path === HOMES ? addCommunityNames(data) : data
}

const HOMES = '/api/ext/homes'

/** Adds the community's name to each home, because lots in different communities can have the same number. */
async function addCommunityNames(homes: readonly NamedRecord[]): Promise<NamedRecord[]> {
  const names = await Promise.all(homes.map(({ communityId }) => fetchRecordName('community', String(communityId))))
  return homes.map((home, at) => ({ ...home, communityName: names[at] }))
}
