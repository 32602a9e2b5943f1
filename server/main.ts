import { pino } from 'pino'
import { ConfigError, readConfig } from './config.ts'
import { DataFolderInUse } from './database/data-folder.ts'
import { openDatabase } from './database/database.ts'
import { banner, makeDemoOnFirstStart } from './first-start.ts'
import { ContractError } from './http/contract.ts'
import { startPlumbline } from './plumbline.ts'

/** One process of the service, from the environment to the last drained request. */
async function main(): Promise<void> {
  const config = readConfig(process.env)
  const log = pino({ level: config.logLevel, base: null, timestamp: pino.stdTimeFunctions.isoTime })
  const database = await openDatabase(config)
  const demo = await makeDemoOnFirstStart(database, config)
  const plumbline = await startPlumbline({ config, log, database })
  log.info({ url: plumbline.url, database: database.embedded ? 'embedded' : 'postgresql' }, 'ready')
  if (demo !== null) console.log(banner(plumbline.url, config, demo))

  let stopping = false
  const stop = (signal: string) => {
    if (stopping) return
    stopping = true
    log.info({ signal }, 'stopping')
    plumbline.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'stopping failed')
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}

main().catch((error: unknown) => {
  // What the operator can put right is said in one sentence; anything else with all that is known.
  const expected = error instanceof ConfigError || error instanceof DataFolderInUse || error instanceof ContractError
  if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') {
    console.error(
      `Plumbline did not start: port ${(error as { port?: number }).port} is taken; set PORT, or METRICS_PORT, to another one.`,
    )
  } else console.error(expected ? `Plumbline did not start: ${(error as Error).message}` : error)
  process.exit(1)
})
