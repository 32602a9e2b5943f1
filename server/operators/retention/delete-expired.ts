import { removeAbandonedFiles } from '../../platform/archives/archive-files.ts'
import type { Services } from '../../platform/calls/call.ts'
import { BATCH_ROWS } from '../../platform/database/batches.ts'
import { AGED_KINDS, type AgedKind } from './aged-kinds.ts'
import { type AgedRows, deleteRows, listOrganizationsWithOldRows, readOldestRows } from './aged-rows.ts'
import { archiveOldestRows, getStartOfMonth } from './archive-rows.ts'

export interface DeletionWorker {
  /** Deletes old rows. If there are none, only one index lookup is made for each builder. */
  run(): Promise<void>
  /** Ends the work after the current batch. The next run continues. */
  stop(): void
}

const DAY_MS = 86_400_000

/** The number of builders to look up at once. */
const PAGE_ORGANIZATIONS = 100

/**
 * Deletes old rows, builder by builder. If archives are kept, first archives the rows. Any number of processes may do
 * this at the same time. An error for one builder does not affect the others. Errors are thrown at the end, and the
 * next run tries again.
 */
export function startDeletionWorker(
  services: Services,
  { archives, ...config }: Pick<Services['config'], 'archives' | 'eventRetentionDays' | 'historyRetentionDays'>,
): DeletionWorker {
  const { database, clock } = services
  let isStopped = false

  async function forget(kind: AgedKind, before: number, failures: unknown[]): Promise<void> {
    const some = archives ? archiveOldestRows : deleteOldestRows
    for (let last = ''; !isStopped; ) {
      const found = await listOrganizationsWithOldRows(database.statements, kind, before, last, PAGE_ORGANIZATIONS)
      for (const organizationId of found) {
        try {
          while (!isStopped && (await some(services, { kind, organizationId, before })));
        } catch (error) {
          failures.push(error)
        }
      }
      const next = found.at(-1)
      if (next === undefined) return
      last = next
    }
  }

  return {
    async run() {
      const failures: unknown[] = []
      await removeAbandonedFiles(services).catch((error: unknown) => failures.push(error))
      for (const kind of AGED_KINDS) {
        const days = kind.keptDays(config)
        if (days === null) continue
        const since = clock.nowMs() - days * DAY_MS
        // Archives only whole months. Otherwise, each hourly run would create another file, with the rows that have
        // become old since the last run.
        await forget(kind, archives ? getStartOfMonth(since) : since, failures)
      }
      if (failures.length > 0)
        throw new AggregateError(failures, `Old rows could not be deleted. Failures: ${failures.length}.`)
    },
    stop() {
      isStopped = true
    },
  }
}

/** Deletes a builder's oldest rows without archiving them. Returns whether there may be more old rows. */
async function deleteOldestRows({ database }: Services, aged: AgedRows): Promise<boolean> {
  return database.transaction(async (trx) => {
    const rows = await readOldestRows(trx, aged, { after: undefined, most: BATCH_ROWS, columns: [] })
    const ids = rows.map(({ id }) => String(id))
    return (await deleteRows(trx, aged, ids)) > 0
  })
}
