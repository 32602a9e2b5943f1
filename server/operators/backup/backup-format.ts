import path from 'node:path'
import { type EnvironmentConfig, readConfig } from '../../platform/config/config.ts'

/**
 * The note at the start of a backup, which describes the backup's contents. A backup of the embedded database is a
 * gzipped tar file with the database folder and the attached files. It contains the encryption key only on request.
 */
export interface BackupNote {
  format: typeof FORMAT
  /** The version of Plumbline that created the backup. */
  version: string
  createdAt: string
  /** The newest migration of the database's schema. */
  migration: string
}

export const FORMAT = 'plumbline-backup-1'

/** The names of files and folders in the archive. Except for the note, they are the same in the data folder. */
export const ARCHIVE_NAMES = {
  note: 'backup.json',
  database: 'database',
  files: 'files',
  key: 'encryption-key',
} as const

/** Thrown if a backup or restore is not possible. The message is a sentence for the operator. */
export class BackupError extends Error {}

export function isBackupNote(value: unknown): value is BackupNote {
  const { format, version, createdAt, migration } = (value ?? {}) as Record<string, unknown>
  return format === FORMAT && [version, createdAt, migration].every((each) => typeof each === 'string')
}

/**
 * Returns the configuration of an embedded database. Unlike reading the configuration for the service, this does not
 * create a missing encryption key.
 */
export function readEmbeddedConfig(env: NodeJS.ProcessEnv): EnvironmentConfig {
  const provided = readConfig({ ...env, ENCRYPTION_KEY: env.ENCRYPTION_KEY || PLACEHOLDER_KEY })
  if (provided.databaseUrl !== null) {
    throw new BackupError(
      'This command works only with the embedded database, but DATABASE_URL is set. Back up and restore PostgreSQL with its own tools (docs/operating/backup.md).',
    )
  }
  return env.ENCRYPTION_KEY ? provided : { ...provided, encryptionKey: null }
}

const PLACEHOLDER_KEY = Buffer.alloc(32).toString('base64')

export function getDatabaseFolder({ dataDir }: Pick<EnvironmentConfig, 'dataDir'>): string {
  return path.join(dataDir, ARCHIVE_NAMES.database)
}
