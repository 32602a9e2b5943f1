import { execFile, spawn } from 'node:child_process'
import { createServer, request as plainRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { createClient, PlumblineError, verifyWebhook } from '../client/index.ts'
import { type ServiceResponse, sendRequest } from '../scripts/conformance/service.ts'
import {
  wholeContract as contract,
  describeSchemaErrors,
  getValueAtPath,
  listEntriesAtPath,
  root,
} from '../scripts/conformance/walked-contract.ts'
import { startReceiver } from '../scripts/processes/receiver.ts'
import { getSkillCatalog } from '../server/interfaces/skills/skill-catalog.ts'
import { type Operation, readContract } from '../server/platform/calls/contract.ts'
import { type RunningMock, startMock } from '../test/support/start-mock.ts'
import { createMock } from './mock.ts'
import { listScenarios } from './scenarios.ts'

/**
 * Tests the mock without the service: every scenario of the contract can be requested, and the mock corrects Prism's
 * mistakes.
 */
const operations = [...contract.operations.values()]
const lists = operations.filter(({ declaration }) =>
  declaration.parameters?.some((declared) => contract.resolve(declared).name === 'cursor'),
)
const withBody = operations.filter(({ takesBody }) => takesBody)

let mock: RunningMock
let dynamic: RunningMock

beforeAll(async () => {
  ;[mock, dynamic] = await Promise.all([startMock(), startMock('--dynamic')])
}, 60_000)

afterAll(() => Promise.all([mock.stop(), dynamic.stop()]))

/** Sends a request for an operation with the values of the contract's examples, unless the caller overrides them. */
async function send(
  operation: Operation,
  {
    url = mock.url,
    query = '',
    body,
    headers = {},
  }: { url?: string; query?: string; body?: string; headers?: Record<string, string> } = {},
): Promise<ServiceResponse> {
  return sendRequest(
    url,
    operation.method,
    getAddress(operation) + query,
    operation.takesBody ? (body ?? getBody(operation)) : undefined,
    { headers: { ...getCredential(operation), ...headers } },
  )
}

function getCredential({ schemes }: Operation): Record<string, string> {
  if (schemes.has('apiKey')) return { authorization: 'Bearer plb_mock' }
  if (schemes.has('portalToken')) return { authorization: 'Bearer ven_mock.token' }
  return schemes.has('session') ? { cookie: 'plumbline_session=mock' } : {}
}

function getAddress(operation: Operation): string {
  const query = new URLSearchParams()
  for (const declared of operation.declaration.parameters ?? []) {
    const parameter = contract.resolve(declared)
    if (parameter.in === 'query' && parameter.required === true)
      query.set(parameter.name, String((parameter as { example?: unknown }).example))
  }
  // A made-up ID is valid, but a skill needs a name that exists.
  return (
    operation.path.replace('{skillName}', 'acceptBid').replaceAll(/\{\w+\}/g, 'x') + (query.size > 0 ? `?${query}` : '')
  )
}

function getBody(operation: Operation): unknown {
  const place = ['paths', operation.path, operation.method.toLowerCase(), 'requestBody', 'content', 'application/json']
  return listEntriesAtPath(...place, 'examples')[0]?.[1].value
}

function shown(operation: Operation, status: number, example: string): unknown {
  const content = ['paths', operation.path, operation.method.toLowerCase(), 'responses', String(status), 'content']
  const [type = ''] = Object.keys(getValueAtPath(...content) as object)
  return getValueAtPath(...content, type, 'examples', example, 'value')
}

/**
 * The operations for which the mock computes the response with the service's code. A request can still ask for an
 * example.
 */
const MADE: ReadonlySet<string> = new Set([
  ...[
    'createBrowserToken',
    'getOpenApiJson',
    'getOpenApiYaml',
    'getToolDefinitions',
    'getFunctionDefinitions',
    'getSkill',
  ],
])

describe('every scenario can be requested', () => {
  test.each(operations)('every scenario of $id can be requested', async (operation) => {
    const scenarios = listScenarios(contract, operation)
    for (const { status, example } of scenarios) {
      const prefer = example === null ? `code=${status}` : `code=${status}, example=${example}`
      const response = await send(operation, { headers: { prefer } })
      expect([prefer, response.status]).toEqual([prefer, status])
      expect(response.body).toEqual(example === null ? '' : shown(operation, status, example))
    }
    const [first] = scenarios
    const unasked = await send(operation)
    expect(unasked.status).toBe(first?.status)
    if (first?.example && !MADE.has(operation.id))
      expect(unasked.body).toEqual(shown(operation, first.status, first.example))
  })

  test('a scenario can be requested by name with any Accept header', async () => {
    const [list] = lists
    if (list === undefined) throw new Error('There is no list.')
    for (const accept of ['application/json', '*/*', 'text/html']) {
      const refused = await send(list, { headers: { prefer: 'example=rate_limited', accept } })
      expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([
        429,
        'rate_limited',
        '42',
      ])
    }
  })

  test('the mock rejects an unknown scenario name', async () => {
    const [list] = lists
    if (list === undefined) throw new Error('There is no list.')
    const unknown = await send(list, { headers: { prefer: 'example=nothing_like_it' } })
    expect([unknown.status, unknown.body.errors[0].pointer]).toEqual([422, 'Prefer'])
    expect(unknown.body.errors[0].message).toContain('200 empty')
  })

  test('a scenario can be requested for one operation, and all other operations ignore it', async () => {
    const prefer = 'example=listVendors:empty, example=getHome:rate_limited, status=listBids:503'
    for (const [id, status] of [
      ['listVendors', 200],
      ['getHome', 429],
      ['listBids', 503],
      ['listCommunities', 200],
    ] as const) {
      const response = await send(contractOperation(id), { headers: { prefer } })
      expect([id, response.status]).toEqual([id, status])
      if (id.startsWith('list') && status === 200) expect(response.body.data.length === 0).toBe(id === 'listVendors')
    }
    const misspelled = await send(contractOperation('getHome'), { headers: { prefer: 'example=listVendor:empty' } })
    expect([misspelled.status, misspelled.body.errors[0].message]).toEqual([
      422,
      expect.stringContaining('listVendors'),
    ])
  })

  test('a scenario can combine a delay with an error', async () => {
    const started = performance.now()
    const failed = await send(contractOperation('getHome'), { headers: { prefer: 'delay=200, status=503' } })
    expect(performance.now() - started).toBeGreaterThan(195)
    expect([failed.status, failed.body.code, failed.headers.get('retry-after')]).toEqual([
      ...[503, 'unavailable', expect.stringMatching(/^\d+$/)],
    ])
  })

  test('there is a scenario for each status of a resource and for empty and full pages of each list', () => {
    for (const operation of lists) {
      const names = listScenarios(contract, operation).map(({ example }) => example)
      expect([operation.id, names]).toEqual([operation.id, expect.arrayContaining(['page', 'empty'])])
      expect((shown(operation, 200, 'page') as { data: unknown[] }).data.length).toBeGreaterThan(0)
    }
    for (const [id, states] of [
      ['getBidRequest', getValueAtPath('components', 'schemas', 'BidRequestStatus', 'enum')],
      ['getPurchaseOrder', getValueAtPath('components', 'schemas', 'PurchaseOrderStatus', 'enum')],
      ['getHome', getValueAtPath('components', 'schemas', 'HomeStatus', 'enum')],
    ] as const) {
      const operation = operations.find((one) => one.id === id)
      if (operation === undefined) throw new Error(`There is no ${id}.`)
      const scenarios = listScenarios(contract, operation).filter(({ status }) => status === 200)
      const statuses = scenarios.map(
        ({ example }) => (shown(operation, 200, example ?? '') as { status: string }).status,
      )
      expect([id, [...new Set(statuses)].sort()]).toEqual([id, [...(states as string[])].sort()])
    }
  })
})

// Alternates between the preference in the request and the preference at startup, because both must produce the same
// result. Requests to the same path follow one another.
const paths = [...new Set(operations.map(({ path }) => path))]
const made = operations.map((operation) => ({
  ...{ id: operation.id, operation },
  isAsked: paths.indexOf(operation.path) % 2 === 0,
}))
test.each(made)(
  '$id returns generated responses that match its schema if requested',
  async ({ operation, isAsked }) => {
    const response = await send(operation, isAsked ? { headers: { prefer: 'dynamic=true' } } : { url: dynamic.url })
    const method = operation.method.toLowerCase()
    const place = ['paths', operation.path, method, 'responses', String(response.status), 'content']
    const [type] = Object.keys((getValueAtPath(...place) as object | undefined) ?? {})
    if (type !== undefined && /[/+]json$/.test(type))
      expect(describeSchemaErrors(response.body, ...place, type, 'schema')).toBe('')
    expect(response.status).toBeLessThan(300)
  },
)

describe('Prism’s mistakes are corrected', () => {
  test('the mock rejects a malformed body without hanging', async () => {
    for (const operation of withBody) {
      const refused = await send(operation, { body: '{"a":' })
      expect([operation.id, refused.status, refused.body.code]).toEqual([operation.id, 400, 'malformed_json'])
    }
  })

  test('the mock rejects an unknown query parameter and an invalid parameter value', async () => {
    for (const operation of operations) {
      const refused = await send(operation, {
        query: `${getAddress(operation).includes('?') ? '&' : '?'}noSuchParameter=1`,
      })
      expect([operation.id, refused.status, refused.body.errors?.[0].pointer]).toEqual([
        operation.id,
        422,
        'noSuchParameter',
      ])
    }
    const [list] = lists
    if (list !== undefined) expect((await send(list, { query: '?limit=201' })).body.errors[0].pointer).toBe('limit')
  })

  test('the mock rejects a missing or malformed key', async () => {
    for (const [authorization, code] of [
      [undefined, 'missing_key'],
      ['Basic plb_bearer', 'invalid_key'],
      ['plb_mock', 'invalid_key'],
      ['Bearer mock', 'invalid_key'],
      ['Bearer plb_a plb_b', 'invalid_key'],
    ] as const) {
      const response = await fetch(`${mock.url}/api/ext/vendors`, {
        headers: authorization === undefined ? {} : { authorization },
      })
      expect([authorization, response.status, ((await response.json()) as { code: string }).code]).toEqual([
        authorization,
        401,
        code,
      ])
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer realm="plumbline"/)
    }
  })

  test('following the cursors of a mock list ends after the last page', async () => {
    const client = createClient({ baseUrl: mock.url, key: 'plb_mock' })
    let count = 0
    for await (const _vendor of client.pages('/api/ext/vendors')) count++
    expect(count).toBe((shown(contractOperation('listVendors'), 200, 'page') as { data: unknown[] }).data.length)
  })

  test('the headers of a mock response match its body', async () => {
    const page = await send(contractOperation('listVendors'), { query: '?limit=5&scope=framing' })
    expect(page.headers.get('link')).toBe(
      `</api/ext/vendors?limit=5&scope=framing&cursor=${page.body.nextCursor}>; rel="next"`,
    )
    const empty = await send(contractOperation('listVendors'), { headers: { prefer: 'example=empty' } })
    expect(empty.headers.get('link')).toBeNull()
    const created = await send(contractOperation('createHome'))
    expect(created.headers.get('location')).toBe(`/api/ext/homes/${created.body.id}`)
    expect([created.headers.get('etag'), created.headers.get('idempotent-replayed')]).toEqual([
      `"${created.body.version}"`,
      null,
    ])
    const read = await send(contractOperation('getHome'))
    const again = await send(contractOperation('getHome'), {
      headers: { 'if-none-match': read.headers.get('etag') ?? '' },
    })
    expect([again.status, again.body]).toEqual([304, ''])
    const named = await send(contractOperation('getHome'), { headers: { 'x-request-id': 'mine' } })
    expect(named.headers.get('x-request-id')).toBe('mine')
  })
})

