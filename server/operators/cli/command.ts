import { type Config, type EnvironmentConfig, readConfig } from '../../platform/config/config.ts'
import { DataFolderInUse } from '../../platform/database/data-folder.ts'
import { type Database, openDatabase } from '../../platform/database/database.ts'
import { migrate } from '../../platform/database/migrate.ts'
import { withEncryptionKey } from '../../platform/encryption/encryption-key.ts'
import { Clock } from '../../platform/runtime/clock.ts'
import { type CommandInput, type OperatorCommand, runOperatorCommand } from '../operator-commands.ts'
import { askServer, ServerUnreachable } from '../operator-socket.ts'
import { assertEnvironment } from './assert-environment.ts'

/** The context of every command. */
export interface CommandContext {
  database: Database
  clock: Clock
  config: Config
  /** The configuration from the environment, before the deployment's key is determined. */
  given: EnvironmentConfig
}

// Short, because a person is waiting, or a script that can retry.
const DATABASE_WAIT_MS = 5000

/** Wraps a command: opens the database and migrates it, runs the command, and closes the database. */
export function databaseCommand<Options extends object>(
  run: (workplace: CommandContext, options: Options, migrations: string[]) => Promise<unknown>,
): (options?: Options) => Promise<void> {
  return async (options) => {
    assertEnvironment(process.env)
    const given = readConfig(process.env)
    // Nothing else waits for an operator's command, and an export or an erasure may take long.
    const database = await openDatabase({ ...given, databaseStatementTimeoutMs: 0 }, { ms: DATABASE_WAIT_MS })
    try {
      const migrations = await migrate(database)
      const { config } = await withEncryptionKey(given, database)
      const result = await run({ database, clock: new Clock(), config, given }, options ?? ({} as Options), migrations)
      if (result !== undefined) printResult(result)
    } finally {
      await database.close()
    }
  }
}

/** Wraps a command that a running server on the embedded database carries out itself. */
export function sharedCommand<Verb extends OperatorCommand, Options extends object = object>(
  name: Verb,
  inputOf: (options: Options) => CommandInput<Verb>,
): (options: Options) => Promise<void> {
  return async (options) => {
    const input = inputOf(options)
    try {
      await databaseCommand((workplace) => runOperatorCommand(name, workplace, input))()
    } catch (error) {
      if (!(error instanceof DataFolderInUse)) throw error
      const { dataDir } = readConfig(process.env)
      const result = await askServer(dataDir, name, input).catch((refused: unknown) => {
        // That the folder is in use is more helpful than that there is no socket.
        throw refused instanceof ServerUnreachable ? error : refused
      })
      printResult(result)
    }
  }
}

/** Wraps a command that runs without an open database. */
export function plainCommand<Options extends object>(
  run: (options: Options) => Promise<unknown>,
): (options: Options) => Promise<void> {
  return async (options) => printResult(await run(options))
}

function printResult(result: unknown): void {
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`)
}
