import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { bundleContract } from '../../../contract/bundle.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'

let plumbline: TestPlumbline
beforeAll(async () => {
  plumbline = await startTestPlumbline({
    RATE_LIMIT_PER_MINUTE: '400',
    QUOTA_PER_DAY: '5000',
    PUBLIC_URL: 'https://build.example.com/',
  })
})
afterAll(() => plumbline.stop())

const source = bundleContract()

test('a key can read its own identity, permissions, and organization', async () => {
  const { organizationId, key } = await plumbline.newBuilder({ poApprovalLimit: 25_000, timeZone: 'America/Denver' })
  const { status, body } = await plumbline.get('/api/ext/me', { key })
  expect(status).toBe(200)
  expect(body).toMatchObject({
    name: 'Test',
    actor: { type: 'key', id: body.keyId },
    poApprovalLimit: 25_000,
    organization: {
      id: organizationId,
      name: 'Harrow & Finch Homes',
      currency: 'USD',
      timeZone: 'America/Denver',
      tier: 'pro_plus',
    },
    expiresAt: null,
  })
  expect(body.permissions).toHaveLength(61)
  const narrow = await plumbline.newKey(['homes:read'], organizationId)
  const seen = await plumbline.get('/api/ext/me', { key: narrow })
  expect(seen.body.permissions).toEqual(['homes:read'])
})

test('the reported usage includes the current request and matches the rate limit headers', async () => {
  const { key } = await plumbline.newBuilder()
  for (let i = 0; i < 3; i++) await plumbline.get('/api/ext/me', { key })
  const { body, headers } = await plumbline.get('/api/ext/usage', { key })
  expect(body.minute).toMatchObject({ limit: 400, used: 4, remaining: 396 })
  expect(body.day).toMatchObject({ limit: 5000, used: 4, remaining: 4996 })
  expect(headers.get('ratelimit')).toMatch(/^"minute";r=396;t=\d+, "day";r=4996;t=\d+$/)
  const left = (Date.parse(body.minute.resetsAt) - Date.now()) / 1000
  expect(left).toBeGreaterThan(50)
  expect(left).toBeLessThanOrEqual(61)
  expect(body.day.resetsAt).toMatch(/T00:00:00\.000Z$/)
})

test('a rate limit window that ends early does not report reserved requests as used', async () => {
  const { key } = await plumbline.newBuilder()
  await plumbline.get('/api/ext/vendors', { key })
  // The database's clock determines when a window ends. By the time the test reads the response, the clock has advanced
  // slightly.
  await sql`update "limitWindows" set "endsAt" = clock_timestamp() - interval '1 hour'`.execute(
    plumbline.database.statements,
  )
  const { status, body } = await plumbline.get('/api/ext/usage', { key })
  expect(status).toBe(200)
  for (const { limit, used, remaining } of [body.minute, body.day]) {
    expect(used).toBeGreaterThanOrEqual(0)
    expect(used + remaining).toBe(limit)
  }
})

test('the reset time of a limit is the same in every response', async () => {
  const { key } = await plumbline.newBuilder()
  const answers = await Promise.all(Array.from({ length: 20 }, () => plumbline.get('/api/ext/usage', { key })))
  expect(new Set(answers.map(({ body }) => body.minute.resetsAt)).size).toBe(1)
  expect(new Set(answers.map(({ body }) => body.day.resetsAt)).size).toBe(1)
})

test('the published OpenAPI document contains every operation that a key can call and every webhook', async () => {
  const { status, body, headers } = await plumbline.get('/api/ext/schema/openapi.json')
  expect(status).toBe(200)
  const callable = Object.entries(source.paths).filter(([path, item]) => {
    const text = JSON.stringify(item)
    return path.startsWith('/api/ext/') && (text.includes('"apiKey"') || !text.includes('"session"'))
  })
  expect(Object.keys(body.paths)).toEqual(callable.map(([path]) => path))
  expect(body.webhooks).toEqual(source.webhooks)
  expect(body.servers).toEqual([{ url: 'https://build.example.com' }])
  expect(body.info).toEqual(source.info)
  assertWhole(body)
  const again = await plumbline.get('/api/ext/schema/openapi.json', {
    headers: { 'if-none-match': headers.get('etag') ?? '' },
  })
  expect(again.status).toBe(304)
})

