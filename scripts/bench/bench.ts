/**
 * Measures how fast the service is, and whether it stays fast as the contract and the data grow. All services that are
 * compared run at the same time, and each round takes every measurement once. On a shared machine, only the ratios of
 * measurements that follow one another are meaningful. Prints a table and writes dist/bench.json.
 *
 *   npm run bench                               everything, about a quarter of an hour
 *   npm run bench -- webhooks                   only the webhooks, or parts: latency, throughput, isolation, backup
 *   npm run bench -- neighbors                  only how much one builder's flood delays another builder
 *   npm run bench -- heavy                      only the cost of heavy operations, as multiples of a get
 *   npm run bench -- field-day                  only the day of a superintendent with 60 homes and 400 tasks
 *   npm run bench -- idle                       only what a process costs that no one uses, on PostgreSQL and on Citus
 *   npm run bench -- retention                  only how fast old rows are archived and deleted
 *   npm run bench -- lists listTasks            only whether lists stay fast at a million rows, all or some lists
 *   npm run bench -- batches syncVendors        only batches among 10,000 and 200,000 records, all or some batches
 *   npm run bench -- large --rows 50000         only the effects of years of data: on all lists, batches, reading skills,
 *                                               deleting jobs and neighbors; an hour and a half unless --rows is lower
 *   npm run bench -- --rounds 3 --seconds 2 --rows 100000
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import path from 'node:path'
import { Argument, Command } from 'commander'
import pg from 'pg'
import { parseCount } from '../count-option.ts'
import { startPostgres } from '../processes/postgres.ts'
import {
  createBuilder,
  createUnlimitedEnvironment,
  type Environment,
  findFreePort,
  type Service,
  startService,
} from '../processes/service.ts'
import { BATCH_OPERATIONS, measureBatches } from './batches.ts'
import { computeMedian } from './compute-median.ts'
import { measureFieldDay } from './field-day.ts'
import { measureHeavyOperations } from './heavy.ts'
import { measureIdle } from './idle.ts'
import { LISTS, measureLists } from './lists.ts'
import type { Load, LoadResult } from './load.ts'
import { measureNoisyNeighbor } from './noisy-neighbor.ts'
import { readCpuMs } from './processor-time.ts'
import { generateLoadInProcess } from './requests.ts'
import { measureRetention } from './retention.ts'
import { measureSkills, SKILLS } from './skills.ts'
import { measureWebhooks, WEBHOOK_PARTS } from './webhooks.ts'

/** The sections that can be measured separately. */
const SECTIONS: Record<string, (parts: readonly string[]) => Promise<string[]>> = {
  webhooks: measureWebhooks,
  neighbors: measureNoisyNeighbor,
  heavy: measureHeavyOperations,
  lists: (names) => measureLists(names, rows),
  batches: measureBatches,
  skills: measureSkills,
  retention: measureRetention,
  'field-day': measureFieldDay,
  idle: measureIdle,
  large: measureLarge,
}

const program = new Command('bench')
  .description('How fast the service is, and whether that stays so as the contract and the data grow.')
  .addArgument(new Argument('[section]', 'only this one').choices(Object.keys(SECTIONS)))
  .addArgument(
    new Argument('[parts...]', 'only these parts').choices([
      ...WEBHOOK_PARTS,
      ...LISTS,
      ...BATCH_OPERATIONS,
      ...SKILLS,
    ]),
  )
  .option('--rounds <number>', 'how often each measurement is visited', parseCount, 5)
  .option('--seconds <number>', 'how long a visit takes', parseCount, 3)
  .option('--rows <number>', 'how long a long list is', parseCount, 1_000_000)
  .parse()
const { rounds, seconds, rows } = program.opts<{ rounds: number; seconds: number; rows: number }>()
const SMALL_VENDOR_COUNT = 10_000
const CONNECTIONS = 32
const COPIES = 10
const STARTS = 5

/** A measurement: requests of one kind to one service. */
interface Measurement {
  name: string
  service: Service
  requests: string[]
}

interface Window extends LoadResult {
  perSecond: number
  /** The processor time that the service uses for a request, in microseconds. */
  cpuMicros: number
}

const [section, ...parts] = program.args
if (section !== undefined) {
  console.log((await SECTIONS[section]?.(parts))?.join('\n'))
  process.exit(0)
}

