import { type RawBuilder, sql } from 'kysely'
import type { Surroundings, WriteCall } from '../calls/call.ts'
import type { Db } from '../database/database.ts'
import { systemCall } from '../keys/principals.ts'
import { heldOrganizations } from './held.ts'

/** Something whose time has come. */
export interface Due {
  organizationId: string
  /** What has to be locked to settle it: itself, or what it belongs to. */
  claimedId: string
  id: string
  /** When it became due, as the database writes it. */
  at: string
}

/** Which of the due things are read: so many at most, after a place if one is named. */
export interface DuePage {
  now: Date
  after: Pick<Due, 'at' | 'id'> | null
  most: number
}

/** What time does by itself to things of one kind. */
export interface DueWork {
  /** What is settled, in the plural. */
  what: string
  /** Those of any organization in the order of `at` and `id`. If none is due, this costs one index lookup. */
  find(db: Db, page: DuePage): Promise<Due[]>
  /** Locks those of the organization that nobody else has locked, and returns their ids. */
  claim(call: WriteCall, ids: readonly string[]): Promise<string[]>
  /** Settles what is still due of something that is locked. */
  settle(call: WriteCall, claimedId: string, ids: readonly string[]): Promise<void>
}

/** The condition on what comes after the page's place, whose columns are the time and the id. */
export function beyond({ after }: DuePage, at: string, id: string): RawBuilder<unknown> {
  return after === null ? sql`true` : sql`(${sql.ref(at)}, ${sql.ref(id)}) > (${after.at}, ${after.id})`
}

const PAGE = 200

/** Settled in one transaction, which on the embedded database everybody waits for. */
const BATCH = 20

/** Transactions at a time, so that the calls of people find connections beside them. */
const AT_ONCE = 3

/** A run ends then, so that a shutdown need not wait long; the next one, a second later, goes on at its place. */
const MOST_MS = 5000

/** Where the runs of a process that ended early stopped, by what they settle. */
const places = new WeakMap<Surroundings, Map<string, DuePage['after']>>()

/** Locks those of the records that nobody else has locked and for which the condition, if there is one, still holds. */
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
 * Settles everything that is due. Any number of processes may do so at once: each settles what it locks first, and
 * passes over what others have locked. What cannot be settled is told at the end and tried again by the next run; it
 * keeps nothing else waiting, in its own batch or behind it.
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
    // If nothing is due, this is not asked.
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

/** Things of one organization, by what has to be locked for them. */
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

/** All of them together; if that fails, one after the other, so that only those that fail by themselves do. */
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
