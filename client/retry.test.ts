import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  createClient,
  etagOf,
  orThrow,
  PlumblineError,
  type ProblemCode,
  type Retry,
  type RetryOptions,
} from './index.ts'
import { computeWaitMs } from './retry.ts'

/** A test service that returns the responses of a test in order and repeats the last one. */
type How = (request: IncomingMessage, response: ServerResponse) => void

interface Seen {
  method: string
  key: string | undefined
  authorization: string | undefined
  body: string
  atMs: number
}

let url: string
let seen: Seen[]
let answers: How[]
let stop: () => Promise<void>

beforeEach(async () => {
  seen = []
  const server = createServer((request, response) => {
    const how = answers[Math.min(seen.length, answers.length - 1)]
    const one: Seen = {
      method: request.method ?? '',
      key: request.headers['idempotency-key'] as string | undefined,
      authorization: request.headers.authorization,
      body: '',
      atMs: performance.now(),
    }
    seen.push(one)
    request.setEncoding('utf8').on('data', (chunk: string) => {
      one.body += chunk
    })
    request.on('end', () => how?.(request, response))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  stop = () =>
    new Promise((done) => {
      server.closeAllConnections()
      server.close(() => done())
    })
})

afterEach(() => stop())

const ok: How = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[],"nextCursor":null}')
}
const broken: How = (request) => {
  request.socket.destroy()
}
const brokenInTheMiddle: How = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
  response.write('{"data":', () => response.socket?.destroy())
}
function refusal(status: number, code: ProblemCode, headers: Record<string, string> = {}, more: object = {}): How {
  const problem = {
    type: `https://plumbline.example.com/docs/problems/${code}`,
    title: 'Refused.',
    status,
    detail: 'Not now.',
    instance: '/api/ext/vendors',
    code,
    requestId: 'req_1',
    ...more,
  }
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/problem+json', ...headers }).end(JSON.stringify(problem))
  }
}
const gateway =
  (status: number): How =>
  (_request, response) => {
    response
      .writeHead(status, { 'content-type': 'text/html', 'x-request-id': 'req_gateway' })
      .end('<h1>Bad gateway</h1>')
  }

function client(retry?: RetryOptions) {
  return createClient({ baseUrl: `${url}/`, key: 'plb_test', ...(retry && { retry }) })
}
const list = (retry?: RetryOptions) => client(retry).GET('/api/ext/vendors')
const create = (retry?: RetryOptions) => client(retry).POST('/api/ext/vendors', { body: { companyName: 'Lone Star' } })

describe('a request is sent again', () => {
  test.each<[string, How]>([
    ['after a 429 with Retry-After', refusal(429, 'rate_limited', { 'retry-after': '0' })],
    [
      'after a 429 that states only when the limit resets',
      refusal(429, 'rate_limited', { ratelimit: '"minute";r=0;t=0, "day";r=9;t=9000' }),
    ],
    ['after a 503', refusal(503, 'unavailable')],
    ['while the first request with the same key is still in progress', refusal(409, 'idempotency_in_progress')],
    ['after the connection breaks', broken],
    ['after the connection breaks during the response', brokenInTheMiddle],
    ['after a gateway returns 502', gateway(502)],
    ['after a gateway returns 504', gateway(504)],
  ])('a request is sent again %s', async (_when, how) => {
    answers = [how, how, ok]
    const { error, response } = await create()
    expect([error, response.status, seen.length]).toEqual([undefined, 200, 3])
    expect(new Set(seen.map(({ key }) => key)).size).toBe(1)
    expect(seen.map(({ body }) => body)).toEqual(Array(3).fill('{"companyName":"Lone Star"}'))
    expect(seen.map(({ authorization }) => authorization)).toEqual(Array(3).fill('Bearer plb_test'))
  })

  test('a request that timed out is sent again', async () => {
    answers = [() => {}, ok]
    expect((await list({ timeoutSeconds: 0.2 })).response.status).toBe(200)
    expect(seen.length).toBe(2)
  })

  test('onRetry is called before the wait for each retry', async () => {
    const told: Retry[] = []
    answers = [refusal(429, 'rate_limited', { 'retry-after': '0' }), broken, ok]
    await list({ onRetry: (retry) => told.push(retry) })
    expect(told).toMatchObject([
      { method: 'GET', url: `${url}/api/ext/vendors`, attempt: 1, error: null },
      { attempt: 2, response: null, error: expect.any(Error) },
    ])
    expect(told.map(({ response }) => response?.status)).toEqual([429, undefined])
    expect(told.map(({ waitMs }) => waitMs)).toEqual(told.map(({ waitMs }) => Math.trunc(waitMs)))
  })

  test('a request is not sent again before the time in Retry-After', async () => {
    answers = [refusal(429, 'rate_limited', { 'retry-after': '1' }), ok]
    await list()
    const [first, second] = seen
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(1000)
  })
})

