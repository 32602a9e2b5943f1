import { CompiledQuery } from 'kysely'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { addCopies, questionsOf, type Sql, tableOf } from '../../scripts/bench/long-lists.ts'
import { contract } from '../../scripts/conformance/contract.ts'
import { World } from '../../scripts/conformance/world.ts'
import type { Db } from '../../server/database/database.ts'
import type { Call } from '../../server/http/call.ts'
import type { OperationId } from '../../server/http/contract.ts'
import type { Handlers } from '../../server/http/operation.ts'
import { operations } from '../../server/operations.ts'
import { catchUp } from '../../server/search/index-changes.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/plumbline.ts'

/**
 * Every order and every filter of every list is served by an index. Each list is filled with copies of a record, twice,
 * and asked by values that all copies have and by values that none has; the blocks that the database looks at, by its
 * own count, may not grow with the list. Unlike times, they are the same on every machine.
 */
const FEW = 1000
const MANY = 6000
/** So many more blocks may be looked at, because an index grows by a level, or the rows lie further apart. */
const MORE_BLOCKS = 40

/** What lies within a record is found by the record, and there is little of it in any one. */
const LISTS = [...contract.operations.values()].filter(
  ({ id, method, path }) => method === 'GET' && id.startsWith('list') && !/^\/api\/portal\/|\{/.test(path),
)

/** Lists that are not asked, and why not. */
const NOT_FILLED: Partial<Record<OperationId, string>> = {
  listSkills: 'it stands in the contract',
  listEventTypes: 'it stands in the contract',
  listScopes: 'a builder has some hundred',
  listEvents: 'it reads stretches of bounded length',
  listAuditEntries: 'it reads stretches of bounded length',
  listMessageTemplates: 'a builder has one of each kind',
  listWebhooks: 'a builder has at most fifty',
  listStatusChanges: 'a record has few of them, and is found by its index',
}

let plumbline: TestPlumbline
let world: World
let blocks = 0

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
  world = await new World(plumbline, plumbline.key, 'https://example.com/hooks').populate()
  await catchUp(plumbline.database, plumbline.organizationId)
})
afterAll(() => plumbline?.stop())

describe.skipIf(inject('postgres') === null)('a long list costs what a short one does', () => {
  test.for(LISTS.filter(({ id }) => NOT_FILLED[id] === undefined))('$id', async (operation) => {
    const address = world.addressFor(operation)
    const [record] = (await plumbline.get(address)).body.data
    const table = await tableOf(sql, record.id)
    if (table === null) throw new Error(`No table has ${record.id}.`)
    const { organizationId } = plumbline
    const questions = questionsOf({ operation, address, record, common: await wordOf(record.id) })
    const copied = { table, organizationId, id: record.id }
    await addCopies(sql, { ...copied, from: 1, to: FEW })
    const few = await blocksOf(questions)
    await addCopies(sql, { ...copied, from: FEW + 1, to: MANY })
    const many = await blocksOf(questions)
    const grown = questions.flatMap(({ name }, i) => {
      const [before = 0, after = 0] = [few[i], many[i]]
      if (FEW_ENOUGH.has(`${operation.id} ${name.split('=')[0]}`)) return []
      return after > before + MORE_BLOCKS ? [`${name}: ${before} → ${after}`] : []
    })
    expect(grown).toEqual([])
    expect(few).not.toContain(0)
  })
})

/** Filters by which all of a list may be read, because a builder has some thousand of them. */
const FEW_ENOUGH = new Set(['listVendors scope', 'listCostCodes scope'])

/** The lists, of which each statement is also explained. */
function explained(): Handlers {
  const lists = LISTS.map(({ id }) => {
    const list = operations[id] as (input: unknown, call: Call) => Promise<never>
    return [id, (input: unknown, call: Call) => list(input, { ...call, db: explaining(call.db) })]
  })
  return { ...operations, ...Object.fromEntries(lists) }
}

function explaining(db: Db): Db {
  return new Proxy(db, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target)
      if (name !== 'executeQuery') return typeof member === 'function' ? member.bind(target) : member
      return async (query: CompiledQuery) => {
        const text = `explain (analyze, buffers, timing off, format json) ${query.sql}`
        const { rows } = await target.executeQuery<{ 'QUERY PLAN': Explained[] }>(
          CompiledQuery.raw(text, [...query.parameters]),
        )
        const plan = rows[0]?.['QUERY PLAN'][0]?.Plan
        blocks += (plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0)
        return target.executeQuery(query)
      }
    },
  })
}

interface Explained {
  Plan: { 'Shared Hit Blocks': number; 'Shared Read Blocks': number }
}

async function blocksOf(questions: readonly { name: string; target: string }[]): Promise<number[]> {
  const counts: number[] = []
  for (const { name, target } of questions) {
    blocks = 0
    const { status, body } = await plumbline.get(target)
    // Not every made-up value is one that the parameter takes.
    const isTaken = status !== 422 || !name.endsWith('=zzzz')
    if (isTaken) expect([name, status, body.detail]).toEqual([name, 200, undefined])
    counts.push(isTaken ? blocks : Number.NaN)
  }
  return counts
}

/** The longest word that the record is found by, if its list is searched by words. */
async function wordOf(id: unknown): Promise<string[]> {
  const rows = await sql(
    `select "word" from "searchWords" where "recordId" = $1 and "word" ~ '^[a-z]+$' order by length("word") desc limit 1`,
    [id],
  )
  return rows.map(({ word }) => String(word))
}
