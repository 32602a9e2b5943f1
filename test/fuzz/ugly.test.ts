import { connect } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isTestedHere } from '../support/is-tested-here.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'

/**
 * Sends values that parsers, databases, and validators often cannot handle. Every response must arrive quickly, and
 * must be a problem that the contract declares or contain the value exactly as it was sent. The service must keep
 * working.
 */
// The maximum time for a response. Without limits on the input, these values blocked the process for tens of seconds. A
// benchmark measures shorter delays, because they depend on how busy the machine is.
const BLOCKED_MS = 10_000

let plumbline: TestPlumbline
const VENDORS = '/api/ext/vendors'

beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
afterAll(() => plumbline.stop())

describe('bodies', () => {
  const refused: [what: string, body: string | Buffer, status: number, code: string][] = [
    ['10,000 nested arrays', `{"companyName":${'['.repeat(10_000)}${']'.repeat(10_000)}}`, 400, 'malformed_json'],
    ['10,000 nested objects', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`, 400, 'malformed_json'],
    ['a million opening brackets', '['.repeat(1_000_000), 400, 'malformed_json'],
    ['__proto__ as a field', '{"companyName":"A","__proto__":{"status":"inactive"}}', 422, 'validation_failed'],
    ['constructor as a field', '{"companyName":"A","constructor":{"prototype":{"x":1}}}', 422, 'validation_failed'],
    ['__proto__ inside', '{"companyName":"A","address":{"__proto__":{"line1":"x"}}}', 422, 'validation_failed'],
    ['toString as a field', '{"companyName":"A","toString":"x"}', 422, 'validation_failed'],
    ['a field without a name', '{"companyName":"A","":1}', 422, 'validation_failed'],
    ['a field name of 100,000 characters', `{"companyName":"A","${'x'.repeat(100_000)}":1}`, 422, 'validation_failed'],
    [
      '70,000 unknown fields',
      JSON.stringify(Object.fromEntries(Array.from({ length: 70_000 }, (_, i) => [`f${i}`, i]))),
      422,
      'validation_failed',
    ],
    ['a number that is too large for any type', '{"companyName":"A","poLimit":1e400}', 422, 'validation_failed'],
    ['a number that is too small for any type', '{"companyName":"A","poLimit":-1e400}', 422, 'validation_failed'],
    ['a number with a thousand digits', `{"companyName":"A","poLimit":${'9'.repeat(1000)}}`, 422, 'validation_failed'],
    ['a number that is almost zero', '{"companyName":"A","poLimit":1e-300}', 422, 'validation_failed'],
    ['NaN', '{"companyName":"A","poLimit":NaN}', 400, 'malformed_json'],
    ['U+0000 in a text', '{"companyName":"A\\u0000B"}', 422, 'validation_failed'],
    ['U+0000 in a nested text', '{"companyName":"A","contacts":[{"name":"\\u0000"}]}', 422, 'validation_failed'],
    ['U+0000 in a field name', '{"companyName":"A","a\\u0000":1}', 422, 'validation_failed'],
    [
      'invalid UTF-8',
      Buffer.from([...Buffer.from('{"companyName":"'), 0xff, 0xfe, 0xc3, 0x28, ...Buffer.from('"}')]),
      400,
      'malformed_json',
    ],
    [
      'an overlong encoding',
      Buffer.from([...Buffer.from('{"companyName":"'), 0xc0, 0xaf, ...Buffer.from('"}')]),
      400,
      'malformed_json',
    ],
    ['UTF-16', Buffer.from('{"companyName":"A"}', 'utf16le'), 400, 'malformed_json'],
    ['a raw control character in a text', '{"companyName":"A\nB"}', 400, 'malformed_json'],
    ['comments', '{"companyName":"A"} // vendor', 400, 'malformed_json'],
    ['a name of only spaces', `{"companyName":"${' '.repeat(200)}"}`, 422, 'validation_failed'],
    [
      'a megabyte of spaces as an email address',
      `{"companyName":"A","email":"${' '.repeat(1_000_000)}"}`,
      422,
      'validation_failed',
    ],
    [
      'an email address of a megabyte',
      `{"companyName":"A","email":"${'a@'.repeat(500_000)}"}`,
      422,
      'validation_failed',
    ],
    [
      '100,000 scopes',
      JSON.stringify({ companyName: 'A', scopes: Array.from({ length: 100_000 }, (_, i) => `${i}`) }),
      422,
      'validation_failed',
    ],
    ['one byte more than 1 MiB', `{"companyName":"A"}${' '.repeat(1024 * 1024 - 18)}`, 413, 'payload_too_large'],
  ]

  test.each(refused)('a body with %s is rejected', async (_what, body, status, code) => {
    const started = performance.now()
    const response = await send(body)
    expect([response.status, JSON.parse(response.body).code]).toEqual([status, code])
    expect(performance.now() - started).toBeLessThan(BLOCKED_MS)
  })

  const stored: [what: string, text: string][] = [
    ['an emoji of many code points', '👩‍👩‍👧‍👦 Framing'],
    ['right-to-left and combining', 'שלום ا\u0300\u0301\u0302'],
    ['characters with a meaning in SQL and search patterns', `'; drop table "vendors"; -- %_\\`],
    ['non-characters', '\uffff\ufdd0'],
    ['200 characters outside the basic plane', '𝔘'.repeat(200)],
    ['a byte order mark within a text', 'A\ufeffB'],
    ['control characters', 'A\u0001\u001f\u007f\u0085\u2028'],
  ]

  test.each(stored)('a vendor name with %s is returned unchanged', async (_what, companyName) => {
    const contacts = [{ name: companyName, email: null, phone: null, role: null, notify: true }]
    const created = await plumbline.post(VENDORS, { companyName, contacts })
    expect(created.status).toBe(201)
    expect([created.body.companyName, created.body.contacts[0].name]).toEqual([companyName, companyName])
    const read = await plumbline.get(`${VENDORS}/${created.body.id}`)
    expect({ ...read.body, possibleDuplicates: created.body.possibleDuplicates }).toEqual(created.body)
    expect((await plumbline.get(`${VENDORS}?q=${encodeURIComponent(companyName)}`)).status).toBe(200)
  })

  // If the service stored these texts, each would become U+FFFD, so that different texts would become equal.
  test.each([
    ['in a column', '{"companyName":"A\\ud800B"}', '/companyName'],
    ['in a column, in capitals', '{"companyName":"A\\uDBFFB"}', '/companyName'],
    ['in a nested text', '{"companyName":"A","contacts":[{"name":"\\udfff\\ud800"}]}', '/contacts/0/name'],
    ['in an array of texts', '{"companyName":"A","scopes":["\\ud83d"]}', '/scopes/0'],
    ['in a field name', '{"companyName":"A","a\\udc00":1}', '/a\ufffd'],
  ])('an unpaired surrogate %s is rejected', async (_where, body, pointer) => {
    const response = await send(body)
    const { code, errors } = JSON.parse(response.body)
    expect([response.status, code, errors]).toEqual([
      422,
      'validation_failed',
      [{ pointer, code: 'format', message: 'must not contain unpaired surrogates (U+D800 to U+DFFF)' }],
    ])
  })

  test('a character that is sent as two JSON escapes is stored as one character', async () => {
    const response = await send('{"companyName":"\\ud83d\\ude00 \\\\ud800"}')
    expect([response.status, JSON.parse(response.body).companyName]).toEqual([201, '😀 \\ud800'])
  })

  test('if a JSON field is repeated, its last value is used', async () => {
    const response = await send('{"companyName":"First","companyName":"Second"}')
    expect([response.status, JSON.parse(response.body).companyName]).toEqual([201, 'Second'])
  })

  test('a body of exactly 1 MiB is accepted', async () => {
    const response = await send(`{"companyName":"A"}${' '.repeat(1024 * 1024 - 19)}`)
    expect(response.status).toBe(201)
  })

  test('a body of 10 MB without a length is rejected with 413', async () => {
    const started = performance.now()
    const chunk = `${(65_536).toString(16)}\r\n${'x'.repeat(65_536)}\r\n`
    const response = await raw(
      `POST ${VENDORS} HTTP/1.1\r\n${head('Transfer-Encoding: chunked')}\r\n`,
      Array.from({ length: 160 }, () => chunk),
    )
    expect(response).toMatch(/^HTTP\/1\.1 413 /)
    expect(performance.now() - started).toBeLessThan(BLOCKED_MS)
  })
})

describe('URLs', () => {
  test.each(
    [
      ['%00', 404],
      ['%2e%2e%2f', 404],
      ['..%2f..%2fetc%2fpasswd', 404],
      ['%', 404],
      ['%zz', 404],
      ['%ff%fe', 404],
      ['%C0%AF', 404],
      ['%ED%A0%80', 404],
      ['%F0%9F%98%80', 404],
      ["'%20or%20'1'='1", 404],
      ['ven_01m7y975jyfesvq69a4tb31vbx%00', 404],
      ['ven_01m7y975jyfesvq69a4tb31vbx?injected=1', 422],
      ['ven_01m7y975jyfesvq69a4tb31vbx??', 422],
      ['{}', 404],
      ['__proto__', 404],
      ['constructor', 404],
      ['x'.repeat(8000), 404],
      ['%20', 404],
      ['+', 404],
      [';a=1', 404],
      ['*', 404],
    ].map(([id, status]) => ({ id: String(id), status, start: String(id).slice(0, 40) })),
  )('a request with the ID $start returns a problem', async ({ id, status }) => {
    const response = await raw(`GET ${VENDORS}/${id} HTTP/1.1\r\n${head()}\r\n`)
    expect(Number(response.slice(9, 12))).toBe(status)
    expect(response).toContain('Content-Type: application/problem+json')
  })

  test('a request target that is not a valid URL is rejected', async () => {
    expect(await raw(`GET ${VENDORS}/a b HTTP/1.1\r\n${head()}\r\n`)).toMatch(/^HTTP\/1\.1 400 /)
    expect(await raw(`GET ${VENDORS}/${'x'.repeat(100_000)} HTTP/1.1\r\n${head()}\r\n`)).toMatch(
      /^HTTP\/1\.1 (414|431) /,
    )
    expect(await raw(`GET http://elsewhere.example.com${VENDORS} HTTP/1.1\r\n${head()}\r\n`)).toMatch(
      /^HTTP\/1\.1 (200|404) /,
    )
    expect(await raw(`OPTIONS * HTTP/1.1\r\n${head()}\r\n`)).toMatch(/^HTTP\/1\.1 (404|405) /)
  })

  test.each([
    ['ten thousand parameters', Array.from({ length: 1500 }, (_, i) => `p${i}=1`).join('&'), 422],
    ['one parameter a thousand times', Array.from({ length: 1000 }, () => 'status=active').join('&'), 422],
    ['brackets', 'limit[$gt]=1', 422],
    ['a parameter without a name', '=1', 422],
    ['only separators', '&&&&', 200],
    ['a broken escape', 'q=%', 200],
    ['an incomplete character', 'q=%ED%A0%80', 400],
    ['bytes that are not UTF-8', 'q=%FF', 400],
    ['an overlong encoding', 'q=%C0%AF', 400],
    ['a parameter name that is not UTF-8', '%FF=1', 400],
    ['an escaped replacement character', 'q=%EF%BF%BD', 200],
    ['invalid bytes next to a broken escape', 'q=%zz%FF', 400],
    ['bytes that are not escaped', 'q=\xff', 400],
    ['a NUL', 'q=%00', 422],
    ['a search for only wildcards', 'q=%25%25%25%5F%5C', 200],
    ['a search for only spaces', 'q=%20%20', 200],
    ['200 words', `q=${Array.from({ length: 100 }, () => 'a').join('+')}`, 200],
    ['a limit with decimals', 'limit=1.5', 422],
    ['a limit with a sign', 'limit=%2B5', 422],
    ['a limit in hexadecimal', 'limit=0x10', 422],
    ['a limit in non-Latin digits', 'limit=%D9%A5', 422],
    ['a negative zero', 'limit=-0', 422],
    ['a timestamp in the distant future', 'updatedAfter=9999-12-31T23:59:59.999Z', 200],
    ['a timestamp in the year 0, which the database does not support', 'updatedAfter=0000-01-01T00:00:00Z', 422],
    ['a timestamp with an offset', 'updatedAfter=2026-01-01T00:00:00%2B14:00', 200],
    ['a leap second', 'updatedAfter=2016-12-31T23:59:60Z', 422],
    ['a timestamp with the largest offset', 'updatedAfter=2026-01-01T00:00:00-15:59', 200],
    ['a timestamp with an offset that the database does not support', 'updatedAfter=2026-01-01T00:00:00%2B16:00', 422],
    ['a timestamp that is in the year 10000 in UTC', 'updatedAfter=9999-12-31T23:59:59-01:00', 422],
    ['a timestamp after a line break', 'updatedAfter=2026-01-01%0A00:00:00Z', 422],
    ['a timestamp without a colon in its offset', 'updatedAfter=2026-01-01T00:00:00%2B1400', 200],
    ['empty IDs', 'ids=,,,', 422],
  ])('a query with %s gets the expected response status', async (_what, query, status) => {
    const response = await raw(`GET ${VENDORS}?${query} HTTP/1.1\r\n${head()}\r\n`)
    expect(Number(response.slice(9, 12))).toBe(status)
  })
})

describe('headers', () => {
  // The memory of the process does not depend on the database, and thousands of requests take time, so one database is
  // enough.
  const isHere = isTestedHere()
  test.skipIf(!isHere)(
    '1,000 requests with different content types leave less than 2 MiB in memory',
    { timeout: 120_000 },
    async () => {
      const send = async (from: number) => {
        for (let i = from; i < from + 1000; i++) {
          const { status } = await plumbline.post(VENDORS, '{}', { headers: { 'content-type': `application/x-${i}` } })
          if (status !== 415) throw new Error(`application/x-${i} was answered with ${status}`)
        }
      }
      // The first requests use about six megabytes for code that is compiled only once, so they are not measured.
      await send(0)
      const before = heapAfterCollection()
      await send(1000)
      expect(heapAfterCollection() - before).toBeLessThan(2 * 1024 * 1024)
    },
  )

  test.each([
    ['an invalid Content-Length header', 'Content-Length: -1'],
    ['two Content-Length headers', 'Content-Length: 2\r\nContent-Length: 3'],
    ['a Content-Length header and chunks', 'Content-Length: 2\r\nTransfer-Encoding: chunked'],
    ['an unknown transfer encoding', 'Transfer-Encoding: gzip'],
    ['a header of 100,000 characters', `X-Long: ${'x'.repeat(100_000)}`],
  ])('a request with %s is rejected before it is handled', async (_what, line) => {
    const response = await raw(`POST ${VENDORS} HTTP/1.1\r\n${head(line)}\r\n{}`)
    expect(Number(response.slice(9, 12))).toBeGreaterThanOrEqual(400)
    expect(Number(response.slice(9, 12))).toBeLessThan(500)
  })

  test('a compressed body is rejected as an unsupported media type', async () => {
    const response = await plumbline.post(VENDORS, '{"companyName":"A"}', { headers: { 'content-encoding': 'gzip' } })
    expect([response.status, response.body.code]).toEqual([415, 'unsupported_media_type'])
  })

  test('a request ID that is unsafe in a log is replaced', async () => {
    const stored = await plumbline.get('/api/ext/me', { headers: { 'x-request-id': 'trace-1.a:b_c' } })
    expect(stored.headers.get('x-request-id')).toBe('trace-1.a:b_c')
    for (const id of ['a b', 'é', '"', 'x'.repeat(200), '{"a":1}', '']) {
      const replaced = await plumbline.get('/api/ext/me', { headers: { 'x-request-id': id } })
      expect(replaced.headers.get('x-request-id')).toMatch(/^req_/)
    }
  })

  test('clients that disconnect early do not affect other requests', async () => {
    const waiting = await raw(`POST ${VENDORS} HTTP/1.1\r\n${head('Expect: 100-continue', 'Content-Length: 19')}\r\n`, [
      '{"companyName":"A"}',
    ])
    expect(waiting).toMatch(/HTTP\/1\.1 201 /)
    for (let i = 0; i < 50; i++)
      hangUp(`POST ${VENDORS} HTTP/1.1\r\n${head('Content-Length: 1000')}\r\n{"companyName":`)
    expect((await plumbline.get(VENDORS)).status).toBe(200)
  })
})

test('the service still responds after the malformed requests', async () => {
  expect((await fetch(`${plumbline.url}/readyz`)).status).toBe(200)
  const { body, status } = await plumbline.get(`${VENDORS}?limit=200`)
  expect(status).toBe(200)
  expect({}).not.toHaveProperty('line1')
  expect(body.data.length).toBeGreaterThan(0)
})

// Returns a function that collects garbage, so that the memory can be compared.
const collect = exposedCollection()

function exposedCollection(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
}

function heapAfterCollection(): number {
  collect()
  return process.memoryUsage().heapUsed
}

function head(...more: string[]): string {
  return [
    'Host: x',
    'Connection: close',
    `Authorization: Bearer ${plumbline.key}`,
    'Content-Type: application/json',
    ...more,
    '',
  ].join('\r\n')
}

async function send(body: string | Buffer): Promise<{ status: number; body: string }> {
  const response = await fetch(plumbline.url + VENDORS, {
    method: 'POST',
    headers: { authorization: `Bearer ${plumbline.key}`, 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  })
  return { status: response.status, body: await response.text() }
}

/** Writes bytes to a socket. Resolves to everything that the service sends until it closes the socket. */
function raw(text: string, more: string[] = []): Promise<string> {
  const { hostname, port } = new URL(plumbline.url)
  return new Promise((done) => {
    let response = ''
    const socket = connect(Number(port), hostname, () => {
      socket.write(text)
      for (const part of more) socket.write(part)
    })
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      response += chunk
    })
    // The service may reset the connection while the test is still writing. The bytes received before then are used.
    socket.on('error', () => {})
    socket.on('close', () => done(response))
  })
}

function hangUp(text: string): void {
  const { hostname, port } = new URL(plumbline.url)
  const socket = connect(Number(port), hostname, () => socket.write(text, () => socket.destroy()))
  socket.on('error', () => {})
}
