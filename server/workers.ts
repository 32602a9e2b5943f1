import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { Logger } from 'pino'
import type { Config } from './platform/config/config.ts'

/**
 * Runs several processes of the service at one address of one machine. The system hands each new connection to one of
 * them. They share only the database, like processes on several machines. A worker that dies is replaced; only the
 * requests it was answering are lost. Each worker reports its own metrics, on METRICS_PORT and the following ports.
 *
 * Resolves with the exit code once the last worker has ended. That happens only after a signal, or if the service
 * cannot start; then the first worker has reported the reason.
 */
export async function leadWorkers(
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
      // The other workers start once the first one answers. By then the schema is migrated and any error of the start
      // is reported.
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
      // Between the end of one worker and the start of its replacement there may be no worker.
      if (workers.length === 0) done(0)
    }
    process.on('SIGTERM', stop)
    process.on('SIGINT', stop)
  })
}

/** In a worker: notifies the leading process that this worker answers requests. */
export function reportReady(): void {
  cluster.worker?.send('up')
}

/**
 * Whether workers listen on a shared port. If the leading process handed connections on, those on their way to a dying
 * worker would be lost and their clients would wait forever. Only Linux distributes connections itself.
 */
export function isPortShared(): boolean {
  return cluster.isWorker && process.platform === 'linux'
}

/**
 * Returns the port, chosen by the system if it is 0. Fails if the port is taken, which processes that share a port
 * would not notice.
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
// A worker that cannot start is retried without end, but not so often that it burdens the others.
const MAX_PAUSE_MS = 10_000
const SETTLED_AFTER_MS = 60_000
