import { createHash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { ConflictReason } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { deleteInBatches } from '../../../platform/database/batches.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { Clock } from '../../../platform/runtime/clock.ts'
import type { Notice } from './problem-notices.ts'

/**
 * A form that was not accepted. The response redirects to the form's page, which shows the error and all entered
 * values. Because of this redirect, the browser's Back and Reload buttons never ask to send a form again.
 */
export interface ReturnedForm {
  readonly fields: Readonly<Record<string, string>>
  readonly notice: Notice
  /** The status of the page that shows the form again. */
  readonly status: number
  /** The reason for a conflict. Pages show a specific message for certain reasons. */
  readonly reason: ConflictReason | null
}

/** The time for which a form is stored, in milliseconds. A vendor can continue with it after a day of work. */
const KEPT_MS = 24 * 60 * 60 * 1000

const TOKEN_BYTES = 16
const TOKEN = /^[\w-]{22}$/

/** Returns a one-time token for a form. */
export function createFormToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url')
}

export function isFormToken(value: unknown): value is string {
  return typeof value === 'string' && TOKEN.test(value)
}

/** Stores a form that was not accepted. The stored form can be read only through the same portal link. */
export async function storeReturnedForm(
  call: Call,
  link: string,
  token: string,
  returned: ReturnedForm,
): Promise<void> {
  await call.write(async ({ db, organizationId, now }) => {
    await sql`
      insert into "portalForms" ("organizationId", "id", "content", "createdAt")
      values (${organizationId}, ${getId(link, token)}, ${JSON.stringify(returned)}::jsonb, ${now})
      on conflict ("organizationId", "id") do update
      set "content" = excluded."content", "createdAt" = excluded."createdAt"`.execute(db)
  })
}

/** Returns a stored form; null if it does not exist or was deleted. */
export async function findReturnedForm(call: Call, link: string, token: unknown): Promise<ReturnedForm | null> {
  if (!isFormToken(token)) return null
  const { db, organizationId } = call
  const { rows } = await sql<{ content: ReturnedForm }>`
    select "content" from "portalForms"
    where "organizationId" = ${organizationId} and "id" = ${getId(link, token)}`.execute(db)
  return rows[0]?.content ?? null
}

/** Deletes the forms that were stored more than a day ago. */
export async function deleteOldReturnedForms(database: Database, clock: Clock): Promise<void> {
  const keptSince = new Date(clock.nowMs() - KEPT_MS).toISOString()
  await deleteInBatches(database, {
    table: 'portalForms',
    key: 'id',
    where: sql`"createdAt" < ${keptSince}`,
    orderBy: sql`"createdAt"`,
  })
}

function getId(link: string, token: string): string {
  return createHash('sha256').update(`${link} ${token}`).digest('base64url')
}
