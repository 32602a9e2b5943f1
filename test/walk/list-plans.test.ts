import { CompiledQuery } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import {
  addCopies,
  findTable,
  LONG_LISTS,
  listQueryVariants,
  type QueryVariant,
  type Sql,
  vacuumUntilVisible,
} from '../../scripts/bench/long-lists.ts'
import { contract } from '../../scripts/conformance/walked-contract.ts'
import { World } from '../../scripts/conformance/world.ts'
import { findSimilarVendors } from '../../server/domain/vendors/vendors/possible-duplicates.ts'
import { operations } from '../../server/interfaces/operations.ts'
import type { Call } from '../../server/platform/calls/call.ts'
import type { Operation } from '../../server/platform/calls/contract.ts'
import type { Handlers } from '../../server/platform/calls/operation.ts'
import { encodeCursor } from '../../server/platform/calls/page.ts'
import type { Db } from '../../server/platform/database/database.ts'
import { compareWithParameter } from '../../server/platform/database/pool-driver.ts'
import { isPlannedEachTime } from '../../server/platform/database/prepared-statements.ts'
import { computeFirstIdSince } from '../../server/platform/events/queries.ts'
import { waitUntilIndexed } from '../../server/platform/search/index-changes.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'

/**
 * Tests that every sort order and filter of every list uses an index. Each list is requested at two sizes, filled with
 * copies of a record. The values of filters are those that all copies have, or those that no copy has. The number of
 * blocks that the database reads must not grow with the list. Unlike a time, this number is the same on every machine.
 */
const FEW = 1000
const MANY = 6000
/**
 * The maximum number of additional blocks. An index may grow by a level, the rows are farther apart, and a BRIN index
 * only distinguishes ranges of 32 blocks.
 */
const MORE_BLOCKS = 32
/**
 * The maximum number of additional blocks for lists of events. These lists look up each row of a page in two indexes
 * and search for a time.
 */
const MORE_BLOCKS_OF_EVENTS = 120

/**
 * The average number of rows per builder in the database's statistics, as if there were very many other small builders.
 * PostgreSQL makes the plans for any builder based on this average.
 */
const ROWS_OF_A_BUILDER = 8

/** These lists read their rows in ranges of limited length. The ranges are longer while the list is short. */
const BY_STRETCHES = new Set(['listEvents', 'listAuditEntries', 'listPostings'])

let plumbline: TestPlumbline
let world: World
let blocks = 0
/** The last statement that a list has sent. */
let asked = ''

const sql: Sql = async (text, values = []) => {
  const { rows } = await plumbline.database.statements.executeQuery(CompiledQuery.raw(text, [...values]))
  return rows as Record<string, unknown>[]
}

beforeAll(async () => {
  if (inject('postgres') === null) return
  plumbline = await startTestPlumbline(
    { CHECK_ANSWERS: 'false', SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'office@example.com' },
    { handlers: explained() },
  )
  world = await new World(plumbline, plumbline.key, 'https://example.com/hooks').populate('enough')
  await plumbline.post('/api/ext/ledger/close', { throughDate: '2000-01-31' })
  await waitUntilIndexed(plumbline.database, plumbline.organizationId)
})
afterAll(() => plumbline?.stop())

