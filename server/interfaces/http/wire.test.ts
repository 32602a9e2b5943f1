import { connect } from 'node:net'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeSchemaErrors } from '../../../scripts/conformance/walked-contract.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'

/** Tests the HTTP rules for the requests and responses of all operations. */
let plumbline: TestPlumbline
const VENDORS = '/api/ext/vendors'
const lines: string[] = []

beforeAll(async () => {
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
  plumbline = await startTestPlumbline({}, { log })
})
afterAll(() => plumbline.stop())

describe('every response', () => {
  test.each([
    ['a record', 200, () => plumbline.get('/api/ext/me')],
    ['a list', 200, () => plumbline.get(VENDORS)],
    ['an error', 401, () => plumbline.get(VENDORS, { key: null })],
    ['an unknown path', 404, () => plumbline.get('/api/nothing')],
    ['the contract itself', 200, () => plumbline.get('/api/ext/schema/openapi.json')],
    ['an unchanged record', 304, notModified],
  ])('a response is not cached and not interpreted as another media type: %s', async (_what, status, ask) => {
    const { headers, ...response } = await ask()
    expect(response.status).toBe(status)
    expect([headers.get('cache-control'), headers.get('x-content-type-options')]).toEqual(['no-store', 'nosniff'])
  })

  async function notModified() {
    const { id } = (await plumbline.post(VENDORS, { companyName: 'Brazos Framing' })).body
    const etag = (await plumbline.get(`${VENDORS}/${id}`)).headers.get('etag') ?? ''
    return plumbline.get(`${VENDORS}/${id}`, { headers: { 'if-none-match': etag } })
  }

  test('the ID of a request does not reveal the ID of the previous request', async () => {
    const ids: string[] = []
    for (let i = 0; i < 20; i++) ids.push((await plumbline.get('/api/ext/me')).headers.get('x-request-id') ?? '')
    expect(ids.filter((id) => !/^req_[0-9a-f]{26}$/.test(id))).toEqual([])
    // The probability that two random IDs have the same first or last eight digits is about one in four billion.
    expect(new Set(ids.map((id) => id.slice(4, 12))).size).toBe(20)
    expect(new Set(ids.map((id) => id.slice(-8))).size).toBe(20)
  })
})

describe('the media type of a merge patch', () => {
  test.each([
    'application/merge-patch+json',
    'application/merge-patch+json; charset=utf-8',
    'Application/Merge-Patch+JSON',
  ])('a merge patch with the media type %s changes a record', async (type) => {
    const { id } = (await plumbline.post(VENDORS, { companyName: 'Brazos Framing', email: 'a@example.com' })).body
    const changed = await plumbline.patch(`${VENDORS}/${id}`, { email: null }, { headers: { 'content-type': type } })
    expect([changed.status, changed.body.email]).toEqual([200, null])
  })

  test('creating a record with a merge patch, or updating a record with a JSON Patch, is rejected', async () => {
    const { id } = (await plumbline.post(VENDORS, { companyName: 'Brazos Framing' })).body
    const as = (type: string) => ({ headers: { 'content-type': type } })
    const created = await plumbline.post(VENDORS, { companyName: 'A' }, as('application/merge-patch+json'))
    const changed = await plumbline.patch(`${VENDORS}/${id}`, [], as('application/json-patch+json'))
    expect([created.status, changed.status]).toEqual([415, 415])
  })
})

test('a caller that disconnects while sending its body is not logged as a service error', async () => {
  lines.length = 0
  const { hostname, port } = new URL(plumbline.url)
  const head = [
    `POST ${VENDORS} HTTP/1.1`,
    `Host: ${hostname}`,
    `Authorization: Bearer ${plumbline.key}`,
    'Content-Type: application/json',
    'Content-Length: 1000',
    'Expect: 100-continue',
    'X-Request-Id: hung-up',
    '',
    '{"companyName":',
  ].join('\r\n')
  const socket = connect(Number(port), hostname, () => socket.write(head))
  socket.on('error', () => {})
  // When the service sends "100 Continue", it has started to read the body.
  socket.once('data', () => socket.resetAndDestroy())
  const logged = () => lines.map((line) => JSON.parse(line)).filter(({ requestId }) => requestId === 'hung-up')
  await expect.poll(logged, { timeout: 5000 }).not.toEqual([])
  expect(logged().map(({ level, status }) => [level, status])).toEqual([[30, 400]])
})

