import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ServiceResponse, startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { createKeySecret } from './key-secret.ts'

let plumbline: TestPlumbline
/** The number of lookups of keys in the database. */
let lookUps = 0
beforeEach(async () => {
  plumbline = await startTestPlumbline({ FAILED_KEYS_PER_MINUTE: '3', TRUSTED_PROXIES: 'loopback' })
  lookUps = 0
  const { statements } = plumbline.database
  const select = statements.selectFrom.bind(statements)
  Object.assign(statements, {
    selectFrom: (from: string) => {
      if (from === 'apiKeySecrets') lookUps++
      return select(from as never)
    },
  })
})
afterEach(async () => {
  // Restore the method, because the next test may use the same database.
  Reflect.deleteProperty(plumbline.database.statements, 'selectFrom')
  await plumbline.stop()
})

/** Sends a request with this key from this address. */
function ask(key: string, address = '198.51.100.7'): Promise<ServiceResponse> {
  return plumbline.get('/api/ext/me', { key, headers: { 'x-forwarded-for': address } })
}
const codes = (answers: ServiceResponse[]) => answers.map(({ status, body }) => (status === 200 ? 200 : body.code))

async function askAll(keys: readonly string[], address?: string): Promise<ServiceResponse[]> {
  const answers: ServiceResponse[] = []
  for (const key of keys) answers.push(await ask(key, address))
  return answers
}

test('an IP address that tries too many unknown keys is rejected without further lookups', async () => {
  const unknown = Array.from({ length: 6 }, createKeySecret)
  const answers = await askAll(unknown)
  const [no, many] = ['invalid_key', 'too_many_attempts']
  expect(codes(answers)).toEqual([no, no, no, many, many, many])
  expect(lookUps).toBe(3)
  expect([answers[5]?.status, Number(answers[5]?.headers.get('retry-after'))]).toEqual([429, expect.any(Number)])
  const left = Number(answers[5]?.headers.get('retry-after'))
  expect(left > 0 && left <= 60).toBe(true)
  // Other addresses have their own limit, and this address can try again after a minute.
  expect(codes([await ask(createKeySecret(), '198.51.100.8')])).toEqual([no])
  plumbline.clock.advance(60_000)
  expect(codes([await ask(createKeySecret())])).toEqual([no])
})

test('concurrent attempts with unknown keys do not exceed the limit of lookups', async () => {
  await Promise.all(Array.from({ length: 20 }, () => ask(createKeySecret())))
  expect(lookUps).toBe(3)
})

test('IPv6 addresses of the same /64 network share their limit of attempts', async () => {
  for (let i = 1; i <= 3; i++) await ask(createKeySecret(), `2001:db8:0:7::${i}`)
  expect(codes([await ask(createKeySecret(), '2001:db8:0:7:ffff::9')])).toEqual(['too_many_attempts'])
  expect(codes([await ask(createKeySecret(), '2001:db8:0:8::1')])).toEqual(['invalid_key'])
})

test('a key that was valid before still works from an IP address that has used all its attempts', async () => {
  expect((await ask(plumbline.key)).status).toBe(200)
  await askAll(Array.from({ length: 4 }, createKeySecret))
  for (let i = 0; i < 5; i++) {
    // A key that was found is cached for half a second. Advance the clock, so that the next request looks it up again.
    plumbline.clock.advance(1000)
    expect((await ask(plumbline.key)).status).toBe(200)
  }
})

test('repeated attempts with a revoked key cause only one lookup', async () => {
  const old = await plumbline.newKey([])
  await sql`update "apiKeys" k set "revokedAt" = now() from "apiKeySecrets" s
    where s."keyId" = k."id" and s."start" = ${old.slice(0, 10)}`.execute(plumbline.database.statements)
  lookUps = 0
  const [no, many] = ['revoked_key', 'too_many_attempts']
  expect(codes(await askAll(Array.from({ length: 6 }, () => old)))).toEqual([no, no, no, many, many, many])
  expect(lookUps).toBe(1)
  expect((await ask(plumbline.key)).status).toBe(200)
})

test('a malformed key does not count as an attempt', async () => {
  const answers = await askAll(Array.from({ length: 10 }, (_, i) => `plb_${i}`))
  expect(new Set(codes(answers))).toEqual(new Set(['invalid_key']))
  expect(lookUps).toBe(0)
  expect((await ask(plumbline.key)).status).toBe(200)
})

test('a builder with an insufficient tier can use the API only after its tier changes', async () => {
  const { key, organizationId } = await plumbline.newBuilder({ tier: 'standard' })
  expect(codes(await askAll(Array.from({ length: 10 }, () => key)))).toEqual(Array(10).fill('tier_required'))
  await sql`update "organizations" set "tier" = 'pro_plus' where "id" = ${organizationId}`.execute(
    plumbline.database.statements,
  )
  plumbline.clock.advance(1000)
  expect((await ask(key)).status).toBe(200)
})