const postgres = await startPostgres({ shared_buffers: '512MB', max_wal_size: '4GB', checkpoint_timeout: '30min' })
if (postgres === null) throw new Error('The benchmark needs PostgreSQL.')
const starts = await measureStarts()

const small = createUnlimitedEnvironment({ DATABASE_URL: await postgres.database('few') })
const large = createUnlimitedEnvironment({ DATABASE_URL: await postgres.database('many') })
const [few, many] = [await fillDatabase(small, SMALL_VENDOR_COUNT), await fillDatabase(large, rows)]

const serve = { script: 'scripts/bench/serve.ts' }
const service = await startService(small, serve)
const larger = await startService({ ...small, COPIES: String(COPIES) }, serve)
const loaded = await startService(large, serve)
const services = [service, larger, loaded]
pinProcesses(services)

const thousandth = await findPageCursor(loaded, many.key, 1000)
const measurements: Measurement[] = [
  { name: 'list', service, requests: [getRequest('/api/ext/vendors?limit=20', few.key)] },
  { name: 'list ×10', service: larger, requests: [getRequest('/api/ext/vendors?limit=20', few.key)] },
  { name: 'get', service, requests: few.ids.map((id) => getRequest(`/api/ext/vendors/${id}`, few.key)) },
  { name: 'get ×10', service: larger, requests: few.ids.map((id) => getRequest(`/api/ext/vendors/${id}`, few.key)) },
  { name: 'create', service, requests: createRequests(few.key) },
  { name: 'create ×10', service: larger, requests: createRequests(few.key) },
  { name: 'list of many', service: loaded, requests: [getRequest('/api/ext/vendors?limit=20', many.key)] },
  { name: 'page 1', service: loaded, requests: [getRequest('/api/ext/vendors?limit=50', many.key)] },
  { name: 'page 1,000', service: loaded, requests: [getRequest(thousandth, many.key)] },
]

const windows = new Map<string, Window[]>(measurements.map(({ name }) => [name, []]))
for (const measurement of measurements) await measure(measurement)
for (let round = 0; round < rounds; round++) {
  // Each round starts with a different measurement, so that a measurement does not always follow the same one.
  for (let i = 0; i < measurements.length; i++) {
    const measurement = measurements[(i + round * 4) % measurements.length]
    if (measurement === undefined) continue
    const window = await measure(measurement)
    windows.get(measurement.name)?.push(window)
    process.stderr.write(
      `round ${round + 1} ${measurement.name.padEnd(12)} ${window.perSecond.toFixed(0)}/s ${window.cpuMicros.toFixed(0)} µs${window.refused > 0 ? ` ${window.refused} REFUSED` : ''}\n`,
    )
  }
}
await Promise.all(services.map((each) => each.stop()))
await postgres.stop()
printReport([...(await measureWebhooks([])), '', ...(await measureNoisyNeighbor())])
process.exit(0)

async function measureLarge(): Promise<string[]> {
  const measured = [await measureLists([], rows), await measureBatches([]), await measureSkills([])]
  measured.push(await measureNoisyNeighbor(), await measureRetention())
  return measured.flatMap((lines) => [...lines, ''])
}

async function measure({ service, requests }: Measurement): Promise<Window> {
  const port = Number(new URL(service.url).port)
  await loadService({ port, requests, connections: CONNECTIONS, seconds: 1 })
  const before = readCpuMs(service.pid)
  const seen = await loadService({ port, requests, connections: CONNECTIONS, seconds })
  return {
    ...seen,
    perSecond: seen.answered / seen.seconds,
    cpuMicros: ((readCpuMs(service.pid) - before) * 1000) / seen.answered,
  }
}

function loadService(what: Load): Promise<LoadResult> {
  return generateLoadInProcess(canPin() ? ['taskset', '-c', '1'] : [], what)
}

/**
 * Measures the time from the start of the process to its first response, for the service on an existing database and
 * for the mock.
 */
