import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import { typeid } from 'typeid-js'
import { KEPT_EVENT_PREFIXES, KEPT_TABLES } from '../../domain/office/organizations/sandbox-tables.ts'
import {
  type ClaimedSandbox,
  ClaimLostError,
  changeSandboxStatus,
  claimSandbox,
  recordSandboxProgress,
  releaseSandbox,
} from '../../domain/office/organizations/sandboxes.ts'
import { createCall, type Services } from '../../platform/calls/call.ts'
import { listOwnedTables, sortChildrenFirst } from '../../platform/database/owned-tables.ts'
import { findUserPrincipal } from '../../platform/keys/principals.ts'
import { deleteOrganizationRows, FOREIGN_KEY_VIOLATION } from '../builder-data/erase-organization.ts'
import { addColleagues, removeColleagues } from './colleagues.ts'
import { BUILDER } from './demo-world.ts'
import { Story } from './story.ts'

/**
 * The maximum duration of a transaction. It is short, because on the embedded database, everything else waits for it.
 * There, the job then pauses for the same time, so that other work gets half of the time.
 */
const TRANSACTION_MS = 40

/** The number of days ago at which the demo builder's data starts. */
const FIRST_DAY_AGO = 400

/** The maximum time to wait until the last events are dispatched, which usually takes only a moment. */
const MAX_DISPATCH_MS = 30_000

/** The pause after a failed attempt to empty a sandbox, in milliseconds. */
const RETRY_MS = 10_000

/** The maximum number of passes over all tables. Several may be needed, because users may add rows in the meantime. */
const MAX_SWEEPS = 10

export interface SandboxWorker {
  /** Fills and empties sandboxes on request. If there is nothing to do, only one index lookup is made. */
  run(): Promise<void>
  /**
   * Ends the work after its current transaction. Another process later empties a sandbox that is only partly filled.
   */
  stop(): void
}

/**
 * Fills sandboxes with the demo builder's data and empties them, in many short transactions. Any number of processes
 * may do so at the same time, because each works only on sandboxes that it has claimed. The state of filling is in
 * memory, so another process cannot continue it. If a process ends while filling a sandbox, another process empties
 * that sandbox.
 */
export function startSandboxWorker(services: Services, log: Logger): SandboxWorker {
  const { database, clock } = services
  let isStopped = false
  return {
    async run() {
      for (;;) {
        const claimed = isStopped ? null : await claimSandbox(database, clock, typeid('req').toString())
        if (claimed === null) return
        try {
          await tend(claimed)
        } catch (error) {
          if (error instanceof ClaimLostError || error instanceof WorkerStoppedError)
            log.info({ err: error }, 'another process is filling a sandbox')
          else throw error
        }
      }
    },
    stop() {
      isStopped = true
    },
  }

  async function tend(claimed: ClaimedSandbox): Promise<void> {
    try {
      if (claimed.status === 'filling') {
        if (claimed.filledSince === null) return await fillOrEmpty(claimed)
        await changeSandboxStatus(database.statements, clock, claimed, 'emptying', 'interrupted')
      }
      await empty(claimed)
    } catch (error) {
      if (!(error instanceof ClaimLostError))
        await releaseSandbox(database.statements, clock, claimed, error instanceof WorkerStoppedError ? 0 : RETRY_MS)
      throw error
    }
  }

  async function fillOrEmpty(claimed: ClaimedSandbox): Promise<void> {
    const filledSince = clock.now()
    await recordSandboxProgress(database.statements, clock, claimed, { filledSince })
    try {
      await fill(claimed)
    } catch (error) {
      if (error instanceof ClaimLostError || error instanceof WorkerStoppedError) throw error
      log.error({ err: error, organizationId: claimed.organizationId }, 'could not fill a sandbox')
      await changeSandboxStatus(database.statements, clock, claimed, 'emptying', 'failed')
      await empty({ ...claimed, filledSince })
    }
  }

  async function fill(claimed: ClaimedSandbox): Promise<void> {
    const { organizationId, startedBy } = claimed
    const people = await addColleagues(database, clock, organizationId)
    people.set(BUILDER.owner.email, startedBy)
    const principal = await findUserPrincipal(database.statements, organizationId, startedBy)
    // Turns off email, because nothing from the past may be emailed.
    const silent = { ...services, config: { ...services.config, mail: null } }
    const call = createCall(silent, { principal, requestId: claimed.claim, address: null })
    const story = new Story(call, people)
    for (let ago: number | null = FIRST_DAY_AGO; ago !== null; ) {
      goOn()
      const startedMs = performance.now()
      const done = Math.floor(FIRST_DAY_AGO - ago)
      ago = await story.goOn(call, TRANSACTION_MS, (inside) =>
        recordSandboxProgress(inside.db, clock, claimed, { done }),
      )
      // Discards the events in memory. They have been committed, and nothing reads them any longer.
      call.events.length = 0
      await makeUp(startedMs)
    }
    await dispatched(claimed)
    await changeSandboxStatus(database.statements, clock, claimed, 'filled')
  }

  /** Resolves when the past events have been dispatched, so that webhooks get only later ones. */
  async function dispatched(claimed: ClaimedSandbox): Promise<void> {
    const endMs = performance.now() + MAX_DISPATCH_MS
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
      await recordSandboxProgress(database.statements, clock, claimed, {})
      await pause(TRANSACTION_MS)
    }
  }

  async function empty(claimed: ClaimedSandbox): Promise<void> {
    const { organizationId, filledSince } = claimed
    const all = sortChildrenFirst(await listOwnedTables(database.statements))
    const tables = all.filter(({ name }) => !KEPT_TABLES.has(name))
    await recordSandboxProgress(database.statements, clock, claimed, { total: tables.length })
    for (let sweep = 1; sweep <= MAX_SWEEPS; sweep++) {
      await services.files.store.removeAll(organizationId)
      let removed = 0
      try {
        for (const [done, table] of tables.entries()) {
          goOn()
          const startedMs = performance.now()
          // Reports progress only for the first pass, because the others have little to do.
          const progress = sweep === 1 ? { done } : {}
          const rows = await deleteOrganizationRows(database, table, organizationId, {
            ...(table.name === 'events' && { only: sql`"resourceId" !~ ${KEPT_EVENT_PREFIXES}` }),
            prepare: (trx) => recordSandboxProgress(trx, clock, claimed, progress),
          })
          removed += rows
          if (rows > 0) await makeUp(startedMs)
        }
      } catch (error) {
        // Another row refers to a deleted one, because it was written after the pass over its table. The next pass
        // deletes it.
        if ((error as { code?: unknown }).code !== FOREIGN_KEY_VIOLATION || sweep === MAX_SWEEPS) throw error
        continue
      }
      if (removed === 0) break
    }
    if (filledSince !== null) await removeColleagues(database, organizationId, filledSince)
    await changeSandboxStatus(database.statements, clock, claimed, 'empty')
  }

  /** Pauses for as long as the work has taken since `startedMs`. */
  async function makeUp(startedMs: number): Promise<void> {
    if (database.embedded) await pause(performance.now() - startedMs)
  }

  function goOn(): void {
    if (isStopped) throw new WorkerStoppedError('The service is stopping.')
  }
}

class WorkerStoppedError extends Error {}