test('the YAML document has the same content as the JSON document', async () => {
  const json = await plumbline.get('/api/ext/schema/openapi.json')
  const yaml = await plumbline.get('/api/ext/schema/openapi.yaml')
  expect(yaml.status).toBe(200)
  expect(yaml.headers.get('content-type')).toContain('application/yaml')
  expect(parse(yaml.body, { maxAliasCount: -1 })).toEqual(json.body)
  const run = await plumbline.post('/api/ext/execute', { skill: 'getOpenApiYaml' })
  expect(run.body.result).toBe(yaml.body)
})

test('an OpenAPI document for a key contains only the operations that the key can call', async () => {
  const key = await plumbline.newKey(['vendors:read'])
  const { body } = await plumbline.get('/api/ext/schema/openapi.json', { key })
  expect(Object.keys(body.paths['/api/ext/vendors'])).toEqual(['get'])
  expect(body.paths['/api/ext/bids']).toBeUndefined()
  expect(body.paths['/api/ext/me']).toBeDefined()
  expect(body['x-skills']).toBeUndefined()
  expect(body.components.schemas.VendorCreate).toBeUndefined()
  assertWhole(body)
})

test('an OpenAPI document for certain tags contains only their operations and schemas', async () => {
  const { status, body } = await plumbline.get('/api/ext/schema/openapi.json?tags=vendors,bid-requests')
  expect(status).toBe(200)
  expect(body.tags.map(({ name }: { name: string }) => name)).toEqual(['Vendors', 'Bid requests'])
  expect(body.paths['/api/ext/vendors'].get.operationId).toBe('listVendors')
  expect([body.paths['/api/ext/homes'], body['x-skills']]).toEqual([undefined, undefined])
  expect(body.webhooks).toEqual({})
  assertWhole(body)
  const { body: yaml } = await plumbline.get('/api/ext/schema/openapi.yaml?tags=vendors,bid-requests')
  expect(parse(yaml, { maxAliasCount: -1 })).toEqual(body)
  const events = await plumbline.get('/api/ext/schema/openapi.json?tags=webhooks')
  expect(events.body.webhooks).toEqual(source.webhooks)
  const refused = await plumbline.get('/api/ext/schema/openapi.json?tags=vendors,suppliers')
  expect([refused.status, refused.body.errors[0].pointer]).toEqual([422, 'tags'])
  expect(refused.body.errors[0].message).toMatch(
    /^contains unknown tags \(suppliers\); allowed: vendors, scopes, bid-requests/,
  )
})

interface Whole {
  components: Record<string, object>
  tags: { name: string }[]
}

// Asserts that every reference can be resolved, every component is referenced, and every tag is declared and used.
function assertWhole(document: Record<'paths' | 'webhooks', object> & Whole): void {
  const text = JSON.stringify(document)
  const references = new Set(
    [...text.matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)].map(([, kind, name]) => `${kind}/${name}`),
  )
  const components = Object.entries(document.components)
    .filter(([kind]) => kind !== 'securitySchemes')
    .flatMap(([kind, entries]) => Object.keys(entries).map((name) => `${kind}/${name}`))
  expect([...references].sort()).toEqual(components.sort())
  // Ignores the examples, because skills in examples have their own tags.
  const operations = JSON.stringify([document.paths, document.webhooks])
  const used = new Set([...operations.matchAll(/"tags":\["([^"]+)"\]/g)].map(([, tag]) => tag))
  expect(document.tags.map((tag) => tag.name).sort()).toEqual([...used].sort())
}