describe('a request is not sent again', () => {
  test.each<[string, number, How]>([
    ['if the input is invalid', 422, refusal(422, 'validation_failed')],
    ['if the state of the record does not allow it', 409, refusal(409, 'conflict')],
    ['if the service failed', 500, refusal(500, 'internal')],
    ['if the daily quota is exhausted', 429, refusal(429, 'quota_exceeded', { 'retry-after': '40000' })],
    ['if the limit resets too late', 429, refusal(429, 'rate_limited', { ratelimit: '"day";r=0;t=40000' })],
  ])('a request is not sent again %s', async (_when, status, how) => {
    answers = [how, ok]
    const { error } = await create()
    expect([error?.status, seen.length]).toEqual([status, 1])
  })

  test('the number of retries does not exceed the configured maximum', async () => {
    answers = [refusal(503, 'unavailable', { 'retry-after': '0' })]
    expect((await list({ retries: 2 })).error?.code).toBe('unavailable')
    expect(seen.length).toBe(3)
    seen.length = 0
    expect((await list({ retries: 0 })).error?.code).toBe('unavailable')
    expect(seen.length).toBe(1)
  })

  test('a request is not sent again if the total wait would exceed the configured limit', async () => {
    answers = [refusal(429, 'rate_limited', { 'retry-after': '1' })]
    const { error } = await list({ totalWaitSeconds: 1 })
    expect([error?.code, seen.length]).toEqual(['rate_limited', 2])
  })

  test('a PATCH or DELETE request with If-Match is not sent again if it may have succeeded', async () => {
    const params = { path: { vendorId: 'ven_1' }, header: { 'If-Match': '"3"' } }
    answers = [broken, ok]
    await expect(client().PATCH('/api/ext/vendors/{vendorId}', { params, body: { email: null } })).rejects.toThrow()
    expect(seen.length).toBe(1)
    seen.length = 0
    answers = [gateway(502), ok]
    await expect(client().DELETE('/api/ext/vendors/{vendorId}', { params })).rejects.toMatchObject({ status: 502 })
    expect(seen.length).toBe(1)
  })

  test('aborting a call ends the wait for its retry immediately', async () => {
    answers = [refusal(429, 'rate_limited', { 'retry-after': '50' })]
    const giveUp = new AbortController()
    const call = client().GET('/api/ext/vendors', { signal: giveUp.signal })
    const started = performance.now()
    await expect.poll(() => seen.length).toBe(1)
    setTimeout(() => giveUp.abort(new Error('enough')), 200)
    await expect(call).rejects.toThrow('enough')
    expect(performance.now() - started).toBeLessThan(5000)
    expect(seen.length).toBe(1)
  })
})

describe('an Idempotency-Key', () => {
  test('every POST request has a new Idempotency-Key', async () => {
    answers = [ok]
    await create()
    await create()
    const keys = seen.map(({ key }) => key ?? '')
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), expect.stringMatching(/^[0-9a-f]{32}$/)])
    expect(keys[0]).not.toBe(keys[1])
  })

  test('an Idempotency-Key set by the caller is sent unchanged', async () => {
    answers = [ok]
    const header = { 'Idempotency-Key': 'vendor-QB-1042' }
    await client().POST('/api/ext/vendors', { params: { header }, body: { companyName: 'Lone Star' } })
    await client().execute('getCaller', {}, { idempotencyKey: 'mine' })
    expect(seen.map(({ key }) => key)).toEqual(['vendor-QB-1042', 'mine'])
  })

  test('GET, PATCH, and DELETE requests have no Idempotency-Key', async () => {
    answers = [ok]
    const params = { path: { vendorId: 'ven_1' } }
    await list()
    await client().PATCH('/api/ext/vendors/{vendorId}', { params, body: { email: null } })
    await client().DELETE('/api/ext/vendors/{vendorId}', { params })
    expect(seen.map(({ method, key }) => [method, key])).toEqual([
      ['GET', undefined],
      ['PATCH', undefined],
      ['DELETE', undefined],
    ])
  })
})

describe('errors from sources other than the service', () => {
  test('the client throws a PlumblineError for an error page from a gateway', async () => {
    answers = [gateway(502)]
    const error = await list({ retries: 1 }).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(PlumblineError)
    expect(error).toMatchObject({
      code: 'unexpected_answer',
      status: 502,
      requestId: 'req_gateway',
      problem: null,
      errors: [],
    })
  })

  test('if the connection fails on every attempt, the client throws the connection error', async () => {
    answers = [broken]
    await expect(list({ retries: 1 })).rejects.toThrow('fetch failed')
    expect(seen.length).toBe(2)
  })
})

