import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../scripts/conformance/contract.ts'
import { EXAMPLE_IDS, isOpenToKeys, type World } from '../../scripts/conformance/world.ts'
import { type Receiver, startReceiver } from '../../scripts/processes/receiver.ts'
import { ALL_PERMISSIONS } from '../../server/keys/roles.ts'
import type { Answer, TestPlumbline } from '../../test/support/plumbline.ts'
import { type Populated, startPopulated } from '../../test/support/populated.ts'
import { buildSite, type Site } from '../../test/support/site.ts'
import { catalogueOf } from '../skills/catalogue.ts'

/**
 * Who is shown portal addresses. Whoever has one acts for the vendor, so only callers with bids:write see them, only in
 * responses about a single record, and nowhere else.
 */
let populated: Populated
let plumbline: TestPlumbline
let world: World
let site: Site
let receiver: Receiver
/** May do everything except write bids. */
let reader: string

beforeAll(async () => {
  populated = await startPopulated('enough')
  ;({ plumbline, world } = populated)
  receiver = await startReceiver()
  reader = await plumbline.newKey(ALL_PERMISSIONS.filter((permission) => permission !== 'bids:write'))
  site = await buildSite(plumbline)
}, 120_000)
afterAll(async () => {
  await receiver.close()
  await populated.stop()
})

const addressIn = /\/portal\/((?:inv|ven)_[0-9a-z]{26})\.[\w-]{32}/g

/** What the addresses in a text give access to; those in the contract's public examples give access to nothing. */
function addressed(text: string): string[] {
  return [...text.matchAll(addressIn)].map(([, id = '']) => id).filter((id) => !EXAMPLE_IDS.has(id))
}

function addressesIn(answer: Answer): string[] {
  return addressed(JSON.stringify(answer.body))
}

const post = (path: string, body?: unknown, options: object = {}) =>
  plumbline.post(`/api/ext${path}`, body, { key: site.key, ...options })
const read = (id: string, key = site.key) => plumbline.get(`/api/ext/bids/requests/${id}`, { key })

describe('a key without bids:write is shown no address', () => {
  const gets = [...contract.operations.values()].filter((each) => each.method === 'GET' && isOpenToKeys(each))

  test.each(gets)('by $id', async (operation) => {
    // This key may not run the skill in the example.
    const address = operation.id === 'getSkill' ? '/api/ext/skills/getBidRequest' : world.addressFor(operation)
    const answer = await world.send(operation, { address, key: reader })
    expect(answer.status).toBe(200)
    expect(addressesIn(answer)).toEqual([])
  })

  test('by no skill either, tried out or run', async () => {
    const { body } = await plumbline.get('/api/ext/skills?limit=200', { key: reader })
    const names: string[] = body.data.map(({ name }: { name: string }) => name)
    expect(names).toContain('getBidRequest')
    const input = { bidRequestId: world.idFor('bidRequestId'), vendorId: world.idFor('vendorId') }
    let ran = 0
    for (const skill of names) {
      const { inputSchema, writes } = catalogueOf(contract).find(skill)
      const { properties = {}, required = [] } = inputSchema as { properties?: object; required?: string[] }
      for (const dryRun of writes ? [true, false] : [false]) {
        // What counts is what a skill returns, so it is only given what its input declares, and all that this requires.
        for (const given of [input, { bidRequestId: input.bidRequestId }, { vendorId: input.vendorId }, {}]) {
          if (Object.keys(given).some((name) => !(name in properties)) || required.some((name) => !(name in given)))
            continue
          const answer = await plumbline.post('/api/ext/execute', { skill, input: given, dryRun }, { key: reader })
          if (answer.status === 200) ran++
          expect([skill, addressesIn(answer)]).toEqual([skill, []])
        }
      }
    }
    expect(ran).toBeGreaterThan(20)
    const run = await plumbline.post(
      '/api/ext/execute',
      { skill: 'getBidRequest', input: { bidRequestId: input.bidRequestId } },
      { key: reader },
    )
    expect(run.body.result.invitations.length).toBeGreaterThan(0)
  })

  test('and cannot have one made or sent', async () => {
    const [vendorId, invitationId] = [world.idFor('vendorId'), world.idFor('invitationId')]
    for (const path of [`/vendors/${vendorId}/invite`, `/invitations/${invitationId}/resend`]) {
      const refused = await post(path, undefined, { key: reader })
      expect([path, refused.status, refused.body.permission]).toEqual([path, 403, 'bids:write'])
    }
  })
})