test('the mock and the service send the same headers for a deprecated operation', async () => {
  const document = structuredClone(contract.document)
  const { get } = document.paths['/api/ext/vendors'] ?? {}
  Object.assign(get ?? {}, { deprecated: true, 'x-sunset': '2027-06-30' })
  const server = createServer(createMock(readContract(document)))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  const { status, headers } = await send(contractOperation('listVendors'), { url: `http://127.0.0.1:${port}` })
  server.closeAllConnections()
  server.close()
  expect([status, headers.get('sunset')]).toEqual([200, 'Wed, 30 Jun 2027 00:00:00 GMT'])
  expect(headers.get('deprecation')).toMatch(/^@\d+$/)
  expect(headers.get('link')).toMatch(/rel="next", <.*>; rel="deprecation"/)
})

function contractOperation(id: string): Operation {
  const operation = operations.find((one) => one.id === id)
  if (operation === undefined) throw new Error(`There is no ${id}.`)
  return operation
}

test('a web page of any origin can call the mock and read every header', async () => {
  const origin = { origin: 'http://localhost:5173' }
  const requested = await fetch(`${mock.url}/api/ext/vendors`, {
    method: 'OPTIONS',
    headers: { ...origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
  })
  expect([requested.status, requested.headers.get('access-control-allow-origin')]).toEqual([204, '*'])
  expect(requested.headers.get('access-control-allow-methods')).toContain('PATCH')
  const allowed = requested.headers.get('access-control-allow-headers')?.toLowerCase().split(', ')
  const sent = operations.flatMap(({ declaration }) =>
    (declaration.parameters ?? []).map((one) => contract.resolve(one)),
  )
  const headers = sent.filter((parameter) => parameter.in === 'header').map(({ name }) => name.toLowerCase())
  expect(allowed).toEqual(expect.arrayContaining([...new Set(headers), 'authorization', 'content-type', 'prefer']))
  const response = await fetch(`${mock.url}/api/ext/vendors`, { headers: origin })
  expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([401, '*'])
  expect(response.headers.get('access-control-expose-headers')).toBe('*')
})

test('the client gets the same results from the mock as from the service', async () => {
  const client = createClient({ baseUrl: mock.url, key: 'plb_mock', retry: { retries: 0 } })
  const { data } = await client.GET('/api/ext/me')
  expect(data?.organization.name).toBe('Harrow & Finch Homes')
  const { result } = await client.execute('awardBid', {
    bidId: 'bid_01m7y975jzfesvq6f5d4xw0718',
    createPurchaseOrder: true,
  })
  expect(result.bid.status).toBe('accepted')
  client.openapi.use({ onRequest: ({ request }) => request.headers.set('Prefer', 'example=permission_denied') })
  const refused = await client.execute('awardBid', { bidId: 'x' }).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(PlumblineError)
  expect(refused).toMatchObject({ code: 'permission_denied', status: 403 })
})

test('the mock result of executeSkill matches the schema of the skill', async () => {
  const run = async (skill: string, input: object, dryRun = false) =>
    send(contractOperation('executeSkill'), { body: JSON.stringify({ skill, input, dryRun }) })
  const own = ['paths', '/api/ext/execute', 'post', 'responses', '200', 'content', 'application/json', 'schema']
  const catalog = getSkillCatalog(contract)
  const examples = catalog.skills.flatMap(({ name, kind }) => {
    if (kind === 'composite')
      return listEntriesAtPath('x-skills', name, 'examples').map(([, shown]) => [name, shown.value as object] as const)
    return name === 'createVendor' ? [[name, { companyName: 'Redrock Concrete' }] as const] : []
  })
  for (const [name, input] of examples) {
    const { status, body } = await run(name, input, true)
    expect([name, status, body.skill, body.dryRun]).toEqual([name, 200, name, true])
    expect([name, describeSchemaErrors(body, ...own)]).toEqual([name, ''])
  }
  const created = await run('createVendor', { companyName: 'Redrock Concrete' })
  expect(created.body.result).toMatchObject({ id: expect.stringMatching(/^ven_/), status: 'active' })
  expect(created.body.events.map(({ type }: { type: string }) => type)).toEqual(['vendor.created'])
  const unknown = await run('createVendors', {})
  expect([unknown.status, unknown.body.code, unknown.body.nearest[0]]).toEqual([404, 'skill_not_found', 'createVendor'])
  const wrong = await run('createVendor', { companyName: 7 })
  expect([wrong.status, wrong.body.errors[0].pointer]).toEqual([422, '/input/companyName'])
})

test('mock downloads are identical to downloads from the service', async () => {
  const requested = { query: '?names=acceptBid,awardBid' }
  expect((await send(contractOperation('getToolDefinitions'), requested)).status).toBe(200)
  const tools = await send(contractOperation('getToolDefinitions'), requested)
  expect(tools.body.tools.map(({ name }: { name: string }) => name)).toEqual(['acceptBid', 'awardBid'])
  expect(tools.body.tools[0].input_schema.properties).toHaveProperty('bidId')
  const document = await send(contractOperation('getOpenApiJson'), { query: '?tags=vendors' })
  expect(Object.keys(document.body.paths)).toContain('/api/ext/vendors')
  expect(Object.keys(document.body.paths)).not.toContain('/api/ext/bids')
  const yaml = await send(contractOperation('getOpenApiYaml'))
  expect(parse(yaml.body).paths).toHaveProperty('/api/ext/purchase-orders')
})

test('a browser token from the mock has the requested origin and permissions and expires in 15 minutes', async () => {
  const requested = { origin: 'http://localhost:5173', permissions: ['homes:read'] }
  const make = (body: object) => send(contractOperation('createBrowserToken'), { body: JSON.stringify(body) })
  const { status, body } = await make(requested)
  expect([status, body]).toEqual([200, expect.objectContaining(requested)])
  const seconds = (Date.parse(body.expiresAt) - Date.now()) / 1000
  expect(seconds).toBeGreaterThan(14 * 60)
  expect(seconds).toBeLessThanOrEqual(15 * 60)
  const wrong = await make({ ...requested, origin: 'http://localhost:5173/page' })
  expect([wrong.status, wrong.body.errors[0].pointer]).toEqual([422, '/origin'])
})

test('without --stateful, the documentation URLs of the mock suggest the option --stateful', async () => {
  for (const path of ['/', '/docs', '/docs/']) {
    const response = await fetch(mock.url + path)
    expect([path, response.status, await response.text()]).toEqual([path, 200, expect.stringContaining('--stateful')])
  }
  const page = await fetch(`${mock.url}/docs/problems/not_found`)
  const { code, detail } = (await page.json()) as { code: string; detail: string }
  expect([page.status, code, detail]).toEqual([404, 'unknown_path', expect.stringContaining('--stateful')])
})

test('with --stateful, the mock keeps created records until it is reset', async () => {
  const remembering = await startMock('--stateful')
  try {
    expect(remembering.said()).toMatch(/^Starting .* takes a few seconds/)
    expect(await (await fetch(`${remembering.url}/docs`)).text()).toMatch(/^<!doctype html>/)
    const key = /KEY=(\S+)/.exec(remembering.said())?.[1] ?? ''
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      origin: 'http://localhost:5173',
    }
    const at = (path: string) => `${remembering.url}/api/ext/${path}`
    const body = JSON.stringify({ companyName: 'Stateful Siding' })
    const created = await fetch(at('vendors'), { method: 'POST', headers, body })
    const location = remembering.url + created.headers.get('location')
    expect([created.status, created.headers.get('access-control-allow-origin')]).toEqual([201, '*'])
    expect(((await (await fetch(location, { headers })).json()) as { companyName: string }).companyName).toBe(
      'Stateful Siding',
    )
    expect((await fetch(`${remembering.url}/mock/reset`, { method: 'POST' })).status).toBe(204)
    expect((await fetch(location, { headers })).status).toBe(404)
    // After the reset, the demo builder exists again.
    const { data } = (await (await fetch(at('vendors'), { headers })).json()) as { data: unknown[] }
    expect(data.length).toBeGreaterThan(10)
  } finally {
    await remembering.stop()
  }
}, 120_000)

