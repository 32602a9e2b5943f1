import { afterAll, beforeAll, expect, test } from 'vitest'
import { listEvents } from '../../../test/support/recorded-events.ts'
import { type ServiceResponse, startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { operations } from '../operations.ts'

let plumbline: TestPlumbline
beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
afterAll(() => plumbline.stop())

interface Step {
  name: string
  skill: string
  input?: unknown
}

function run(steps: Step[], more: object = {}, options: object = {}): Promise<ServiceResponse> {
  return plumbline.post('/api/ext/execute/batch', { steps, ...more }, options)
}
const vendor = (companyName: string): Step => ({ name: 'vendor', skill: 'createVendor', input: { companyName } })
const named = async (q: string) => (await plumbline.get(`/api/ext/vendors?q=${encodeURIComponent(q)}`)).body.data

test('a batch step can use results of earlier steps', async () => {
  const { key, organizationId } = await plumbline.newBuilder()
  const steps = [
    vendor('Redrock Concrete'),
    { name: 'document', skill: 'addComplianceDocument', input: { vendorId: '$steps.vendor.id', type: 'w9' } },
    { name: 'found', skill: 'listVendors', input: { ids: ['$steps.vendor.id'] } },
    {
      name: 'changed',
      skill: 'updateVendor',
      input: { vendorId: '$steps.found.data.0.id', poLimit: '$steps.vendor.version' },
    },
  ]
  const { status, body } = await run(steps, {}, { key })
  expect(body).toMatchObject({ dryRun: false, steps: [{ name: 'vendor' }, {}, {}, {}] })
  expect(status).toBe(200)
  const [made, document, found, changed] = body.steps
  expect(document.result.vendorId).toBe(made.result.id)
  expect(found.result.data).toMatchObject([{ id: made.result.id }])
  expect(changed.result).toMatchObject({ id: made.result.id, poLimit: 1 })
  expect(body.steps.map(({ events }: { events: { type: string }[] }) => events.map(({ type }) => type))).toEqual([
    ...[['vendor.created'], ['vendor.updated'], [], ['vendor.updated']],
  ])
  const types = (await listEvents(plumbline, organizationId)).map(({ type }) => type)
  expect(types).toEqual(['vendor.created', 'vendor.updated', 'vendor.updated'])
})

test('if a batch step is rejected, all other steps are rolled back', async () => {
  const wrong = {
    name: 'wrong',
    skill: 'updateVendor',
    input: { vendorId: '$steps.vendor.id', contacts: [{ notify: 1 }] },
  }
  const refused = await run([vendor('Never Was'), wrong])
  expect([refused.status, refused.body.code]).toEqual([422, 'validation_failed'])
  const pointers = refused.body.errors.map(({ pointer }: { pointer: string }) => pointer)
  expect(pointers).toEqual(
    expect.arrayContaining(['/steps/1/input/contacts/0/name', '/steps/1/input/contacts/0/notify']),
  )
  const stale = await run([
    vendor('Never Was'),
    { name: 'stale', skill: 'updateVendor', input: { vendorId: '$steps.vendor.id', phone: '1', ifMatch: '"9"' } },
  ])
  expect(stale.body).toMatchObject({ code: 'precondition_failed', errors: [{ pointer: '/steps/1' }] })
  const nowhere = await run([vendor('Never Was'), { name: 'no', skill: 'getVendor', input: { vendorId: 'ven_none' } }])
  expect([nowhere.status, nowhere.body.errors[0].pointer]).toEqual([422, '/steps/1/input/vendorId'])
  expect(await named('Never Was')).toEqual([])
})

test('errors that can be detected in advance are reported before any batch step runs', async () => {
  const later = await run([
    { name: 'a', skill: 'getVendor', input: { vendorId: '$steps.b.id' } },
    { name: 'b', skill: 'getCaller' },
    { name: 'b', skill: 'getCaller' },
  ])
  expect(later.body.errors).toMatchObject([
    { pointer: '/steps/0/input/vendorId', code: 'unknown_step' },
    { pointer: '/steps/2/name', code: 'unique' },
  ])
  const unknown = await run([{ name: 'a', skill: 'getVendr' }])
  expect(unknown.body).toMatchObject({ code: 'skill_not_found', errors: [{ pointer: '/steps/0/skill' }] })
  expect(unknown.body.nearest).toContain('getVendor')
  const key = await plumbline.newKey(['skills:write', 'vendors:write'])
  const denied = await run([vendor('Never Was'), { name: 'home', skill: 'listHomes' }], {}, { key })
  expect([denied.status, denied.body.permission]).toEqual([403, 'homes:read'])
  expect(denied.body.errors[0].pointer).toBe('/steps/1/skill')
  expect((await run([{ name: 'again', skill: 'executeBatch' }])).body.code).toBe('skill_not_found')
  expect(await named('Never Was')).toEqual([])
})

test('a reference to a missing part of an earlier result is reported at its field', async () => {
  const missing = await run([
    { name: 'found', skill: 'listVendors', input: { q: 'nobody at all' } },
    { name: 'first', skill: 'getVendor', input: { vendorId: '$steps.found.data.0.id' } },
  ])
  expect(missing.status).toBe(422)
  expect(missing.body.errors).toMatchObject([{ pointer: '/steps/1/input/vendorId', code: 'unknown_step' }])
})

test('a dry run of a batch stores nothing', async () => {
  const { key, organizationId } = await plumbline.newBuilder()
  const steps = [vendor('Once'), { name: 'read', skill: 'getVendor', input: { vendorId: '$steps.vendor.id' } }]
  const tried = await run(steps, { dryRun: true }, { key })
  expect(tried.body).toMatchObject({ dryRun: true, steps: [{ events: [{ type: 'vendor.created' }] }, {}] })
  expect(tried.body.steps[1].result).toMatchObject({ companyName: 'Once' })
  expect((await plumbline.get('/api/ext/vendors', { key })).body.data).toEqual([])
  expect(await listEvents(plumbline, organizationId)).toEqual([])
})

test('repeating a batch with the same Idempotency-Key runs no step again', async () => {
  const { key } = await plumbline.newBuilder()
  const steps = [vendor('Once'), { name: 'read', skill: 'getVendor', input: { vendorId: '$steps.vendor.id' } }]
  const options = { key, headers: { 'idempotency-key': 'batch-1' } }
  const [first, again] = [await run(steps, {}, options), await run(steps, {}, options)]
  expect([again.headers.get('idempotent-replayed'), again.body]).toEqual(['true', first.body])
  expect((await plumbline.get('/api/ext/vendors', { key })).body.data).toHaveLength(1)
})

test('a repeated batch returns the current secret of a webhook subscription, not a stored secret', async () => {
  const input = { url: 'https://hooks.example.com/batch', eventTypes: ['vendor.created'] }
  const options = { headers: { 'idempotency-key': 'batch-secret' } }
  const send = async () =>
    (await run([{ name: 'hook', skill: 'createWebhook', input }], {}, options)).body.steps[0].result
  const first = await send()
  expect(await send()).toEqual(first)
  const { body: rotated } = await plumbline.post(`/api/ext/webhooks/${first.id}/rotate-secret`, {})
  expect((await send()).secret).toBe(rotated.secret)
})

test('a batch that takes more than ten seconds is rolled back', async () => {
  const slow: TestPlumbline = await startTestPlumbline(
    {},
    {
      handlers: {
        ...operations,
        async getUsage(input, call) {
          const answer = await operations.getUsage(input, call)
          // Moves the clock forward, as if the step had taken this long.
          slow.clock.advance(11_000)
          return answer
        },
      },
    },
  )
  try {
    const steps = [vendor('Too Late'), { name: 'slow', skill: 'getUsage' }, { name: 'last', skill: 'getCaller' }]
    const { status, body } = await slow.post('/api/ext/execute/batch', { steps })
    expect([status, body.code, body.errors]).toMatchObject([422, 'too_much_work', [{ pointer: '/steps/2' }]])
    expect((await slow.get('/api/ext/vendors')).body.data).toEqual([])
  } finally {
    await slow.stop()
  }
})

test('a batch has at most twenty steps, each with a name and a skill', async () => {
  const many = Array.from({ length: 21 }, (_, i) => ({ name: `s${i}`, skill: 'getCaller' }))
  expect((await run(many)).body.errors).toMatchObject([{ pointer: '/steps', code: 'maxItems' }])
  expect((await run(many.slice(0, 20))).status).toBe(200)
  expect((await run([])).status).toBe(422)
  const { body } = await run([{ name: 'not a name', skill: '' }])
  expect(body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(['/steps/0/name', '/steps/0/skill'])
})

test('a batch that writes does not block a skill that reads concurrently', async () => {
  const { key } = await plumbline.newBuilder()
  const suggest = { skill: 'suggestVendorsForScope', input: { scope: 'framing' } }
  expect(
    (await plumbline.post('/api/ext/vendors', { companyName: 'Lone Star', scopes: ['framing'] }, { key })).status,
  ).toBe(201)
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, i) =>
      i % 2 === 0
        ? plumbline.post('/api/ext/execute', suggest, { key })
        : run([vendor(`Brazos ${i}`), { name: 'suggested', ...suggest }], {}, { key }),
    ),
  )
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
})
