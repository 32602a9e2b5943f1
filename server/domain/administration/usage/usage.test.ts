import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RequestOptions, startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'
import { eraseOrganization } from '../../../operators/builder-data/erase-organization.ts'
import { createSystemCall } from '../../../platform/keys/principals.ts'
import { createUsageCounts } from '../../../platform/limits/usage-counts.ts'
import { FailureLog } from '../../../platform/problems/failure-log.ts'
import { deleteOldUsage } from './delete-old-usage.ts'

const LIMIT = 5
const DAY_MS = 86_400_000

let plumbline: TestPlumbline
let owner: RequestOptions
let keyId: string
let quietId: string
beforeAll(async () => {
  plumbline = await startTestPlumbline({ RATE_LIMIT_PER_MINUTE: String(LIMIT), QUOTA_PER_DAY: '1000' })
  owner = await plumbline.signIn()
  const make = (name: string) =>
    plumbline.post('/api/admin/keys', { name, permissions: ['vendors:read'], expiresAt: null }, owner)
  const { body: voice } = await make('Voice agent')
  const { body: quiet } = await make('Quiet')
  keyId = voice.id
  quietId = quiet.id
  for (let sent = 0; sent < LIMIT + 2; sent++) await plumbline.get('/api/ext/vendors', { key: voice.secret })
})
afterAll(() => plumbline.stop())

function count(database = plumbline.database) {
  return createUsageCounts(database, plumbline.clock, new FailureLog(database, pino({ level: 'silent' })))
}

async function usage(query = '') {
  await plumbline.app.usage.write()
  return plumbline.get(`/api/admin/usage${query}`, owner)
}

/** Counts requests in the same way as another process. */
async function countElsewhere(id: string, organizationId: string, times: number): Promise<void> {
  const { principal } = await createSystemCall(plumbline.app.services, organizationId)
  const other = count()
  for (let each = 0; each < times; each++) other.count({ ...principal, kind: 'key', id }, false)
  await other.stop()
}

test('the usage of a day counts only requests with a key', async () => {
  const { status, body } = await usage('?days=3')
  expect(status).toBe(200)
  const today = plumbline.clock.now().toISOString().slice(0, 10)
  expect(body.days).toHaveLength(3)
  expect(body.days[0]).toMatchObject({ requests: 0, refused: 0 })
  expect(body.days[2]).toEqual({ date: today, requests: LIMIT, refused: 2 })
  expect(body.today).toMatchObject({ limit: 1000, used: LIMIT })
  expect(body.requestsPerMinute).toBe(LIMIT)
})

test('the usage lists the requests of each key', async () => {
  const { body } = await usage('?days=3')
  expect(body.keys.map((key: { name: string }) => key.name)).toEqual(['Voice agent', 'Quiet', 'Test'])
  expect(body.keys[0]).toMatchObject({ keyId, requests: LIMIT, refused: 2, usedThisMinute: LIMIT })
  expect(Date.parse(body.keys[0].minuteEndsAt)).toBeGreaterThan(plumbline.clock.nowMs())
  expect(body.keys[1]).toMatchObject({ requests: 0, refused: 0, usedThisMinute: 0, minuteEndsAt: null })
})

test('the request counts of several processes are added up', async () => {
  await countElsewhere(keyId, plumbline.organizationId, 3)
  await countElsewhere(quietId, plumbline.organizationId, 1)
  const { body: all } = await usage('?days=1')
  expect(all.days).toEqual([expect.objectContaining({ requests: LIMIT + 4, refused: 2 })])
  const { body: one } = await usage(`?days=1&keyId=${quietId}`)
  expect(one.days).toEqual([expect.objectContaining({ requests: 1, refused: 0 })])
  expect(one.keys).toEqual(all.keys)
})

test('usage shows no requests or keys of another builder', async () => {
  const other = await plumbline.newBuilder()
  await countElsewhere(keyId, other.organizationId, 7)
  expect((await usage('?days=1')).body.days[0].requests).toBe(LIMIT + 4)
  const theirs = await plumbline.database.statements
    .selectFrom('apiKeys')
    .select('id')
    .where('organizationId', '=', other.organizationId)
    .executeTakeFirstOrThrow()
  expect((await usage(`?keyId=${theirs.id}`)).status).toBe(404)
  expect((await usage('?days=91')).body.errors[0].pointer).toBe('days')
})

test('erasing an organization discards only the counts of that organization', async () => {
  const { database, clock, config } = plumbline
  const other = await plumbline.newBuilder()
  const { principal } = await createSystemCall(plumbline.app.services, other.organizationId)
  const counts = count()
  counts.count({ ...principal, kind: 'key', id: 'key_01m7y975jyfesvq695t8y8ma68' }, false)
  await eraseOrganization({ database, clock, config }, other.organizationId, 'Harrow & Finch Homes')
  const here = await createSystemCall(plumbline.app.services, plumbline.organizationId)
  counts.count({ ...here.principal, kind: 'key', id: quietId }, true)
  await counts.stop()
  expect((await usage(`?days=1&keyId=${quietId}`)).body.days[0]).toMatchObject({ requests: 1, refused: 1 })
})

test('if request counts cannot be written, the next write includes them', async () => {
  const { database } = plumbline
  const { principal } = await createSystemCall(plumbline.app.services, plumbline.organizationId)
  let isAway = true
  const shaky: typeof database = {
    ...database,
    get statements() {
      if (isAway) throw new Error('away')
      return database.statements
    },
  }
  const counts = count(shaky)
  counts.count({ ...principal, kind: 'key', id: quietId }, false)
  await counts.write()
  isAway = false
  await counts.stop()
  expect((await usage(`?days=1&keyId=${quietId}`)).body.days[0].requests).toBe(2)
})

test('usage records are deleted after 90 days', async () => {
  const { database, clock, organizationId } = plumbline
  const dayBefore = (days: number) => new Date(clock.nowMs() - days * DAY_MS).toISOString().slice(0, 10)
  const written = [89, 90, 91].map((days) => ({ day: dayBefore(days), requests: days, refused: 0 }))
  await database.statements
    .insertInto('usageDays')
    .values(written.map((row) => ({ ...row, organizationId, keyId })))
    .execute()
  expect((await usage('?days=90')).body.days[0]).toEqual({ date: dayBefore(89), requests: 89, refused: 0 })
  await deleteOldUsage(database, clock)
  const stored = await database.statements.selectFrom('usageDays').select('requests').orderBy('day').execute()
  expect(stored.slice(0, 2).map(({ requests }) => requests)).toEqual([90, 89])
})