describe('a body that was not read', () => {
  const megabytes = (count: number) => 'x'.repeat(count * 1024 * 1024)
  const head = (key: string, rest: string) =>
    `POST ${VENDORS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n${rest}\r\n\r\n`

  test.each([
    ['a body that is too large', () => plumbline.key, 413],
    ['a request with an unknown key', () => 'plb_unknown', 401],
  ])('the sender of a body that was not read still receives the problem: %s', async (_what, key, status) => {
    const body = megabytes(9)
    const broken: Error[] = []
    const request = head(key(), `Connection: close\r\nContent-Length: ${body.length}`) + body
    const response = await raw(request, (error) => broken.push(error))
    expect([response.slice(0, 12), broken]).toEqual([`HTTP/1.1 ${status}`, []])
    expect(JSON.parse(response.split('\r\n\r\n')[1] ?? '').status).toBe(status)
  })

  test('the unread rest of a body does not affect the next request on the connection', async () => {
    const body = megabytes(2)
    const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
    const next = `GET /api/ext/me HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${plumbline.key}\r\n\r\n`
    const sent = head(plumbline.key, 'Transfer-Encoding: chunked') + chunked
    expect((await raw(sent + next)).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200'])
  })

  test('the connection is closed if an unread body does not end', async () => {
    const { hostname, port } = new URL(plumbline.url)
    const socket = connect(Number(port), hostname, () =>
      socket.write(head(plumbline.key, 'Content-Length: 1000000000')),
    )
    const more = Buffer.alloc(1024 * 1024, 'x')
    let written = 0
    const go = () => {
      while (written < 1000 && socket.write(more)) written++
      written++
    }
    socket
      .on('drain', go)
      .on('error', () => {})
      .resume()
    go()
    await new Promise((closed) => socket.once('close', closed))
    expect(written).toBeLessThan(100)
  })
})

describe('a malformed request', () => {
  const auth = () => `Host: x\r\nConnection: close\r\nAuthorization: Bearer ${plumbline.key}`
  test.each([
    ['a control character in a header', () => `GET ${VENDORS} HTTP/1.1\r\n${auth()}\r\nIf-None-Match: a\u0001b`, 400],
    ['a space in the URL', () => `GET ${VENDORS}/a b HTTP/1.1\r\n${auth()}`, 400],
    [
      'two Content-Length headers',
      () => `POST ${VENDORS} HTTP/1.1\r\n${auth()}\r\nContent-Length: 2\r\nContent-Length: 3`,
      400,
    ],
    [
      'a missing Host header',
      () => `GET ${VENDORS} HTTP/1.1\r\nConnection: close\r\nAuthorization: Bearer ${plumbline.key}`,
      400,
    ],
    ['a query that is not UTF-8', () => `GET ${VENDORS}?q=%FF HTTP/1.1\r\n${auth()}`, 400],
    ['a query with names that are not UTF-8', () => `GET ${VENDORS}?%E9t%C3%A9=1 HTTP/1.1\r\n${auth()}`, 400],
    ['a missing Host header in a documentation request', () => 'GET /docs HTTP/1.1\r\nConnection: close', 400],
    ['an unknown expectation', () => `GET ${VENDORS} HTTP/1.1\r\n${auth()}\r\nExpect: a-miracle`, 417],
    [
      'headers of 20,000 characters',
      () => `GET ${VENDORS} HTTP/1.1\r\n${auth()}\r\nX-Long: ${'x'.repeat(20_000)}`,
      431,
    ],
  ])('a malformed request is rejected with a problem that has a request ID: %s', async (_what, request, status) => {
    const response = await raw(`${request()}\r\n\r\n`)
    const [head = '', body = ''] = response.split('\r\n\r\n')
    const problem = JSON.parse(body)
    expect([head.slice(0, 12), problem.status]).toEqual([`HTTP/1.1 ${status}`, status])
    expect(describeSchemaErrors(problem, 'components', 'schemas', 'Problem')).toBe('')
    expect(head).toContain(`X-Request-Id: ${problem.requestId}`)
    expect(head).toContain('Content-Type: application/problem+json')
    expect(head).toContain('Cache-Control: no-store')
  })

  test('a malformed chunk in a body is treated as an error of the caller', async () => {
    lines.length = 0
    const head = `POST ${VENDORS} HTTP/1.1\r\n${auth()}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked`
    const cases = [
      [`1;${'x'.repeat(20_000)}\r\n{\r\n`, 413, 'payload_too_large'],
      ['no number\r\n{\r\n', 400, 'malformed_request'],
    ] as const
    for (const [chunk, status, code] of cases) {
      const response = await raw(`${head}\r\n\r\n${chunk}`)
      expect([response.slice(0, 12), JSON.parse(response.split('\r\n\r\n')[1] ?? '').code]).toEqual([
        `HTTP/1.1 ${status}`,
        code,
      ])
    }
    expect(lines.map((line) => JSON.parse(line).level).filter((level) => level > 30)).toEqual([])
  })

  test('a request that takes too long to arrive is rejected with request_timeout', async () => {
    const socket = new PassThrough()
    const late = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
    plumbline.app.refuseUnread(late, socket)
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n[\s\S]*"code":"request_timeout"/)
  })

  test('the error for a malformed request is not sent as the response to an earlier request', async () => {
    const response = await raw(
      `GET ${VENDORS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${plumbline.key}\r\n\r\n\u0001`,
    )
    expect(response).not.toContain('malformed_request')
  })

  test('a malformed request does not prevent responses to earlier requests on the connection', async () => {
    const get = `GET ${VENDORS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${plumbline.key}\r\n\r\n`
    const auth = `Host: x\r\nAuthorization: Bearer ${plumbline.key}\r\nContent-Type: application/json`
    const post = `POST ${VENDORS} HTTP/1.1\r\n${auth}\r\nContent-Length: 2\r\n\r\n{}`
    const statuses = async (sent: string) => {
      let failed = ''
      const response = await raw(sent, (error) => {
        failed = error.message
      })
      return [...(response.match(/HTTP\/1\.1 \d+/g) ?? []), failed]
    }
    expect(await statuses(`${get}${get}no request\r\n\r\n`)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', ''])
    expect(await statuses(`${post}{}{}`)).toEqual(['HTTP/1.1 422', ''])
  })

  test('the error for a CONNECT request lists the allowed methods', async () => {
    const response = await raw('CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n')
    expect(response).toMatch(/^HTTP\/1\.1 405 [\s\S]*\r\nAllow: GET, HEAD[\s\S]*"code":"method_not_allowed"/)
  })

  test('an HTTP/1.0 client needs no Host header', async () => {
    const response = await raw(`GET ${VENDORS} HTTP/1.0\r\nAuthorization: Bearer ${plumbline.key}\r\n\r\n`)
    expect(response).toMatch(/^HTTP\/1\.1 200 /)
  })
})

describe('a request target with a host', () => {
  test.each([
    [`http://elsewhere.example.com${VENDORS}?limit=1`, 200],
    [`HTTPS://elsewhere.example.com:8443${VENDORS}`, 200],
    [`http://elsewhere.example.com${VENDORS}?nothing=1`, 422],
    ['http://elsewhere.example.com/healthz', 200],
    ['http://elsewhere.example.com', 200],
    ['http://elsewhere.example.com?x=/api/ext/vendors', 200],
    [`ftp://elsewhere.example.com${VENDORS}`, 404],
  ])('a request target with a host is handled like the target without the host: %s', async (target, status) => {
    const head = `Host: x\r\nConnection: close\r\nAuthorization: Bearer ${plumbline.key}`
    const response = await raw(`GET ${target} HTTP/1.1\r\n${head}\r\n\r\n`)
    expect(response.slice(0, 12)).toBe(`HTTP/1.1 ${status}`)
    if (target.endsWith('limit=1')) expect(response).toContain('Link: </api/ext/vendors?limit=1&cursor=')
  })
})

/** Writes a text to a new connection and returns everything that the service sends until it closes the connection. */
function raw(request: string, onError: (error: Error) => void = () => {}): Promise<string> {
  const { hostname, port } = new URL(plumbline.url)
  return new Promise((done) => {
    let response = ''
    const socket = connect(Number(port), hostname, () => socket.write(request))
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      response += chunk
    })
    socket.on('error', onError)
    socket.on('close', () => done(response))
  })
}
