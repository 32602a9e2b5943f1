import { type RawBuilder, sql } from 'kysely'
import type { Services, WriteCall } from '../calls/call.ts'
import type { Db } from '../database/database.ts'
import { createSystemCall } from '../keys/principals.ts'
import { findHeldOrganizations } from './held-organizations.ts'

/** A record that is due to be settled. */
export interface DueItem {
  organizationId: string
  /** ID of the record to lock when this record is settled: the record itself, or the record that it belongs to. */
  claimedId: string
  id: string
  /** The time at which the record became due, in the database's format. */
  at: string
}

/** A page of due records, starting after a position if one is given. */
export interface DuePage {
  now: Date
  after: Pick<DueItem, 'at' | 'id'> | null
  most: number
}

/** A task that settles the due records of one type. */
export interface DueTask {
  /** Name of the settled records, in the plural, for log messages. */
  what: string
  /**
   * Returns due records of all organizations, in the order of `at` and `id`. If no record is due, the query costs one
   * index lookup.
   */
  find(db: Db, page: DuePage): Promise<DueItem[]>
  /** Locks the organization's records that no other transaction has locked, and returns their IDs. */
  claim(call: WriteCall, ids: readonly string[]): Promise<string[]>
  /** Settles all changes that are still due for a locked record. */
  settle(call: WriteCall, claimedId: string, ids: readonly string[]): Promise<void>
}

/** Returns the SQL condition for rows after the position of the page. The columns contain the time and the ID. */
export function toAfterPositionSql({ after }: DuePage, at: string, id: string): RawBuilder<unknown> {
  return after === null ? sql`true` : sql`(${sql.ref(at)}, ${sql.ref(id)}) > (${after.at}, ${after.id})`
}

const PAGE_SIZE = 200

/**
 * Number of records settled in one transaction. In the embedded database, all other work waits for this transaction.
 */
const BATCH_SIZE = 20

/** Number of concurrent transactions, low enough that requests still find free connections. */
const MAX_PARALLEL_BATCHES = 3

/**
 * The maximum time of a run, limited so that a shutdown does not wait long. The next run starts a second later and
 * continues at this run's position.
 */
const MAX_RUN_MS = 5000

/** The positions at which this process's runs stopped early, by the type of record that they settle. */
const runPositions = new WeakMap<Services, Map<string, DuePage['after']>>()

/**
 * Locks the records that are not locked by another transaction and still satisfy the condition, if there is one.
 * Returns the IDs of the locked records.
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
 * Settles all due records. Any number of processes may run this concurrently. Each process settles the records that it
 * locks first, and skips records that other processes have locked. Errors are thrown at the end, and the next run
 * retries the affected records. Records with errors do not block other records, in the same batch or after it.
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
    // If no record is due, this query is skipped.
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
 * Settles all records of a batch together. If the batch fails, settles its records one after the other, so that only
 * the failing records fail.
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
