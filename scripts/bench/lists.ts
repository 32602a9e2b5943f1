import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Operation } from '../../server/platform/calls/contract.ts'
import { type Service as Asked, sendRequest } from '../conformance/service.ts'
import { World } from '../conformance/world.ts'
import { startPostgres } from '../processes/postgres.ts'
import { createBuilder, createUnlimitedEnvironment, startService } from '../processes/service.ts'
import { addCopies, findTable, LONG_LISTS, listQueryVariants, type QueryVariant, type Sql } from './long-lists.ts'

/**
 * Measures whether lists stay fast as they grow: `npm run bench -- lists listTasks listBids`. Without names, measures
 * all lists. Each list is filled with copies of a record and requested with every sort order and every filter. Filters
 * have a value that all records have or a value that no record has. Each query is sent several times to a short and to
 * a long list. The shortest time is reported, because other work on the machine affects it least.
 */
const SHORT_LIST_ROWS = 10_000
/** The minimum ratio between the number of rows in the long list and in the short list. */
const MIN_FACTOR = 5
const REPETITIONS = 7
/**
 * The maximum increase of a query's time from the short list to the long list: this factor, or MAX_EXTRA_MS
 * milliseconds.
 */
const MAX_FACTOR = 1.5
const MAX_EXTRA_MS = 3

export const LISTS = LONG_LISTS.map(({ id }) => id)

/**
 * Measures the given lists, or all lists if none are given.
 *
 * @param rows the number of rows in a long list
 */
export async function measureLists(names: readonly string[], rows: number): Promise<string[]> {
  const few = Math.min(SHORT_LIST_ROWS, Math.floor(rows / MIN_FACTOR))
  const lines = [`| list | asked | of ${few}, ms | of ${rows}, ms | |`, '| --- | --- | ---: | ---: | --- |']
  for (const operation of LONG_LISTS) {
    const { id } = operation
    if (names.length > 0 && !names.includes(id)) continue
    process.stderr.write(`${id}\n`)
    // Uses its own server, because a million rows in every table would fill the disk.
    const postgres = await startPostgres({ shared_buffers: '512MB', max_wal_size: '4GB', checkpoint_timeout: '30min' })
    if (postgres === null) throw new Error('The benchmark needs PostgreSQL.')
    const measured = await measureList(operation, await postgres.database(), [few, rows])
    const said = typeof measured === 'string' ? [`| ${id} | not measured: ${measured} | | | |`] : measured
    process.stderr.write(`${said.join('\n')}\n`)
    lines.push(...said)
    await postgres.stop()
  }
  return lines
}

/** Returns the rows of the report, or a sentence if the list cannot be filled. */
async function measureList(
  operation: Operation,
  database: string,
  [few, many]: readonly [few: number, many: number],
): Promise<string[] | string> {
  // The service records emails only if an SMTP server is configured, even if it never responds.
  const mail = { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'office@example.com' }
  const environment = createUnlimitedEnvironment({ DATABASE_URL: database, ...mail })
  const { organizationId, key } = await createBuilder(environment)
  const service = await startService(environment)
  const client = new pg.Client(database)
  await client.connect()
  const sql: Sql = async (text, values) => (await client.query(text, values === undefined ? [] : [...values])).rows
  try {
    const to: Asked = {
      request: (method, target, body, options) => sendRequest(service.url, method, target, body, { key, ...options }),
    }
    const world = await new World(to, key, 'https://example.com/hooks').populate()
    const address = world.addressOf(operation)
    if (address === undefined) return 'it has no address'
    const { body } = await sendRequest(service.url, 'GET', address, undefined, { key })
    const [record] = body.data ?? []
    // An entry of the audit trail contains the ID of its event instead of an ID of its own.
    const id = record?.eventId ?? record?.id
    if (id === undefined) return 'it has no record with an id'
    const table = await findTable(sql, id)
    if (table === null) return `no table has ${id}`
    const common = await findFirstWord(client, id)
    const questions = listQueryVariants({ operation, address, record, common })
    await addCopies(sql, { table, organizationId, id, from: 1, to: few })
    const short = await measureTimes(service.url, key, questions)
    await addCopies(sql, { table, organizationId, id, from: few + 1, to: many })
    const long = await measureTimes(service.url, key, questions)
    return questions.flatMap(({ name }, i) => {
      const [before, after] = [short[i], long[i]]
      if (before === undefined || after === undefined || !Number.isFinite(after)) return []
      const holds = after <= Math.max(before * MAX_FACTOR, before + MAX_EXTRA_MS)
      return [
        `| ${operation.id} | ${name} | ${before.toFixed(1)} | ${after.toFixed(1)} | ${holds ? 'holds' : 'MISSED'} |`,
      ]
    })
  } finally {
    await client.end()
    await service.stop()
  }
}

/**
 * Returns the shortest time of each query in milliseconds, or Infinity if the service rejects the value of the
 * parameter.
 */
async function measureTimes(url: string, key: string, questions: readonly QueryVariant[]): Promise<number[]> {
  const best = questions.map(() => Number.POSITIVE_INFINITY)
  for (let round = 0; round < REPETITIONS; round++) {
    for (const [i, { name, target }] of questions.entries()) {
      const started = performance.now()
      const answer = await sendRequest(url, 'GET', target, undefined, { key })
      // Some parameters do not accept some of the made-up values.
      if (answer.status === 422 && name.endsWith('=zzzz')) continue
      if (answer.status !== 200 && answer.status !== 503) throw new Error(`${name}: ${JSON.stringify(answer.body)}`)
      best[i] = Math.min(best[i] ?? 0, performance.now() - started)
    }
  }
  return best
}

/** Returns the first word of the record after it has been indexed; empty if its list has no search by words. */
async function findFirstWord(client: pg.Client, id: string): Promise<string[]> {
  while ((await client.query('select from "searchQueue" limit 1')).rowCount !== 0) await delay(100)
  const { rows } = await client.query<{ word: string }>(
    `select "word" from "searchWords" where "recordId" = $1 and "word" ~ '^[a-z]+$' order by length("word") desc limit 1`,
    [id],
  )
  return rows.map(({ word }) => word)
}
