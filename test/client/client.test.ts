import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClient, orThrow, type PlumblineClient, PlumblineError, verifyWebhook } from '../../client/index.ts'
import { type Receiver, startReceiver } from '../../scripts/processes/receiver.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'

/** Tests the client against the real service, as a customer would use it. */
let plumbline: TestPlumbline
let client: PlumblineClient
let sent: Request[]

beforeAll(async () => {
  // The limit on failed keys is so low that the service rejects further requests unread if a page sends many requests
  // with an expired key at once.
  plumbline = await startTestPlumbline({ FAILED_KEYS_PER_MINUTE: '3' })
  client = getClient(plumbline.key)
  sent = []
})

afterAll(() => plumbline.stop())

function getClient(key: string): PlumblineClient {
  return createClient({
    baseUrl: plumbline.url,
    key,
    fetch: (input, init) => {
      const request = new Request(input, init)
      sent.push(request.clone())
      return fetch(request)
    },
  })
}

async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

test('the client can create, read, update, and archive a record', async () => {
  const created = await client.POST('/api/ext/vendors', {
    body: { companyName: 'Lone Star Framing LLC', scopes: ['framing'] },
  })
  const vendorId = created.data?.id ?? ''
  expect(created.response.status).toBe(201)
  const read = await client.GET('/api/ext/vendors/{vendorId}', { params: { path: { vendorId } } })
  expect(created.data).toEqual({ ...read.data, possibleDuplicates: [] })
  const etag = read.response.headers.get('ETag') ?? ''
  const header = { 'If-Match': etag }
  const changed = await orThrow(
    client.PATCH('/api/ext/vendors/{vendorId}', {
      params: { path: { vendorId }, header },
      body: { contactName: 'Dana Whitfield' },
    }),
  )
  expect([changed.contactName, changed.version]).toEqual(['Dana Whitfield', 2])
  const late = await client.PATCH('/api/ext/vendors/{vendorId}', {
    params: { path: { vendorId }, header },
    body: { contactName: null },
  })
  expect([late.error?.code, late.error?.currentVersion]).toEqual(['precondition_failed', 2])
  expect(
    await orThrow(client.DELETE('/api/ext/vendors/{vendorId}', { params: { path: { vendorId } } })),
  ).toBeUndefined()
})

test('the client can upload a file and download it unchanged', async () => {
  const message = { body: 'See the drawing.', recipientRoles: ['owner' as const] }
  const { id: recordId } = await orThrow(client.POST('/api/ext/messages', { body: message }))
  const params = { query: { recordId, fileName: 'Plan.pdf' } }
  const drawing = new Blob(['%PDF-1.4\n', new Uint8Array([0, 255, 128])])
  const { id: attachmentId, size } = await orThrow(client.POST('/api/ext/attachments', { params, body: drawing }))
  expect([size, sent.at(-1)?.headers.get('idempotency-key')]).toEqual([drawing.size, expect.any(String)])
  const content = Buffer.from(await drawing.arrayBuffer()).toString('base64')
  expect((await orThrow(client.POST('/api/ext/attachments', { params, body: { content } }))).size).toBe(size)
  const path = { attachmentId }
  const read = await orThrow(client.GET('/api/ext/attachments/{attachmentId}/content', { params: { path } }))
  expect(Buffer.from(await (read as Blob).arrayBuffer()).toString('base64')).toBe(content)
  expect((await client.execute('downloadAttachment', path)).result).toBe(content)
  await client.DELETE('/api/ext/attachments/{attachmentId}', { params: { path } })
  const gone = await client.GET('/api/ext/attachments/{attachmentId}/content', { params: { path } })
  expect(gone.error?.code).toBe('not_found')
})

test('creating a client with an empty key throws an error before any request is sent', () => {
  expect(() => createClient({ baseUrl: plumbline.url, key: '' })).toThrow(/^The API key is missing/)
  const unset = JSON.parse('{}') as { key: string }
  expect(() => createClient({ baseUrl: plumbline.url, key: unset.key })).toThrow(/^The API key is missing/)
})