async function measureStarts(): Promise<{ embedded: number[]; postgresql: number[]; mock: number[] }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-bench-'))
  const embedded = createUnlimitedEnvironment({ DATA_DIR: folder })
  const postgresql = createUnlimitedEnvironment({ DATABASE_URL: (await postgres?.database('start')) ?? '' })
  const measured = { embedded: [] as number[], postgresql: [] as number[], mock: [] as number[] }
  for (const [name, environment] of [
    ['embedded', embedded],
    ['postgresql', postgresql],
  ] as const) {
    const { key } = await createBuilder(environment)
    // The first start is not measured, because it creates the schema.
    for (let i = 0; i <= STARTS; i++) {
      const started = await startService(environment, {
        probe: '/api/ext/vendors',
        headers: { authorization: `Bearer ${key}` },
      })
      if (i > 0) measured[name].push(started.startMs)
      await started.stop()
    }
  }
  rmSync(folder, { recursive: true })
  for (let i = 0; i < STARTS; i++) {
    const port = String(await findFreePort())
    const mock = await startService(
      { PORT: port },
      {
        command: [process.execPath, 'mock/main.ts', '--port', port, '--quiet'],
        probe: '/api/ext/vendors',
        headers: { authorization: 'Bearer plb_mock' },
      },
    )
    measured.mock.push(readCpuMs(mock.pid))
    await mock.stop()
  }
  return measured
}

interface FilledDatabase {
  key: string
  /** The IDs of some vendors, spread evenly over all vendors. */
  ids: string[]
}

/** Inserts a builder with this number of vendors directly into the database. */
async function fillDatabase(environment: Environment, count: number): Promise<FilledDatabase> {
  const { organizationId, key } = await createBuilder(environment)
  const client = new pg.Client(environment.DATABASE_URL)
  await client.connect()
  // The IDs contain past times, so that new vendors sort after them.
  await client.query(
    `insert into "vendors" ("organizationId", "id", "companyName", "email", "phone", "scopes", "contactName", "accountingId", "externalId",
       "status", "portalStatus", "complianceStatus", "communityIds", "contacts", "address", "defaultRetainagePercent", "notificationPreferences",
       "paymentTerms", "lienWaiverRequired", "version", "createdBy", "createdAt", "updatedAt")
     select $1, 'ven_01k0' || lpad(to_hex(n), 22, '0'), 'Vendor ' || n || ' Trading Ltd', 'accounts.' || n || '@vendor.example.com', '+1 512 555 0142',
       array['plumbing', 'heating'], 'Contact ' || n, 'ACC-' || n, 'erp-' || n, 'active', 'invited', 'compliant', '{}', '[]',
       '{"line1":"4410 Burnet Rd","line2":null,"city":"Austin","state":"TX","postalCode":"78756","country":"US"}', 10,
       '{"advanceNoticeDays":7,"reminderDays":2}', '{"netDays":30,"discountPercent":0,"discountDays":0}', false, 1,
       '{"type":"system","id":null}', timestamptz '2026-01-01' + n * interval '1 second', timestamptz '2026-01-01' + n * interval '1 second'
     from generate_series(1, $2::int) as n`,
    [organizationId, count],
  )
  // Empties the queue, so that the service does not index the vendors during the measurement.
  await client.query('truncate "searchQueue"')
  await client.query('vacuum analyze "vendors"')
  const { rows } = await client.query<{ id: string }>(
    `select "id" from "vendors" where "organizationId" = $1 and "id" in (select 'ven_01k0' || lpad(to_hex(n * $2::int / 1000), 22, '0') from generate_series(1, 1000) n)`,
    [organizationId, count],
  )
  await client.end()
  return { key, ids: rows.map(({ id }) => id) }
}

async function findPageCursor(service: Service, key: string, page: number): Promise<string> {
  let target = '/api/ext/vendors?limit=50'
  for (let i = 1; i < page; i++) {
    const response = await fetch(service.url + target, { headers: { authorization: `Bearer ${key}` } })
    const { nextCursor } = (await response.json()) as { nextCursor: string | null }
    if (nextCursor === null) throw new Error(`The list has no page ${page}.`)
    target = `/api/ext/vendors?limit=50&cursor=${nextCursor}`
  }
  return target
}

function getRequest(target: string, key: string): string {
  return `GET ${target} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${key}\r\nAccept: application/json\r\n\r\n`
}

