import pg from 'pg'
import type { OperationId } from '../../server/platform/calls/contract.ts'
import { type Service as Asked, sendRequest } from '../conformance/service.ts'
import { contract } from '../conformance/walked-contract.ts'
import { World } from '../conformance/world.ts'
import { startPostgres } from '../processes/postgres.ts'
import { createBuilder, createUnlimitedEnvironment, startService } from '../processes/service.ts'
import { addCopies, type Sql } from './long-lists.ts'

/**
 * Measures how long a batch of 500 rows takes, once with only new rows and once with rows that change existing records.
 * Compares a table of 10,000 records with one of 200,000 records: `npm run bench -- batches`, optionally with the IDs
 * of some operations.
 */
const SIZES = [10_000, 200_000]
const ROWS = 500
/** The number of batches of each kind. The slowest one is reported. */
const BATCHES = 3
const MAX_SECONDS = 2

interface Kind {
  target: string
  /** The table that contains the records. `list` is the operation that returns a record to copy. */
  table: string
  list: OperationId
  /** A column of the table that refers to another record in each copy, and the table of these other records. */
  another?: { column: string; table: string }
  row(n: number, ids: RecordIds): object
  change(n: number): object
}

/** The IDs of the records to which rows refer. */
interface RecordIds {
  community: string
  home: string
  vendor: string
  part: string
}

const KINDS: Record<string, Kind> = {
  syncVendors: {
    ...{ target: '/api/ext/vendors/batch', table: 'vendors', list: 'listVendors' },
    // All vendors have the same phone number, as the branches of a supplier might.
    row: (n) => ({
      ...{ externalId: `V-${n}`, companyName: `Batch Vendor ${n}`, email: `office${n}@example.com` },
      ...{ phone: '+1 512 555 0100', scopes: ['framing'] },
    }),
    change: (n) => ({ companyName: `Renamed Vendor ${n}` }),
  },
  syncCommunities: {
    ...{ target: '/api/ext/communities/batch', table: 'communities', list: 'listCommunities' },
    row: (n) => ({ externalId: `C-${n}`, name: `Batch Community ${n}` }),
    change: (n) => ({ name: `Renamed Community ${n}` }),
  },
  syncHomes: {
    ...{ target: '/api/ext/homes/batch', table: 'homes', list: 'listHomes' },
    row: (n, { community }) => ({ externalId: `H-${n}`, name: `Batch Lot ${n}`, communityId: community }),
    change: (n) => ({ name: `Renamed Lot ${n}` }),
  },
  syncCostCodes: {
    ...{ target: '/api/ext/cost-codes/batch', table: 'costCodes', list: 'listCostCodes' },
    row: (n) => ({ externalId: `CC-${n}`, code: `B-${n}`, name: `Batch code ${n}`, category: 'material' }),
    change: (n) => ({ name: `Renamed code ${n}` }),
  },
  syncParts: {
    ...{ target: '/api/ext/parts/batch', table: 'parts', list: 'listParts' },
    row: (n) => ({ externalId: `P-${n}`, sku: `B-${n}`, name: `Batch part ${n}`, unit: 'EA' }),
    change: (n) => ({ name: `Renamed part ${n}` }),
  },
  syncPrices: {
    ...{ target: '/api/ext/prices/batch', table: 'prices', list: 'listPrices' },
    another: { column: 'partId', table: 'parts' },
    row: (n, { part, vendor }) => ({
      ...{ externalId: `PR-${n}`, partId: copyId(part, n), vendorId: vendor, unitPrice: 1 + (n % 100) },
      effectiveDate: '2040-01-01',
    }),
    change: (n) => ({ unitPrice: 200 + (n % 100) }),
  },
  syncBudgetLines: {
    ...{ target: '/api/ext/budget-lines/batch', table: 'budgetLines', list: 'listBudgetLines' },
    another: { column: 'homeId', table: 'homes' },
    row: (n, { home }) => ({
      ...{ externalId: `BL-${n}`, homeId: copyId(home, n), scope: 'framing', amount: 1000 + n },
    }),
    change: (n) => ({ amount: 2000 + n }),
  },
}

export const BATCH_OPERATIONS = Object.keys(KINDS)

