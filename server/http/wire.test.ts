import { connect } from 'node:net'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../test/support/plumbline.ts'

/** What holds on the wire for every request and every answer, whatever the operation. */
let plumbline: TestPlumbline
const VENDORS = '/api/ext/vendors'
const lines: string[] = []

beforeAll(async () => {
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
  plumbline = await startTestPlumbline({}, { log })
})
afterAll(() => plumbline.stop())

describe('every answer', () => {
  test.each([
    ['a record', 200, () => plumbline.get('/api/ext/me')],
    ['a list', 200, () => plumbline.get(VENDORS)],
    ['a refusal', 401, () => plumbline.get(VENDORS, { key: null })],
    ['an unknown path', 404, () => plumbline.get('/api/nothing')],
    ['the contract itself', 200, () => plumbline.get('/api/ext/schema/openapi.json')],
    ['what was not changed', 304, notModified],
  ])('is kept by no cache and taken for nothing else: %s', async (_what, status, ask) => {
    const { headers, ...answer } = await ask()
    expect(answer.status).toBe(status)
    expect([headers.get('cache-control'), headers.get('x-content-type-options')]).toEqual(['no-store', 'nosniff'])
  })

  async function notModified() {
    const { id } = (await plumbline.post(VENDORS, { companyName: 'Brazos Framing' })).body
    const etag = (await plumbline.get(`${VENDORS}/${id}`)).headers.get('etag') ?? ''
    return plumbline.get(`${VENDORS}/${id}`, { headers: { 'if-none-match': etag } })
  }

  test('has an id that says nothing of the one before', async () => {
    const ids: string[] = []
    for (let i = 0; i < 20; i++) ids.push((await plumbline.get('/api/ext/me')).headers.get('x-request-id') ?? '')
    expect(ids.filter((id) => !/^req_[0-9a-f]{26}$/.test(id))).toEqual([])
    // Two random ids of 26 digits have the first eight or the last eight in common once in four billion times.
    expect(new Set(ids.map((id) => id.slice(4, 12))).size).toBe(20)
    expect(new Set(ids.map((id) => id.slice(-8))).size).toBe(20)
  })
})

describe('a merge patch under its own name', () => {
  test.each([
    'application/merge-patch+json',
    'application/merge-patch+json; charset=utf-8',
    'Application/Merge-Patch+JSON',
  ])('%s changes a record', async (type) => {
    const { id } = (await plumbline.post(VENDORS, { companyName: 'Brazos Framing', email: 'a@example.com' })).body
    const changed = await plumbline.patch(`${VENDORS}/${id}`, { email: null }, { headers: { 'content-type': type } })
    expect([changed.status, changed.body.email]).toEqual([200, null])
  })

  test('is no body to create by, and a JSON Patch is none to change by', async () => {
    const { id } = (await plumbline.post(VENDORS, { companyName: 'Brazos Framing' })).body
    const as = (type: string) => ({ headers: { 'content-type': type } })
    const created = await plumbline.post(VENDORS, { companyName: 'A' }, as('application/merge-patch+json'))
    const changed = await plumbline.patch(`${VENDORS}/${id}`, [], as('application/json-patch+json'))
    expect([created.status, changed.status]).toEqual([415, 415])
  })
})

test('a caller that hangs up in the middle of its body is no trouble of ours', async () => {
  lines.length = 0
  const { hostname, port } = new URL(plumbline.url)
  const head = [
    `POST ${VENDORS} HTTP/1.1`,
    `Host: ${hostname}`,
    `Authorization: Bearer ${plumbline.key}`,
    'Content-Type: application/json',
    'Content-Length: 1000',
    'X-Request-Id: hung-up',
    '',
    '{"companyName":',
  ].join('\r\n')
  const socket = connect(Number(port), hostname, () => socket.write(head))
  socket.on('error', () => {})
  setTimeout(() => socket.resetAndDestroy(), 200)
  const logged = () => lines.map((line) => JSON.parse(line)).filter(({ requestId }) => requestId === 'hung-up')
  await expect.poll(logged, { timeout: 5000 }).not.toEqual([])
  expect(logged().map(({ level, status }) => [level, status])).toEqual([[30, 400]])
})
