import { sql } from 'kysely'
import { typeid } from 'typeid-js'
import type { Db } from '../database/database.ts'
import type { Call } from '../http/call.ts'

/**
 * Names that were in the database a moment ago, and until when that is believed. Vendors come with the same few trades
 * again and again; this saves each of them a statement.
 */
const believed = new Map<string, number>()
const BELIEVED_MS = 5000
const MOST_BELIEVED = 10_000

/** Makes scopes of the names that are none yet. */
export async function ensure(db: Db, call: Call, names: readonly string[]): Promise<void> {
  const now = call.now.getTime()
  const unsure = names.filter((name) => !((believed.get(`${call.organizationId} ${name}`) ?? 0) > now))
  if (unsure.length === 0) return
  await sql`
    insert into "scopes" ("organizationId", "id", "name", "createdBy", "createdAt", "updatedAt")
    select ${call.organizationId}, new.*, ${JSON.stringify(call.actor)}::jsonb, ${call.now}, ${call.now}
    from unnest(${unsure.map(() => typeid('scp').toString())}::text[], ${unsure}::text[]) as new
    on conflict do nothing`.execute(db)
  // Inside a transaction they may yet be rolled back.
  if (db.isTransaction) return
  if (believed.size > MOST_BELIEVED) believed.clear()
  for (const name of unsure) believed.set(`${call.organizationId} ${name}`, now + BELIEVED_MS)
}
