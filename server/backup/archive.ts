import path from 'node:path'
import { type GivenConfig, readConfig } from '../config.ts'

/**
 * A backup of the embedded database is its folder as it lies on the disk, in a gzipped tar, with a note in front of what
 * it is. The encryption key is in it only where the operator asks for that.
 */
export interface Note {
  format: typeof FORMAT
  /** The Plumbline that made it. */
  version: string
  createdAt: string
  /** The newest migration of the schema. */
  migration: string
}

export const FORMAT = 'plumbline-backup-1'

/** The names in the archive, which are also those in the data folder, but for the note's. */
export const NAMES = { note: 'backup.json', database: 'database', key: 'encryption-key' } as const

/** A backup or a restore that cannot be done; the message is a sentence for the operator. */
export class BackupRefused extends Error {}

export function isNote(value: unknown): value is Note {
  const { format, version, createdAt, migration } = (value ?? {}) as Record<string, unknown>
  return format === FORMAT && [version, createdAt, migration].every((each) => typeof each === 'string')
}

/** The configuration of an embedded database. Reading it makes no key where there is none yet. */
export function embeddedConfig(env: NodeJS.ProcessEnv): GivenConfig {
  const given = readConfig({ ...env, ENCRYPTION_KEY: env.ENCRYPTION_KEY || NO_KEY })
  if (given.databaseUrl !== null) {
    throw new BackupRefused(
      'DATABASE_URL is set, and PostgreSQL is backed up and restored by its own tools (docs/backup.md).',
    )
  }
  return env.ENCRYPTION_KEY ? given : { ...given, encryptionKey: null }
}

const NO_KEY = Buffer.alloc(32).toString('base64')

export function databaseFolder({ dataDir }: Pick<GivenConfig, 'dataDir'>): string {
  return path.join(dataDir, NAMES.database)
}
