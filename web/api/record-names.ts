import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { Item, ListPath } from '../../client/calls.ts'
import { plumbline } from './plumbline.ts'
import { queryClient } from './query-client.ts'
import { FRAME_QUERY } from './session.ts'

/** Functions that load the names of records that other records refer to by ID. */
const NAME_LOADERS = {
  vendor: async (id: string) => (await loadRecord('/api/ext/vendors', id))?.companyName,
  community: async (id: string) => (await loadRecord('/api/ext/communities', id))?.name,
  home: async (id: string) => {
    const home = await loadRecord('/api/ext/homes', id)
    if (home === undefined) return undefined
    const community = await loadRecord('/api/ext/communities', home.communityId).catch(() => undefined)
    return community === undefined ? home.name : `${home.name}, ${community.name}`
  },
  homeOwner: async (id: string) => (await loadRecord('/api/ext/home-owners', id))?.name,
  order: async (id: string) => (await loadRecord('/api/ext/purchase-orders', id))?.number,
  bill: async (id: string) => (await loadRecord('/api/ext/bills', id))?.number,
  payment: async (id: string) => (await loadRecord('/api/ext/payments', id))?.number,
  user: async (id: string) => (await loadRecord('/api/ext/users', id))?.name,
  lead: async (id: string) => {
    const lead = await loadRecord('/api/ext/leads', id)
    return lead === undefined ? undefined : [lead.firstName, lead.lastName].filter((part) => part !== null).join(' ')
  },
  plan: async (id: string) => (await loadRecord('/api/ext/plans', id))?.name,
  part: async (id: string) => (await loadRecord('/api/ext/parts', id))?.name,
  contract: async (id: string) => {
    const contract = await loadRecord('/api/ext/contracts', id)
    if (contract === undefined) return undefined
    return contract.revision === 1 ? contract.number : `${contract.number}, revision ${contract.revision}`
  },
  option: async (id: string) => (await loadRecord('/api/ext/options', id))?.name,
  key: async (id: string) => (await loadRecord('/api/admin/keys', id))?.name,
  journal: async (id: string) => (await loadRecord('/api/ext/ledger/journals', id))?.number,
  costCode: async (id: string) => (await loadRecord('/api/ext/cost-codes', id))?.code,
} as const satisfies Record<string, (id: string) => Promise<string | undefined>>

export type NamedKind = keyof typeof NAME_LOADERS

/** The time for which names are cached. They rarely change, and a change on this page reloads them anyway. */
const NAME_CACHE_MS = 60_000

/** Returns the name of a record. Reads all names that a page needs at the same time with one request for each kind. */
export function useRecordName(kind: NamedKind, id: string): UseQueryResult<string | null> {
  return useQuery({ ...nameQueryOptions(kind, id), enabled: id !== '', meta: FRAME_QUERY })
}

/** Returns the name of a record for a CSV export; null if the record no longer exists or the user may not read it. */
export function fetchRecordName(kind: NamedKind, id: string): Promise<string | null> {
  return queryClient.fetchQuery(nameQueryOptions(kind, id))
}

function nameQueryOptions(kind: NamedKind, id: string) {
  // Ignores an error, because the rest of the row is useful without the name.
  const queryFn = async () => (await NAME_LOADERS[kind](id).catch(() => undefined)) ?? null
  return { queryKey: ['name', kind, id] as const, queryFn, staleTime: NAME_CACHE_MS }
}

type NamedPath =
  | '/api/admin/keys'
  | '/api/ext/vendors'
  | '/api/ext/communities'
  | '/api/ext/homes'
  | '/api/ext/home-owners'
  | '/api/ext/purchase-orders'
  | '/api/ext/bills'
  | '/api/ext/payments'
  | '/api/ext/users'
  | '/api/ext/leads'
  | '/api/ext/plans'
  | '/api/ext/parts'
  | '/api/ext/contracts'
  | '/api/ext/options'
  | '/api/ext/cost-codes'
  | '/api/ext/ledger/journals'

// Lists in which archived records must be included, because other records still refer to them by name.
const LISTS_WITH_ARCHIVED: readonly ListPath[] = [
  '/api/ext/vendors',
  '/api/ext/communities',
  '/api/ext/homes',
  '/api/ext/leads',
  '/api/ext/plans',
  '/api/ext/parts',
  '/api/ext/contracts',
  '/api/ext/options',
  '/api/ext/cost-codes',
]

type WithId = { id: string }
const pendingLoads = new Map<NamedPath, Map<string, PromiseWithResolvers<WithId | undefined>>>()
/** The maximum number of IDs in one request. */
const MAX_IDS = 200

function loadRecord<Path extends NamedPath>(path: Path, id: string): Promise<Item<Path> | undefined> {
  let batch = pendingLoads.get(path)
  if (batch === undefined || batch.size >= MAX_IDS) {
    const opened: NonNullable<typeof batch> = new Map()
    batch = opened
    pendingLoads.set(path, opened)
    // The rows of a table request their names one by one while the table renders. After that, all names are read
    // together.
    setTimeout(() => void loadBatch(path, opened))
  }
  const requested = batch.get(id) ?? Promise.withResolvers<WithId | undefined>()
  batch.set(id, requested)
  return requested.promise as Promise<Item<Path> | undefined>
}

// Removes the types of the client, because this function serves all paths. Callers use `load`, which has the types of
// its path.
const untypedPlumbline = plumbline as unknown as {
  queryOptions(method: 'get', path: string, init: object): { queryKey: readonly unknown[]; queryFn(): Promise<unknown> }
}

async function loadBatch(path: NamedPath, batch: Map<string, PromiseWithResolvers<WithId | undefined>>): Promise<void> {
  if (pendingLoads.get(path) === batch) pendingLoads.delete(path)
  const query = {
    ids: [...batch.keys()].sort(),
    limit: MAX_IDS,
    ...(LISTS_WITH_ARCHIVED.includes(path) && { includeArchived: true }),
  }
  try {
    const page = (await queryClient.fetchQuery(untypedPlumbline.queryOptions('get', path, { params: { query } }))) as {
      data: WithId[]
    }
    const found = new Map(page.data.map((record) => [record.id, record]))
    for (const [id, { resolve }] of batch) resolve(found.get(id))
  } catch (error) {
    for (const { reject } of batch.values()) reject(error)
  }
}
