import { afterAll, beforeAll, expect, test } from 'vitest'
import { compiledContract, startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { createKey } from '../../platform/keys/keys.ts'
import { concealSecretFields, getSecretFields } from './secret-fields.ts'

/**
 * Tests that a caller that may only propose changes never receives a secret, because it could use a secret to act
 * without approval.
 */
let plumbline: TestPlumbline
let agent: { key: string }
let vendorId: string
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  const { database, clock, organizationId } = plumbline
  agent = { key: (await createKey(database, clock, { organizationId, name: 'Agent', proposeOnly: true })).secret }
  const vendor = { companyName: 'Brazos Framing', email: 'bids@brazos.example.com', status: 'active' }
  vendorId = (await plumbline.post('/api/ext/vendors', vendor)).body.id
})
afterAll(() => plumbline.stop())

const WEBHOOK = { url: 'https://hooks.example.com/in', eventTypes: ['bid.submitted'] }
const SECRETS = /whsec_|\/calendars\/|\/portal\/|plb_/

test('every secret in a response is recognized by its mark in the contract', () => {
  const secretsOf = (id: string) => {
    const { contract } = compiledContract
    const operation = [...contract.operations.values()].find((each) => each.id === id)
    return operation === undefined ? [] : [...(getSecretFields(contract, operation)?.keys() ?? [])]
  }
  expect(
    ['createKey', 'createWebhook', 'rotateWebhookSecret', 'createCalendarFeed', 'createBrowserToken'].map(secretsOf),
  ).toEqual([['secret'], ['secret'], ['secret'], ['url'], ['token']])
  expect(['copyVendorPortalLink', 'copyInvitationLink'].map(secretsOf)).toEqual([['portalUrl'], ['portalUrl']])
  expect(['getBidRequest', 'inviteVendor', 'getWebhook', 'listCalendarFeeds'].map(secretsOf)).toEqual([[], [], [], []])
})

test('a secret at any depth of a response is omitted, or set to null if the schema allows null', () => {
  const secrets = new Map([
    [
      'data',
      new Map([
        [
          '[]',
          new Map([
            ['url', 'null' as const],
            ['secret', 'absent' as const],
          ]),
        ],
      ]),
    ],
  ])
  const body = { data: [{ id: 'a', url: 'https://x', secret: 's' }], secret: 'kept: it is another field' }
  expect(concealSecretFields(body, secrets)).toEqual({ ...body, data: [{ id: 'a', url: null }] })
})

test.each([
  ['a dry run', '/execute', { skill: 'createWebhook', input: WEBHOOK, dryRun: true }, 200],
  [
    'a dry run of creating a calendar feed',
    '/execute',
    { skill: 'createCalendarFeed', input: 'feed', dryRun: true },
    200,
  ],
  ['a proposal', '/calendar-feeds', 'feed', 202],
  ['a proposal that was made with a skill', '/execute', { skill: 'createCalendarFeed', input: 'feed' }, 202],
  ['an explicit proposal', '/proposals', { skill: 'createWebhook', input: WEBHOOK }, 201],
])('the response to %s shows no secret', async (_name, path, provided, status) => {
  const body = JSON.parse(JSON.stringify(provided).replace('"feed"', () => JSON.stringify({ vendorId })))
  const response = await plumbline.post(`/api/ext${path}`, body, agent)
  expect([response.status, JSON.stringify(response.body).match(SECRETS)]).toEqual([status, null])
})

test('a proposed batch and a dry run of a batch show no secrets', async () => {
  const steps = [
    { name: 'feed', skill: 'createCalendarFeed', input: { vendorId } },
    { name: 'hook', skill: 'createWebhook', input: WEBHOOK },
  ]
  for (const dryRun of [true, false]) {
    const response = await plumbline.post('/api/ext/execute/batch', { steps, dryRun }, agent)
    expect([response.status, JSON.stringify(response.body).match(SECRETS)]).toEqual([dryRun ? 200 : 202, null])
  }
  const stored = { name: 'note', skill: 'updateVendor', input: { vendorId, contactName: '$steps.hook.secret' } }
  const refused = await plumbline.post('/api/ext/execute/batch', { steps: [...steps, stored], dryRun: true }, agent)
  expect(refused.status).toBe(422)
})

test('a propose-only key cannot create a browser token', async () => {
  const token = { origin: 'https://app.example.com', permissions: ['vendors:read'] }
  const { status, body } = await plumbline.post('/api/ext/browser-tokens', token, agent)
  expect([status, body.reason]).toEqual([409, 'wrong_caller'])
})

test('an ordinary key sees the secrets that it creates, except in a dry run', async () => {
  const { body } = await plumbline.post('/api/ext/calendar-feeds', { vendorId })
  expect(body.url).toContain('/calendars/')
  const create = (dryRun: boolean) =>
    plumbline.post('/api/ext/execute', { skill: 'createWebhook', input: WEBHOOK, dryRun })
  expect((await create(true)).body.result.secret).toBeNull()
  expect((await create(false)).body.result.secret).toContain('whsec_')
})