test('a 304 response causes no error and has no data', async () => {
  const { response } = await client.GET('/api/ext/me')
  const again = await client.GET('/api/ext/schema/openapi.yaml')
  expect(again.data).toMatch(/^openapi: 3\.1\.0/)
  const unchanged = await client.GET('/api/ext/schema/openapi.yaml', {
    params: { header: { 'If-None-Match': again.response.headers.get('ETag') ?? '' } },
  })
  expect([response.status, unchanged.response.status, unchanged.data]).toEqual([200, 304, undefined])
})

describe('pages', () => {
  test('pages() requests only as many pages as needed', async () => {
    const { key } = await plumbline.newBuilder()
    const own = getClient(key)
    const names = Array.from({ length: 7 }, (_, index) => `Vendor ${index}`)
    for (const companyName of names) await orThrow(own.POST('/api/ext/vendors', { body: { companyName } }))

    sent.length = 0
    const options = { params: { query: { limit: 3, sort: 'companyName' } } } as const
    const all = await collected(own.pages('/api/ext/vendors', options))
    expect(all.map((vendor) => vendor.companyName)).toEqual(names)
    expect(sent.length).toBe(3)

    sent.length = 0
    for await (const vendor of own.pages('/api/ext/vendors', options)) {
      if (vendor.companyName === 'Vendor 3') break
    }
    expect(sent.length).toBe(2)
    expect(options).toEqual({ params: { query: { limit: 3, sort: 'companyName' } } })
  })

  test('pages() accepts the path parameters of a nested list', async () => {
    const vendor = await orThrow(client.POST('/api/ext/vendors', { body: { companyName: 'Hill Country Framers' } }))
    const params = { path: { vendorId: vendor.id } }
    expect(await collected(client.pages('/api/ext/vendors/{vendorId}/notifications', { params }))).toEqual([])
  })

  test('pages() throws the problem of a rejected page', async () => {
    const narrow = getClient(await plumbline.newKey(['homes:read']))
    const error = await collected(narrow.pages('/api/ext/vendors')).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(PlumblineError)
    expect(error).toMatchObject({ code: 'permission_denied', status: 403, problem: { permission: 'vendors:read' } })
  })
})

describe('execute', () => {
  test('execute() combines all parameters and the body of an operation into one input', async () => {
    const created = await client.execute('createVendor', { companyName: 'Redrock Concrete', scopes: ['concrete'] })
    expect(created.events.map(({ type }) => type)).toEqual(['vendor.created'])
    const { result, skill } = await client.execute('getVendor', { vendorId: created.result.id })
    const { possibleDuplicates, ...vendor } = created.result
    expect([skill, result, possibleDuplicates]).toEqual(['getVendor', vendor, []])
    const { result: page } = await client.execute('listVendors', { ids: [created.result.id], limit: 1 })
    expect(page.data).toEqual([vendor])
    const stale = client.execute('updateVendor', { vendorId: created.result.id, contactName: 'x', ifMatch: '"99"' })
    await expect(stale).rejects.toMatchObject({ code: 'precondition_failed', status: 412 })
  })

  test('execute() can run a composite skill', async () => {
    const { result } = await client.execute('suggestVendorsForScope', { scope: 'framing' })
    expect([result.scope, Array.isArray(result.vendors)]).toEqual(['framing', true])
  })

  test('a dry run with execute() stores nothing', async () => {
    const dry = await client.execute('createVendor', { companyName: 'Nowhere Ltd.' }, { dryRun: true })
    expect([dry.dryRun, dry.result.companyName]).toEqual([true, 'Nowhere Ltd.'])
    const { error } = await client.GET('/api/ext/vendors/{vendorId}', { params: { path: { vendorId: dry.result.id } } })
    expect(error?.code).toBe('not_found')
  })

  test('execute() throws the problem of a rejected skill, with pointers into its input', async () => {
    const error = await client
      .execute('createVendor', { companyName: 'x'.repeat(1000) })
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(PlumblineError)
    expect(error).toMatchObject({ code: 'validation_failed', errors: [{ pointer: '/input/companyName' }] })
  })
})

