import { type Config, type GivenConfig, readConfig } from '../../platform/config/config.ts'
import { DataFolderInUse } from '../../platform/database/data-folder.ts'
import { type Database, openDatabase } from '../../platform/database/database.ts'
import { migrate } from '../../platform/database/migrate.ts'
import { withEncryptionKey } from '../../platform/encryption/encryption-key.ts'
import { Clock } from '../../platform/runtime/clock.ts'
import { askServer, ServerUnreachable } from '../socket.ts'
import { carryOut, type InputOf, type OperatorVerb } from '../verbs.ts'
import { assertWorkplace } from './workplace.ts'

/** The context of every command. */
export interface Workplace {
  database: Database
  clock: Clock
  config: Config
  /** The configuration from the environment, before the deployment's key is determined. */
  given: GivenConfig
}

// Short, because a person is waiting, or a script that can retry.
const DATABASE_PATIENCE_MS = 5000

/** Wraps a command: opens the database and migrates it, runs the command, and closes the database. */
export function verb<Options extends object>(
  run: (workplace: Workplace, options: Options, migrations: string[]) => Promise<unknown>,
): (options?: Options) => Promise<void> {
  return async (options) => {
    assertWorkplace(process.env)
    const given = readConfig(process.env)
    // Nothing else waits for an operator's command, and an export or an erasure may take long.
    const database = await openDatabase({ ...given, databaseStatementTimeoutMs: 0 }, { ms: DATABASE_PATIENCE_MS })
    try {
      const migrations = await migrate(database)
      const { config } = await withEncryptionKey(given, database)
      const result = await run({ database, clock: new Clock(), config, given }, options ?? ({} as Options), migrations)
      if (result !== undefined) print(result)
    } finally {
      await database.close()
    }
  }
}

/** Wraps a command that a running server on the embedded database carries out itself. */
export function sharedVerb<Verb extends OperatorVerb, Options extends object = object>(
  name: Verb,
  inputOf: (options: Options) => InputOf<Verb>,
): (options: Options) => Promise<void> {
  return async (options) => {
    const input = inputOf(options)
    try {
      await verb((workplace) => carryOut(name, workplace, input))()
    } catch (error) {
      if (!(error instanceof DataFolderInUse)) throw error
      const { dataDir } = readConfig(process.env)
      const result = await askServer(dataDir, name, input).catch((refused: unknown) => {
        // That the folder is in use is more helpful than that there is no socket.
        throw refused instanceof ServerUnreachable ? error : refused
      })
      print(result)
    }
  }
}

/** Wraps a command that runs without an open database. */
export function bareVerb<Options extends object>(
  run: (options: Options) => Promise<unknown>,
): (options: Options) => Promise<void> {
  return async (options) => print(await run(options))
}

function print(result: unknown): void {
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`)
}
