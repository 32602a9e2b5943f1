import { pino } from 'pino'
import { ConfigError, readConfig } from './config.ts'
import { DataFolderInUse } from './database/data-folder.ts'
import { openDatabase } from './database/database.ts'
import { banner, makeDemoOnFirstStart } from './first-start.ts'
import { ContractError } from './http/contract.ts'
import { startPlumbline } from './plumbline.ts'

async function run(): Promise<void> {
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

/** One process of the service, from the environment to the last drained request. */
export async function serve(): Promise<void> {
  try {
    await run()
  } catch (error) {
    console.error(reasonNotToStart(error))
    process.exit(1)
  }
}

/** What the operator can put right is said in one sentence; anything else with all that is known. */
function reasonNotToStart(error: unknown): unknown {
  if (error instanceof ConfigError || error instanceof DataFolderInUse || error instanceof ContractError)
    return `Plumbline did not start: ${error.message}`
  const { code, port } = error as NodeJS.ErrnoException & { port?: number }
  if (code !== 'EADDRINUSE') return error
  return `Plumbline did not start: port ${port} is taken; set PORT, or METRICS_PORT, to another one.`
}
