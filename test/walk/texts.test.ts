import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract, getValueAtPath, listEntriesAtPath } from '../../scripts/conformance/walked-contract.ts'
import { World } from '../../scripts/conformance/world.ts'
import { type Receiver, startReceiver } from '../../scripts/processes/receiver.ts'
import { findFieldKind } from '../../scripts/record-kinds.ts'
import type { Operation, Schema } from '../../server/platform/calls/contract.ts'
import { columns } from '../../server/platform/database/columns.gen.ts'
import { kinds } from '../../server/platform/resources/kinds.gen.ts'
import { type MailServer, startMailServer } from '../support/mail-server.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'

/**
 * The database writes most of the JSON of lists. If it did not escape a text correctly, the text could break out of its
 * quotes. This test writes a difficult text into every column that can store text, even if only the service normally
 * writes the column. Only columns with IDs cannot store it, because they refer to other rows. At the end, the columns
 * are compared with the service's own list of text columns.
 */
const NASTY = `"quoted\\" \\\\ \\u0022,"id":"x"} \n\t é \\`

const lists = [...contract.operations.values()].flatMap((operation) => {
  const record = getRecord(operation)
  return record === null || !holdsText(record) ? [] : [{ id: operation.id, operation, record, table: getTable(record) }]
})

let plumbline: TestPlumbline
let receiver: Receiver
let mailServer: MailServer
let world: World
/** For each table, the columns that accepted the text. */
const written = new Map<string, string[]>()

beforeAll(async () => {
  // Starts the service without checking responses, because the contract allows only shorter texts in some fields.
  mailServer = await startMailServer()
  plumbline = await startTestPlumbline({ CHECK_ANSWERS: 'false', ...mailServer.env })
  receiver = await startReceiver()
  world = await new World(plumbline, plumbline.key, receiver.url).populate('enough')
  await transferBudget()
  await addActivity()
  await closeHome()
  await closePeriod()
  // Waits until all email has been sent, because this test would overwrite it.
  await plumbline.until('/api/ext/mails?status=queued', ({ body }) => body.data.length === 0)
  for (const { record, table } of lists) written.set(table, await writeEverywhere(table, record))
}, 120_000)

afterAll(async () => {
  // The events of this world were recorded before and must be unchanged.
  await plumbline.stop()
  await receiver.close()
  await mailServer.stop()
})

test('the text tests cover every list that has text fields', () => {
  const walked = new Set<string>(lists.map(({ id }) => id))
  const others = [...contract.operations.keys()].filter((id) => id.startsWith('list') && !walked.has(id))
  expect(others.sort()).toEqual([
    ...[
      'listAuditEntries',
      'listCalendarFeeds',
      'listDeliveries',
      'listEventTypes',
      'listEvents',
      'listPlanRevisions',
      'listPortalAttachments',
      'listPortalBills',
      'listPortalComplianceDocuments',
      'listPortalDrawings',
      'listPortalInvitations',
      'listPortalLienWaivers',
      'listPortalMessages',
      'listPortalOrderAttachments',
      'listPortalOrders',
      'listPortalPayments',
      'listPortalPunchItems',
      'listPortalTasks',
      'listPortalVisits',
      'listPostings',
      'listSkills',
      'listStatusChanges',
    ],
  ])
})

describe('a text with everything that JSON escapes is returned from a list unchanged', () => {
  test.each(lists)('$id returns a text with escaped characters unchanged', async ({ operation, table }) => {
    const { status, body } = await world.send(operation)
    expect(status).toBe(200)
    expect(body.data.length).toBeGreaterThan(0)
    const columns = written.get(table) ?? []
    for (const item of body.data) {
      const shown = columns.filter((column) => column in item)
      for (const column of shown) expect([column, [item[column]].flat()[0]]).toEqual([column, `${NASTY}${item.id}`])
      expect(shown.length).toBeGreaterThan(0)
    }
  })
})

/** Closes a period that ends before all records, so that the test can still change the records. */
async function closePeriod(): Promise<void> {
  const { status } = await plumbline.post('/api/ext/ledger/close', { throughDate: '2000-01-31' })
  expect(status).toBe(200)
}

/** Transfers an amount between budget lines. This needs a locked budget, so populating the world did not do it. */
async function transferBudget(): Promise<void> {
  const budget = `/api/ext/homes/${world.idFor('homeId')}/budget`
  const lines: string[] = []
  for (let i = 0; i < 2; i++)
    lines.push((await plumbline.post(`${budget}/lines`, { scope: 'framing', amount: 1000 })).body.id)
  await plumbline.post(`${budget}/lock`)
  const [fromLineId, toLineId] = lines
  const transfer = { fromLineId, toLineId, amount: 1, reason: 'It was budgeted in the wrong place.' }
  expect((await plumbline.post(`${budget}/transfers`, transfer)).status).toBe(200)
}