test('orThrow throws a problem with all its details', async () => {
  answers = [refusal(403, 'permission_denied')]
  const error = await orThrow(list()).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(PlumblineError)
  expect(error).toMatchObject({
    name: 'PlumblineError',
    message: 'permission_denied: Not now.',
    code: 'permission_denied',
    status: 403,
    requestId: 'req_1',
    errors: [],
  })
})

test('a thrown error contains the details of the problem and names the invalid fields in its message', async () => {
  const errors = [
    { pointer: '/companyName', code: 'required', message: 'is required' },
    ...['a', 'b', 'c', 'd', 'e'].map((name) => ({ pointer: `/${name}`, code: 'x', message: 'is wrong' })),
  ]
  answers = [refusal(422, 'validation_failed', {}, { errors })]
  const invalid = await orThrow(list()).catch((thrown: unknown) => thrown)
  expect(invalid).toMatchObject({
    message:
      'validation_failed: Not now. (/companyName is required; /a is wrong; /b is wrong; /c is wrong; /d is wrong; and 1 more)',
    errors,
    retryAfter: null,
  })
  answers = [refusal(409, 'conflict', {}, { reason: 'vendor_on_hold' })]
  const conflict = await orThrow(list()).catch((thrown: unknown) => thrown)
  if (!(conflict instanceof PlumblineError) || !conflict.is('conflict')) throw new Error('It is a conflict.')
  expect([conflict.problem.reason, conflict.is('not_found')]).toEqual(['vendor_on_hold', false])
  answers = [refusal(429, 'quota_exceeded', { 'retry-after': '40000' })]
  const used = await orThrow(list()).catch((thrown: unknown) => thrown)
  expect(used).toMatchObject({ retryAfter: 40_000 })
})

test('orThrow stores the ETag of the data that it returns', async () => {
  answers = [
    (_request, response) =>
      response.writeHead(200, { 'content-type': 'application/json', etag: '"3"' }).end('{"id":"ven_1"}'),
  ]
  const vendor = await orThrow(client().GET('/api/ext/vendors/{vendorId}', { params: { path: { vendorId: 'ven_1' } } }))
  expect([vendor, etagOf(vendor), etagOf({ ...vendor })]).toEqual([{ id: 'ven_1' }, '"3"', undefined])
})

describe('the wait before an attempt', () => {
  const headers = (given: Record<string, string>) => new Headers(given)

  test('without Retry-After, the wait before a retry is random, from half to all of an interval that doubles from 0.25 to 8 seconds', () => {
    expect([0, 1, 2, 3, 4, 5, 9].map((repeats) => computeWaitMs(undefined, repeats, 1))).toEqual([
      250, 500, 1000, 2000, 4000, 8000, 8000,
    ])
    expect(computeWaitMs(undefined, 2, 0)).toBe(500)
    expect(computeWaitMs(headers({}), 2, 1)).toBe(1000)
    expect(computeWaitMs(headers({ 'retry-after': 'soon', ratelimit: 'nonsense' }), 2, 1)).toBe(1000)
  })

  test('the wait before a retry is the time in Retry-After plus up to one second', () => {
    expect(computeWaitMs(headers({ 'retry-after': '42' }), 0, 0)).toBe(42_000)
    expect(computeWaitMs(headers({ 'retry-after': '42' }), 3, 1)).toBe(43_000)
    const inTen = new Date(Date.now() + 10_000).toUTCString()
    expect(computeWaitMs(headers({ 'retry-after': inTen }), 0, 0)).toBeGreaterThan(8000)
    expect(computeWaitMs(headers({ 'retry-after': inTen }), 0, 0)).toBeLessThanOrEqual(10_000)
    expect(computeWaitMs(headers({ 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }), 0, 0)).toBe(0)
  })

  test('without Retry-After, the wait before a retry lasts until every exhausted rate limit resets', () => {
    const ratelimit = '"minute";r=0;t=42, "day";r=9000;t=8000'
    expect(computeWaitMs(headers({ ratelimit }), 0, 0)).toBe(42_000)
    expect(computeWaitMs(headers({ ratelimit: '"minute";r=0;t=42, "day";r=0;t=8000' }), 0, 0)).toBe(8_000_000)
    expect(computeWaitMs(headers({ ratelimit: '"minute";r=3;t=42' }), 0, 1)).toBe(250)
    expect(computeWaitMs(headers({ ratelimit, 'retry-after': '7' }), 0, 0)).toBe(7000)
  })
})
