import { sql } from 'kysely'
import type { Sandbox } from '../../../../client/contract.gen.ts'
import { recordOperatorAct } from '../../../platform/audit/record.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Database, Db } from '../../../platform/database/database.ts'
import { conflict, notFound } from '../../../platform/problems/problem.ts'
import type { Clock } from '../../../platform/runtime/clock.ts'

/** How long a process that fills or empties a sandbox may be silent before another one takes over. */
const CLAIM_MS = 60_000

const SANDBOX_FIELDS = ['status', 'done', 'total', 'failure', 'startedAt', 'finishedAt'] as const

/** Returns the sandbox of an organization; undefined if it is not one. */
export async function findSandbox(db: Db, organizationId: string): Promise<Sandbox | undefined> {
  const row = await db
    .selectFrom('sandboxes')
    .select(SANDBOX_FIELDS)
    .where('organizationId', '=', organizationId)
    .executeTakeFirst()
  return row && toSandbox(row)
}

/** Does the same and locks the sandbox until the transaction ends. */
export async function lockSandbox({ db, organizationId }: WriteCall): Promise<Sandbox | undefined> {
  const row = await db
    .selectFrom('sandboxes')
    .select(SANDBOX_FIELDS)
    .where('organizationId', '=', organizationId)
    .forUpdate()
    .executeTakeFirst()
  return row && toSandbox(row)
}

function toSandbox({
  status,
  failure,
  ...row
}: Omit<Sandbox, 'isSandbox' | 'status' | 'failure'> & TextColumns): Sandbox {
  return {
    ...{ ...row, isSandbox: true },
    ...{ status: status as Sandbox['status'], failure: failure as Sandbox['failure'] },
  }
}

interface TextColumns {
  status: string
  failure: string | null
}

/**
 * Turns an organization into a sandbox, or back. Throws `not_found`, and `conflict` while it is being filled or
 * emptied.
 */
export async function markSandbox(
  database: Database,
  clock: Clock,
  organizationId: string,
  isSandbox: boolean,
): Promise<void> {
  await database.transaction(async (trx) => {
    const organization = await trx
      .selectFrom('organizations')
      .select('id')
      .where('id', '=', organizationId)
      .forNoKeyUpdate()
      .executeTakeFirst()
    if (organization === undefined) throw notFound()
    const before = await findSandbox(trx, organizationId)
    if ((before !== undefined) === isSandbox) return
    if (before !== undefined && isInProgress(before))
      throw conflict('under_way', `The sandbox is currently ${before.status}. Try again when it has finished.`)
    if (isSandbox) await insertSandbox(trx, organizationId, 'empty')
    else await trx.deleteFrom('sandboxes').where('organizationId', '=', organizationId).execute()
    const act = { organizationId, at: clock.now(), resourceId: organizationId, changed: ['isSandbox'] }
    await recordOperatorAct(trx, { ...act, action: 'organization.updated' })
  })
}

export async function insertSandbox(
  db: Db,
  organizationId: string,
  status: 'empty' | 'filled',
  filledSince: Date | null = null,
): Promise<void> {
  await db.insertInto('sandboxes').values({ organizationId, status, done: 0, total: 0, filledSince }).execute()
}

export function isInProgress({ status }: Pick<Sandbox, 'status'>): boolean {
  return status === 'filling' || status === 'emptying'
}

/** Requests the work. The next process that looks for work starts it. */
export async function requestSandboxWork(
  call: WriteCall,
  status: 'filling' | 'emptying',
  total: number,
): Promise<Sandbox> {
  const row = await call.db
    .updateTable('sandboxes')
    .set({
      ...{ status, total, done: 0, failure: null, startedAt: call.now, finishedAt: null, claim: null },
      ...{ claimedUntil: null, startedBy: call.principal.id, ...(status === 'filling' && { filledSince: null }) },
    })
    .where('organizationId', '=', call.organizationId)
    .returning(SANDBOX_FIELDS)
    .executeTakeFirstOrThrow()
  return toSandbox(row)
}

/** Work on a sandbox that this process has claimed. */
export interface ClaimedSandbox {
  organizationId: string
  status: 'filling' | 'emptying'
  claim: string
  /** ID of the user who requested the work. */
  startedBy: string
  /** When filling began; null if it has not begun. */
  filledSince: Date | null
}

/** Claims the oldest work that is not claimed, or whose claim has expired; null if there is none. */
export async function claimSandbox(database: Database, clock: Clock, claim: string): Promise<ClaimedSandbox | null> {
  const now = clock.now().toISOString()
  const { rows } = await sql<Omit<ClaimedSandbox, 'filledSince'> & { filledSince: string | null }>`
    update "sandboxes" set "claim" = ${claim}, "claimedUntil" = ${claimExpiry(clock)}::timestamptz
    where "organizationId" = (
      select "organizationId" from "sandboxes"
      where "status" in ('filling', 'emptying') and ("claimedUntil" is null or "claimedUntil" < ${now}::timestamptz)
      order by "startedAt" limit 1 for update skip locked)
    returning "organizationId", "status", "claim", "startedBy", "filledSince"`.execute(database.statements)
  const [row] = rows
  return row === undefined ? null : { ...row, filledSince: row.filledSince === null ? null : new Date(row.filledSince) }
}

/** Thrown when another process has taken over the work. */
export class ClaimLost extends Error {}

/** Records the progress and extends the claim. Throws `Lost`. */
export async function recordProgress(
  db: Db,
  clock: Clock,
  { organizationId, claim }: ClaimedSandbox,
  progress: { done?: number; total?: number; filledSince?: Date },
): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('sandboxes')
    .set({ ...progress, claimedUntil: claimExpiry(clock) })
    .where('organizationId', '=', organizationId)
    .where('claim', '=', claim)
    .executeTakeFirst()
  if (numUpdatedRows === 0n)
    throw new ClaimLost(`Another process is already working on the sandbox of ${organizationId}.`)
}

/** Moves the sandbox to its next status and ends the claim if the work is done. */
export async function changeSandboxStatus(
  db: Db,
  clock: Clock,
  { organizationId, claim }: ClaimedSandbox,
  status: Sandbox['status'],
  failure?: Sandbox['failure'],
): Promise<void> {
  const isOver = status === 'empty' || status === 'filled'
  await db
    .updateTable('sandboxes')
    .set((set) => ({
      ...{ status, ...(failure !== undefined && { failure }) },
      ...(isOver
        ? { finishedAt: clock.now(), claim: null, claimedUntil: null, done: set.ref('total') }
        : { done: 0, claimedUntil: claimExpiry(clock) }),
    }))
    .where('organizationId', '=', organizationId)
    .where('claim', '=', claim)
    .execute()
}

/** Releases the claim, so that another process can continue, at once or after a while. */
export async function releaseSandbox(
  db: Db,
  clock: Clock,
  { organizationId, claim }: ClaimedSandbox,
  afterMs = 0,
): Promise<void> {
  await db
    .updateTable('sandboxes')
    .set({ claimedUntil: afterMs === 0 ? null : new Date(clock.nowMs() + afterMs).toISOString() })
    .where('organizationId', '=', organizationId)
    .where('claim', '=', claim)
    .execute()
}

function claimExpiry(clock: Clock): string {
  return new Date(clock.nowMs() + CLAIM_MS).toISOString()
}
