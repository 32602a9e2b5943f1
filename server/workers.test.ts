import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest'
import {
  createBuilder,
  createUnlimitedEnvironment,
  findFreePort,
  type Service,
  startService,
} from '../scripts/processes/service.ts'
import { createPostgresUrl } from '../test/support/databases.ts'
import { ConfigError, readConfig } from './platform/config/config.ts'

const WORKERS = 2
const LIMIT = 40

test('several workers require PostgreSQL and, for metrics, a separate port', () => {
  const DATABASE_URL = 'postgres://localhost/plumbline'
  expect(() => readConfig({ WORKERS: '2' })).toThrow(ConfigError)
  expect(() => readConfig({ WORKERS: '2', DATABASE_URL, METRICS_TOKEN: 'x'.repeat(32) })).toThrow('METRICS_PORT')
  expect(readConfig({ WORKERS: '2', DATABASE_URL }).workers).toBe(2)
})

const postgres = inject('postgres')

describe.skipIf(postgres === null)('several workers', () => {
  let service: Service
  let key: string
  let metricsPort: number

  beforeAll(async () => {
    if (postgres === null) return
    const environment = createUnlimitedEnvironment({
      DATABASE_URL: await createPostgresUrl(postgres),
      COMPILE_AHEAD: 'false',
    })
    metricsPort = await findFreePort()
    service = await startService({
      ...environment,
      ...{ WORKERS: String(WORKERS), METRICS_PORT: String(metricsPort), LOG_LEVEL: 'info' },
      RATE_LIMIT_PER_MINUTE: String(LIMIT),
    })
    ;({ key } = await createBuilder(environment))
  }, 60_000)

  afterAll(() => service?.kill())

  /** Returns the process IDs of the running workers, as reported by the operating system. */
  function workers(): string[] {
    return readFileSync(`/proc/${service.pid}/task/${service.pid}/children`, 'utf8').split(' ').filter(Boolean)
  }

  async function allAreUp(): Promise<void> {
    await vi.waitFor(() => expect(service.log.split('"ready"').length - 1).toBeGreaterThanOrEqual(WORKERS), 50_000)
  }

  test('all workers share one rate limit', async () => {
    await allAreUp()
    const answers = await Promise.all(
      Array.from({ length: LIMIT * 2 }, () =>
        fetch(`${service.url}/api/ext/vendors`, {
          // Each request opens its own connection, because the operating system distributes connections among the
          // workers, not requests.
          headers: { authorization: `Bearer ${key}`, connection: 'close' },
        }),
      ),
    )
    const count = (status: number) => answers.filter((answer) => answer.status === status).length
    expect([count(200), count(429)]).toEqual([LIMIT, LIMIT])
    for (let place = 0; place < WORKERS; place++) {
      const text = await (await fetch(`http://127.0.0.1:${metricsPort + place}/metrics`)).text()
      expect(text).toMatch(/operation="listVendors"/)
    }
  })

  test("each log line of a worker contains the worker's name", async () => {
    await allAreUp()
    await fetch(`${service.url}/portal/inv_01m7y975jyfesvq695t8y8ma68.AbC-dEf_1234567890`)
    const isLogged = () => linesOf('request').some(({ path }) => path === '/portal/inv_01m7y975jyfesvq695t8y8ma68.…')
    await vi.waitFor(() => expect(isLogged()).toBe(true), 10_000)
    expect(new Set(linesOf('ready').map(({ worker }) => worker))).toEqual(new Set([1, 2]))
    for (const line of linesOf('request'))
      expect(line).toMatchObject({ path: expect.any(String), worker: expect.any(Number) })
    expect(service.log).not.toContain('AbC-dEf_1234567890')
  })

  function linesOf(msg: string): { path?: string; worker?: number }[] {
    const lines = service.log.split('\n').filter((line) => line.endsWith(`"msg":"${msg}"}`) && line.startsWith('{'))
    return lines.map((line) => JSON.parse(line))
  }

  test('a worker process that ends is replaced while the other workers continue', async () => {
    await allAreUp()
    const before = workers()
    process.kill(Number(before[0]), 'SIGKILL')
    // A request fails if it reaches a worker that is ending, but no request waits forever.
    const ask = () =>
      fetch(`${service.url}/readyz`, { headers: { connection: 'close' }, signal: AbortSignal.timeout(10_000) }).then(
        ({ status }) => status,
        (error: Error) => (error.cause as { code?: string } | undefined)?.code ?? error.name,
      )
    const answers = await Promise.all(Array.from({ length: 20 }, ask))
    expect(new Set([...answers, 200, 'ECONNRESET'])).toEqual(new Set([200, 'ECONNRESET']))
    expect(answers).toContain(200)
    await vi.waitFor(() => {
      expect(service.log).toContain('a worker ended and will be replaced')
      expect(workers().length).toBe(WORKERS)
    }, 20_000)
    expect(workers()).not.toEqual(before)
    expect(await service.stop()).toBe(0)
    await service.closed
  })

  test('if workers cannot start, the reason is reported once', async () => {
    if (postgres === null) return
    const taken = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
    await new Promise((done) => taken.once('listening', done))
    const address = taken.address()
    const PORT = typeof address === 'object' ? String(address?.port) : ''
    const environment = createUnlimitedEnvironment({
      DATABASE_URL: await createPostgresUrl(postgres),
      WORKERS: '2',
      PORT,
    })
    const outcome = await startService(environment).catch((error: Error) => error.message)
    taken.close()
    expect(outcome).toContain(`port ${PORT} is in use`)
    expect(String(outcome).split('is in use').length).toBe(2)
  })
})
