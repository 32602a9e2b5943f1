import { sql } from 'kysely'
import { typeid } from 'typeid-js'
import { createCall, type Services } from '../../platform/calls/call.ts'
import { deleteInBatches } from '../../platform/database/batches.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import { findRunStarter } from './find-run-starter.ts'
import { processNextRows } from './process-next-rows.ts'
import * as imports from './queries.ts'
import { undoLastRows } from './undo-last-rows.ts'

/**
 * The maximum number of imports that one run of the job processes. The job processes one piece of each import in turn,
 * so that a large import does not delay the others.
 */
const MAX_IMPORTS = 20
/** The maximum number of pieces in one run of the job, so that other jobs can also run. */
const MAX_PIECES = 50

/** Processes the rows of started imports, piece by piece. Several processes can do this at the same time. */
export async function processImports(services: Services): Promise<void> {
  let pieces = 0
  for (;;) {
    const running = await imports.findRunningImports(services.database.statements, MAX_IMPORTS)
    if (running.length === 0) return
    let isProgressing = false
    for (const { organizationId, id } of running) {
      if (pieces >= MAX_PIECES) return
      pieces += 1
      if (await processPiece(services, organizationId, id)) isProgressing = true
    }
    // Other processes have locked all started imports.
    if (!isProgressing) return
  }
}

/** Processes one piece. Returns whether this process could lock the import. */
async function processPiece(services: Services, organizationId: string, id: string): Promise<boolean> {
  const tenant = { db: services.database.of(organizationId).statements, organizationId }
  const principal = await findRunStarter(services, organizationId, await imports.find(tenant, id))
  const call = createCall(services, { principal, requestId: typeid('req').toString(), address: null })
  return call.write(async (call) => {
    const running = await imports.lockRunningImport(call, id)
    if (running === null) return false
    await (running.status === 'undoing' ? undoLastRows(call, running) : processNextRows(call, running))
    return true
  })
}

const DAY_MS = 86_400_000
/**
 * The number of days after which the rows are deleted. Users need this time to undo an import or look up its errors.
 */
const RETENTION_DAYS = 30

/** Deletes the rows of old imports, which contain copies of the imported data. */
export async function deleteOldImportRows(database: Database, clock: Clock): Promise<void> {
  const keptSince = new Date(clock.nowMs() - RETENTION_DAYS * DAY_MS).toISOString()
  await deleteInBatches(database, {
    table: 'importRows',
    key: 'importId',
    where: sql`"createdAt" < ${keptSince}`,
    orderBy: sql`"createdAt"`,
  })
}
