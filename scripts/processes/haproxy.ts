import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { findFreePort } from './service.ts'

/** HAProxy with the configuration for operators (deploy/haproxy.cfg), changed to addresses of this machine. */
export interface LoadBalancer {
  /** The URL at which HAProxy forwards requests to the service processes. */
  readonly url: string
  /** The port at which HAProxy forwards to the PostgreSQL server that accepts writes. */
  readonly postgresPort: number
  stop(): Promise<void>
}

const PROGRAM_PATHS = ['/usr/sbin/haproxy', '/usr/local/sbin/haproxy', '/opt/homebrew/bin/haproxy'].find(existsSync)
const DEPLOY = path.resolve(import.meta.dirname, '../../deploy')
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/**
 * Starts HAProxy. If it is not installed, prints a conspicuous line and returns null.
 *
 * @param services the ports of at most three service processes, which may not be running yet
 * @param databases the ports of one or two PostgreSQL servers
 */
export async function startHaproxy(
  services: readonly number[],
  databases: readonly number[],
): Promise<LoadBalancer | null> {
  if (PROGRAM_PATHS === undefined) {
    console.error('### No HAProxy on this machine (apt-get install haproxy): this is LEFT OUT. ###')
    return null
  }
  const [port, postgresPort, nobody] = [await findFreePort(), await findFreePort(), await findFreePort()]
  const at = (each: number | undefined) => `127.0.0.1:${each ?? nobody}`
  const child = spawn(PROGRAM_PATHS, ['-db', '-f', path.join(DEPLOY, 'haproxy.cfg')], {
    env: {
      PATH: process.env.PATH,
      PLUMBLINE: at(port),
      ...Object.fromEntries([0, 1, 2].map((i) => [`PLUMBLINE_${i + 1}`, at(services[i])])),
      POSTGRES: at(postgresPort),
      ...Object.fromEntries([0, 1].map((i) => [`POSTGRES_${i + 1}`, at(databases[i])])),
      CHECK_PRIMARY: path.join(DEPLOY, 'check-primary.sh'),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  running.add(child)
  let log = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    log = (log + chunk.toString()).slice(-10_000)
  })
  const ended = once(child, 'exit').then(() => running.delete(child))
  const url = `http://127.0.0.1:${port}`
  const deadline = Date.now() + 10_000
  while ((await fetch(url).catch(() => null)) === null) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`HAProxy does not start:\n${log}`)
    await delay(20)
  }
  return {
    url,
    postgresPort,
    async stop() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
