import cluster from 'node:cluster'
import { pino } from 'pino'
import { createDemoOnFirstStart, createFirstSignInLink, renderBanner } from './first-start.ts'
import { listenForOperators } from './operators/operator-socket.ts'
import { ContractError } from './platform/calls/contract.ts'
import { ConfigError, readConfig } from './platform/config/config.ts'
import { DatabaseUnavailableError } from './platform/database/connection-errors.ts'
import { DataFolderInUseError, DataFolderUnusableError } from './platform/database/data-folder.ts'
import { openDatabase } from './platform/database/database.ts'
import { StoreUnusableError } from './platform/files/file-store.ts'
import { Clock } from './platform/runtime/clock.ts'
import { readOwnVersion } from './platform/runtime/version.ts'
import { type Plumbline, startPlumbline } from './plumbline.ts'
import { reportReady, runWorkers } from './workers.ts'

async function runService(): Promise<void> {
  const config = readConfig(process.env)
  // With the WORKERS setting, each log line contains the ID of the worker that wrote it.
  const base = cluster.worker === undefined ? null : { worker: cluster.worker.id }
  const log = pino({ level: config.logLevel, base, timestamp: pino.stdTimeFunctions.isoTime })
  // On the first start, the service creates a database and the demo builder. Tells the user in the terminal that this
  // takes time.
  if (cluster.isPrimary) log.info({ version: readOwnVersion() }, 'starting; this takes a few seconds')
  if (config.workers > 1 && cluster.isPrimary) {
    if (config.endsWithParent) onParentEnd(() => process.kill(process.pid, 'SIGTERM'))
    const code = await runWorkers(config, log)
    log.info('stopped')
    process.exit(code)
  }
  let running: Plumbline | null = null
  let operators: { close(): void } | null = null

  let stopping = false
  const stop = (reason: string) => {
    if (stopping) return
    stopping = true
    log.info({ reason }, 'stopping')
    // A service that has not started has no work to finish, so it can stop immediately.
    operators?.close()
    const stopped = running?.stop() ?? Promise.resolve()
    stopped.then(
      () => {
        log.info('stopped')
        process.exit(0)
      },
      (error: unknown) => {
        log.error({ err: error }, 'could not stop cleanly')
        process.exit(1)
      },
    )
  }
  // Sets the signal handler first, because process 1 of a container ignores signals for which it has no handler.
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  if (config.endsWithParent) onParentEnd(() => stop('npm has ended'))

  const database = await openDatabase(config, { report: (sentence) => log.warn(sentence) })
  const demo = await createDemoOnFirstStart(database, config)
  running = await startPlumbline({
    ...{ config, log, database },
    async beforeListening(settled) {
      if (!database.embedded) return
      const at = {
        ...{ database, clock: new Clock() },
        get config() {
          return running?.config ?? settled
        },
      }
      operators = await listenForOperators(at, log)
    },
  })
  reportReady()
  const { url } = running
  const { publicUrl } = running.config
  const kind = database.embedded ? 'embedded' : 'postgresql'
  log.info({ version: readOwnVersion(), url: publicUrl, listening: url, database: kind }, 'ready')
  if (demo !== null) console.log(renderBanner(running.config, demo, await createFirstSignInLink(running, demo)))
}

const PARENT_CHECK_MS = 500

// Calls the function when npm has ended. npm forwards SIGTERM but cannot forward SIGKILL. After a SIGKILL, the
// operating system assigns npm's child processes to another parent.
function onParentEnd(then: () => void): void {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    then()
  }, PARENT_CHECK_MS)
  timer.unref()
}

/** Runs the service or one of its workers, from reading the environment to handling the last request. */
export async function serve(): Promise<void> {
  try {
    await runService()
  } catch (error) {
    console.error(describeStartupError(error))
    process.exit(1)
  }
}

const EXPECTED_ERRORS = [
  ConfigError,
  DataFolderInUseError,
  DataFolderUnusableError,
  DatabaseUnavailableError,
  StoreUnusableError,
  ContractError,
]

/** Returns only the message if the operator can fix the error. Otherwise, returns the whole error. */
function describeStartupError(error: unknown): unknown {
  if (error instanceof Error && EXPECTED_ERRORS.some((kind) => error instanceof kind))
    return `Plumbline did not start: ${error.message}`
  const { code, port } = error as NodeJS.ErrnoException & { port?: number }
  if (code !== 'EADDRINUSE') return error
  return `Plumbline did not start: port ${port} is in use. Set PORT or METRICS_PORT to another port.`
}