test('the server started by `npm run mock` responds to requests', async () => {
  const port = await freePort()
  const child = spawn('npm', ['run', 'mock', '--', '--port', String(port), '--quiet'], {
    cwd: root,
    stdio: 'ignore',
    detached: true,
  })
  while (!(await answers(port))) {}
  // Signals the process group, which contains npm, its shell, and the mock.
  expect(child.pid !== undefined && process.kill(-child.pid)).toBe(true)
}, 60_000)

function freePort(): Promise<number> {
  return new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => done(port))
    })
  })
}

function answers(port: number): Promise<boolean> {
  return new Promise((done) => {
    const headers = { authorization: 'Bearer plb_mock' }
    const requested = plainRequest(
      { host: '127.0.0.1', port, path: '/api/ext/vendors', headers, agent: false },
      (res) => {
        res.resume().on('end', () => done(res.statusCode === 200))
      },
    )
    requested.on('error', () => setTimeout(() => done(false), 10))
    requested.end()
  })
}

describe('`npm run mock:webhooks`', () => {
  function run(...options: string[]): Promise<{ code: number; out: string }> {
    const script = path.join(root, 'mock/send-webhooks.ts')
    return new Promise((done) => {
      execFile(process.execPath, [script, ...options], (error, stdout, stderr) =>
        done({ code: Number(error?.code ?? 0), out: stdout + stderr }),
      )
    })
  }

  test('`npm run mock:webhooks` sends one valid, signed event of every type, each with a new ID', async () => {
    const receiver = await startReceiver()
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
    const { code, out } = await run('--url', receiver.url, '--type', '*', '--secret', secret)
    await run('--url', receiver.url, '--type', 'bid.submitted', '--type', 'po.created', '--secret', secret)
    await receiver.close()
    const types = listEntriesAtPath('webhooks').map(([type]) => type)
    expect([code, out.match(/→ 204/g)?.length]).toEqual([0, types.length])
    expect(receiver.received.map(({ event }) => event.type)).toEqual([...types, 'bid.submitted', 'po.created'])
    expect(new Set(receiver.received.map(({ event }) => event.id)).size).toBe(types.length + 2)
    for (const { headers, body, event } of receiver.received) {
      expect(await verifyWebhook({ headers, body }, secret)).toEqual(event)
      expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual(event)
      expect(headers['x-webhook-signature']).toBe(headers['webhook-signature'])
      expect(
        describeSchemaErrors(
          event,
          'webhooks',
          event.type,
          'post',
          'requestBody',
          'content',
          'application/json',
          'schema',
        ),
      ).toBe('')
    }
  })

  test('`npm run mock:webhooks` prints the secret that signs the event', async () => {
    const receiver = await startReceiver()
    const { out } = await run('--url', receiver.url, '--type', 'bid.submitted')
    await receiver.close()
    const secret = /Signed with (\S+)/.exec(out)?.[1] ?? ''
    const [received] = receiver.received
    expect((await verifyWebhook({ headers: received?.headers ?? {}, body: received?.body ?? '' }, secret)).type).toBe(
      'bid.submitted',
    )
  })

  test('`npm run mock:webhooks` fails if the receiver does not accept the event', async () => {
    const receiver = await startReceiver()
    receiver.answer((_received, response) => void response.writeHead(500).end('not today'))
    const { code, out } = await run('--url', receiver.url, '--type', 'bid.submitted')
    await receiver.close()
    expect([code, out]).toEqual([1, expect.stringContaining('→ 500 in ')])
    expect(out).toContain('not today')
    expect((await run('--url', receiver.url, '--type', 'bid.submitted')).out).toContain('no response')
  })

  test('`npm run mock:webhooks` lists the event types if the requested type is unknown', async () => {
    const unknown = await run('--url', 'http://127.0.0.1:1', '--type', 'bid.made')
    expect([unknown.code, unknown.out]).toEqual([1, expect.stringContaining('bid.submitted')])
  })
})

