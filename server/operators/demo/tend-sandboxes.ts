import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import { typeid } from 'typeid-js'
import { KEPT_EVENTS, STAYS } from '../../domain/office/organizations/sandbox-tables.ts'
import {
  type Claimed,
  claimSandbox,
  Lost,
  moveSandbox,
  noteProgress,
  releaseSandbox,
} from '../../domain/office/organizations/sandboxes.ts'
import { newCall, type Surroundings } from '../../platform/calls/call.ts'
import { childrenFirst, ownedTables } from '../../platform/database/owned-tables.ts'
import { userOf } from '../../platform/keys/principals.ts'
import { removeRows, STILL_REFERRED_TO } from '../builder-data/erase-organization.ts'
import { addColleagues, removeColleagues } from './colleagues.ts'
import { Story } from './story.ts'
import { BUILDER } from './world.ts'

/**
 * The length of a transaction, because on the embedded database everything else waits for it. There, the job then
 * pauses for as long as it took, so that others have half of the time.
 */
const PIECE_MS = 40

/** The first day of the story, in days ago. */
const FIRST_DAY = 400

/** The maximum wait until the story's last events are dispatched; usually a moment. */
const LONGEST_DISPATCH_MS = 30_000

/** The pause after a failed attempt to empty a sandbox. */
const RETRY_MS = 10_000

/** The number of sweeps through all tables, because others may add rows meanwhile. */
const MOST_SWEEPS = 10

export interface Tending {
  /** Fills and empties sandboxes on request. Takes one index lookup if there is nothing to do. */
  run(): Promise<void>
  /** Ends the work after its current transaction. A half-filled sandbox is emptied by the next process that looks. */
  stop(): void
}

/**
 * Fills sandboxes with the demo builder's past and empties them, in many short transactions. Any number of processes
 * may do so concurrently: each does what no other has claimed. A story cannot be continued by another process, because
 * its state is in memory, so what an ended process left half filled is emptied.
 */
export function startTending(surroundings: Surroundings, log: Logger): Tending {
  const { database, clock } = surroundings
  let isStopped = false
  return {
    async run() {
      for (;;) {
        const claimed = isStopped ? null : await claimSandbox(database, clock, typeid('req').toString())
        if (claimed === null) return
        try {
          await tend(claimed)
        } catch (error) {
          if (error instanceof Lost || error instanceof Stopped)
            log.info({ err: error }, 'another process is filling a sandbox')
          else throw error
        }
      }
    },
    stop() {
      isStopped = true
    },
  }

  async function tend(claimed: Claimed): Promise<void> {
    try {
      if (claimed.status === 'filling') {
        if (claimed.filledSince === null) return await fillOrEmpty(claimed)
        await moveSandbox(database.statements, clock, claimed, 'emptying', 'interrupted')
      }
      await empty(claimed)
    } catch (error) {
      if (!(error instanceof Lost))
        await releaseSandbox(database.statements, clock, claimed, error instanceof Stopped ? 0 : RETRY_MS)
      throw error
    }
  }

  async function fillOrEmpty(claimed: Claimed): Promise<void> {
    const filledSince = clock.now()
    await noteProgress(database.statements, clock, claimed, { filledSince })
    try {
      await fill(claimed)
    } catch (error) {
      if (error instanceof Lost || error instanceof Stopped) throw error
      log.error({ err: error, organizationId: claimed.organizationId }, 'could not fill a sandbox')
      await moveSandbox(database.statements, clock, claimed, 'emptying', 'failed')
      await empty({ ...claimed, filledSince })
    }
  }

  async function fill(claimed: Claimed): Promise<void> {
    const { organizationId, startedBy } = claimed
    const people = await addColleagues(database, clock, organizationId)
    people.set(BUILDER.owner.email, startedBy)
    const principal = await userOf(database.statements, organizationId, startedBy)
    // Nothing of the past is mailed.
    const silent = { ...surroundings, config: { ...surroundings.config, mail: null } }
    const call = newCall(silent, { principal, requestId: claimed.claim, address: null })
    const story = new Story(call, people)
    for (let ago: number | null = FIRST_DAY; ago !== null; ) {
      goOn()
      const begunMs = performance.now()
      const done = Math.floor(FIRST_DAY - ago)
      ago = await story.goOn(call, PIECE_MS, (inside) => noteProgress(inside.db, clock, claimed, { done }))
      // They are committed, and nothing reads them any longer.
      call.events.length = 0
      await makeUp(begunMs)
    }
    await dispatched(claimed)
    await moveSandbox(database.statements, clock, claimed, 'filled')
  }

  /** Resolves when the past events are dispatched, because webhooks get only later ones. */
  async function dispatched(claimed: Claimed): Promise<void> {
    const endMs = performance.now() + LONGEST_DISPATCH_MS
    while (performance.now() < endMs) {
      goOn()
      const waiting = await database.statements
        .selectFrom('events')
        .select('id')
        .where('organizationId', '=', claimed.organizationId)
        .where('sequence', 'is', null)
        .limit(1)
        .executeTakeFirst()
      if (waiting === undefined) return
      await noteProgress(database.statements, clock, claimed, {})
      await pause(PIECE_MS)
    }
  }

  async function empty(claimed: Claimed): Promise<void> {
    const { organizationId, filledSince } = claimed
    const all = childrenFirst(await ownedTables(database.statements))
    const tables = all.filter(({ name }) => !STAYS.has(name))
    await noteProgress(database.statements, clock, claimed, { total: tables.length })
    for (let sweep = 1; sweep <= MOST_SWEEPS; sweep++) {
      await surroundings.files.store.removeAll(organizationId)
      let removed = 0
      try {
        for (const [done, table] of tables.entries()) {
          goOn()
          const begunMs = performance.now()
          // Only the first sweep has much to do.
          const progress = sweep === 1 ? { done } : {}
          const rows = await removeRows(database, table, organizationId, {
            ...(table.name === 'events' && { only: sql`"resourceId" !~ ${KEPT_EVENTS}` }),
            prepare: (trx) => noteProgress(trx, clock, claimed, progress),
          })
          removed += rows
          if (rows > 0) await makeUp(begunMs)
        }
      } catch (error) {
        // A row that was written after its table was swept refers to it.
        if ((error as { code?: unknown }).code !== STILL_REFERRED_TO || sweep === MOST_SWEEPS) throw error
        continue
      }
      if (removed === 0) break
    }
    if (filledSince !== null) await removeColleagues(database, organizationId, filledSince)
    await moveSandbox(database.statements, clock, claimed, 'empty')
  }

  /** Pauses for as long as the work since then took. */
  async function makeUp(begunMs: number): Promise<void> {
    if (database.embedded) await pause(performance.now() - begunMs)
  }

  function goOn(): void {
    if (isStopped) throw new Stopped('The service is stopping.')
  }
}

class Stopped extends Error {}
