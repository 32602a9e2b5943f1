import type { MessageRole, SessionEntry } from '../../../../client/contract.gen.ts'
import { decodeCursor, toPage } from '../../../platform/calls/page.ts'
import type { Db } from '../../../platform/database/database.ts'

/**
 * Sessions belong to an email address instead of an organization, so these queries are not subject to tenant isolation.
 * Instead, each query is limited to one identity.
 */
const SORT = '-createdAt'

/** Lists the active sessions of an identity, newest first. */
export async function listSessions(
  db: Db,
  { identityId, currentId, now }: { identityId: string; currentId: string; now: Date },
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<{ data: SessionEntry[]; nextCursor: string | null }> {
  const after = cursor === undefined ? null : decodeCursor(SORT, cursor).id
  let rows = db
    .selectFrom('sessions')
    .select(['id', 'userAgent', 'ipAddress', 'createdAt', 'updatedAt', 'expiresAt'])
    .where('identityId', '=', identityId)
    .where('expiresAt', '>', now.toISOString())
  // IDs are sorted by creation time.
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
  return toPage(entries, limit, SORT, ({ createdAt }) => createdAt)
}

/** Ends a session of an identity. Returns false if the identity does not have this session. */
export async function endSession(db: Db, identityId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('sessions')
    .where('identityId', '=', identityId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Switches the session to another organization. */
export async function switchOrganization(db: Db, id: string, organizationId: string): Promise<void> {
  await db.updateTable('sessions').set({ activeOrganizationId: organizationId }).where('id', '=', id).execute()
}

export interface Membership {
  organizationId: string
  organizationName: string
  userId: string
  name: string
  role: MessageRole
  lastLoginAt: string | null
}

/** The maximum number of organizations that getSession returns. */
const MAX_MEMBERSHIPS = 200

/** Returns all users with this address who can sign in, sorted by the name of their organization. */
export async function listMemberships(db: Db, email: string): Promise<Membership[]> {
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
    .limit(MAX_MEMBERSHIPS)
    .execute()
  return rows.map(({ role, ...rest }) => ({ ...rest, role: role as MessageRole }))
}