describe.skipIf(inject('postgres') === null)('a long list costs the same as a short list', () => {
  test.for(LONG_LISTS.filter(({ id }) => !BY_STRETCHES.has(id)))(
    '$id reads no more blocks for a long list than for a short list',
    async (operation) => {
      const address = world.addressFor(operation)
      const [record] = (await plumbline.get(address)).body.data
      const table = await findTable(sql, record.id)
      if (table === null) throw new Error(`No table has ${record.id}.`)
      const { organizationId } = plumbline
      const defaults = listQueryVariants({ operation, address, record, common: await getWord(record.id) })
      const questions = [...defaults, ...furtherQuestions(operation, defaults, record.id)]
      const copied = { table, organizationId, id: record.id }
      await sql(`alter table "${table}" alter column "organizationId" set (n_distinct = ${-1 / ROWS_OF_A_BUILDER})`)
      await addCopies(sql, { ...copied, from: 1, to: FEW })
      const few = await getBlocks(questions)
      await addCopies(sql, { ...copied, from: FEW + 1, to: MANY })
      const many = await getBlocks(questions)
      const grown = questions.flatMap(({ name }, i) => {
        const [before = 0, after = 0] = [few[i], many[i]]
        return after > before + MORE_BLOCKS ? [`${name}: ${before} → ${after}`] : []
      })
      expect(grown).toEqual([])
      expect(few).not.toContain(0)
    },
  )

  test.each([
    ['status=active', false],
    ['status=active&complianceStatus=missing', true],
    ['status=active&sort=companyName', true],
    ['externalId=X-1', false],
    ['externalId=X-1,X-2', true],
    ['updatedAfter=2020-01-01T00:00:00Z&sort=-updatedAt', false],
    ['updatedAfter=2020-01-01T00:00:00Z', true],
    ['q=office', false],
    ['q=office&status=active', true],
  ])('a list of vendors with %s is planned each time: %s', async (query, isEachTime) => {
    await plumbline.post('/api/ext/vendors', { companyName: 'Office Supplies' })
    expect((await plumbline.get(`/api/ext/vendors?${query}`)).status).toBe(200)
    expect([asked, isPlannedEachTime(asked)]).toEqual([expect.stringContaining('from'), isEachTime])
  })

  test('finding possible duplicates of a vendor reads no more blocks if many vendors have the same phone number', async () => {
    const { organizationId } = plumbline
    const vendor = { companyName: 'Acme', email: 'office@example.com', phone: '+1 512 555 0100' }
    const { body } = await plumbline.post('/api/ext/vendors', vendor)
    const copied = { table: 'vendors', organizationId, id: body.id }
    const call = { db: explaining(plumbline.database.of(organizationId).statements), organizationId } as Call
    const blocksOfAsking = async () => {
      const counts: number[] = []
      for (const phone of [vendor.phone, '+1 512 555 0199']) {
        blocks = 0
        await findSimilarVendors(call, { companyName: 'Zenith', phone })
        counts.push(blocks)
      }
      return counts
    }
    await addCopies(sql, { ...copied, from: 1, to: FEW })
    const few = await blocksOfAsking()
    await addCopies(sql, { ...copied, from: FEW + 1, to: MANY })
    const many = await blocksOfAsking()
    expect(many.map((after, i) => after <= (few[i] ?? 0) + MORE_BLOCKS)).toEqual([true, true])
    expect(few).not.toContain(0)
  })

  test('a search for words of old records uses an index, regardless of the number of newer records', async () => {
    // More records than a list looks up one by one.
    const [old, few, many] = [5200, 10_400, 31_200]
    await addCostCodes(1, old, 'bygone')
    const questions = ['bygone', 'bygone day', 'bygone recent'].flatMap((q) =>
      ['', '&category=material'].map((filter) => {
        const name = `q=${encodeURIComponent(q)}${filter}`
        return { name, target: `/api/ext/cost-codes?sort=-createdAt&limit=5&${name}` }
      }),
    )
    await addCostCodes(old + 1, few, 'recent')
    const before = await getBlocks(questions)
    await addCostCodes(few + 1, many, 'recent')
    const after = await getBlocks(questions)
    const grown = questions.flatMap(({ name }, i) => {
      const [one = 0, other = 0] = [before[i], after[i]]
      return other > one + MORE_BLOCKS ? [`${name}: ${one} → ${other}`] : []
    })
    expect(grown).toEqual([])
    expect(before).not.toContain(0)
  })

  test('listEvents since a given time reads no more blocks with many events than with few', async () => {
    // A caller that may not read all types gets the first events of each type that it may read.
    const narrow = await plumbline.newKey(['events:read', 'vendors:read'])
    const questionsUpTo = (max: number): { name: string; target: string; key?: string }[] =>
      [0.5, 0.99, 2].flatMap((part) => {
        const since = new Date(FIRST_EVENT_MS + part * max * 60_000).toISOString()
        return ['sequence', '-sequence'].flatMap((sort) => {
          const target = `/api/ext/events?createdAfter=${since}&sort=${sort}`
          const filters = ['', '&type=vendor.updated', '&type=home.created', '&resourceId=ven_7']
          const all = filters.map((filter) => ({ name: `${part} ${sort}${filter}`, target: `${target}${filter}` }))
          return [...all, { name: `${part} ${sort}, some types`, target, key: narrow }]
        })
      })
    await addEvents(1, 10 * FEW)
    const few = await getBlocks(questionsUpTo(10 * FEW))
    await addEvents(10 * FEW + 1, 10 * MANY)
    const questions = questionsUpTo(10 * MANY)
    const many = await getBlocks(questions)
    // At the end of a test, its events are checked against the contract. Deletes the events without the triggers and
    // foreign keys, which take most of a minute for so many rows.
    await plumbline.database.transaction(async (trx) => {
      await trx.executeQuery(CompiledQuery.raw('set local session_replication_role = replica'))
      await trx.executeQuery(CompiledQuery.raw('delete from "events" where "sequence" >= $1', [FIRST_SEQUENCE]))
    })
    const grown = questions.flatMap(({ name }, i) => {
      const [before = 0, after = 0] = [few[i], many[i]]
      return after > before + MORE_BLOCKS_OF_EVENTS ? [`${name}: ${before} → ${after}`] : []
    })
    expect(grown).toEqual([])
    expect(few).not.toContain(0)
  })
})

