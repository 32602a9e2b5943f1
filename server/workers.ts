import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { Logger } from 'pino'
import type { Config } from './platform/config/config.ts'

/**
 * Runs several worker processes that listen on the same port of one machine. The operating system assigns each new
 * connection to one of the processes. The processes share only the database, like processes on several machines. A
 * worker that ends unexpectedly is replaced, and only the requests that it was handling are lost. Each worker reports
 * its own metrics, on METRICS_PORT and the following ports.
 *
 * Resolves with the exit code after the last worker has ended, either because of a signal or because the service cannot
 * start. If it cannot start, the first worker has already reported the reason.
 */
export async function runWorkers(
  { workers: count, host, port, metricsPort }: Pick<Config, 'workers' | 'host' | 'port' | 'metricsPort'>,
  log: Logger,
): Promise<number> {
  const PORT = String(await findFreePort(host, port))
  return new Promise((done) => {
    let stopping = false
    let failures = 0
    let wasUp = false

    const start = (place: number) => {
      const worker = cluster.fork({ PORT, ...(metricsPort && { METRICS_PORT: String(metricsPort + place) }) })
      const startedAt = performance.now()
      // The other workers start once the first worker handles requests. By then, the first worker has migrated the
      // schema and reported any startup error.
      worker.once('message', () => {
        if (wasUp) return
        wasUp = true
        for (let next = 1; next < count; next++) start(next)
      })
      worker.once('exit', (code, signal) => {
        if (stopping || !wasUp) {
          if (Object.keys(cluster.workers ?? {}).length === 0) done(stopping ? 0 : 1)
          return
        }
        if (performance.now() - startedAt > SETTLED_AFTER_MS) failures = 0
        const afterMs = Math.min(FIRST_PAUSE_MS * 2 ** failures++, MAX_PAUSE_MS)
        log.error({ pid: worker.process.pid, code, signal, afterMs }, 'a worker ended and will be replaced')
        setTimeout(() => stopping || start(place), afterMs)
      })
    }
    start(0)

    const stop = (signal: NodeJS.Signals) => {
      stopping = true
      const workers = Object.values(cluster.workers ?? {}).filter((worker): worker is Worker => worker !== undefined)
      for (const worker of workers) worker.process.kill(signal)
      // There may be no worker at this moment, because the replacement of the last one has not started yet.
      if (workers.length === 0) done(0)
    }
    process.on('SIGTERM', stop)
    process.on('SIGINT', stop)
  })
}

/** Notifies the leading process that this worker handles requests. Call this function only in a worker. */
export function reportReady(): void {
  cluster.worker?.send('up')
}

/**
 * Returns whether each worker listens on the port itself. The alternative is that the leading process passes
 * connections to the workers. Then a connection that is passed to a worker that ends is lost, and its client waits
 * forever. Only Linux distributes connections among processes itself.
 */
export function isPortShared(): boolean {
  return cluster.isWorker && process.platform === 'linux'
}

/**
 * Returns the port. If the port is 0, the operating system chooses a free port. Throws if the port is in use, because
 * workers that share a port would not notice that another program uses it.
 */
async function findFreePort(host: string, port: number): Promise<number> {
  const probe = createServer().listen(port, host)
  await once(probe, 'listening')
  const { port: found } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return found
}

const FIRST_PAUSE_MS = 250
// The maximum pause before a worker restarts. Restarts continue indefinitely, but rarely enough not to slow down other
// workers.
const MAX_PAUSE_MS = 10_000
const SETTLED_AFTER_MS = 60_000
