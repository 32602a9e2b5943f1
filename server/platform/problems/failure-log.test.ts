import { once } from 'node:events'
import { createServer } from 'node:net'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { expect, inject, onTestFinished, test, vi } from 'vitest'
import { startPostgres } from '../../../scripts/processes/postgres.ts'
import { startReceiver } from '../../../scripts/processes/receiver.ts'
import { createBuilder, createUnlimitedEnvironment, startService } from '../../../scripts/processes/service.ts'
import { FailureLog } from './failure-log.ts'
import { Problem } from './problem.ts'

interface Line {
  level: number
  msg: string
  job?: string
  failures?: number
}

test('a database outage is logged once when it begins and once when it ends', async () => {
  const lines: Line[] = []
  const stream = new Writable({
    write(line, _encoding, done) {
      lines.push(JSON.parse(String(line)))
      done()
    },
  })
  let isAway = true
  const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  const ping = async () => {
    if (isAway) throw away
  }
  const failures = new FailureLog({ ping }, pino({ base: null }, stream))
  for (let i = 0; i < 100; i++) failures.failed(`job ${i}`, away)
  for (let i = 0; i < 3; i++) failures.failed('expireBids', new Error('a bug'))
  isAway = false
  await vi.waitFor(() => expect(lines.at(-1)?.msg).toBe('the database is responding again'), 10_000)
  failures.succeeded('expireBids')
  failures.succeeded('expireBids')
  expect(lines.map(({ msg }) => msg)).toEqual([
    'the database is not responding',
    'a job failed and will be retried',
    'the database is responding again',
    'a job is working again',
  ])
  expect(lines.at(-1)).toMatchObject({ job: 'expireBids', failures: 3 })
})

test('an unavailable S3 bucket is not logged as a database outage', () => {
  const lines: Line[] = []
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const failures = new FailureLog({ ping: async () => {} }, log)
  const problem = new Problem('unavailable', 'The file store is not responding.')
  problem.cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  failures.failed('storeArrivals', problem)
  failures.report(problem, {}, 'unavailable')
  expect(lines.map(({ msg }) => msg)).toEqual(['a job failed and will be retried', 'unavailable'])
})

test.skipIf(inject('postgres') === null)(
  'requests, jobs, and deliveries together log the start of an outage once and its end once',
  async () => {
    const postgres = await startPostgres()
    if (postgres === null) throw new Error('There is no PostgreSQL to test on.')
    onTestFinished(() => postgres.stop())
    const receiver = await startReceiver()
    onTestFinished(() => receiver.close())
    const environment = createUnlimitedEnvironment({
      DATABASE_URL: await postgres.database(),
      METRICS_TOKEN: 'm'.repeat(32),
    })
    const service = await startService({ ...environment, COMPILE_AHEAD: 'false', LOG_LEVEL: 'info' })
    onTestFinished(() => void service.kill())
    const { key } = await createBuilder(environment)
    const send = (path: string, init: RequestInit = {}, token = key) =>
      fetch(service.url + path, {
        ...init,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      })
    const metrics = async () => (await send('/metrics', {}, environment.METRICS_TOKEN)).text()
    const post = (path: string, body: object) => send(path, { method: 'POST', body: JSON.stringify(body) })
    const create = () => post('/api/ext/vendors', { companyName: 'Brazos Framing' })

    // One delivery attempt is in progress when the database stops. Its outcome cannot be recorded until the database is
    // available again.
    let finishAttempt = () => {}
    receiver.answer((_received, response) => {
      finishAttempt = () => response.writeHead(204).end()
    })
    await post('/api/ext/webhooks', { url: receiver.url, eventTypes: ['vendor.created'] })
    expect((await create()).status).toBe(201)
    await receiver.until(1)
    await postgres.kill()
    receiver.answer((_received, response) => response.writeHead(204).end())
    finishAttempt()

    // Counts the attempts of jobs, deliveries, and requests to connect during the outage.
    let attempts = 0
    const inPlace = createServer((socket) => {
      attempts++
      socket.destroy()
    })
    await once(inPlace.listen(postgres.port, '127.0.0.1'), 'listening')
    const pages = [
      '/portal/inv_01m7y975jyfesvq695t8y8ma68.x',
      `/calendars/cal_01m7y975jyfesvq695t8y8ma68.${'x'.repeat(32)}.ics`,
    ]
    await vi.waitFor(
      async () => {
        for (const path of ['/api/ext/me', ...pages]) expect([path, (await send(path)).status]).toEqual([path, 503])
        const reported = await metrics()
        expect(reported).toContain('plumbline_database_up 0\n')
        // Metrics that do not depend on the database are still reported.
        expect(reported).toContain('plumbline_files_up 1\n')
        expect(attempts).toBeGreaterThan(100)
      },
      { timeout: 60_000, interval: 100 },
    )
    inPlace.close()
    await postgres.start()
    await vi.waitFor(() => expect(service.log).toContain('the database is responding again'), {
      timeout: 60_000,
      interval: 50,
    })
    expect((await create()).status).toBe(201)
    const afterwards = await metrics()
    expect(afterwards).toContain('plumbline_database_up 1\n')
    expect(afterwards).toContain('plumbline_errors_total 0\n')
    await receiver.until(2)
    expect(await service.stop()).toBe(0)

    const lines = service.log
      .trim()
      .split('\n')
      .map((line): Line => JSON.parse(line))
    const sinceReady = lines.slice(lines.findIndex(({ msg }) => msg === 'ready'))
    const ofOutage = sinceReady.filter(({ level, msg }) => level > 30 || msg === 'the database is responding again')
    expect(ofOutage.map(({ msg }) => msg)).toEqual([
      'the database is not responding',
      'the database is responding again',
    ])
  },
  150_000,
)
