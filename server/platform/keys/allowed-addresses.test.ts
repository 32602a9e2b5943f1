import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { createKey, updateKey } from './keys.ts'

let plumbline: TestPlumbline
beforeAll(async () => {
  plumbline = await startTestPlumbline({ TRUSTED_PROXIES: 'loopback' })
})
afterAll(() => plumbline.stop())

async function newKey(allowedAddresses: string[]) {
  const { database, clock, organizationId } = plumbline
  return createKey(database, clock, { organizationId, name: 'From there', allowedAddresses })
}

async function askFrom(address: string, key: string): Promise<[status: number, code: string | undefined]> {
  const { status, body } = await plumbline.get('/api/ext/me', { key, headers: { 'x-forwarded-for': address } })
  return [status, body.code]
}

test("the IP address of a key's caller is checked on every request", async () => {
  const { secret } = await newKey(['10.0.0.0/8', '203.0.113.7', '2001:db8::/32'])
  for (const address of ['10.255.0.1', '203.0.113.7', '2001:db8:1::1', '::ffff:10.0.0.1'])
    expect([address, await askFrom(address, secret)]).toEqual([address, [200, undefined]])
  // The service briefly caches a key, but checks the address of every request.
  for (const address of ['11.0.0.1', '203.0.113.8', '2001:db9::1', '::1', '::ffff:11.0.0.1'])
    expect([address, await askFrom(address, secret)]).toEqual([address, [403, 'address_not_allowed']])
  expect(await askFrom('10.0.0.1', secret)).toEqual([200, undefined])
})

test('allowed addresses are compared with X-Forwarded-For only if a trusted proxy sends the header', async () => {
  const { secret } = await newKey(['10.0.0.0/8'])
  // The proxy appends the address of the client to the header that the client has sent.
  expect(await askFrom('10.0.0.1, 198.51.100.1', secret)).toEqual([403, 'address_not_allowed'])
  const { status } = await plumbline.get('/api/ext/me', { key: secret })
  expect(status).toBe(403)
})

test('the error for a forbidden IP address names the address and is recorded in the audit trail', async () => {
  const { id, secret } = await newKey(['10.0.0.0/8'])
  const headers = { 'x-forwarded-for': '198.51.100.9', 'x-request-id': 'req_elsewhere' }
  const { body, headers: answered } = await plumbline.get('/api/ext/vendors', { key: secret, headers })
  expect(body).toMatchObject({
    code: 'address_not_allowed',
    status: 403,
    detail: expect.stringContaining('198.51.100.9'),
  })
  expect(answered.get('www-authenticate')).toBeNull()
  const { body: trail } = await plumbline.get(`/api/ext/audit-entries?resourceId=${id}&outcome=refused`)
  expect(trail.data).toMatchObject([
    {
      ...{ action: 'authentication.failed', reason: 'address_not_allowed', address: '198.51.100.9' },
      ...{ actor: { type: 'key', id }, requestId: 'req_elsewhere' },
    },
  ])
})

test('a change of the allowed IP addresses takes effect within one second', async () => {
  const { id, secret } = await newKey(['10.0.0.0/8'])
  expect((await askFrom('10.0.0.1', secret))[0]).toBe(200)
  await updateKey(plumbline.database, plumbline.clock, id, { allowedAddresses: ['192.0.2.0/24'] })
  plumbline.clock.advance(1000)
  expect((await askFrom('10.0.0.1', secret))[0]).toBe(403)
  expect((await askFrom('192.0.2.9', secret))[0]).toBe(200)
})

test('by default, a key expires after one year', async () => {
  const { database, clock, organizationId } = plumbline
  const { secret } = await createKey(database, clock, { organizationId, name: 'For a year' })
  const { body } = await plumbline.get('/api/ext/me', { key: secret })
  expect(Math.round((Date.parse(body.expiresAt) - clock.nowMs()) / 86_400_000)).toBe(365)
  clock.advance(366 * 86_400_000)
  expect((await plumbline.get('/api/ext/me', { key: secret })).body.code).toBe('expired_key')
})
