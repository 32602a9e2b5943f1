import { type Config, type EnvironmentConfig, readConfig } from '../../platform/config/config.ts'
import { DataFolderInUseError } from '../../platform/database/data-folder.ts'
import { type Database, openDatabase } from '../../platform/database/database.ts'
import { migrate } from '../../platform/database/migrate.ts'
import { resolveEncryptionKey } from '../../platform/encryption/encryption-key.ts'
import { Clock } from '../../platform/runtime/clock.ts'
import { type CommandInput, type OperatorCommand, runOperatorCommand } from '../operator-commands.ts'
import { ServerUnreachableError, sendCommand } from '../operator-socket.ts'
import { assertEnvironment } from './assert-environment.ts'

/** The context of every command. */
export interface CommandContext {
  database: Database
  clock: Clock
  config: Config
  /** The configuration from the environment, before it is determined which encryption key the deployment uses. */
  given: EnvironmentConfig
}

// The maximum time to wait for the database. It is short, because a user or a script that can retry is waiting.
const DATABASE_WAIT_MS = 5000

/**
 * Creates a command that uses the database. Opens and migrates the database, runs the given function, and closes the
 * database.
 */
export function createDatabaseCommand<Options extends object>(
  run: (workplace: CommandContext, options: Options, migrations: string[]) => Promise<unknown>,
): (options?: Options) => Promise<void> {
  return async (options) => {
    assertEnvironment(process.env)
    const given = readConfig(process.env)
    // Uses no statement timeout. Nothing else waits for an operator's command, and an export or an erasure may take a
    // long time.
    const database = await openDatabase({ ...given, databaseStatementTimeoutMs: 0 }, { ms: DATABASE_WAIT_MS })
    try {
      const migrations = await migrate(database)
      const { config } = await resolveEncryptionKey(given, database)
      const result = await run({ database, clock: new Clock(), config, given }, options ?? ({} as Options), migrations)
      if (result !== undefined) printResult(result)
    } finally {
      await database.close()
    }
  }
}

/** Creates a command that runs in the server's process if a server is running on the embedded database. */
export function createSharedCommand<Verb extends OperatorCommand, Options extends object = object>(
  name: Verb,
  inputOf: (options: Options) => CommandInput<Verb>,
): (options: Options) => Promise<void> {
  return async (options) => {
    const input = inputOf(options)
    try {
      await createDatabaseCommand((workplace) => runOperatorCommand(name, workplace, input))()
    } catch (error) {
      if (!(error instanceof DataFolderInUseError)) throw error
      const { dataDir } = readConfig(process.env)
      const result = await sendCommand(dataDir, name, input).catch((refused: unknown) => {
        // If the server is unreachable, the error that the folder is in use is more helpful than the error that there
        // is no socket.
        throw refused instanceof ServerUnreachableError ? error : refused
      })
      printResult(result)
    }
  }
}

/** Creates a command that needs no open database. */
export function createPlainCommand<Options extends object>(
  run: (options: Options) => Promise<unknown>,
): (options: Options) => Promise<void> {
  return async (options) => printResult(await run(options))
}

function printResult(result: unknown): void {
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`)
}
