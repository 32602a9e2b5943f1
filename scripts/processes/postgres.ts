import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { findFreePort } from './service.ts'

/**
 * A private PostgreSQL server. It uses the binaries on the machine and its own folder, which `stop` removes. Fsync is
 * on, as by default, unless a caller turns it off. PostgreSQL refuses to run as root, so under root it runs as the user
 * postgres.
 */
export interface PrivatePostgres {
  readonly port: number
  readonly pid: number
  /**
   * Returns the URL of the database with this name, by default `plumbline`. Creates the database if it does not exist.
   */
  database(name?: string): Promise<string>
  /** Stops the server and keeps its data for `start`. */
  pause(): Promise<void>
  /** Sends SIGKILL to the server. For clients, this looks as if the database's machine had failed. */
  kill(): Promise<void>
  /** Starts the server again after `pause` or `kill`, with the same port and data. */
  start(): Promise<void>
  /** Copies the data of the running server. Requires the setting `archive_mode = on`. */
  backUp(): void
  /**
   * Stops the server, replaces its data with the copy that `backUp` made, and starts it again. PostgreSQL then replays
   * the archived log up to the restore point with this name.
   */
  restore(point: string): Promise<void>
  /** Stops the server and removes its folder. */
  stop(): Promise<void>
}

export function hasPostgres(): boolean {
  return findBinaries() !== null
}

/**
 * Starts a PostgreSQL server. If PostgreSQL is not installed, prints a conspicuous line and returns null.
 *
 * @param primary a server to copy; the new server is its replica until it is promoted
 */
export async function startPostgres(
  settings: Readonly<Record<string, string>> = {},
  primary?: Pick<PrivatePostgres, 'port'>,
): Promise<PrivatePostgres | null> {
  const binaries = findBinaries()
  if (binaries === null) {
    console.error(
      '### No PostgreSQL binaries on this machine (PATH, PG_BIN): everything that needs PostgreSQL is LEFT OUT. ###',
    )
    return null
  }
  // A replica needs the pg_basebackup of the same version.
  if (primary !== undefined && !existsSync(path.join(binaries, 'pg_basebackup'))) {
    console.error(`### No pg_basebackup in ${binaries}: everything that needs a replica is LEFT OUT. ###`)
    return null
  }
  const owner = findPostgresUser()
  const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-pg-'))
  if (owner.uid !== undefined && owner.gid !== undefined) chownSync(folder, owner.uid, owner.gid)
  const data = path.join(folder, 'data')
  const [program, ...args] =
    primary === undefined
      ? ['initdb', '-D', data, '-U', 'plumbline', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-instructions']
      : ['pg_basebackup', '-D', data, '-R', '-c', 'fast', '-h', '127.0.0.1', '-p', `${primary.port}`, '-U', 'plumbline']
  execFileSync(path.join(binaries, program ?? ''), args, { ...owner, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  const port = await findFreePort()
  const [backup, archive] = [path.join(folder, 'backup'), path.join(folder, 'archive')]
  const toOptions = (values: Readonly<Record<string, string>>) =>
    Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const options = toOptions({
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: folder,
    max_connections: '200',
    timezone: 'UTC',
    archive_command: `mkdir -p ${archive} && cp %p ${archive}/%f`,
    ...settings,
  })

  let server: ChildProcess | null = null

  async function start(more: readonly string[] = []): Promise<void> {
    // After SIGKILL, the server's child processes briefly keep its shared memory, and the server cannot start until
    // they are gone.
    for (let attempt = 1; ; attempt++) {
      const child = spawn(path.join(binaries ?? '', 'postgres'), ['-D', data, ...options, ...more], {
        ...owner,
        cwd: folder,
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      const log = await waitUntilReady(child)
      if (log === null) {
        server = child
        return
      }
      if (attempt === 50) throw new Error(`PostgreSQL does not start:\n${log}`)
      await delay(100)
    }
  }

  async function end(signal: 'SIGINT' | 'SIGKILL'): Promise<void> {
    const child = server
    server = null
    if (child === null || child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill(signal)
    await gone
  }

  // Stops the server and deletes its data when this process ends for any reason. Otherwise, the data of many runs would
  // fill the disk.
  function abandon(): void {
    server?.kill('SIGKILL')
    // The server's child processes may still be writing for a moment.
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  }
  // Cleans up and then ends the process with the same signal.
  function abandonAnd(signal: NodeJS.Signals): void {
    abandon()
    process.kill(process.pid, signal)
  }
  process.once('exit', abandon)
  for (const signal of END_SIGNALS) process.once(signal, abandonAnd)
  await start()
  return {
    port,
    get pid() {
      return server?.pid ?? 0
    },
    async database(name = 'plumbline') {
      const client = new pg.Client({ host: '127.0.0.1', port, user: 'plumbline', database: 'postgres' })
      await client.connect()
      try {
        const { rowCount } = await client.query('select from pg_database where datname = $1', [name])
        if (rowCount === 0) await client.query(`create database ${client.escapeIdentifier(name)}`)
      } finally {
        await client.end()
      }
      return `postgres://plumbline@127.0.0.1:${port}/${encodeURIComponent(name)}`
    },
    pause: () => end('SIGINT'),
    kill: () => end('SIGKILL'),
    start: () => start(),
    backUp() {
      const args = ['-D', backup, '-X', 'none', '-c', 'fast', '-h', '127.0.0.1', '-p', `${port}`, '-U', 'plumbline']
      execFileSync(path.join(binaries, 'pg_basebackup'), args, {
        ...{ ...owner, cwd: folder, stdio: ['ignore', 'ignore', 'ignore'] },
      })
    },
    async restore(point) {
      await end('SIGINT')
      rmSync(data, { recursive: true })
      renameSync(backup, data)
      writeFileSync(path.join(data, 'recovery.signal'), '')
      await start(
        toOptions({
          restore_command: `cp ${archive}/%f %p`,
          recovery_target_name: point,
          recovery_target_action: 'promote',
          // The server accepts connections only after it has repeated all changes.
          hot_standby: 'off',
        }),
      )
    },
    async stop() {
      await end('SIGINT')
      rmSync(folder, { recursive: true, force: true })
      process.off('exit', abandon)
      for (const signal of END_SIGNALS) process.off(signal, abandonAnd)
    },
  }
}

const END_SIGNALS = ['SIGTERM', 'SIGHUP'] as const

/** Resolves to null after the server accepts connections. If the server ends instead, resolves to its log. */
function waitUntilReady(child: ChildProcess): Promise<string | null> {
  return new Promise((resolve) => {
    let log = ''
    let ready = false
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      if (ready) return
      log += chunk
      if (!/database system is ready to accept (read-only )?connections/.test(log)) return
      ready = true
      resolve(null)
    })
    child.once('error', (error) => resolve(error.message))
    child.once('exit', () => resolve(log))
  })
}

/** Returns the folder with the PostgreSQL binaries; null if it is not installed. */
export function findBinaries(): string | null {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : []
  const folders = [
    ...(process.env.PG_BIN ? [process.env.PG_BIN] : []),
    ...(process.env.PATH ?? '').split(path.delimiter),
    ...versions.map((version) => path.join(debian, version, 'bin')),
    '/usr/local/pgsql/bin',
  ]
  return folders.find((folder) => ['initdb', 'postgres'].every((name) => existsSync(path.join(folder, name)))) ?? null
}

export function findPostgresUser(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}
