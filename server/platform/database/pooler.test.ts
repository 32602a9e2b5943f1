import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { sql } from 'kysely'
import { afterEach, describe, expect, inject, test } from 'vitest'
import { findPostgresUser } from '../../../scripts/processes/postgres.ts'
import { findFreePort } from '../../../scripts/processes/service.ts'
import { createPostgresUrl } from '../../../test/support/databases.ts'
import { openDatabase } from './database.ts'

const PGBOUNCER = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/usr/local/bin/pgbouncer'].find(existsSync)
const postgres = inject('postgres')
const isOnPostgres = postgres !== null
if (isOnPostgres && PGBOUNCER === undefined)
  console.error('### No PgBouncer on this machine: what a start says to it is NOT tested. ###')

let stop = async () => {}
afterEach(() => stop())

/** Starts PgBouncer and returns a URL that connects to the database through it. */
async function throughPgBouncer(url: URL, settings: Record<string, string>): Promise<string> {
  const port = await findFreePort()
  const owner = findPostgresUser()
  const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-pgbouncer-'))
  const file = path.join(folder, 'pgbouncer.ini')
  const all = {
    ...{
      listen_addr: '127.0.0.1',
      listen_port: port,
      unix_socket_dir: '',
      auth_type: 'any',
      logfile: '',
      default_pool_size: 40,
    },
    ...settings,
  }
  writeFileSync(
    file,
    `[databases]\n* = host=127.0.0.1 port=${url.port} user=${url.username}\n[pgbouncer]\n${Object.entries(all)
      .map(([name, value]) => `${name} = ${value}\n`)
      .join('')}`,
  )
  for (const one of [folder, file]) chownSync(one, owner.uid ?? -1, owner.gid ?? -1)
  const bouncer: ChildProcess = spawn(PGBOUNCER ?? '', [file], { ...owner, stdio: 'ignore' })
  const ended = once(bouncer, 'exit')
  stop = async () => {
    bouncer.kill('SIGKILL')
    await ended
    rmSync(folder, { recursive: true })
  }
  for (let isUp = false; !isUp; ) {
    const socket = connect(port, '127.0.0.1')
    isUp = await new Promise((done) => socket.once('connect', () => done(true)).once('error', () => done(false)))
    socket.destroy()
  }
  return `postgres://${url.username}@127.0.0.1:${port}${url.pathname}`
}

/** Creates a new database and returns its URL. */
async function newDatabase(): Promise<URL> {
  if (postgres === null) throw new Error('There is no PostgreSQL.')
  return new URL(await createPostgresUrl(postgres))
}

const opened = (databaseUrl: string) =>
  openDatabase({ databaseUrl, databaseConnections: 11, dataDir: '' }, { ms: 5000 })

describe.skipIf(!isOnPostgres || PGBOUNCER === undefined)(
  'the startup error explains why the service cannot use PgBouncer',
  () => {
    const IGNORED = 'options,statement_timeout,lock_timeout,idle_in_transaction_session_timeout'

    test('startup reports PgBouncer with default settings', async () => {
      const url = await throughPgBouncer(await newDatabase(), { pool_mode: 'transaction' })
      await expect(opened(url)).rejects.toThrow(
        /a connection pooler, such as PgBouncer, .* \(unsupported startup parameter: \w+\)/,
      )
    })

    test('startup reports PgBouncer if it drops session settings', async () => {
      const settings = { pool_mode: 'session', ignore_startup_parameters: IGNORED }
      const url = await throughPgBouncer(await newDatabase(), settings)
      await expect(opened(url)).rejects.toThrow('(statement_timeout is 0 instead of 10000)')
    })

    test.for([
      ['transaction', false],
      ['session', true],
    ] as const)(
      'startup reports PgBouncer in the pool mode %s unless the settings that PostgreSQL sets itself work',
      async ([mode, isWell]) => {
        const direct = await newDatabase()
        const database = await opened(direct.href)
        const name = sql.id(direct.pathname.slice(1))
        for (const setting of [
          ...['TimeZone = UTC', 'jit = off', 'statement_timeout = 10000', 'lock_timeout = 5000'],
          'idle_in_transaction_session_timeout = 10000',
        ])
          await sql`alter database ${name} set ${sql.raw(setting)}`.execute(database.statements)
        await database.close()
        const url = await throughPgBouncer(direct, { pool_mode: mode, ignore_startup_parameters: IGNORED })
        if (!isWell) return expect(opened(url)).rejects.toThrow('(it assigns sessions per transaction)')
        const through = await opened(url)
        await through.ping()
        await through.close()
      },
    )
  },
)
