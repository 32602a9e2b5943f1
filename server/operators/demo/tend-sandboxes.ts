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
 * A transaction ends after that, or with the deed that is under way then, because on the embedded database everybody
 * waits for it. There, nothing is done afterwards for as long as it took, so that others have half of the time.
 */
const PIECE_MS = 40

/** The first day of the story, so many days ago. */
const FIRST_DAY = 400

/** How long dispatching the last of the story's events is waited for: usually a moment. */
const LONGEST_DISPATCH_MS = 30_000

/** After a failed attempt to empty; the next may find the database again. */
const RETRY_MS = 10_000

/** How many times to go through all tables, because others may add something meanwhile. */
const MOST_SWEEPS = 10

export interface Tending {
  /** Fills and empties what somebody asked for; one lookup in an index if nobody did. */
  run(): Promise<void>
  /** Ends the work after its present transaction; what was filled halfway is emptied by the next that looks. */
  stop(): void
}

/**
 * Fills sandboxes with the demo builder's past and empties them, in many short transactions. Any number of processes may
 * do so at once: each does what no other has claimed. A story cannot be taken up in the middle, because what was made is
 * known to the teller alone, so what an ended process left half filled is emptied.
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
            log.info({ err: error }, 'another process continues with a sandbox')
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
      log.error({ err: error, organizationId: claimed.organizationId }, 'a sandbox could not be filled')
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
      // They were committed, and nobody asks for them any more.
      call.events.length = 0
      await makeUp(begunMs)
    }
    await dispatched(claimed)
    await moveSandbox(database.statements, clock, claimed, 'filled')
  }

  /** Webhooks get what happens from then on, so the events of the past have to have their places by now. */
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
        // Something that was written after its table was swept refers to it.
        if ((error as { code?: unknown }).code !== STILL_REFERRED_TO || sweep === MOST_SWEEPS) throw error
        continue
      }
      if (removed === 0) break
    }
    if (filledSince !== null) await removeColleagues(database, organizationId, filledSince)
    await moveSandbox(database.statements, clock, claimed, 'empty')
  }

  /** Leaves others as much time as was taken from them since then. */
  async function makeUp(begunMs: number): Promise<void> {
    if (database.embedded) await pause(performance.now() - begunMs)
  }

  function goOn(): void {
    if (isStopped) throw new Stopped('The service ends.')
  }
}

class Stopped extends Error {}
