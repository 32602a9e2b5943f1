import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { ConfigError, type EnvironmentConfig } from '../../platform/config/config.ts'
import type { Database, Db } from '../../platform/database/database.ts'
import { deletePreviousKey, rotateKeyFile } from '../../platform/database/key-file.ts'
import { type Deployment, digestKey, findDeployment } from '../../platform/encryption/encryption-key.ts'
import { createVault, getKeyMark, replaceVaultKeys, type Vault } from '../../platform/encryption/vault.ts'
import { SEALED_COLUMNS, type SealedColumn } from './sealed-columns.ts'

/**
 * The result of rotating a deployment's encryption key while its services run. First, every process gets both keys and
 * encrypts with the old one. Then, the database records that processes must encrypt with the new key. Finally, all
 * values that are encrypted with the old key are encrypted again. At any time, all processes can decrypt all values, so
 * the rotation can be interrupted. If the command runs again, it continues.
 */
export interface RotationResult {
  /** The number of values that were encrypted again. */
  resealed: number
  /** The number of values that no known key can decrypt. The old key is kept for them. */
  unreadable: number
  /** The number of values that are still encrypted with another key. If it is not zero, run the command again. */
  remaining: number
}

/** The time until all processes use the right key. Each checks once a second which key to use for encryption. */
const KEY_SPREAD_MS = 5000

export async function rotateEncryptionKey(
  database: Database,
  provided: EnvironmentConfig,
  untilAllKnowMs = database.embedded ? 0 : KEY_SPREAD_MS,
): Promise<RotationResult> {
  const db = database.statements
  const before = await findDeployment(db)
  const { to, old } = await prepareTarget(db, provided, before, () => pause(untilAllKnowMs))
  if (digestKey(to) !== before.encryptionKeyDigest) {
    const isKept = provided.encryptionKey === null
    await db
      .updateTable('deployment')
      .set({
        encryptionKeyDigest: digestKey(to),
        encryptionKey: isKept ? to.toString('base64') : null,
        nextEncryptionKey: null,
        previousEncryptionKey: before.encryptionKey,
      })
      .where('encryptionKeyDigest', '=', before.encryptionKeyDigest)
      .execute()
    await pause(untilAllKnowMs)
  }
  replaceVaultKeys(to, { sealing: to, opening: old })
  const rotation: RotationResult = { resealed: 0, unreadable: 0, remaining: 0 }
  for (const column of SEALED_COLUMNS) await resealColumn(database, column, to, rotation)
  for (const column of SEALED_COLUMNS) rotation.remaining += await countRemaining(db, column, to)
  if (rotation.remaining === 0) {
    await db.updateTable('deployment').set({ previousEncryptionKey: null }).execute()
    if (provided.encryptionKeyFile !== null) deletePreviousKey(provided.encryptionKeyFile)
  }
  return rotation
}

/** Returns the new key after all processes have it, and the old keys. */
async function prepareTarget(
  db: Db,
  provided: EnvironmentConfig,
  before: Deployment,
  untilAllKnow: () => Promise<void>,
): Promise<{ to: Buffer; old: Buffer[] }> {
  const { encryptionKey: named, previousEncryptionKey: previous, encryptionKeyFile: file } = provided
  const stored = [before.encryptionKey, before.previousEncryptionKey].filter((key) => key !== null)
  const old = [...(previous === null ? [] : [previous]), ...stored.map((key) => Buffer.from(key, 'base64'))]
  if (named !== null && file !== null) {
    // If the data folder contains two different keys, a rotation was interrupted.
    const isUnderWay = previous !== null && !previous.equals(named)
    return isUnderWay ? { to: named, old } : { to: rotateKeyFile(file), old: [...old, named] }
  }
  if (named !== null) {
    if (digestKey(named) === before.encryptionKeyDigest && old.length === 0) throw new ConfigError(HOW_TO_START)
    return { to: named, old }
  }
  if (before.encryptionKey !== null && before.previousEncryptionKey !== null)
    return { to: Buffer.from(before.encryptionKey, 'base64'), old }
  const { rows } = await sql<{ next: string }>`
    update "deployment" set "nextEncryptionKey" = coalesce("nextEncryptionKey", ${randomBytes(32).toString('base64')})
    returning "nextEncryptionKey" as "next"`.execute(db)
  await untilAllKnow()
  return { to: Buffer.from(rows[0]?.next ?? '', 'base64'), old }
}

const HOW_TO_START =
  'All secrets are already encrypted with ENCRYPTION_KEY. To change the key, set ENCRYPTION_KEY to a new one ' +
  '(openssl rand -base64 32) and ENCRYPTION_KEY_PREVIOUS to the current one, restart every process with both, and ' +
  'run this command again.'

/** The number of rows in a transaction. It is small, so that no transaction blocks other work for long. */
const BATCH_ROWS = 200

interface SealedRow {
  organizationId: string
  key: string
  sealed: string
}

/**
 * Encrypts those values of a column that are not encrypted with the new key yet. Makes one pass in the order of the
 * primary key.
 */
async function resealColumn(
  database: Database,
  column: SealedColumn,
  to: Buffer,
  rotation: RotationResult,
): Promise<void> {
  const { open, seal } = createVault(to)
  const [first, second] = column.key.map((name) => sql.ref(name))
  let after: SealedRow | undefined
  for (;;) {
    const { rows } = await sql<SealedRow>`
      select ${first} as "organizationId", ${second} as "key", ${sql.ref(column.column)} as "sealed"
      from ${sql.table(column.table)}
      where not starts_with(${sql.ref(column.column)}, ${getKeyMark(to)})
        ${after === undefined ? sql`` : sql`and (${first}, ${second}) > (${after.organizationId}, ${after.key})`}
      order by ${first}, ${second} limit ${BATCH_ROWS}`.execute(database.statements)
    await database.transaction(async (trx) => {
      for (const row of rows) {
        const text = openText(open, column, row)
        if (text === null) {
          rotation.unreadable++
          continue
        }
        const place = column.place(row.organizationId, row.key)
        // Skips a value that has changed in the meantime, because it was encrypted with the new key.
        const { numAffectedRows = 0n } = await sql`
          update ${sql.table(column.table)} set ${sql.ref(column.column)} = ${seal(text, place)}
          where ${first} = ${row.organizationId} and ${second} = ${row.key} and ${sql.ref(column.column)} = ${row.sealed}`.execute(
          trx,
        )
        rotation.resealed += Number(numAffectedRows)
      }
    })
    after = rows.at(-1)
    if (rows.length < BATCH_ROWS) return
  }
}

function openText(
  open: Vault['open'],
  column: SealedColumn,
  { organizationId, key, sealed }: SealedRow,
): string | null {
  try {
    return open(sealed, column.place(organizationId, key))
  } catch {
    return null
  }
}

async function countRemaining(db: Db, { table, column }: SealedColumn, to: Buffer): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as "count" from ${sql.table(table)} where not starts_with(${sql.ref(column)}, ${getKeyMark(to)})`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}