/** Returns queries for the changes since a time, and the same queries starting in the middle of the shorter list. */
function furtherQuestions(operation: Operation, questions: readonly QueryVariant[], id: string): QueryVariant[] {
  const declared = (operation.declaration.parameters ?? []).map((one) => contract.resolve(one))
  const sort = contract.resolve(declared.find(({ name }) => name === 'sort')?.schema ?? {}) as Sorts
  const further = (orders: readonly string[], pattern: RegExp, more: (order: string) => string) =>
    orders.flatMap((order) =>
      questions
        .filter(({ name }) => pattern.test(name))
        .map(({ name, target }) => ({ name: `${order}, ${name}`, target: `${target}${more(order)}` })),
    )
  const byChange = (sort.enum ?? []).filter((order) => order.endsWith('updatedAt'))
  const byId = [sort.default ?? ''].filter((order) => order.endsWith('createdAt'))
  const middle = id.slice(0, -8) + (FEW / 2).toString(16).padStart(8, '0')
  return [
    ...further(byChange, /^updatedAfter=/, (order) => `&sort=${order}`),
    ...further(byId, /^(?!sort=|ids=)/, (order) => `&cursor=${encodeCursor(order, { value: null, id: middle })}`),
  ]
}

interface Sorts {
  enum?: string[]
  default?: string
}

/** Adds cost codes. A search finds them by `word` and by another word that all cost codes contain. */
async function addCostCodes(from: number, to: number, word: string): Promise<void> {
  const codes = `select $1 as "organizationId", 'cc_01k0' || lpad(n::text, 22, '0') as "id", n from generate_series($2::int, $3::int) as n`
  const values = [plumbline.organizationId, from, to]
  await sql(
    `insert into "costCodes" ("organizationId", "id", "code", "name", "category", "version", "createdBy", "createdAt", "updatedAt")
     select "organizationId", "id", 'OLD-' || n, $4, 'material', 1, '{"type":"system","id":null}', now(), now() from (${codes}) as c`,
    [...values, `${word} days`],
  )
  await sql(
    `insert into "searchWords" ("organizationId", "kind", "recordId", "word")
     select "organizationId", 'cost_code', "id", w from (${codes}) as c, unnest(array[$4, 'days']) as w`,
    [...values, word],
  )
  await sql('truncate "searchQueue"')
  await vacuumUntilVisible(sql, ['costCodes', 'searchWords'])
}

const FIRST_EVENT_MS = Date.parse('2041-01-01')
const FIRST_SEQUENCE = 10_000_000

/**
 * Adds one event a minute, mostly about a hundred vendors and sometimes about a home. In time, these events are far
 * from the builder's other events.
 */