describe('a key with bids:write is shown an address', () => {
  test('wherever a single thing is answered, and in no list or event', async () => {
    const request = (await post('/bids/request', site.framing())).body
    const all = request.invitations.map(({ id }: { id: string }) => id)
    const draft = (await post('/bids/request', { ...site.framing(), sendNow: false })).body
    const of = async (answer: Promise<Answer>) => addressesIn(await answer)
    const at = `/bids/requests/${request.id}`
    expect(addressed(JSON.stringify(request))).toEqual(all)
    expect(addressed(JSON.stringify(draft))).toEqual([])
    expect(await of(read(request.id))).toEqual(all)
    expect(await of(post(`/bids/requests/${draft.id}/send`))).toHaveLength(2)
    const added = await post(`${at}/invitations`, { vendorIds: [site.redrock] })
    expect(addressesIn(added)).toEqual([added.body.data[0].id])
    expect(await of(post(`/invitations/${all[0]}/resend`))).toEqual([all[0]])
    expect(await of(post(`/vendors/${site.loneStar}/invite`))).toEqual([site.loneStar])

    expect(await of(plumbline.get('/api/ext/bids/requests', { key: site.key }))).toEqual([])
    expect(await of(plumbline.get(`/api/ext${at}/invitations`, { key: site.key }))).toEqual([])
    expect(await of(plumbline.patch(`/api/ext${at}`, { title: 'Framing' }, { key: site.key }))).toHaveLength(3)
    expect(await of(post(`/invitations/${all[0]}/revoke`))).toEqual([])
    for (const action of ['remind', 'close']) expect(await of(post(`${at}/${action}`))).toHaveLength(2)
    expect(await of(post(`${at}/reopen`, { deadline: site.day(20) }))).toEqual([all[1], added.body.data[0].id])
    expect(await of(post(`${at}/cancel`))).toHaveLength(2)
    expect(await of(plumbline.get('/api/ext/events?limit=200', { key: site.key }))).toEqual([])
  })

  test('by no dry run, for what that makes does not last', async () => {
    const request = (await post('/bids/request', site.framing())).body
    const before = await read(request.id)
    for (const [skill, input] of [
      ['createBidRequest', site.framing()],
      ['inviteToBid', { bidRequestId: request.id, vendorIds: [site.redrock] }],
      ['resendInvitation', { invitationId: request.invitations[0].id }],
      ['inviteVendor', { vendorId: site.loneStar }],
      ['getBidRequest', { bidRequestId: request.id }],
    ]) {
      const tried = await post('/execute', { skill, input, dryRun: true })
      expect(tried.status).toBe(200)
      // For a skill that only reads, a dry run is an ordinary run.
      expect([skill, addressesIn(tried).length]).toEqual([skill, skill === 'getBidRequest' ? 2 : 0])
      const events: { type: string; data: unknown }[] = tried.body.events
      expect(addressed(JSON.stringify(events))).toEqual([])
    }
    expect((await read(request.id)).body).toEqual(before.body)
    const run = await post('/execute', { skill: 'createBidRequest', input: site.framing() })
    expect(addressesIn(run)).toEqual(run.body.result.invitations.map(({ id }: { id: string }) => id))
  })
})

test('no webhook carries an address, whatever happens to invitations', async () => {
  const subscription = await post('/webhooks', { url: receiver.url, eventTypes: ['*'] })
  expect(subscription.status).toBe(201)
  const request = (await post('/bids/request', site.framing())).body
  const [first, second] = request.invitations
  const key = first.portalUrl.split('/').at(-1)
  await plumbline.post('/api/portal/visits', { invitationId: first.id }, { key })
  await plumbline.post(`/api/portal/invitations/${first.id}/answer`, { answer: 'will_bid' }, { key })
  await post(`/invitations/${second.id}/resend`)
  await post(`/vendors/${site.hillCountry}/invite`)
  await post(`/bids/requests/${request.id}/remind`)
  await post(`/bids/requests/${request.id}/close`)
  const received = await receiver.until((all) => all.some(({ event }) => event.data.object.status === 'closed'))
  expect(new Set(received.map(({ event }) => event.type))).toContain('vendor.invited')
  expect(received.flatMap(({ body }) => addressed(body))).toEqual([])
})

test('a repeat of a creation answers its addresses to the key that made it, and to no other', async () => {
  const headers = { 'idempotency-key': 'one-request' }
  const first = await post('/bids/request', site.framing(), { headers })
  expect((await post('/bids/request', site.framing(), { headers })).body).toEqual(first.body)
  const other = await plumbline.newKey(['bids:read'], site.organizationId)
  const refused = await post('/bids/request', site.framing(), { headers, key: other })
  expect(refused.status).toBe(403)
  expect((await read(first.body.id, other)).body.invitations).toMatchObject([{ portalUrl: null }, { portalUrl: null }])
})

test('no token is kept in the clear', async () => {
  const { body } = await post('/bids/request', site.framing())
  const secrets = body.invitations.map(({ portalUrl }: { portalUrl: string }) => portalUrl.split('.').at(-1))
  const kept = await everyRow()
  expect(kept).toContain(body.id)
  expect(addressed(kept)).toEqual([])
  for (const secret of secrets) expect(kept).not.toContain(secret)
})

async function everyRow(): Promise<string> {
  const db = plumbline.database.statements
  const tables = await sql<{ name: string }>`
    select "table_name" as "name" from information_schema.tables where "table_schema" = 'public'`.execute(db)
  const texts: string[] = []
  for (const { name } of tables.rows) {
    const { rows } = await sql<{ row: string }>`select to_json(t)::text as "row" from ${sql.table(name)} as t`.execute(
      db,
    )
    texts.push(...rows.map(({ row }) => row))
  }
  return texts.join('\n')
}
