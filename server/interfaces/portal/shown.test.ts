import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isOpenToApiKeys } from '../../../scripts/conformance/operation-kinds.ts'
import { EXAMPLE_IDS } from '../../../scripts/conformance/resource-ids.ts'
import { contract } from '../../../scripts/conformance/walked-contract.ts'
import type { World } from '../../../scripts/conformance/world.ts'
import { type Receiver, startReceiver } from '../../../scripts/processes/receiver.ts'
import { type PopulatedPlumbline, startPopulatedPlumbline } from '../../../test/support/populated-plumbline.ts'
import { buildSite, type Site } from '../../../test/support/site.ts'
import type { ServiceResponse, TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { ALL_PERMISSIONS } from '../../platform/keys/roles.ts'
import { getSkillCatalog } from '../skills/skill-catalog.ts'

/**
 * Tests where portal links appear. Anyone who has a link acts for the vendor, so no response, event, or webhook
 * contains a link for any caller. Only the two operations that copy a link return one; portal-links.test.ts tests their
 * rules.
 */
let populated: PopulatedPlumbline
let plumbline: TestPlumbline
let world: World
let site: Site
let receiver: Receiver
/** An API key with every permission. */
let key: string

beforeAll(async () => {
  populated = await startPopulatedPlumbline('enough')
  ;({ plumbline, world } = populated)
  receiver = await startReceiver()
  key = await plumbline.newKey([...ALL_PERMISSIONS])
  site = await buildSite(plumbline)
}, 120_000)
afterAll(async () => {
  await receiver.close()
  await populated.stop()
})

const addressIn = /\/portal\/((?:inv|ven)_[0-9a-z]{26})\.[\w-]{32}/g

/**
 * Returns the IDs of the invitations and vendors whose portal links occur in the text. Ignores the links in the
 * contract's public examples, which open no page.
 */
function addressed(text: string): string[] {
  return [...text.matchAll(addressIn)].map(([, id = '']) => id).filter((id) => !EXAMPLE_IDS.has(id))
}

function addressesIn(answer: ServiceResponse): string[] {
  return addressed(JSON.stringify(answer.body))
}

const post = (path: string, body?: unknown, options: object = {}) =>
  plumbline.post(`/api/ext${path}`, body, { key: site.key, ...options })

describe('a key with every permission never sees a link', () => {
  const gets = [...contract.operations.values()].filter((each) => each.method === 'GET' && isOpenToApiKeys(each))

  test.each(gets)('$id returns no portal link', async (operation) => {
    const answer = await world.send(operation, { address: world.addressFor(operation), key })
    expect([answer.status, answer.body?.detail]).toEqual([200, undefined])
    expect(addressesIn(answer)).toEqual([])
  })

  test('no skill returns a portal link to a key with all permissions, with or without a dry run', async () => {
    const { body } = await plumbline.get('/api/ext/skills?limit=200', { key })
    const names: string[] = body.data.map(({ name }: { name: string }) => name)
    expect(names).toContain('getBidRequest')
    expect(names.filter((name) => /copy\w*Link/.test(name))).toEqual([])
    const input = { bidRequestId: world.idFor('bidRequestId'), vendorId: world.idFor('vendorId') }
    let ran = 0
    for (const skill of names) {
      const { inputSchema, writes } = getSkillCatalog(contract).find(skill)
      const { properties = {}, required = [] } = inputSchema as { properties?: object; required?: string[] }
      for (const dryRun of writes ? [true, false] : [false]) {
        // Each skill gets all of its required inputs and no undeclared ones, because the test needs a result.
        for (const provided of [input, { bidRequestId: input.bidRequestId }, { vendorId: input.vendorId }, {}]) {
          if (
            Object.keys(provided).some((name) => !(name in properties)) ||
            required.some((name) => !(name in provided))
          )
            continue
          const answer = await plumbline.post('/api/ext/execute', { skill, input: provided, dryRun }, { key })
          if (answer.status === 200) ran++
          expect([skill, addressesIn(answer)]).toEqual([skill, []])
        }
      }
    }
    expect(ran).toBeGreaterThan(20)
  })

  test('no operation on a bid request or an invitation returns a portal link', async () => {
    const request = (await post('/bids/request', site.framing())).body
    const [first] = request.invitations
    const draft = (await post('/bids/request', { ...site.framing(), sendNow: false })).body
    const at = `/bids/requests/${request.id}`
    const answers = [
      await post(`/bids/requests/${draft.id}/send`),
      await post(`${at}/invitations`, { vendorIds: [site.redrock] }),
      await post(`/invitations/${first.id}/resend`),
      await post(`/vendors/${site.loneStar}/invite`),
      await plumbline.patch(`/api/ext${at}`, { title: 'Framing' }, { key: site.key }),
      await post(`/invitations/${first.id}/revoke`),
      await post(`${at}/remind`),
      await post(`${at}/close`),
      await post(`${at}/reopen`, { deadline: site.day(20) }),
      await post(`${at}/cancel`),
      await post('/execute', { skill: 'createBidRequest', input: site.framing() }),
      await post('/execute/batch', {
        steps: [{ name: 'ask', skill: 'createBidRequest', input: site.framing() }],
        dryRun: false,
      }),
    ]
    expect(addressed(JSON.stringify([request, draft]))).toEqual([])
    expect(answers.map(({ status }) => status)).not.toContain(409)
    for (const answer of answers) expect(addressesIn(answer)).toEqual([])
  })
})

test('no webhook event contains a portal link', async () => {
  const subscription = await post('/webhooks', { url: receiver.url, eventTypes: ['*'] })
  expect(subscription.status).toBe(201)
  const request = (await post('/bids/request', site.framing())).body
  const [first, second] = request.invitations
  const key = (await plumbline.mailedLink(first.id)).split('/').at(-1) ?? ''
  await plumbline.post('/api/portal/visits', { invitationId: first.id }, { key })
  await plumbline.post(`/api/portal/invitations/${first.id}/answer`, { answer: 'will_bid' }, { key })
  await post(`/invitations/${second.id}/resend`)
  await post(`/vendors/${site.hillCountry}/invite`)
  for (const path of [`/invitations/${second.id}`, `/vendors/${site.hillCountry}`])
    expect(addressesIn(await post(`${path}/portal-link`))).toHaveLength(1)
  await post(`/bids/requests/${request.id}/remind`)
  await post(`/bids/requests/${request.id}/close`)
  const received = await receiver.until((all) => all.some(({ event }) => event.data.object.status === 'closed'))
  const types = new Set(received.map(({ event }) => event.type))
  expect([types.has('vendor.invited'), types.has('vendor.portal_link_copied')]).toEqual([true, true])
  expect(received.flatMap(({ body }) => addressed(body))).toEqual([])
})

test('no portal token is stored in plain text', async () => {
  const { body } = await post('/bids/request', site.framing())
  const [{ id }] = body.invitations
  const headers = { 'idempotency-key': 'one-copy' }
  const copied = (await post(`/invitations/${id}/portal-link`, undefined, { headers })).body.portalUrl
  const secrets = [await plumbline.mailedLink(id), copied].map((url) => url.split('.').at(-1) ?? '')
  const stored = await everyRow()
  expect(stored).toContain(body.id)
  expect(addressed(stored)).toEqual([])
  for (const secret of secrets) expect(stored).not.toContain(secret)
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