function createRequests(key: string): string[] {
  return Array.from({ length: 100 }, (_, n) => {
    const vendor = {
      companyName: `New ${n} Trading Ltd`,
      email: `new.${n}@vendor.example.com`,
      phone: '+1 512 555 0142',
      scopes: ['plumbing', 'heating'],
      contactName: `Contact ${n}`,
    }
    const body = JSON.stringify(vendor)
    return `POST /api/ext/vendors HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  })
}

/**
 * Assigns the services to one processor core, and the load generator and the database to another, if the machine allows
 * this.
 */
function pinProcesses(all: Service[]): void {
  if (!canPin()) return
  for (const { pid } of all) execFileSync('taskset', ['-apc', '0', String(pid)], { stdio: 'ignore' })
}

function canPin(): boolean {
  if (cpus().length < 2) return false
  try {
    execFileSync('taskset', ['-p', String(process.pid)], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

function printReport(others: string[]): void {
  const lines = [
    `${CONNECTIONS} connections, ${rounds} rounds of ${seconds} s each, medians; ${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`,
    '',
    '| measured | per second | p50 ms | p99 ms | CPU µs | refused |',
    '| --- | ---: | ---: | ---: | ---: | ---: |',
  ]
  for (const [name, all] of windows) {
    const of = (field: keyof Window) => computeMedian(all.map((window) => window[field]))
    lines.push(
      `| ${name} | ${of('perSecond').toFixed(0)} | ${of('p50Ms').toFixed(2)} | ${of('p99Ms').toFixed(2)} | ${of('cpuMicros').toFixed(0)} | ${all.reduce((sum, { refused }) => sum + refused, 0)} |`,
    )
  }
  lines.push('', '| compared | ratio | by CPU | wanted | |', '| --- | ---: | ---: | ---: | --- |')
  const compared = [
    ...['list', 'get', 'create'].map((name) => ({
      what: `${name} with ${COPIES} times the operations, speed`,
      ratio: medianRatio(`${name} ×10`, name, requestsPerSecond),
      cpu: medianRatio(name, `${name} ×10`, cpuPerRequest),
      least: 0.95,
    })),
    {
      what: 'page 1,000 of a list, cost of page 1',
      ratio: medianRatio('page 1', 'page 1,000', requestsPerSecond),
      cpu: medianRatio('page 1,000', 'page 1', cpuPerRequest),
      most: 1.2,
    },
    {
      what: `list over ${rows} vendors, cost over ${SMALL_VENDOR_COUNT}`,
      ratio: medianRatio('list', 'list of many', requestsPerSecond),
      cpu: medianRatio('list of many', 'list', cpuPerRequest),
      most: 1.2,
    },
  ]
  for (const { what, ratio, cpu, ...bar } of compared) {
    const holds = 'least' in bar ? ratio >= (bar.least ?? 0) : ratio < (bar.most ?? 0)
    lines.push(
      `| ${what} | ${ratio.toFixed(3)} | ${cpu.toFixed(3)} | ${'least' in bar ? `≥ ${bar.least}` : `< ${bar.most}`} | ${holds ? 'holds' : 'MISSED'} |`,
    )
  }
  for (const [what, measured, most] of [
    ['start to first answer on PGlite, warm, ms', starts.embedded, 1500],
    ['start to first answer on PostgreSQL, warm, ms', starts.postgresql, 1000],
    ['processor time of the mock to its first answer, ms', starts.mock, 2000],
  ] as const) {
    const ms = computeMedian(measured)
    lines.push(`| ${what} | ${ms.toFixed(0)} | | < ${most} | ${ms < most ? 'holds' : 'MISSED'} |`)
  }
  lines.push('', ...others)
  console.log(lines.join('\n'))
  mkdirSync('dist', { recursive: true })
  writeFileSync(
    'dist/bench.json',
    JSON.stringify(
      {
        at: new Date().toISOString(),
        rounds,
        seconds,
        compared,
        starts,
        others,
        windows: Object.fromEntries(windows),
      },
      null,
      1,
    ),
  )
}

/** Returns the median of the ratios in the rounds. It is more stable than the ratio of the medians. */
function medianRatio(of: string, to: string, measure: (window: Window) => number): number {
  const below = windows.get(to) ?? []
  return computeMedian(
    (windows.get(of) ?? []).flatMap((window, round) => {
      const other = below[round]
      return other === undefined ? [] : [measure(window) / measure(other)]
    }),
  )
}

function requestsPerSecond(window: Window): number {
  return window.perSecond
}

function cpuPerRequest(window: Window): number {
  return window.cpuMicros
}
