import { accessSync, constants, existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { ConfigError } from '../../platform/config/config.ts'

type Env = Readonly<Record<string, string | undefined>>

/**
 * Throws if the command would not use the service's data. Without the service's environment, it would create a separate
 * database in the current folder. If another user ran it, it would leave files that the service cannot read. Call this
 * function before reading the configuration, because reading the configuration creates a key for a new embedded
 * database.
 *
 * @throws {ConfigError}
 */
export function assertEnvironment(env: Env): void {
  const dataDir = path.resolve(env.DATA_DIR || '.data')
  if (!env.DATABASE_URL && !env.DATA_DIR && !existsSync(path.join(dataDir, 'database')))
    throw new ConfigError(
      `No database exists in ${dataDir}. Set DATABASE_URL or DATA_DIR to the same value as for the service. In an installation, run "sudo plumbline".`,
    )
  if (!env.DATABASE_URL || env.DATA_DIR) assertOwnFolder(dataDir)
}

function assertOwnFolder(dataDir: string): void {
  const user = process.getuid?.()
  const database = path.join(dataDir, 'database')
  const place = existsSync(database) ? database : dataDir
  if (user === undefined || !existsSync(place)) return
  const owner = statSync(place).uid
  // An orchestrator may make root the owner of a volume and allow the service to write through a group.
  const mayUse = owner === user || (place === dataDir && user !== 0 && isWritable(dataDir))
  if (mayUse) return
  throw new ConfigError(
    `${dataDir} belongs to the user with ID ${owner}, but this command runs as the user with ID ${user}. Run the command as the user of the service. In an installation, run "sudo plumbline".`,
  )
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}