async function addEvents(from: number, to: number): Promise<void> {
  const ids = Array.from({ length: to - from + 1 }, (_, i) => computeFirstIdSince(FIRST_EVENT_MS + (from + i) * 60_000))
  await sql(
    `insert into "events" ("organizationId", "id", "type", "resourceId", "payload", "occurredAt", "sequence")
     select $1, id, case when n % 1000 = 0 then 'home.created' else 'vendor.updated' end, 'ven_' || n % 100,
       '{"id":"' || id || '","actor":{"type":"system","id":null}}', to_timestamp($2) + n * interval '1 minute', ${FIRST_SEQUENCE} + n
     from unnest($4::text[]) with ordinality as given (id, i) cross join lateral (select $3 + i - 1 as n) as numbered`,
    [plumbline.organizationId, FIRST_EVENT_MS / 1000, from, ids],
  )
  await vacuumUntilVisible(sql, ['events'])
}

/** Returns the handlers of the lists, wrapped so that EXPLAIN also runs for each of their statements. */
function explained(): Handlers {
  const lists = [...LONG_LISTS.map(({ id }) => id), 'listEvents' as const].map((id) => {
    const list = operations[id] as (input: unknown, call: Call) => Promise<never>
    return [id, (input: unknown, call: Call) => list(input, { ...call, db: explaining(call.db) })]
  })
  return { ...operations, ...Object.fromEntries(lists) }
}

/** Wraps an executor, so that EXPLAIN also runs for its statements. */
function explaining<Runner extends Pick<Db, 'executeQuery'>>(runner: Runner): Runner {
  return new Proxy(runner, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target)
      if (name === 'getExecutor') return () => explaining((target as unknown as Db).getExecutor())
      if (name !== 'executeQuery') return typeof member === 'function' ? member.bind(target) : member
      return async (query: CompiledQuery) => {
        asked = query.sql
        const isForAny = !isPlannedEachTime(query.sql)
        const plan = isForAny ? await planOfPrepared(query) : await findPlan(target, query.sql, query.parameters)
        blocks += (plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0)
        return target.executeQuery(query)
      }
    },
  })
}

async function findPlan(runner: Pick<Db, 'executeQuery'>, text: string, values: readonly unknown[]) {
  const { rows } = await runner.executeQuery<{ 'QUERY PLAN': Explained[] }>(
    CompiledQuery.raw(`explain (analyze, buffers, timing off, format json) ${text}`, [...values]),
  )
  return rows[0]?.['QUERY PLAN'][0]?.Plan
}

// Uses the service's own function to write parameters.
const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): unknown } }).utils

/**
 * Explains the generic plan, which does not depend on the values. PostgreSQL soon uses this plan for a prepared
 * statement.
 */
function planOfPrepared({ sql: written, parameters }: CompiledQuery) {
  // The driver cannot do this here, because `prepare` has no parameters of its own.
  const text = compareWithParameter(written, parameters.indexOf(plumbline.organizationId))
  const values = parameters.map((value) => (value === null ? 'null' : pg.escapeLiteral(String(prepareValue(value)))))
  return plumbline.database.of(plumbline.organizationId).transaction(async (trx) => {
    await trx.executeQuery(CompiledQuery.raw('set local plan_cache_mode = force_generic_plan'))
    await trx.executeQuery(CompiledQuery.raw(`prepare "explained" as ${text}`))
    const plan = await findPlan(trx, `execute "explained" ${values.length === 0 ? '' : `(${values.join(', ')})`}`, [])
    await trx.executeQuery(CompiledQuery.raw('deallocate "explained"'))
    return plan
  })
}

interface Explained {
  Plan: { 'Shared Hit Blocks': number; 'Shared Read Blocks': number }
}

async function getBlocks(questions: readonly { name: string; target: string; key?: string }[]): Promise<number[]> {
  const counts: number[] = []
  for (const { name, target, key = plumbline.key } of questions) {
    blocks = 0
    const { status, body } = await plumbline.get(target, { key })
    // Some parameters do not accept some of the made-up values.
    const isTaken = status !== 422 || !name.endsWith('=zzzz')
    if (isTaken) expect([name, status, body.detail]).toEqual([name, 200, undefined])
    counts.push(isTaken ? blocks : Number.NaN)
  }
  return counts
}

/** Returns the longest word by which a search finds the record; empty if the list has no search by words. */
async function getWord(id: unknown): Promise<string[]> {
  const rows = await sql(
    `select "word" from "searchWords" where "recordId" = $1 and "word" ~ '^[a-z]+$' order by length("word") desc limit 1`,
    [id],
  )
  return rows.map(({ word }) => String(word))
}
