import { startPostgres } from '../processes/postgres.ts'
import { createBuilder, createUnlimitedEnvironment, type Service, startService } from '../processes/service.ts'
import { computeMedian } from './compute-median.ts'
import type { LoadResult } from './load.ts'
import { createRecord, generateLoad, toRawRequest } from './requests.ts'

/**
 * Measures how much one builder's flood of requests delays another builder's requests: `npm run bench -- neighbors`.
 * The other builder sends requests on eight connections. Rounds in which the first builder does the same alternate with
 * rounds in which it floods the service.
 */
const ROUNDS = 5
const SECONDS = 4
const VENDORS = 2000
const DRAFTS = 200
/** The maximum factor by which the other builder's 99th percentile may increase during a flood. */
const MOST = 2

interface Flood {
  name: string
  connections: number
  requests: string[]
}

export async function measureNoisyNeighbor(): Promise<string[]> {
  const postgres = await startPostgres({ shared_buffers: '256MB' })
  if (postgres === null) throw new Error('The benchmark needs PostgreSQL.')
  const environment = {
    ...createUnlimitedEnvironment({ DATABASE_URL: await postgres.database('neighbors') }),
    BETA_MAX_ORGANIZATIONS: '10',
  }
  const [flooding, neighbor, usual] = [
    await createBuilder(environment, 'Flooding'),
    await createBuilder(environment, 'Neighbor'),
    await createBuilder(environment, 'Usual'),
  ]
  const service = await startService(environment)
  const floods = [
    await createSkillFlood(service, flooding.key),
    await createPageFlood(service, flooding.key),
    await createBidRequestFlood(service, flooding.key),
    createSearchFlood(flooding.key),
  ]
  const changes = await measureChanges(service, neighbor.key)
  const quiet = { name: 'usual', connections: 8, requests: await measureChanges(service, usual.key) }
  const lines = [
    '| beside | p50 ms | p99 ms | of the usual p99 | wanted | |',
    '| --- | ---: | ---: | ---: | ---: | --- |',
  ]
  const seen = new Map<string, LoadResult[]>([quiet, ...floods].map(({ name }) => [name, []]))
  for (let round = 0; round < ROUNDS; round++) {
    for (const flood of [quiet, ...floods]) {
      const beside = generateLoad(service, flood, SECONDS + 1)
      const { answered, ...measured } = await generateLoad(service, { connections: 8, requests: changes }, SECONDS)
      await beside
      seen.get(flood.name)?.push({ answered, ...measured })
      process.stderr.write(`round ${round + 1} beside ${flood.name}: p99 ${measured.p99Ms.toFixed(1)} ms\n`)
    }
  }
  const p99 = (name: string) => computeMedian((seen.get(name) ?? []).map(({ p99Ms }) => p99Ms))
  for (const [name, all] of seen) {
    const times = p99(name) / p99('usual')
    lines.push(
      `| ${name} | ${computeMedian(all.map(({ p50Ms }) => p50Ms)).toFixed(1)} | ${p99(name).toFixed(1)} | ${times.toFixed(2)} | < ${MOST} | ${times < MOST ? 'holds' : 'MISSED'} |`,
    )
  }
  await service.stop()
  await postgres.stop()
  return lines
}

/**
 * Twelve clients that run a composite skill again and again, with a new Idempotency-Key each time. All vendors qualify
 * for the skill's suggestion, because vendors that it excludes cost little time.
 */
async function createSkillFlood(service: Service, key: string): Promise<Flood> {
  const insured = {
    type: 'general_liability',
    effectiveDate: '2020-01-01',
    expirationDate: '2099-01-01',
    status: 'valid',
  }
  for (let from = 0; from < VENDORS; from += 50) {
    const some = Array.from({ length: 50 }, (_, i) => ({ companyName: `Vendor ${from + i}`, scopes: ['framing'] }))
    const ids = await Promise.all(some.map((vendor) => createRecord(service, key, '/api/ext/vendors', vendor)))
    await Promise.all(
      ids.map((id) => createRecord(service, key, `/api/ext/vendors/${id}/compliance-documents`, insured)),
    )
  }
  const body = { skill: 'suggestVendorsForScope', input: { scope: 'framing' } }
  const requests = Array.from({ length: 5000 }, (_, i) =>
    toRawRequest('POST', '/api/ext/execute', key, body, `Idempotency-Key: ${Date.now()}-${i}\r\n`),
  )
  return { name: '12 skills at once', connections: 12, requests }
}

/** Twenty clients that request pages of the maximum size. */
async function createPageFlood(service: Service, key: string): Promise<Flood> {
  const community = await createRecord(service, key, '/api/ext/communities', { name: 'Large' })
  const lines = Array.from({ length: 200 }, (_, i) => ({ description: `${i} ${'x'.repeat(450)}` }))
  const draft = {
    vendorIds: [],
    scope: 'framing',
    deadline: '2099-01-01',
    communityId: community,
    sendNow: false,
    lines,
  }
  for (let i = 0; i < DRAFTS; i++) await createRecord(service, key, '/api/ext/bids/request', draft)
  return {
    name: '20 large pages at once',
    connections: 20,
    requests: [toRawRequest('GET', '/api/ext/bids/requests?limit=200', key)],
  }
}

/**
 * Twenty clients that each invite three vendors again and again. They compete for locks on numbers, vendors, and
 * notices.
 */
async function createBidRequestFlood(service: Service, key: string): Promise<Flood> {
  const vendor = { scopes: ['roofing'], email: 'bids@example.com', status: 'active' }
  const vendorIds: string[] = []
  for (const companyName of ['Lone Star Roofing', 'Hill Country Roofers', 'Redrock Roofing'])
    vendorIds.push(await createRecord(service, key, '/api/ext/vendors', { ...vendor, companyName }))
  const communityId = await createRecord(service, key, '/api/ext/communities', { name: 'Inviting' })
  const request = { vendorIds, scope: 'roofing', deadline: '2099-01-01', communityId }
  const requests = [toRawRequest('POST', '/api/ext/bids/request', key, request)]
  return { name: '20 bid requests at once', connections: 20, requests }
}

/** Twelve clients that search lists for letters that no record contains. */
function createSearchFlood(key: string): Flood {
  const lists = ['vendors', 'bids/requests', 'purchase-orders', 'homes']
  const requests = lists.map((list) => toRawRequest('GET', `/api/ext/${list}?q=vqx`, key))
  return { name: '12 searches at once', connections: 12, requests }
}

async function measureChanges(service: Service, key: string): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < 64; i++)
    ids.push(await createRecord(service, key, '/api/ext/vendors', { companyName: `Vendor ${i}` }))
  return ids.map((id, i) => toRawRequest('PATCH', `/api/ext/vendors/${id}`, key, { contactName: `Contact ${i}` }))
}
