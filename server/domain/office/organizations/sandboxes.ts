import { sql } from 'kysely'
import type { Sandbox } from '../../../../client/contract.gen.ts'
import { recordOperatorAction } from '../../../platform/audit/record-audit-entries.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Database, Db } from '../../../platform/database/database.ts'
import type { DueSql } from '../../../platform/due/find-due-jobs.ts'
import { conflict, notFound } from '../../../platform/problems/problem.ts'
import type { Clock } from '../../../platform/runtime/clock.ts'

/** If a process that works on a sandbox makes no progress for this time, another process takes over. */
const CLAIM_MS = 60_000

const SANDBOX_FIELDS = ['status', 'done', 'total', 'failure', 'startedAt', 'finishedAt'] as const

/** Returns the sandbox of an organization; undefined if the organization is not a sandbox. */
export async function findSandbox(db: Db, organizationId: string): Promise<Sandbox | undefined> {
  const row = await db
    .selectFrom('sandboxes')
    .select(SANDBOX_FIELDS)
    .where('organizationId', '=', organizationId)
    .executeTakeFirst()
  return row && toSandbox(row)
}

/** Like findSandbox, but also locks the sandbox until the transaction ends. */
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
 * Turns an organization into a sandbox, or back into a normal organization. Throws `not_found` if the organization is
 * unknown, and `conflict` while the sandbox is being filled or emptied.
 */
export async function setSandboxMode(
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
    if (before !== undefined && hasWorkInProgress(before))
      throw conflict(
        'under_way',
        before.status === 'filling'
          ? 'Cannot change the sandbox while it is being filled. Try again later.'
          : 'Cannot change the sandbox while it is being emptied. Try again later.',
      )
    if (isSandbox) await insertSandbox(trx, organizationId, 'empty')
    else await trx.deleteFrom('sandboxes').where('organizationId', '=', organizationId).execute()
    const act = { organizationId, at: clock.now(), resourceId: organizationId, changed: ['isSandbox'] }
    await recordOperatorAction(trx, { ...act, action: 'organization.updated' })
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

export function hasWorkInProgress({ status }: Pick<Sandbox, 'status'>): boolean {
  return status === 'filling' || status === 'emptying'
}

/** Requests that the sandbox be filled or emptied. The next process that looks for work does this. */
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

/** A sandbox on which this process has claimed the work. */
export interface ClaimedSandbox {
  organizationId: string
  status: 'filling' | 'emptying'
  claim: string
  /** The ID of the user who requested the work. */
  startedBy: string
  /** The time at which filling began; null if it has not begun. */
  filledSince: Date | null
}

const isUnclaimed = (now: Date) => sql`"status" in ('filling', 'emptying')
  and ("claimedUntil" is null or "claimedUntil" < ${now.toISOString()}::timestamptz)`

export const toUnclaimedSandboxesSql: DueSql = (now) => sql`
  select "organizationId" from "sandboxes" where ${isUnclaimed(now)}`

/** Claims the oldest work that is unclaimed or whose claim has expired; returns null if there is none. */
export async function claimSandbox(database: Database, clock: Clock, claim: string): Promise<ClaimedSandbox | null> {
  const waits = isUnclaimed(clock.now())
  const waiting = await sql<{ organizationId: string }>`
    select "organizationId" from "sandboxes" where ${waits} order by "startedAt" limit ${MAX_CANDIDATES}`.execute(
    database.statements,
  )
  for (const { organizationId } of waiting.rows) {
    const { rows } = await sql<Omit<ClaimedSandbox, 'filledSince'> & { filledSince: string | null }>`
      update "sandboxes" set "claim" = ${claim}, "claimedUntil" = ${claimExpiry(clock)}::timestamptz
      where "organizationId" = ${organizationId} and ${waits}
      returning "organizationId", "status", "claim", "startedBy", "filledSince"`.execute(database.statements)
    const [row] = rows
    if (row !== undefined) return { ...row, filledSince: row.filledSince === null ? null : new Date(row.filledSince) }
  }
  return null
}

/** The number of sandboxes to try, because other processes may already be claiming the first ones. */
const MAX_CANDIDATES = 20

/** Thrown if another process has taken over the work. */
export class ClaimLostError extends Error {}

/** Records the progress and extends the claim. Throws `ClaimLostError` if another process has taken over. */
export async function recordSandboxProgress(
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
    throw new ClaimLostError(`Another process is already working on the sandbox of ${organizationId}.`)
}

/** Changes the sandbox to its next status. If the work is done, also ends the claim. */
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

/** Releases the claim, so that another process can continue immediately or after a delay. */
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
