import path from 'node:path'
import { type GivenConfig, readConfig } from '../../platform/config/config.ts'

/**
 * A backup of the embedded database is its folder and the attached files, in a gzipped tar that starts with a note
 * describing it. The encryption key is included only on request.
 */
export interface Note {
  format: typeof FORMAT
  /** The version of Plumbline that created it. */
  version: string
  createdAt: string
  /** The newest migration of the schema. */
  migration: string
}

export const FORMAT = 'plumbline-backup-1'

/** The names in the archive. Except for the note, they are the same in the data folder. */
export const NAMES = {
  note: 'backup.json',
  database: 'database',
  files: 'files',
  key: 'encryption-key',
} as const

/** A backup or restore that is not possible. The message is a sentence for the operator. */
export class BackupRefused extends Error {}

export function isNote(value: unknown): value is Note {
  const { format, version, createdAt, migration } = (value ?? {}) as Record<string, unknown>
  return format === FORMAT && [version, createdAt, migration].every((each) => typeof each === 'string')
}

/** Returns the configuration of an embedded database. Reading it does not create a missing key. */
export function embeddedConfig(env: NodeJS.ProcessEnv): GivenConfig {
  const given = readConfig({ ...env, ENCRYPTION_KEY: env.ENCRYPTION_KEY || NO_KEY })
  if (given.databaseUrl !== null) {
    throw new BackupRefused(
      'DATABASE_URL is set. Back up and restore PostgreSQL with its own tools (docs/operating/backup.md).',
    )
  }
  return env.ENCRYPTION_KEY ? given : { ...given, encryptionKey: null }
}

const NO_KEY = Buffer.alloc(32).toString('base64')

export function databaseFolder({ dataDir }: Pick<GivenConfig, 'dataDir'>): string {
  return path.join(dataDir, NAMES.database)
}
