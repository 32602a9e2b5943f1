import { type RawBuilder, sql } from 'kysely'
import type { Services, WriteCall } from '../calls/call.ts'
import type { Db } from '../database/database.ts'
import { createSystemCall } from '../keys/principals.ts'
import { findHeldOrganizations } from './held-organizations.ts'

/** A record whose due changes must be processed. */
export interface DueItem {
  organizationId: string
  /** The ID of the record to lock, which is the record itself or the record to which it belongs. */
  claimedId: string
  id: string
  /** The time at which the record became due, in the format of the database. */
  at: string
}

/** A page of due records, which starts after a position if there is one. */
export interface DuePage {
  now: Date
  after: Pick<DueItem, 'at' | 'id'> | null
  most: number
}

/** A task that processes the due records of one type. */
export interface DueTask {
  /** The name of the records for log messages, in the plural. */
  what: string
  /**
   * Returns due records of all organizations in the order of `at` and `id`. If there are none, the query performs a
   * single index lookup.
   */
  find(db: Db, page: DuePage): Promise<DueItem[]>
  /** Locks those records of the organization that are not locked by another transaction, and returns their IDs. */
  claim(call: WriteCall, ids: readonly string[]): Promise<string[]>
  /** Processes all due changes of a locked record. */
  settle(call: WriteCall, claimedId: string, ids: readonly string[]): Promise<void>
}

/**
 * Returns the SQL condition for rows after the start of the page. The parameters are the columns with the time and the
 * ID.
 */
export function toAfterPositionSql({ after }: DuePage, at: string, id: string): RawBuilder<unknown> {
  return after === null ? sql`true` : sql`(${sql.ref(at)}, ${sql.ref(id)}) > (${after.at}, ${after.id})`
}

const PAGE_SIZE = 200

/**
 * The number of records that one transaction processes. In the embedded database, all other work waits for this
 * transaction.
 */
const BATCH_SIZE = 20

/** The number of concurrent transactions, which is low enough that requests still find free connections. */
const MAX_PARALLEL_BATCHES = 3

/**
 * The maximum duration of a run in milliseconds, so that a shutdown does not wait long. The next run starts a second
 * later and continues at the same position.
 */
const MAX_RUN_MS = 5000

/** The positions at which runs of this process stopped early, by type of record. */
const runPositions = new WeakMap<Services, Map<string, DuePage['after']>>()

/**
 * Locks those records that are not locked by another transaction and still meet the condition, if there is one. Returns
 * their IDs.
 */
export async function lockAvailableRecords(
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
 * Processes all due records. Several processes can do this concurrently: each of them processes the records that it
 * locks first, and skips records that others have locked. If a record fails, all others are still processed, including
 * those in the same batch. The errors are thrown at the end, and the next run processes the failed records again.
 */
export async function processDueItems(services: Services, work: DueTask): Promise<void> {
  const startedMs = performance.now()
  const failures: unknown[] = []
  let count = 0
  const stopped = runPositions.get(services) ?? new Map<string, DuePage['after']>()
  runPositions.set(services, stopped)
  let after = stopped.get(work.what) ?? null
  for (let isLast = false; !isLast; ) {
    const page: DuePage = { now: services.clock.now(), after, most: PAGE_SIZE }
    const found = await work.find(services.database.statements, page)
    // Skip this query if no record is due.
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
    throw new AggregateError(failures, `Failed to process ${failures.length} of ${count} ${work.what}.`)
}

/** The due records of one organization, by the ID of the record to lock. */
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
 * Processes all records of a batch together. If this fails, processes them one by one, so that only the records with
 * errors fail.
 */
async function settleBatch(
  services: Services,
  work: DueTask,
  { organizationId, idsOf }: OrganizationBatch,
): Promise<unknown[]> {
  try {
    const call = await createSystemCall(services, organizationId)
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