async function addActivity(): Promise<void> {
  const activity = { activityType: 'note', notes: 'Wants three bedrooms.' }
  const { status } = await plumbline.post(`/api/ext/leads/${world.idFor('leadId')}/activities`, activity)
  expect(status).toBe(200)
}

/** Closes the home, because a home has warranty coverage only after its closing. */
async function closeHome(): Promise<void> {
  const homeId = world.idFor('homeId')
  const move = async (path: string, body: object) =>
    expect((await plumbline.post(`/api/ext/${path}/status`, body)).body).not.toHaveProperty('detail')
  for (const status of ['permitting', 'ready_to_start', 'under_construction']) await move(`homes/${homeId}`, { status })
  // The home is completed when all of its tasks are completed.
  const { data } = (await plumbline.get(`/api/ext/tasks?homeId=${homeId}`)).body
  for (const { id, status } of data as { id: string; status: string }[])
    if (status !== 'completed' && status !== 'skipped')
      await move(`tasks/${id}`, { status: 'skipped', reason: 'Sold.' })
  await move(`homes/${homeId}`, { status: 'completed' })
  await move(`homes/${homeId}`, { status: 'closed', overrideReason: 'Sold before sales were kept here.' })
}

/** Only users who may run the skills can see proposals and executions. */
const WHO_MAY_SEE_IT = ['skill', 'skills']

async function writeEverywhere(table: string, record: string): Promise<string[]> {
  const { statements } = plumbline.database
  const { rows } = await sql<{ name: string; isArray: boolean }>`
    select "column_name" as "name", "data_type" = 'ARRAY' as "isArray" from information_schema.columns
    where "table_name" = ${table} and ("data_type" = 'text' or "udt_name" = '_text')
      and "column_name" not in ('id', 'organizationId', ${sql.join(WHO_MAY_SEE_IT)}) and "is_generated" = 'NEVER'`.execute(
    statements,
  )
  const taken: string[] = []
  for (const { name, isArray } of rows) {
    const schema = getValueAtPath('components', 'schemas', record, 'properties', name) as Schema | undefined
    // Skips enumerations, whose values only the service writes.
    if (schema !== undefined && findFieldKind(contract.document, schema, name).startsWith('enum')) continue
    const text = sql`${NASTY}::text || t."id"`
    const value = isArray ? sql`array[${text}]` : text
    const refused = await sql`update ${sql.table(table)} as t set ${sql.ref(name)} = ${value}`.execute(statements).then(
      () => null,
      (error: { code?: string }) => error.code,
    )
    expect([null, FOREIGN_KEY_VIOLATION]).toContain(refused)
    if (refused !== null) continue
    expect([name, (columns as Columns)[table]?.[name]]).toEqual([name, expect.stringMatching(/^text/)])
    taken.push(name)
  }
  return taken
}

type Columns = Record<string, Record<string, string>>
const FOREIGN_KEY_VIOLATION = '23503'

/** Returns the kind of record that the operation lists; null if the operation lists no records. */
function getRecord({ path, method }: Operation): string | null {
  if (method !== 'GET') return null
  const place = [
    'paths',
    path,
    'get',
    'responses',
    '200',
    'content',
    'application/json',
    'schema',
    'properties',
    'data',
  ]
  const [items] = listEntriesAtPath(...place).filter(([name]) => name === 'items')
  if (items === undefined) return null
  const [name] = Object.keys(kinds).filter((record) => getValueAtPath('components', 'schemas', record) === items[1])
  return name ?? null
}

/** Returns whether a record contains free text besides IDs and figures. */
function holdsText(record: string): boolean {
  const fields = Object.entries(kinds[record as keyof typeof kinds])
  return fields.some(([name, kind]) => kind.startsWith('text') && !/^id$|Ids?$/.test(name))
}

/**
 * Returns the table of a record. Its name may be the plural of the record's name. A summary has the same table as the
 * full record.
 */
function getTable(record: string): string {
  const declared = getValueAtPath('components', 'schemas', record, 'x-record', 'table')
  if (typeof declared === 'string') return declared
  const noun = `${record.charAt(0).toLowerCase()}${record.slice(1)}`.replace(
    /^(bidRequest|taskTemplate)Summary$|^(execution)Record$/,
    '$1$2',
  )
  return noun.endsWith('y') ? `${noun.slice(0, -1)}ies` : `${noun}s`
}
