import { type RawBuilder, sql } from 'kysely'
import type { Surroundings, WriteCall } from '../calls/call.ts'
import type { Db } from '../database/database.ts'
import { systemCall } from '../keys/principals.ts'
import { heldOrganizations } from './held.ts'

/** A record that is due. */
export interface Due {
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
  after: Pick<Due, 'at' | 'id'> | null
  most: number
}

/** Work that time causes on records of one kind. */
export interface DueWork {
  /** Name of the settled records, in the plural, for log messages. */
  what: string
  /**
   * Returns due records of any organization in the order of `at` and `id`. If none is due, this costs one index lookup.
   */
  find(db: Db, page: DuePage): Promise<Due[]>
  /** Locks the organization's records that no other transaction has locked, and returns their IDs. */
  claim(call: WriteCall, ids: readonly string[]): Promise<string[]>
  /** Settles what is still due of a locked record. */
  settle(call: WriteCall, claimedId: string, ids: readonly string[]): Promise<void>
}

/** Returns the condition for rows after the page's position. The columns are the time and the ID. */
export function beyond({ after }: DuePage, at: string, id: string): RawBuilder<unknown> {
  return after === null ? sql`true` : sql`(${sql.ref(at)}, ${sql.ref(id)}) > (${after.at}, ${after.id})`
}

const PAGE = 200

/** Records settled in one transaction, which on the embedded database everything else waits for. */
const BATCH = 20

/** Concurrent transactions, few enough that requests find connections. */
const AT_ONCE = 3

/**
 * The maximum time of a run, so that a shutdown need not wait long. The next one, a second later, continues at its
 * position.
 */
const MOST_MS = 5000

/** The positions at which this process's runs stopped early, by the kind of record that they settle. */
const places = new WeakMap<Surroundings, Map<string, DuePage['after']>>()

/**
 * Locks the records that no other transaction has locked and for which the condition, if any, still applies. Returns
 * their IDs.
 */
export async function lockFree(
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
export async function settleDue(surroundings: Surroundings, work: DueWork): Promise<void> {
  const begunMs = performance.now()
  const failures: unknown[] = []
  let count = 0
  const stopped = places.get(surroundings) ?? new Map<string, DuePage['after']>()
  places.set(surroundings, stopped)
  let after = stopped.get(work.what) ?? null
  for (let isLast = false; !isLast; ) {
    const page: DuePage = { now: surroundings.clock.now(), after, most: PAGE }
    const found = await work.find(surroundings.database.statements, page)
    // If nothing is due, this query is skipped.
    const held = found.length === 0 ? new Set() : await heldOrganizations(surroundings.database.statements)
    const batches = batchesOf(found.filter(({ organizationId }) => !held.has(organizationId)))
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let batch = batches.shift(); batch !== undefined; batch = batches.shift())
          failures.push(...(await settleBatch(surroundings, work, batch)))
      }),
    )
    count += found.length
    after = found.length < PAGE ? null : (found.at(-1) ?? null)
    isLast = after === null || performance.now() - begunMs > MOST_MS
  }
  stopped.set(work.what, after)
  if (failures.length > 0)
    throw new AggregateError(failures, `Processing ${failures.length} of ${count} ${work.what} failed.`)
}

/** Due records of one organization, by the record to lock. */
interface Batch {
  organizationId: string
  idsOf: Map<string, string[]>
}

function batchesOf(found: readonly Due[]): Batch[] {
  return [...Map.groupBy(found, ({ organizationId }) => organizationId)].flatMap(([organizationId, own]) => {
    const claimed = [...Map.groupBy(own, ({ claimedId }) => claimedId)].map(([claimedId, of]): [string, string[]] => [
      claimedId,
      of.map(({ id }) => id),
    ])
    return Array.from({ length: Math.ceil(claimed.length / BATCH) }, (_, n) => ({
      organizationId,
      idsOf: new Map(claimed.slice(n * BATCH, (n + 1) * BATCH)),
    }))
  })
}

/**
 * Settles all records of a batch together. If that fails, settles them one after the other, so that only the failing
 * ones fail.
 */
async function settleBatch(
  surroundings: Surroundings,
  work: DueWork,
  { organizationId, idsOf }: Batch,
): Promise<unknown[]> {
  try {
    const call = await systemCall(surroundings, organizationId)
    await call.write(async (call) => {
      const claimed = await work.claim(call, [...idsOf.keys()])
      for (const claimedId of claimed) await work.settle(call, claimedId, idsOf.get(claimedId) ?? [])
    })
    return []
  } catch (error) {
    if (idsOf.size === 1) return [error]
    const failures: unknown[] = []
    for (const one of idsOf)
      failures.push(...(await settleBatch(surroundings, work, { organizationId, idsOf: new Map([one]) })))
    return failures
  }
}
