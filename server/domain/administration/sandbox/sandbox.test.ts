import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Receiver, startReceiver } from '../../../../scripts/processes/receiver.ts'
import { type MailServer, startMailServer } from '../../../../test/support/mail-server.ts'
import {
  pageRequest,
  type RequestOptions,
  type ServiceResponse,
  startTestPlumbline,
  type TestPlumbline,
} from '../../../../test/support/test-plumbline.ts'
import { REQUESTS } from '../../../operators/demo/demo-world.ts'
import { listOwnedTables } from '../../../platform/database/owned-tables.ts'
import { KEPT_TABLES } from '../../office/organizations/sandbox-tables.ts'
import { setSandboxMode } from '../../office/organizations/sandboxes.ts'
import { createSignInLink } from '../../office/users/sign-in-link.ts'
import { createUser } from '../../office/users/users.ts'

const SANDBOX = '/api/admin/sandbox'
/**
 * Filling the sandbox pauses for half of the time so that other requests can run, and other tests may use both cores.
 */
const LONG_MS = 300_000

let plumbline: TestPlumbline
let mail: MailServer
let receiver: Receiver
let owner: RequestOptions
beforeAll(async () => {
  mail = await startMailServer()
  receiver = await startReceiver()
  plumbline = await startTestPlumbline(mail.env)
  owner = await plumbline.signIn()
  // Creates a second builder for which the owner works.
  await plumbline.post('/api/admin/session/organization', { organizationId: plumbline.organizationId }, owner)
})
afterAll(async () => {
  await plumbline.stop()
  await receiver.close()
  await mail.stop()
})

async function ends(): Promise<ServiceResponse['body']> {
  const deadline = Date.now() + LONG_MS
  for (let last = 0; ; ) {
    const askedMs = performance.now()
    const { body } = await plumbline.get(SANDBOX, owner)
    // The service responds before it fills the sandbox, because filling the embedded database takes half a minute.
    expect(performance.now() - askedMs).toBeLessThan(5000)
    if (body.status === 'empty' || body.status === 'filled') return body
    expect(body.done).toBeGreaterThanOrEqual(body.status === 'filling' ? last : 0)
    expect(body.done).toBeLessThanOrEqual(body.total)
    last = body.done
    if (Date.now() > deadline) throw new Error(`It did not end: ${JSON.stringify(body)}`)
    await new Promise((next) => setTimeout(next, 50))
  }
}

/** Returns the tables that should be empty after a sandbox is emptied but still have rows of the organization. */
async function leftIn(organizationId: string): Promise<string[]> {
  const db = plumbline.database.statements
  const left: string[] = []
  for (const { name } of await listOwnedTables(db)) {
    if (KEPT_TABLES.has(name)) continue
    const only = name === 'events' ? sql`and "type" <> 'user.logged_in'` : sql``
    const { rows } = await sql`
      select from ${sql.table(name)} where "organizationId" = ${organizationId} ${only} limit 1`.execute(db)
    if (rows.length > 0) left.push(name)
  }
  return left
}

const refused = (reason: string) => ({ status: 409, body: { code: 'conflict', reason } })

test('only an owner can fill a sandbox, and only while the sandbox has no records', async () => {
  const { organizationId, database, clock } = plumbline
  expect((await plumbline.get(SANDBOX, owner)).body).toMatchObject({ isSandbox: false, status: 'empty', failure: null })
  for (const verb of ['fill', 'empty'])
    expect(await plumbline.post(`${SANDBOX}/${verb}`, undefined, owner)).toMatchObject(refused('not_available'))
  await setSandboxMode(database, clock, organizationId, true)
  expect(await plumbline.post(`${SANDBOX}/empty`, undefined, owner)).toMatchObject(refused('already_done'))
  const ingrid = { email: 'ingrid@example.com', name: 'Ingrid', role: 'admin' as const, poApprovalLimit: null }
  await createUser(database, clock, { organizationId, ...ingrid })
  const admin = await plumbline.signIn(ingrid.email)
  expect((await plumbline.get(SANDBOX, admin)).body).toMatchObject({ isSandbox: true, status: 'empty' })
  expect((await plumbline.post(`${SANDBOX}/fill`, undefined, admin)).status).toBe(403)

  const other = await plumbline.newBuilder()
  await setSandboxMode(database, clock, other.organizationId, true)
  await plumbline.post('/api/ext/vendors', { companyName: 'Ours', scopes: ['framing'] }, { key: other.key })
  const there = await plumbline.signIn()
  await plumbline.post('/api/admin/session/organization', { organizationId: other.organizationId }, there)
  expect(await plumbline.post(`${SANDBOX}/fill`, undefined, there)).toMatchObject(refused('not_suitable'))
})

test(
  'a sandbox is filled in the background',
  async () => {
    const hook = { url: receiver.url, eventTypes: ['vendor.created', 'bid.submitted'] }
    expect((await plumbline.post('/api/ext/webhooks', hook)).status).toBe(201)
    const started = await plumbline.post(`${SANDBOX}/fill`, undefined, owner)
    expect(started.body).toMatchObject({ status: 'filling', done: 0, total: 401 })
    expect(started.status).toBe(202)
    for (const verb of ['fill', 'empty'])
      expect(await plumbline.post(`${SANDBOX}/${verb}`, undefined, owner)).toMatchObject(refused('under_way'))
    expect(await ends()).toMatchObject({ status: 'filled', done: 401, total: 401, failure: null })
  },
  LONG_MS,
)

