import { createHash, randomBytes } from 'node:crypto'
import { type Config, ConfigError, type GivenConfig } from './config.ts'
import type { Database } from './database/database.ts'

/**
 * All processes of a deployment have to encrypt and sign with the same key. It comes from the operator (`ENCRYPTION_KEY`)
 * or from the data folder of an embedded database. If there is neither, the first process generates one and stores it in
 * the database, where the others find it. That protects copies of single tables but not of the whole database, so the
 * caller should warn when `isKeptInDatabase` is true.
 *
 * Throws ConfigError when the database was set up with another key, because this one could not decrypt what is in it.
 */
export async function withEncryptionKey(
  given: GivenConfig,
  database: Database,
): Promise<{ config: Config; isKeptInDatabase: boolean }> {
  const db = database.statements
  const fresh = given.encryptionKey ?? randomBytes(32)
  await db
    .insertInto('deployment')
    .values({
      encryptionKeyDigest: digest(fresh),
      encryptionKey: given.encryptionKey === null ? fresh.toString('base64') : null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const kept = await db.selectFrom('deployment').selectAll().executeTakeFirstOrThrow()
  const encryptionKey =
    given.encryptionKey ?? (kept.encryptionKey === null ? null : Buffer.from(kept.encryptionKey, 'base64'))
  if (encryptionKey === null) {
    throw new ConfigError('ENCRYPTION_KEY is missing: this database was set up with one.')
  }
  if (digest(encryptionKey) !== kept.encryptionKeyDigest) {
    throw new ConfigError('ENCRYPTION_KEY is not the one that this database was set up with.')
  }
  return { config: Object.freeze({ ...given, encryptionKey }), isKeptInDatabase: kept.encryptionKey !== null }
}

function digest(key: Buffer): string {
  return createHash('sha256').update('plumbline encryption key ').update(key).digest('hex')
}
