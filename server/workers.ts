import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { Logger } from 'pino'
import type { Config } from './platform/config/config.ts'

/**
 * Runs several processes of the service at one address on one machine. The operating system assigns each new connection
 * to one of the processes. The processes share only the database, like processes on several machines. A worker that
 * ends unexpectedly is replaced. Only the requests that it was handling are lost. Each worker reports its own metrics,
 * on METRICS_PORT and the following ports.
 *
 * Resolves with the exit code when the last worker has ended. The last worker ends only after a signal, or if the
 * service cannot start. In the second case, the first worker has reported the reason.
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
      // The other workers start when the first worker handles requests. By then, the schema is migrated, and any
      // startup error has been reported.
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
      // There may be a time without workers between the end of one worker and the start of its replacement.
      if (workers.length === 0) done(0)
    }
    process.on('SIGTERM', stop)
    process.on('SIGINT', stop)
  })
}

/** Notifies the leading process that this worker handles requests. For use in a worker. */
export function reportReady(): void {
  cluster.worker?.send('up')
}

/**
 * Returns whether workers listen on a shared port. If the leading process passed connections on, connections on their
 * way to a worker that ends would be lost, and their clients would wait forever. Only Linux distributes connections
 * among processes on its own.
 */
export function isPortShared(): boolean {
  return cluster.isWorker && process.platform === 'linux'
}

/**
 * Returns the port. If the port is 0, the operating system chooses a free port. Throws if the port is in use, because
 * processes that share a port would not notice this.
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
// A worker that cannot start is restarted indefinitely, but not so often that the attempts burden other workers.
const MAX_PAUSE_MS = 10_000
const SETTLED_AFTER_MS = 60_000