test('a filled sandbox cannot be filled again', async () => {
  expect(await plumbline.post(`${SANDBOX}/fill`, undefined, owner)).toMatchObject(refused('already_done'))
})

test('a filled sandbox contains the example history', async () => {
  const { data: requests } = (await plumbline.get('/api/ext/bids/requests?limit=200')).body
  expect(requests.length).toBe(REQUESTS.length)
  const { data: events } = (await plumbline.get('/api/ext/events?type=vendor.created&limit=1')).body
  expect(Date.now() - Date.parse(events[0].timestamp)).toBeGreaterThan(300 * 86_400_000)
  // Events of the example history that have earlier timestamps are recorded after today's sign-in.
  const visits = '/api/ext/events?type=user.logged_in'
  const { data: today } = (await plumbline.get(visits)).body
  expect(today.length).toBeGreaterThan(0)
  expect((await plumbline.get(`${visits}&createdAfter=${today[0].timestamp}`)).body.data).toEqual(today)
})

test('filling a sandbox sends no email or webhook events', async () => {
  const { rows } = await sql`
    select from "deliveries" where "organizationId" = ${plumbline.organizationId} limit 1`.execute(
    plumbline.database.statements,
  )
  expect(rows).toEqual([])
  expect(mail.received).toEqual([])
})

test('a webhook of a filled sandbox receives the events of new records', async () => {
  const { body: vendor } = await plumbline.post('/api/ext/vendors', {
    ...{ companyName: 'Ours', email: 'ours@example.com', scopes: ['framing'] },
  })
  await receiver.until(1)
  expect(receiver.received.map(({ event }) => event.data.object.companyName)).toEqual(['Ours'])
  // A sandbox sends no email, not even with a portal link.
  expect((await plumbline.post(`/api/ext/vendors/${vendor.id}/invite`)).status).toBe(200)
  expect(mail.received).toEqual([])
})

test('no user can sign in as a sample user, not even with a sign-in link from an operator', async () => {
  const { database, clock, app } = plumbline
  const { identity } = app.services
  const { data: users } = (await plumbline.get('/api/ext/users?limit=50')).body
  const elena = users.find(({ name }: { name: string }) => name === 'Elena Ortiz')
  await expect(createSignInLink({ database, clock, identity }, elena.id, 60_000)).rejects.toMatchObject({
    extras: { reason: 'not_available' },
  })
  await expect(plumbline.signIn(elena.email)).rejects.toThrow('link_spent')
  const ask = (email: string) => plumbline.post('/api/admin/sign-in/link', { email }, pageRequest(''))
  expect((await ask(elena.email)).status).toBe(202)
  expect((await ask('ingrid@example.com')).status).toBe(202)
  // Emails are sent in order, so if there were an email to Elena, it would have arrived before this one.
  await mail.next('ingrid@example.com')
  expect(mail.received.flatMap(({ to }) => to)).toEqual(['ingrid@example.com'])

  // If a user of another builder has the same address, that user can sign in only to the other builder.
  const other = await plumbline.newBuilder()
  const namesake = { email: elena.email, name: 'Elena', role: 'viewer' as const, poApprovalLimit: null }
  await createUser(database, clock, { organizationId: other.organizationId, ...namesake })
  const { body: session } = await plumbline.get('/api/admin/session', await plumbline.signIn(elena.email))
  expect(session.organizations.map(({ id }: { id: string }) => id)).toEqual([other.organizationId])
})

test(
  'emptying a sandbox removes all sample records and nothing else',
  async () => {
    const { organizationId } = plumbline
    expect((await plumbline.post(`${SANDBOX}/empty`, undefined, owner)).body).toMatchObject({
      status: 'emptying',
      done: 0,
    })
    const { status, done, total } = await ends()
    expect({ status, done }).toEqual({ status: 'empty', done: total })
    expect(await leftIn(organizationId)).toEqual([])
    const { data: users } = (await plumbline.get('/api/ext/users')).body
    expect(users.map(({ name }: { name: string }) => name).sort()).toEqual(['Ingrid', 'Priya Harrow'])
    expect((await plumbline.get('/api/ext/webhooks')).body.data).toHaveLength(1)
    const { data: trail } = (await plumbline.get(`/api/ext/audit-entries?resourceId=${organizationId}`)).body
    expect(trail.map(({ action }: { action: string }) => action)).toEqual(
      expect.arrayContaining(['organization.emptied', 'organization.filled']),
    )
  },
  LONG_MS,
)

test(
  'if the process ends while it fills a sandbox, the records that it created are removed',
  async () => {
    const { organizationId, database } = plumbline
    await plumbline.post(`${SANDBOX}/fill`, undefined, owner)
    const deadline = Date.now() + LONG_MS
    while ((await plumbline.get(SANDBOX, owner)).body.done < 20) {
      if (Date.now() > deadline) throw new Error('It does not begin.')
      await new Promise((next) => setTimeout(next, 20))
    }
    expect(await leftIn(organizationId)).toContain('vendors')
    // Simulate that the process with the claim has made no progress for a minute.
    await sql`update "sandboxes" set "claim" = 'ended', "claimedUntil" = '2026-01-01' where "organizationId" = ${organizationId}`.execute(
      database.statements,
    )
    expect(await ends()).toMatchObject({ status: 'empty', failure: 'interrupted' })
    expect(await leftIn(organizationId)).toEqual([])
  },
  LONG_MS,
)