test('a POST request is performed only once even if its response is lost', async () => {
  let lost = 0
  const unlucky = createClient({
    baseUrl: plumbline.url,
    key: plumbline.key,
    fetch: async (input, init) => {
      const response = await fetch(input, init)
      if (lost++ === 2) return response
      await response.arrayBuffer()
      throw new TypeError('The connection was lost.')
    },
  })
  const { data, response } = await unlucky.POST('/api/ext/vendors', { body: { companyName: 'Once Only LLC' } })
  expect([response.status, response.headers.get('Idempotent-Replayed')]).toEqual([201, 'true'])
  const { data: page } = await orThrow(client.GET('/api/ext/vendors', { params: { query: { q: 'Once Only' } } }))
  expect(page.map(({ id }) => id)).toEqual([data?.id])
})

test('the client can verify the webhooks of a subscription that it created', async () => {
  const receiver: Receiver = await startReceiver()
  const webhook = await orThrow(
    client.POST('/api/ext/webhooks', { body: { url: receiver.url, eventTypes: ['vendor.created'] } }),
  )
  const vendor = await orThrow(client.POST('/api/ext/vendors', { body: { companyName: 'Summit Electric Co.' } }))
  const [received] = await receiver.until(1)
  const event = await verifyWebhook({ headers: received?.headers ?? {}, body: received?.body ?? '' }, webhook.secret)
  expect([event.type, event.data.object.id]).toEqual(['vendor.created', vendor.id])
  await orThrow(client.DELETE('/api/ext/webhooks/{webhookId}', { params: { path: { webhookId: webhook.id } } }))
  await receiver.close()
})

describe('a key from a function', () => {
  const origin = 'https://app.example.com'
  /** Returns the client of a page whose own server creates a token for it on request. */
  function page(give: () => string | Promise<string>) {
    let requested = 0
    const key = () => {
      requested++
      return give()
    }
    const own = createClient({
      ...{ baseUrl: plumbline.url, key },
      fetch: (input, init) => {
        const request = new Request(input, init)
        request.headers.set('Origin', origin)
        return fetch(request)
      },
    })
    return { own, asked: () => requested }
  }
  async function token() {
    const body = { origin, permissions: ['vendors:read' as const, 'vendors:write' as const] }
    return (await orThrow(client.POST('/api/ext/browser-tokens', { body }))).token
  }

  test('a key function is called again only after its key has expired', async () => {
    const { own, asked } = page(token)
    const many = () => Promise.all(Array.from({ length: 10 }, () => own.GET('/api/ext/vendors')))
    const codes = (responses: Awaited<ReturnType<typeof many>>) => responses.map(({ error }) => error?.code ?? 'fine')
    expect([codes(await many()), asked()]).toEqual([Array(10).fill('fine'), 1])
    plumbline.clock.advance(15 * 60_000)
    expect([codes(await many()), asked()]).toEqual([Array(10).fill('fine'), 2])
    // Sends a creation again, unchanged. The service performs it only once.
    plumbline.clock.advance(15 * 60_000)
    const { response } = await own.POST('/api/ext/vendors', { body: { companyName: 'Renewed Roofing' } })
    expect([response.status, response.headers.get('Idempotent-Replayed'), asked()]).toEqual([201, null, 3])
  })

  test('a key function that returns an expired key is called at most twice per request', async () => {
    const old = await token()
    plumbline.clock.advance(15 * 60_000)
    const { own, asked } = page(() => old)
    expect([(await own.GET('/api/ext/vendors')).error?.code, asked()]).toEqual(['expired_key', 2])
  })

  test('if the key function fails, the request throws the error of the function', async () => {
    const responses = [() => Promise.reject(new Error('Signed out.')), token]
    const { own, asked } = page(() => responses.shift()?.() ?? '')
    await expect(own.GET('/api/ext/vendors')).rejects.toThrow('Signed out.')
    expect([(await own.GET('/api/ext/vendors')).response.status, asked()]).toEqual([200, 2])
  })

  test('an aborted request does not wait for the key function', async () => {
    const { own } = page(() => new Promise(() => {}))
    const call = own.GET('/api/ext/vendors', { signal: AbortSignal.timeout(50) })
    await expect(call).rejects.toMatchObject({ name: 'TimeoutError' })
  })
})