describe('expand shows linked records next to their IDs, as the contract declares', () => {
  test.each(operations.filter((operation) => getLinks(operation).length > 0))(
    '$id shows expanded records next to their IDs',
    async (operation) => {
      // At most five links can be expanded in one request.
      const paths = getLinks(operation).slice(-5)
      // The request is repeated, because the validator already knows it the second time.
      await send(operation, { query: `?expand=${paths}` })
      const { status, body } = await send(operation, { query: `?expand=${paths}` })
      const place = ['paths', operation.path, 'get', 'responses', '200', 'content', 'application/json', 'schema']
      expect([status, describeSchemaErrors(body, ...place)]).toEqual([200, ''])
      for (const record of body.data ?? [body]) {
        for (const path of paths) {
          const [name = '', next = ''] = path.split('.')
          expect([path, record[name]?.id ?? null]).toEqual([path, record[`${name}Id`]])
          if (next !== '' && record[name] !== null)
            expect([path, record[name][next]?.id ?? null]).toEqual([path, record[name][`${next}Id`]])
        }
      }
    },
  )
})

/** Returns the links that the operation can expand. */
function getLinks({ declaration }: Operation): string[] {
  return (declaration.parameters ?? []).flatMap((declared) => {
    const { name, schema } = contract.resolve(declared) as { name: string; schema: { items?: { enum?: string[] } } }
    return name === 'expand' ? (schema.items?.enum ?? []) : []
  })
}