export async function measureBatches(names: readonly string[]): Promise<string[]> {
  const postgres = await startPostgres({ shared_buffers: '512MB', max_wal_size: '4GB', checkpoint_timeout: '30min' })
  if (postgres === null) throw new Error('The benchmark needs PostgreSQL.')
  const url = await postgres.database()
  const environment = createUnlimitedEnvironment({ DATABASE_URL: url })
  const { organizationId, key } = await createBuilder(environment)
  const service = await startService(environment)
  const client = new pg.Client(url)
  await client.connect()
  const sql: Sql = async (text, values) => (await client.query(text, values === undefined ? [] : [...values])).rows
  const lines = [
    `| operation | records | ${ROWS} created, s | ${ROWS} changed, s | |`,
    '| --- | ---: | ---: | ---: | --- |',
  ]
  try {
    const to: Asked = {
      request: (method, target, body, options) => sendRequest(service.url, method, target, body, { key, ...options }),
    }
    const world = await new World(to, key, 'https://example.com/hooks').populate()
    const first = async (operationId: OperationId): Promise<string> => {
      const operation = contract.operations.get(operationId)
      if (operation === undefined) throw new Error(`There is no operation ${operationId}.`)
      const { body } = await sendRequest(service.url, 'GET', world.addressFor(operation), undefined, { key })
      return String(body.data[0].id)
    }
    // The records to which other tables refer. These first records are copied.
    const ids: RecordIds = {
      ...{ community: await first('listCommunities'), home: await first('listHomes') },
      ...{ vendor: await first('listVendors'), part: await first('listParts') },
    }
    const firsts = new Map<string, string>()
    for (const [id, { list }] of Object.entries(KINDS)) firsts.set(id, await first(list))
    let filled = 0
    for (const size of SIZES) {
      for (const [id, kind] of Object.entries(KINDS)) {
        // Always fills all tables, because other kinds of records refer to vendors, homes, and parts.
        const { table, another } = kind
        const copied = { table, another, organizationId, id: firsts.get(id) ?? '' }
        await addCopies(sql, { ...copied, from: filled + 1, to: size })
        if (names.length > 0 && !names.includes(id)) continue
        process.stderr.write(`${id} ${size}\n`)
        const numbers = Array.from({ length: BATCHES * ROWS }, (_, i) => filled + i + 1)
        const row = (n: number) => kind.row(n, ids)
        const created = await measureSlowest(service.url, key, kind.target, numbers.map(row))
        const changed = await measureSlowest(
          ...([service.url, key, kind.target] as const),
          numbers.map((n) => ({ ...row(n), ...kind.change(n) })),
        )
        const holds = Math.max(created, changed) < MAX_SECONDS ? 'holds' : 'MISSED'
        lines.push(`| ${id} | ${size} | ${created.toFixed(2)} | ${changed.toFixed(2)} | ${holds} |`)
      }
      filled = size
    }
    lines.push('', ...(names.length > 0 ? [] : await measureImport(service.url, key)))
  } finally {
    await client.end()
    await service.stop()
    await postgres.stop()
  }
  return lines
}

/** Returns the duration of the slowest batch in seconds. */
async function measureSlowest(url: string, key: string, target: string, rows: readonly object[]): Promise<number> {
  let seconds = 0
  for (let i = 0; i < rows.length; i += ROWS) {
    const started = performance.now()
    const body = { mode: 'all_or_nothing', match: 'externalId', rows: rows.slice(i, i + ROWS) }
    const answer = await sendRequest(url, 'POST', target, body, { key })
    if (answer.status !== 200) throw new Error(`${target}: ${JSON.stringify(answer.body).slice(0, 500)}`)
    seconds = Math.max(seconds, (performance.now() - started) / 1000)
  }
  return seconds
}

/** Measures the import of 10,000 vendors when vendors already exist, as for a new builder on a used service. */
async function measureImport(url: string, key: string): Promise<string[]> {
  const rows = Array.from({ length: 10_000 }, (_, n) => ({
    ...{ externalId: `I-${n}`, companyName: `Imported Vendor ${n}`, email: `imported${n}@example.com` },
    ...{ phone: `+1 512 556 ${String(n).padStart(4, '0')}`, scopes: ['framing'] },
  }))
  const seconds = await measureSlowest(url, key, '/api/ext/vendors/batch', rows)
  return [`Import of 10,000 vendors in batches of ${ROWS}: the slowest took ${seconds.toFixed(2)} s.`]
}

/** Returns the ID that `addCopies` assigns to a copy. */
function copyId(id: string, n: number): string {
  return id.slice(0, -8) + n.toString(16).padStart(8, '0')
}
