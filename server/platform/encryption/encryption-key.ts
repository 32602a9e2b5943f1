import { createHash, randomBytes } from 'node:crypto'
import type { Selectable } from 'kysely'
import { type Config, ConfigError, type EnvironmentConfig } from '../config/config.ts'
import type { Database, Db, Tables } from '../database/database.ts'
import { replaceVaultKeys } from './vault.ts'

/**
 * Returns the configuration with the encryption key. All processes of a deployment must encrypt and sign with the same
 * key. The key comes from the operator (`ENCRYPTION_KEY`), or from the data folder of an embedded database. Otherwise,
 * the first process creates a key and stores it in the database, where the other processes find it. A key in the
 * database does not protect a copy of the entire database, only copies of single tables. Therefore, the caller should
 * log a warning if `isKeptInDatabase` is true.
 *
 * During a rotation, the database defines which key encrypts, so that all processes use the same key. Throws
 * ConfigError if this process does not have that key, because no other key can decrypt the data.
 */
export async function resolveEncryptionKey(
  provided: EnvironmentConfig,
  database: Database,
): Promise<{ config: Config; isKeptInDatabase: boolean }> {
  const db = database.statements
  const fresh = provided.encryptionKey ?? randomBytes(32)
  await db
    .insertInto('deployment')
    .values({
      encryptionKeyDigest: digestKey(fresh),
      encryptionKey: provided.encryptionKey === null ? fresh.toString('base64') : null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const stored = await findDeployment(db)
  const keys = selectKeys(provided, stored)
  replaceVaultKeys(keys.sealing, keys)
  return {
    config: Object.freeze({ ...provided, encryptionKey: keys.sealing }),
    isKeptInDatabase: stored.encryptionKey !== null,
  }
}

/**
 * Updates the keys of this process when an operator rotates the encryption key while the service is running. If a
 * deployment can have several processes, all of them run this job.
 */
export async function refreshEncryptionKeys(
  database: Database,
  provided: EnvironmentConfig,
  config: Config,
): Promise<void> {
  replaceVaultKeys(config.encryptionKey, selectKeys(provided, await findDeployment(database.statements)))
}

export type Deployment = Selectable<Tables['deployment']>

export async function findDeployment(db: Db): Promise<Deployment> {
  return db.selectFrom('deployment').selectAll().executeTakeFirstOrThrow()
}

function selectKeys(provided: EnvironmentConfig, kept: Deployment): { sealing: Buffer; opening: Buffer[] } {
  const named = [provided.encryptionKey, provided.previousEncryptionKey].filter((key) => key !== null)
  const stored = [kept.encryptionKey, kept.nextEncryptionKey, kept.previousEncryptionKey]
  const opening = [...named, ...stored.filter((key) => key !== null).map((key) => Buffer.from(key, 'base64'))]
  const sealing = opening.find((key) => digestKey(key) === kept.encryptionKeyDigest)
  if (sealing !== undefined) return { sealing, opening }
  if (named.length === 0)
    throw new ConfigError('ENCRYPTION_KEY is missing. Set it to the key that this database is encrypted with.')
  throw new ConfigError(
    'ENCRYPTION_KEY is not the key that this database is encrypted with. To change the key, set ENCRYPTION_KEY_PREVIOUS to the current key.',
  )
}

export function digestKey(key: Buffer): string {
  return createHash('sha256').update('plumbline encryption key ').update(key).digest('hex')
}
