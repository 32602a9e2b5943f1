import { hash, randomBytes } from 'node:crypto'
import type { Passkey, PasskeyTransports } from '../../../../client/contract.gen.ts'
import { decodeCursor, toPage } from '../../../platform/calls/page.ts'
import type { Db } from '../../../platform/database/database.ts'

/**
 * Passkeys belong to an email address instead of an organization, so these queries are not subject to tenant isolation.
 * Instead, each query is limited to one identity, except the query that finds the identity of a passkey.
 */
const SORT = '-createdAt'

/** The maximum number of passkeys in the API contract, which is enough for all devices of a user. */
export const MAX_PASSKEYS = 20

/** The lifetime of a challenge, which allows users to get their device first. */
export const CHALLENGE_LIFETIME_MS = 5 * 60_000

const SHOWN_FIELDS = ['id', 'name', 'isSynced', 'lastUsedAt', 'createdAt'] as const

/** A stored passkey, with the data for verifying its signatures. */
export interface StoredPasskey {
  id: string
  identityId: string
  credentialId: string
  publicKey: string
  counter: number
  transports: string[]
}

/** Lists the passkeys of an identity, newest first. */
export async function listPasskeys(
  db: Db,
  identityId: string,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<{ data: Passkey[]; nextCursor: string | null }> {
  const after = cursor === undefined ? null : decodeCursor(SORT, cursor).id
  let rows = db.selectFrom('passkeys').select(SHOWN_FIELDS).where('identityId', '=', identityId)
  // IDs are sorted by creation time.
  if (after !== null) rows = rows.where('id', '<', after)
  const found = await rows
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  return toPage(found, limit, SORT, ({ createdAt }) => createdAt)
}

/** Returns all passkeys of an identity in the form that browsers require. */
export async function listCredentials(
  db: Db,
  identityId: string,
): Promise<{ credentialId: string; transports: PasskeyTransports }[]> {
  const rows = await db
    .selectFrom('passkeys')
    .select(['credentialId', 'transports'])
    .where('identityId', '=', identityId)
    .orderBy('id')
    .limit(MAX_PASSKEYS)
    .execute()
  return rows.map(({ credentialId, transports }) => ({ credentialId, transports: transports as PasskeyTransports }))
}

/** Stores a passkey. Returns null if the credential ID already exists. */
export async function insertPasskey(
  db: Db,
  passkey: StoredPasskey & { name: string; isSynced: boolean; createdAt: Date },
): Promise<Passkey | null> {
  const { createdAt, ...rest } = passkey
  const created = await db
    .insertInto('passkeys')
    .values({ ...rest, createdAt: createdAt.toISOString(), lastUsedAt: null })
    .onConflict((on) => on.column('credentialId').doNothing())
    .returning(SHOWN_FIELDS)
    .executeTakeFirst()
  return created ?? null
}

/** Returns the passkey with this credential ID, whichever identity it belongs to. */
export async function findPasskeyByCredential(
  db: Db,
  credentialId: string,
): Promise<(StoredPasskey & { email: string }) | null> {
  const found = await db
    .selectFrom('passkeys as p')
    .innerJoin('identities as i', 'i.id', 'p.identityId')
    .select(['p.id', 'p.identityId', 'p.credentialId', 'p.publicKey', 'p.counter', 'p.transports', 'i.email'])
    .where('p.credentialId', '=', credentialId)
    .executeTakeFirst()
  return found ?? null
}

/** Records a sign-in. Returns false if a sign-in with the same or a higher counter has already been recorded. */
export async function recordPasskeyUse(
  db: Db,
  id: string,
  use: { counter: number; isSynced: boolean; at: Date },
): Promise<boolean> {
  const { counter, isSynced, at } = use
  const { numUpdatedRows } = await db
    .updateTable('passkeys')
    .set({ counter, isSynced, lastUsedAt: at.toISOString() })
    .where('id', '=', id)
    // Passkeys that are synchronized between devices have no counter and always send 0.
    .where((is) => is.or([is('counter', '<', counter), is.and([is('counter', '=', 0), is.val(counter === 0)])]))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Renames a passkey. Returns null if the identity does not have this passkey. */
export async function renamePasskey(db: Db, identityId: string, id: string, name: string): Promise<Passkey | null> {
  const renamed = await db
    .updateTable('passkeys')
    .set({ name })
    .where('identityId', '=', identityId)
    .where('id', '=', id)
    .returning(SHOWN_FIELDS)
    .executeTakeFirst()
  return renamed ?? null
}

/** Deletes a passkey. Returns false if the identity does not have this passkey. */
export async function deletePasskey(db: Db, identityId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('passkeys')
    .where('identityId', '=', identityId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/**
 * Creates a challenge for an identity that adds a passkey. If `identityId` is null, the challenge is for a visitor who
 * signs in.
 */
export async function createChallenge(db: Db, identityId: string | null, now: Date): Promise<string> {
  const challenge = randomBytes(32).toString('base64url')
  const expiresAt = new Date(now.getTime() + CHALLENGE_LIFETIME_MS).toISOString()
  await db
    .insertInto('passkeyChallenges')
    .values({ id: hashChallenge(challenge), identityId, expiresAt })
    .execute()
  return challenge
}

/** Deletes a challenge. Returns false if the challenge is for another purpose, is already used, or has expired. */
export async function consumeChallenge(
  db: Db,
  challenge: string,
  identityId: string | null,
  now: Date,
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('passkeyChallenges')
    .where('id', '=', hashChallenge(challenge))
    .where('identityId', identityId === null ? 'is' : '=', identityId)
    .where('expiresAt', '>', now.toISOString())
    .executeTakeFirst()
  return numDeletedRows > 0n
}

function hashChallenge(challenge: string): string {
  return hash('sha256', challenge, 'base64url')
}
