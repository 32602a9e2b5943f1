import { CompiledQuery } from 'kysely'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { addCopies, LONG_LISTS, questionsOf, type Sql, tableOf } from '../../scripts/bench/long-lists.ts'
import { World } from '../../scripts/conformance/world.ts'
import type { Db } from '../../server/database/database.ts'
import type { Call } from '../../server/http/call.ts'
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
const MORE_BLOCKS = 15

/** They read stretches of bounded length, and longer ones while the list is short. */
const BY_STRETCHES = new Set(['listEvents', 'listAuditEntries'])

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
  world = await new World(plumbline, plumbline.key, 'https://example.com/hooks').populate('enough')
  await catchUp(plumbline.database, plumbline.organizationId)
  // All copies are the same builder's, and that it exists would be looked up for each of half a million words.
  await sql('alter table "searchWords" drop constraint "searchWords_organizationId_fkey"')
})
afterAll(() => plumbline?.stop())

describe.skipIf(inject('postgres') === null)('a long list costs what a short one does', () => {
  test.for(LONG_LISTS.filter(({ id }) => !BY_STRETCHES.has(id)))('$id', async (operation) => {
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
      return after > before + MORE_BLOCKS ? [`${name}: ${before} → ${after}`] : []
    })
    expect(grown).toEqual([])
    expect(few).not.toContain(0)
  })
})

/** The lists, of which each statement is also explained. */
function explained(): Handlers {
  const lists = LONG_LISTS.map(({ id }) => {
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
