import { Clock } from '../clock.ts'
import { type Config, type GivenConfig, readConfig } from '../config.ts'
import { type Database, openDatabase } from '../database/database.ts'
import { migrate } from '../database/migrate.ts'
import { withEncryptionKey } from '../encryption-key.ts'

/** What every verb works on. */
export interface Workplace {
  database: Database
  clock: Clock
  config: Config
  /** What the environment says, before the deployment has settled on its key. */
  given: GivenConfig
}

// Somebody waits for the answer, or a script that can ask again.
const DATABASE_PATIENCE_MS = 5000

/** What a command does, between opening the database (and bringing it up to date) and closing it. */
export function verb<Options extends object>(
  run: (workplace: Workplace, options: Options, migrations: string[]) => Promise<unknown>,
): (options?: Options) => Promise<void> {
  return async (options) => {
    const given = readConfig(process.env)
    // Nobody else waits for what an operator asks, and an export or an erasure may take its time.
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

/** What a command does without a database that is open. */
export function bareVerb<Options extends object>(
  run: (options: Options) => Promise<unknown>,
): (options: Options) => Promise<void> {
  return async (options) => print(await run(options))
}

function print(result: unknown): void {
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`)
}
