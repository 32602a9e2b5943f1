import { type RawBuilder, sql } from 'kysely'
import type { Services, WriteCall } from '../calls/call.ts'
import type { Db } from '../database/database.ts'
import { newSystemCall } from '../keys/principals.ts'
import { findHeldOrganizations } from './held-organizations.ts'

/** A record that is due. */
export interface DueItem {
  organizationId: string
  /** ID of the record to lock in order to settle it: itself, or the one that it belongs to. */
  claimedId: string
  id: string
  /** When it became due, in the database's format. */
  at: string
}

/** A page of due records, after a position if there is one. */
export interface DuePage {
  now: Date
  after: Pick<DueItem, 'at' | 'id'> | null
  most: number
}

/** Work that time causes on records of one kind. */
export interface DueTask {
  /** Name of the settled records, in the plural, for log messages. */
  what: string
  /**
   * Returns due records of any organization in the order of `at` and `id`. If none is due, this costs one index lookup.
   */
  find(db: Db, page: DuePage): Promise<DueItem[]>
  /** Locks the organization's records that no other transaction has locked, and returns their IDs. */
  claim(call: WriteCall, ids: readonly string[]): Promise<string[]>
  /** Settles what is still due of a locked record. */
  settle(call: WriteCall, claimedId: string, ids: readonly string[]): Promise<void>
}

/** Returns the condition for rows after the page's position. The columns are the time and the ID. */
export function afterPosition({ after }: DuePage, at: string, id: string): RawBuilder<unknown> {
  return after === null ? sql`true` : sql`(${sql.ref(at)}, ${sql.ref(id)}) > (${after.at}, ${after.id})`
}

const PAGE_SIZE = 200

/** Records settled in one transaction, which on the embedded database everything else waits for. */
const BATCH_SIZE = 20

/** Concurrent transactions, few enough that requests find connections. */
const MAX_PARALLEL_BATCHES = 3

/**
 * The maximum time of a run, so that a shutdown need not wait long. The next one, a second later, continues at its
 * position.
 */
const MAX_RUN_MS = 5000

/** The positions at which this process's runs stopped early, by the kind of record that they settle. */
const runPositions = new WeakMap<Services, Map<string, DuePage['after']>>()

/**
 * Locks the records that no other transaction has locked and for which the condition, if any, still applies. Returns
 * their IDs.
 */
export async function lockAvailable(
  { db, organizationId }: WriteCall,
  table: string,
  ids: readonly string[],
  condition: RawBuilder<unknown> = sql`true`,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select "id" from ${sql.table(table)}
    where "organizationId" = ${organizationId} and "id" = any(${[...ids]}::text[]) and ${condition}
    order by "id" for no key update skip locked`.execute(db)
  return rows.map(({ id }) => id)
}

/**
 * Settles all due records. Any number of processes may do so concurrently: each settles what it locks first, and skips
 * what others have locked. Errors are thrown at the end, and their records are tried again by the next run. They block
 * no other records, in their batch or after it.
 */
export async function settleDueItems(services: Services, work: DueTask): Promise<void> {
  const startedMs = performance.now()
  const failures: unknown[] = []
  let count = 0
  const stopped = runPositions.get(services) ?? new Map<string, DuePage['after']>()
  runPositions.set(services, stopped)
  let after = stopped.get(work.what) ?? null
  for (let isLast = false; !isLast; ) {
    const page: DuePage = { now: services.clock.now(), after, most: PAGE_SIZE }
    const found = await work.find(services.database.statements, page)
    // If nothing is due, this query is skipped.
    const held = found.length === 0 ? new Set() : await findHeldOrganizations(services.database.statements)
    const batches = toBatches(found.filter(({ organizationId }) => !held.has(organizationId)))
    await Promise.all(
      Array.from({ length: MAX_PARALLEL_BATCHES }, async () => {
        for (let batch = batches.shift(); batch !== undefined; batch = batches.shift())
          failures.push(...(await settleBatch(services, work, batch)))
      }),
    )
    count += found.length
    after = found.length < PAGE_SIZE ? null : (found.at(-1) ?? null)
    isLast = after === null || performance.now() - startedMs > MAX_RUN_MS
  }
  stopped.set(work.what, after)
  if (failures.length > 0)
    throw new AggregateError(failures, `Processing ${failures.length} of ${count} ${work.what} failed.`)
}

/** Due records of one organization, by the record to lock. */
interface OrganizationBatch {
  organizationId: string
  idsOf: Map<string, string[]>
}

function toBatches(found: readonly DueItem[]): OrganizationBatch[] {
  return [...Map.groupBy(found, ({ organizationId }) => organizationId)].flatMap(([organizationId, own]) => {
    const claimed = [...Map.groupBy(own, ({ claimedId }) => claimedId)].map(([claimedId, of]): [string, string[]] => [
      claimedId,
      of.map(({ id }) => id),
    ])
    return Array.from({ length: Math.ceil(claimed.length / BATCH_SIZE) }, (_, n) => ({
      organizationId,
      idsOf: new Map(claimed.slice(n * BATCH_SIZE, (n + 1) * BATCH_SIZE)),
    }))
  })
}

/**
 * Settles all records of a batch together. If that fails, settles them one after the other, so that only the failing
 * ones fail.
 */
async function settleBatch(
  services: Services,
  work: DueTask,
  { organizationId, idsOf }: OrganizationBatch,
): Promise<unknown[]> {
  try {
    const call = await newSystemCall(services, organizationId)
    await call.write(async (call) => {
      const claimed = await work.claim(call, [...idsOf.keys()])
      for (const claimedId of claimed) await work.settle(call, claimedId, idsOf.get(claimedId) ?? [])
    })
    return []
  } catch (error) {
    if (idsOf.size === 1) return [error]
    const failures: unknown[] = []
    for (const one of idsOf)
      failures.push(...(await settleBatch(services, work, { organizationId, idsOf: new Map([one]) })))
    return failures
  }
}
