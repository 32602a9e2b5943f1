import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../test/support/plumbline.ts'

/** What holds on the wire for every request and every answer, whatever the operation. */
let plumbline: TestPlumbline
const VENDORS = '/api/ext/vendors'

beforeAll(async () => {
  plumbline = await startTestPlumbline()
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
