import { startPostgres } from '../processes/postgres.ts'
import { createBuilder, createUnlimitedEnvironment, type Service, startService } from '../processes/service.ts'
import { computeMedian } from './compute-median.ts'
import { readCpuMs } from './processor-time.ts'
import { createRecord, generateLoad, toRawRequest } from './requests.ts'

/**
 * Measures the processor time of the service's heavy operations as multiples of a GET of one record: `npm run bench --
 * heavy`. Each round requests all operations. An operation is compared with the GET in the same round, because the
 * speed of the machine varies. The median of the rounds is reported.
 */
const ROUNDS = 5
const SECONDS = 3
const CONNECTIONS = 16
const HOMES = 20
const REQUESTS = 40
/** The number of vendors to change. Concurrent changes of the same vendor would wait for each other. */
const CHANGED = 100

interface HeavyOperation {
  name: string
  /** The maximum cost, as a multiple of a GET. */
  most: number
  requests: string[]
}

export async function measureHeavyOperations(): Promise<string[]> {
  const postgres = await startPostgres({ shared_buffers: '512MB', max_wal_size: '4GB' })
  if (postgres === null) throw new Error('The benchmark needs PostgreSQL.')
  const environment = createUnlimitedEnvironment({ DATABASE_URL: await postgres.database('heavy') })
  const { key } = await createBuilder(environment)
  const service = await startService(environment)
  const operations = await listHeavyOperations(service, key)
  const micros = new Map<string, number[]>(operations.map(({ name }) => [name, []]))
  for (let round = -1; round < ROUNDS; round++) {
    for (const { name, requests } of operations) {
      const before = readCpuMs(service.pid)
      const { answered, refused } = await generateLoad(service, { connections: CONNECTIONS, requests }, SECONDS)
      if (refused > 0) throw new Error(`${name}: ${refused} of ${answered} requests were refused.`)
      // The first round is only a warm-up.
      if (round >= 0) micros.get(name)?.push(((readCpuMs(service.pid) - before) * 1000) / answered)
    }
    process.stderr.write(`round ${round + 1} of ${ROUNDS}\n`)
  }
  await service.stop()
  await postgres.stop()
  const of = (name: string) => micros.get(name) ?? []
  return [
    '| operation | µs of processor time | of a get | wanted | |',
    '| --- | ---: | ---: | ---: | --- |',
    ...operations.map(({ name, most }) => {
      const times = computeMedian(of(name).map((each, round) => each / (of('get')[round] ?? Number.NaN)))
      return `| ${name} | ${computeMedian(of(name)).toFixed(0)} | ${times.toFixed(1)} | ≤ ${most} | ${times <= most ? 'holds' : 'MISSED'} |`
    }),
  ]
}

async function listHeavyOperations(service: Service, key: string): Promise<HeavyOperation[]> {
  const make = (target: string, body: object) => createRecord(service, key, target, body)
  const communityId = await make('/api/ext/communities', { name: 'Juniper Ridge', timeZone: 'America/Chicago' })
  const vendorIds: string[] = []
  for (const companyName of ['Lone Star Framing LLC', 'Hill Country Framers', 'Redrock Carpentry'])
    vendorIds.push(await make('/api/ext/vendors', { companyName, email: 'bids@example.com', scopes: ['framing'] }))
  const [vendorId = ''] = vendorIds
  const changedIds: string[] = []
  for (let i = 0; i < CHANGED; i++) changedIds.push(await make('/api/ext/vendors', { companyName: `Vendor ${i}` }))
  const homeIds: string[] = []
  for (let i = 0; i < HOMES; i++) homeIds.push(await make('/api/ext/homes', { name: `Lot ${i}`, communityId }))
  const request = { vendorIds, scope: 'framing', deadline: '2099-01-01', communityId, homeIds: homeIds.slice(0, 1) }
  const bids: string[] = []
  for (let i = 0; i < REQUESTS; i++) {
    const bidRequestId = await make('/api/ext/bids/request', request)
    bids.push(await make('/api/ext/bids', { bidRequestId, vendorId, amount: 18_000 + i }))
  }
  const order = {
    ...{ vendorId, scope: 'framing' },
    lines: [
      { description: 'Framing labor', quantity: 1, unit: 'ls', unitPrice: 18_000 },
      { description: 'Lumber package', quantity: 2100, unit: 'sf', unitPrice: 4.2 },
    ],
  }
  const send = (method: string, target: string, body?: object) => toRawRequest(method, `/api/ext${target}`, key, body)
  return [
    { name: 'get', most: 1, requests: vendorIds.map((id) => send('GET', `/vendors/${id}`)) },
    { name: 'list of 20 bid requests', most: 6, requests: [send('GET', '/bids/requests?limit=20')] },
    { name: 'bid request to three vendors', most: 15, requests: [send('POST', '/bids/request', request)] },
    {
      name: 'award, tried out',
      most: 20,
      requests: bids.map((bidId) => send('POST', '/execute', { skill: 'acceptBid', input: { bidId }, dryRun: true })),
    },
    {
      name: 'purchase order',
      most: 8,
      requests: homeIds.map((homeId) => send('POST', '/purchase-orders', { ...order, homeId })),
    },
    {
      name: 'change of a vendor',
      most: 4.5,
      // Each request must change the vendor, even if the previous request changed the same vendor.
      requests: Array.from({ length: 3 * CHANGED }, (_, i) =>
        send('PATCH', `/vendors/${changedIds[i % CHANGED]}`, { contactName: `Contact ${i}` }),
      ),
    },
  ]
}
