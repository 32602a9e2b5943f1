import { execFile, execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import {
  createUnlimitedEnvironment,
  type Environment,
  findFreePort,
  type Service,
  startService,
} from '../scripts/processes/service.ts'
import { createPostgresUrl } from '../test/support/databases.ts'
import { putMigratedDatabase } from '../test/support/migrated-database.ts'
import { startTestPlumbline } from '../test/support/test-plumbline.ts'
import { openDatabase } from './platform/database/database.ts'

/**
 * Tests how the process starts and ends, as its parent sees it. The parent is a shell, npm, systemd, or a container.
 */
const root = path.resolve(import.meta.dirname, '..')
const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-process-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The ID of a user without privileges, like the user under which the service runs. */
const NOBODY = 65_534

const dataDir = path.join(folder, 'data')
const environment: Environment = {
  ...createUnlimitedEnvironment({ DATA_DIR: dataDir }),
  LOG_LEVEL: 'info',
  COMPILE_AHEAD: 'false',
}

/** Runs a process that is expected to end without a signal. */
function run(
  args: string[],
  env: Environment,
  [program, ...first]: readonly [string, ...string[]] = [process.execPath],
): Promise<{ code: number | string | undefined; stderr: string }> {
  return new Promise((done) => {
    execFile(
      program,
      [...first, ...args],
      { cwd: root, env: { PATH: process.env.PATH, ...env }, timeout: 20_000, killSignal: 'SIGKILL' },
      (error, _stdout, stderr) => done({ code: error?.code ?? error?.signal ?? 0, stderr }),
    )
  })
}

describe.skipIf(inject('pgliteTemplate') === null)('on the embedded database', () => {
  // Migrations take most of the time of the first start, so the test starts with a migrated database.
  beforeAll(() => putMigratedDatabase(dataDir))

  // The server keeps its data folder locked until it has sent its last response and closed its database.
  const isHeld = () => existsSync(path.join(dataDir, 'owner.pid'))

  test.for(['SIGTERM', 'SIGKILL'] as const)(
    'if npm start is ended by %s, no server process remains',
    async (signal) => {
      const npm = await startService(
        { ...environment, npm_config_update_notifier: 'false' },
        { command: ['npm', 'start'] },
      )
      expect(isHeld()).toBe(true)
      npm.signal(signal)
      await npm.ended
      // A supervisor may restart npm immediately, so the port must already be free.
      if (signal === 'SIGTERM') expect(isHeld()).toBe(false)
      await npm.closed
      expect(npm.log).toContain('"stopping"')
      expect(npm.log.trimEnd()).toMatch(/"msg":"stopped"\}$/)
      expect(npm.log).toMatch(/"version":"[\d.]+","msg":"starting/)
      expect(npm.log).toMatch(/"version":"[\d.]+",.*"msg":"ready"/)
      expect(isHeld()).toBe(false)
    },
  )

  test('the startup error for an unusable data folder names the folder and the remedy', async () => {
    const file = path.join(folder, 'file')
    writeFileSync(file, '')
    // Node's recursive mkdir never returns for a folder in /proc.
    const places = [path.join(file, 'data'), ...(existsSync('/proc/self') ? ['/proc/plumbline'] : [])]
    for (const place of places) {
      const { code, stderr } = await run(['server/main.js'], { DATA_DIR: place })
      expect([place, code]).toEqual([place, 1])
      expect(stderr).toMatch(/^Plumbline did not start: Cannot use the data folder: .* Set DATA_DIR to .*\.\n$/)
    }
  })

  test('compiled modules are cached only in a folder in which no other user of the machine can write', async () => {
    const [home, temporary, open] = ['home', 'temporary', 'open'].map((name) => path.join(folder, name)) as [
      string,
      string,
      string,
    ]
    for (const created of [home, temporary, path.join(open, 'plumbline')]) mkdirSync(created, { recursive: true })
    chmodSync(path.join(open, 'plumbline'), 0o777)
    // The start fails after the modules have been loaded.
    const start = (env: Environment) =>
      run(['server/main.js'], { TMPDIR: temporary, DATA_DIR: path.join(home, 'file/data'), ...env })
    writeFileSync(path.join(home, 'file'), '')
    await start({ HOME: home })
    const cache = path.join(home, '.cache/plumbline')
    expect(readdirSync(cache)).not.toEqual([])
    expect(statSync(cache).mode & 0o777).toBe(0o700)
    await start({ HOME: home, XDG_CACHE_HOME: open })
    expect(readdirSync(path.join(open, 'plumbline'))).toEqual([])
    const { stderr } = await start({ HOME: path.join(home, 'file') })
    expect(stderr).toContain('did not start: Cannot use the data folder')
    expect(readdirSync(temporary)).toEqual([])
  })

  test('npm prints no warning with the oldest Node version that can run it', () => {
    const lock = readFileSync(path.join(root, 'package-lock.json'), 'utf8')
    expect(lock, 'npm run complete-lock removes them').not.toContain('"engines"')
  })

  test('a service on a random port returns links with that port', async () => {
    const plumbline = await startTestPlumbline()
    const { port } = new URL(plumbline.url)
    const { body } = await plumbline.get('/api/ext/nothing')
    expect(body.type).toBe(`http://localhost:${port}/docs/problems/unknown_path`)
    for (const accept of ['text/html', '*/*']) {
      const answer = await fetch(plumbline.url, { headers: { accept }, redirect: 'manual' })
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    }
    await plumbline.stop()
  })

  test('if PostgreSQL does not respond, the error of the service does not contain the password', async () => {
    const port = await findFreePort()
    const databaseUrl = `postgres://plumbline:s3cret@127.0.0.1:${port}/builders`
    const reports: string[] = []
    const opening = openDatabase(
      { databaseUrl, databaseConnections: 11, dataDir: '' },
      { ms: 600, report: (sentence) => reports.push(sentence) },
    )
    await expect(opening).rejects.toThrow(/^PostgreSQL at 127.0.0.1:\d+\/builders did not respond within 1 s: .*\.$/)
    // The connection is tried several times, but the error is reported only once.
    expect(reports).toEqual([expect.stringContaining('is not responding')])
    expect(reports.join()).not.toContain('s3cret')
    const { code, stderr } = await run(['server/operators/cli/main.js', 'organizations', 'list'], {
      DATABASE_URL: 'postgres://plumbline:s3#cret@127.0.0.1/builders',
    })
    expect(code).toBe(1)
    expect(JSON.parse(stderr).error.code).toBe('database_unavailable')
    expect(stderr).not.toContain('cret')
  })

  describe('in production', () => {
    const place = path.join(folder, 'production')
    const dockerfile = instructions(readFileSync(path.join(root, 'Dockerfile'), 'utf8'))
    const unit = readFileSync(path.join(root, 'deploy/plumbline.service'), 'utf8')
    const ignored = readFileSync(path.join(root, '.dockerignore'), 'utf8').split('\n')

    /**
     * Creates the contents of the container image: the files that the Dockerfile copies, and the production packages.
     */
    function assemble(): void {
      const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'))
      for (const [name, { dev = false, link = false }] of Object.entries<{ dev?: boolean; link?: boolean }>(
        lock.packages,
      )) {
        if (!/^node_modules\/(@[^/]+\/)?[^/]+$/.test(name) || dev || link || !existsSync(path.join(root, name)))
          continue
        mkdirSync(path.join(place, path.dirname(name)), { recursive: true })
        symlinkSync(path.join(root, name), path.join(place, name))
      }
      mkdirSync(path.join(place, 'node_modules/.bin'), { recursive: true })
      symlinkSync('../node/bin/node', path.join(place, 'node_modules/.bin/node'))
      for (const [name, rest] of dockerfile.filter(([name, rest]) => name === 'COPY' && !rest.startsWith('--from'))) {
        const [target = '', ...sources] = rest.split(' ').reverse()
        for (const source of sources) {
          expect(
            ignored.some((line) => `!${source}/`.startsWith(`${line}/`)),
            `${name} ${source}`,
          ).toBe(true)
          cpSync(path.join(root, source), path.join(place, target === './' ? source : target), {
            recursive: true,
            filter: (file) => !file.endsWith('.test.ts'),
          })
        }
      }
    }

    const commandOf = (name: string) => JSON.parse(dockerfile.findLast(([found]) => found === name)?.[1] ?? '[]')
    const container = commandOf('CMD') as string[]
    const npmStart = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')).scripts.start as string
    const systemd = (/^ExecStart=(.*)$/m.exec(unit)?.[1] ?? '').replace('/opt/plumbline/', '').split(' ')
    const settings = (text: string) =>
      Object.fromEntries([...text.matchAll(/([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [name, value]))

    test('in production, the service starts with the pinned version of Node and shuts down cleanly', async () => {
      assemble()
      // The container and `npm start` run the same command, so starting one of them tests both commands.
      expect(container).toEqual(npmStart.replace('exec node', 'node_modules/.bin/node').split(' '))
      expect(systemd).toEqual(container)
      const inImage = settings(dockerfile.find(([name]) => name === 'ENV')?.[1] ?? '')
      const inUnit = settings([...unit.matchAll(/^Environment=(.*)$/gm)].map(([, value]) => value).join(' '))
      expect(inImage).toMatchObject({ NODE_ENV: 'production', HOST: '0.0.0.0', DEMO: 'false' })
      expect(inUnit).toMatchObject({ NODE_ENV: 'production', DEMO: 'false' })

      const port = String(await findFreePort())
      const service: Service = await startService(
        { ...inUnit, ...inImage, ...environment, EMBEDDED: 'true', PORT: port, HOST: '0.0.0.0', COMPILE_AHEAD: 'true' },
        { command: container.map((part, i) => (i === 0 ? path.join(place, part) : part)), folder: place },
      )
      // The files for these pages are read only at the first request, so a missing file would go unnoticed until then.
      for (const page of ['/docs', '/docs/guides', '/docs/changelog', '/docs/samples.json', '/docs/openapi.json']) {
        expect([page, (await fetch(service.url + page)).status]).toEqual([page, 200])
      }
      const [, shell, ...check] = healthCheck()
      expect(shell).toBe('node_modules/.bin/node')
      expect(await run(check, { PORT: port })).toMatchObject({ code: 0 })
      expect(await service.stop()).toBe(0)
      expect(service.log).toContain(`"url":"http://localhost:${port}"`)
      expect(service.log).toContain(`PUBLIC_URL is http://localhost:${port}: links in emails`)
      expect(await run(check, { PORT: port })).toMatchObject({ code: 1 })
    })

    test('the container image runs as an unprivileged user', () => {
      const last = dockerfile.slice(dockerfile.findLastIndex(([name]) => name === 'FROM'))
      const one = (name: string) => last.filter(([found]) => found === name).map(([, rest]) => rest)
      expect(one('USER')).toEqual(['node'])
      expect(one('STOPSIGNAL')).toEqual(['SIGTERM'])
      expect(one('EXPOSE')).toEqual(['3000'])
      expect(one('VOLUME')).toEqual([settings(one('ENV').join(' ')).DATA_DIR])
      expect(dockerfile.filter(([name]) => name === 'RUN')[0]?.[1]).toContain('npm ci --omit=dev')
    })

    function healthCheck(): string[] {
      const rest = dockerfile.find(([name]) => name === 'HEALTHCHECK')?.[1] ?? ''
      const [options = '', command = '[]'] = rest.split('CMD ')
      return [options, ...(JSON.parse(command) as string[])]
    }

    test('the command-line wrapper has the same settings as the systemd unit', () => {
      const wrapper = settings(readFileSync(path.join(root, 'deploy/plumbline'), 'utf8'))
      const places = { DATA_DIR: '/var/lib/plumbline', XDG_CACHE_HOME: '/var/cache' }
      expect(wrapper).toEqual({
        ...settings([...unit.matchAll(/^Environment=(.*)$/gm)].map(([, value]) => value).join(' ')),
        ...places,
      })
      expect(unit).toContain('User=plumbline\nGroup=plumbline\n')
      expect(unit).toContain('DATA_DIR=%S/plumbline XDG_CACHE_HOME=%C')
    })

    test.skipIf(process.getuid?.() !== 0)(
      'the command-line wrapper runs a command with the user and the settings of the service',
      async () => {
        const [home, file, wrapper] = ['installed', 'plumbline.env', 'plumbline'].map((name) =>
          path.join(folder, name),
        ) as [string, string, string]
        putMigratedDatabase(home)
        chmodSync(folder, 0o755)
        for (const place of [home, ...readdirSync(home, { recursive: true, encoding: 'utf8' })])
          chownSync(path.resolve(home, place), NOBODY, NOBODY)
        writeFileSync(file, `DATA_DIR="${home}"\nEMBEDDED=true\n`, { mode: 0o600 })
        const text = readFileSync(path.join(root, 'deploy/plumbline'), 'utf8')
          .replaceAll('/opt/plumbline', root)
          .replace('/etc/plumbline.env', file)
          .replace('plumbline:plumbline', `${NOBODY}:${NOBODY}`)
        writeFileSync(wrapper, text, { mode: 0o755 })
        const created = await run([], { DATABASE_URL: 'postgres://elsewhere' }, [
          wrapper,
          ...['organizations', 'create', '--name', 'Harrow & Finch Homes'],
          ...['--owner-email', 'priya@example.com'],
        ])
        expect(created).toMatchObject({ code: 0, stderr: '' })
        for (const place of readdirSync(home, { recursive: true, encoding: 'utf8' }))
          expect([place, statSync(path.join(home, place)).uid]).toEqual([place, NOBODY])
        // As root, the command would create files that the service cannot read.
        const refused = await run(['server/operators/cli/main.js', 'organizations', 'list'], { DATA_DIR: home })
        expect([refused.code, JSON.parse(refused.stderr).error.code]).toEqual([1, 'configuration'])
        expect(refused.stderr).toContain(`${home} belongs to the user with ID ${NOBODY}`)
      },
    )

    test.skipIf(!hasSystemd())('systemd accepts the unit file without warnings', () => {
      const file = path.join(folder, 'plumbline.service')
      writeFileSync(file, unit.replaceAll('/opt/plumbline', root))
      const said = execFileSync('systemd-analyze', ['verify', file], { encoding: 'utf8', stdio: 'pipe' })
      expect(said).toBe('')
    })
  })
})

describe.skipIf(inject('postgres') === null)('on PostgreSQL', () => {
  async function databaseUrl(): Promise<string> {
    const postgres = inject('postgres')
    if (postgres === null) throw new Error('There is no PostgreSQL to test on.')
    return createPostgresUrl(postgres)
  }

  test('the service waits for a database that starts later', async () => {
    const url = new URL(await databaseUrl())
    const realPort = Number(url.port)
    // A fake database server that accepts only its third connection.
    const sockets = new Set<Socket>()
    let connections = 0
    const late = createServer((client) => {
      if (++connections < 3) {
        client.destroy()
        return
      }
      const database = connect(realPort, url.hostname)
      for (const socket of [client, database]) {
        sockets.add(socket)
        socket.on('error', () => socket.destroy())
      }
      client.pipe(database).pipe(client)
    })
    const port = await findFreePort()
    await new Promise<void>((done) => late.listen(port, '127.0.0.1', done))
    url.port = String(port)
    const service = await startService({ ...environment, DATABASE_URL: url.href })
    expect(service.log.match(/is not responding .*Waiting up to \d+ more seconds?/g)).toHaveLength(1)
    expect(await service.stop()).toBe(0)
    for (const socket of sockets) socket.destroy()
    late.close()
  })

  test('the service does not wait if its database or database user does not exist', async () => {
    const unknown = new URL(await databaseUrl())
    unknown.pathname = '/nowhere'
    const nobody = new URL(await databaseUrl())
    nobody.username = 'nobody'
    nobody.password = 's3cret'
    for (const [url, reason] of [
      [unknown, 'database "nowhere" does not exist'],
      [nobody, 'role "nobody" does not exist'],
    ] as const) {
      const waits: string[] = []
      const opening = openDatabase(
        { databaseUrl: url.href, databaseConnections: 11, dataDir: '' },
        { report: (sentence) => waits.push(sentence) },
      )
      await expect(opening).rejects.toThrow(
        `PostgreSQL at ${url.host}${url.pathname} refused the connection: ${reason}. Check DATABASE_URL`,
      )
      expect(waits).toEqual([])
    }
  })
})

/** Returns the instructions of a Dockerfile, each with the rest of its line. */
function instructions(text: string): [name: string, rest: string][] {
  return text
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1).replace(/\s+/g, ' ')])
}

function hasSystemd(): boolean {
  try {
    execFileSync('systemd-analyze', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
