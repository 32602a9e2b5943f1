import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'

/**
 * The service as an operator runs it: a separate process that is started from the command line with an environment.
 * Used to test behavior that is visible only from outside: crashes, signals, several processes on one database, and
 * speed.
 */
export interface Service {
  readonly url: string
  readonly pid: number
  /** The time from the start of the process to its first response, in milliseconds. */
  readonly startMs: number
  /** Whether the process is still running. */
  readonly isRunning: boolean
  /** The log of the process so far. */
  readonly log: string
  signal(name: NodeJS.Signals): void
  /** Resolves when the process has ended, to the exit code or, after a signal, to null. */
  readonly ended: Promise<number | null>
  /** Resolves when the log is complete because the process and all processes that it started have ended. */
  readonly closed: Promise<void>
  /** Sends SIGTERM and waits until the process has ended. */
  stop(): Promise<number | null>
  /** Sends SIGKILL and waits until the process has ended. */
  kill(): Promise<number | null>
}

export type Environment = Readonly<Record<string, string>>

const root = path.resolve(import.meta.dirname, '../..')
const started = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of started) child.kill('SIGKILL')
})

/** Returns an environment without limits on requests, except those in the contract. */
export function createUnlimitedEnvironment(database: Environment): Environment {
  return {
    ...database,
    HOST: '127.0.0.1',
    DEMO: 'false',
    LOG_LEVEL: 'error',
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    RATE_LIMIT_PER_MINUTE: '100000000',
    FAILED_KEYS_PER_MINUTE: '100000000',
    MAX_CONNECTIONS_PER_ADDRESS: '5000',
    QUOTA_PER_DAY: '100000000000',
    PORTAL_LIMIT_PER_MINUTE: '100000000',
    PORTAL_CLIENT_LIMIT_PER_MINUTE: '100000000',
    WEBHOOK_ALLOW_PRIVATE: 'true',
  }
}

/**
 * Starts a process and waits for its first response at `probe`. If the process ends or does not respond within 60 s,
 * throws an error with its log.
 */
export async function startService(
  environment: Environment,
  {
    script,
    folder = root,
    command = [
      process.execPath,
      ...(script === undefined ? readArguments('start', folder) : [path.join(root, script)]),
    ],
    probe = '/readyz',
    headers = {},
  }: {
    script?: string
    /** The command to run instead of a script, such as `npm start`. */
    command?: readonly string[]
    /** The folder in which to run the process. It may contain another version of the service. */
    folder?: string
    probe?: string
    headers?: Record<string, string>
  } = {},
): Promise<Service> {
  const port = environment.PORT ?? String(await findFreePort())
  const begun = performance.now()
  const [program = process.execPath, ...args] = command
  const child = spawn(program, args, {
    cwd: folder,
    env: { PATH: process.env.PATH, ...environment, PORT: port },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  started.add(child)
  let log = ''
  const keep = (chunk: Buffer) => {
    log = (log + chunk.toString()).slice(-100_000)
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  const ended = once(child, 'exit').then(([code]) => {
    started.delete(child)
    return code as number | null
  })
  const closed = once(child, 'close').then(() => {})
  const isRunning = () => child.exitCode === null && child.signalCode === null
  const url = `http://127.0.0.1:${port}`
  for (;;) {
    if (!isRunning()) throw new Error(`The service did not start:\n${log}`)
    if (performance.now() - begun > 60_000) throw new Error(`The service did not respond within a minute:\n${log}`)
    const response = await fetch(url + probe, { headers }).catch(() => null)
    if (response?.status === 200) break
    await delay(2)
  }
  const startMs = performance.now() - begun
  const end = (signal: NodeJS.Signals) => {
    if (isRunning()) child.kill(signal)
    return ended
  }
  return {
    url,
    pid: child.pid ?? 0,
    startMs,
    get isRunning() {
      return isRunning()
    },
    get log() {
      return log
    },
    signal: (name) => child.kill(name),
    ended,
    closed,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  }
}

/**
 * Returns the arguments with which `npm run` starts Node for the service or for the operator commands, in the version
 * in that folder.
 */
function readArguments(script: 'start' | 'cli', folder: string): string[] {
  const { scripts } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  const words = scripts[script]?.split(' ') ?? []
  return words.slice(words.indexOf('node') + 1).map((word) => (word.startsWith('-') ? word : path.join(folder, word)))
}

/** Runs an operator command on the database of an environment and returns its output. */
export function runOperatorCommand<Printed>(environment: Environment, ...verb: string[]): Promise<Printed> {
  return runOperatorCommandIn(root, environment, ...verb)
}

/** Runs an operator command with the version of the service in that folder. */
async function runOperatorCommandIn<Printed>(
  folder: string,
  environment: Environment,
  ...verb: string[]
): Promise<Printed> {
  const { stdout } = await promisify(execFile)(process.execPath, [...readArguments('cli', folder), ...verb], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...environment },
  })
  return JSON.parse(stdout) as Printed
}

/** Creates a builder and an API key with every permission, with operator commands. */
export async function createBuilder(
  environment: Environment,
  name = 'Harrow & Finch Homes',
  folder = root,
): Promise<{ organizationId: string; key: string }> {
  const by = <Printed>(...verb: string[]) => runOperatorCommandIn<Printed>(folder, environment, ...verb)
  const created = await by<{ organization: { id: string } }>(
    'organizations',
    'create',
    '--name',
    name,
    '--owner-email',
    'owner@example.com',
  )
  const organizationId = created.organization.id
  const { secret } = await by<{ secret: string }>('keys', 'create', '--organization', organizationId)
  return { organizationId, key: secret }
}

/**
 * Returns a free port for a process that starts to listen on it some seconds later. The port is outside the range that
 * the operating system assigns. Otherwise, the system could assign it to something else in the meantime.
 */
export async function findFreePort(): Promise<number> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const port = randomInt(FIRST_PORT, FIRST_EPHEMERAL_PORT)
    const probe = createServer().listen(port, '127.0.0.1')
    const isFree = await once(probe, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    probe.close()
    await once(probe, 'close')
    return port
  }
  throw new Error('Expected a free port.')
}

const FIRST_PORT = 20_000
/** The first port that Linux assigns. Other systems start with a higher port. */
const FIRST_EPHEMERAL_PORT = 32_768
const MAX_ATTEMPTS = 100
