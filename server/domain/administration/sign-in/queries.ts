import type { MessageRole, SessionEntry } from '../../../../client/contract.gen.ts'
import { page, readCursor } from '../../../platform/calls/page.ts'
import type { Db } from '../../../platform/database/database.ts'

/**
 * Sessions belong to an address and not to an organization, so these queries are not behind the wall between
 * organizations: each is limited to one identity instead.
 */
const SORT = '-createdAt'

/** The sessions of an identity that have not ended, newest first. */
export async function listOf(
  db: Db,
  { identityId, currentId, now }: { identityId: string; currentId: string; now: Date },
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<{ data: SessionEntry[]; nextCursor: string | null }> {
  const after = cursor === undefined ? null : readCursor(SORT, cursor).id
  let rows = db
    .selectFrom('sessions')
    .select(['id', 'userAgent', 'ipAddress', 'createdAt', 'updatedAt', 'expiresAt'])
    .where('identityId', '=', identityId)
    .where('expiresAt', '>', now.toISOString())
  // Ids sort by the time that they were made.
  if (after !== null) rows = rows.where('id', '<', after)
  const found = await rows
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  const entries = found.map(({ id, userAgent, ipAddress, createdAt, updatedAt, expiresAt }) => ({
    id,
    device: userAgent || null,
    address: ipAddress || null,
    isCurrent: id === currentId,
    createdAt,
    lengthenedAt: updatedAt,
    expiresAt,
  }))
  return page(entries, limit, SORT, ({ createdAt }) => createdAt)
}

/** Ends a session of an identity; false if it has none with this id. */
export async function end(db: Db, identityId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('sessions')
    .where('identityId', '=', identityId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** From now on the session works for another organization. */
export async function moveTo(db: Db, id: string, organizationId: string): Promise<void> {
  await db.updateTable('sessions').set({ activeOrganizationId: organizationId }).where('id', '=', id).execute()
}

export interface Member {
  organizationId: string
  organizationName: string
  userId: string
  name: string
  role: MessageRole
  lastLoginAt: string | null
}

/** Nobody works for more builders than getSession can list. */
const MOST_MEMBERSHIPS = 200

/** Everybody who has this address and may sign in, by the names of the organizations. */
export async function membersOf(db: Db, email: string): Promise<Member[]> {
  const rows = await db
    .selectFrom('users as u')
    .innerJoin('organizations as o', 'o.id', 'u.organizationId')
    .select([
      'o.id as organizationId',
      'o.name as organizationName',
      'u.id as userId',
      'u.name',
      'u.role',
      'u.lastLoginAt',
    ])
    .where('u.signInEmail', '=', email.toLowerCase())
    .where('u.status', '!=', 'disabled')
    .where('u.isExample', '=', false)
    .orderBy('o.name')
    .orderBy('o.id')
    .limit(MOST_MEMBERSHIPS)
    .execute()
  return rows.map(({ role, ...rest }) => ({ ...rest, role: role as MessageRole }))
}
