import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Answer, startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { newKeySecret } from './key-secret.ts'

let plumbline: TestPlumbline
/** The number of key lookups in the database. */
let lookUps = 0
beforeEach(async () => {
  plumbline = await startTestPlumbline({ FAILED_KEYS_PER_MINUTE: '3', TRUSTED_PROXIES: 'loopback' })
  lookUps = 0
  const { statements } = plumbline.database
  const select = statements.selectFrom.bind(statements)
  Object.assign(statements, {
    selectFrom: (from: string) => {
      if (String(from).startsWith('apiKeys')) lookUps++
      return select(from as never)
    },
  })
})
afterEach(async () => {
  // The next test may get the same database.
  Reflect.deleteProperty(plumbline.database.statements, 'selectFrom')
  await plumbline.stop()
})

/** Sends a request with this key from this address. */
function ask(key: string, address = '198.51.100.7'): Promise<Answer> {
  return plumbline.get('/api/ext/me', { key, headers: { 'x-forwarded-for': address } })
}
const codes = (answers: Answer[]) => answers.map(({ status, body }) => (status === 200 ? 200 : body.code))

async function askAll(keys: readonly string[], address?: string): Promise<Answer[]> {
  const answers: Answer[] = []
  for (const key of keys) answers.push(await ask(key, address))
  return answers
}

test('an address may try a few unknown keys a minute; further ones need no lookup', async () => {
  const unknown = Array.from({ length: 6 }, newKeySecret)
  const answers = await askAll(unknown)
  const [no, many] = ['invalid_key', 'too_many_attempts']
  expect(codes(answers)).toEqual([no, no, no, many, many, many])
  expect(lookUps).toBe(3)
  expect([answers[5]?.status, Number(answers[5]?.headers.get('retry-after'))]).toEqual([429, expect.any(Number)])
  const left = Number(answers[5]?.headers.get('retry-after'))
  expect(left > 0 && left <= 60).toBe(true)
  // Another address has its own attempts, and so does this one after a minute.
  expect(codes([await ask(newKeySecret(), '198.51.100.8')])).toEqual([no])
  plumbline.clock.advance(60_000)
  expect(codes([await ask(newKeySecret())])).toEqual([no])
})

test('concurrent attempts cause no more lookups than allowed', async () => {
  await Promise.all(Array.from({ length: 20 }, () => ask(newKeySecret())))
  expect(lookUps).toBe(3)
})

test('IPv6 addresses of the same /64 share their attempts', async () => {
  for (let i = 1; i <= 3; i++) await ask(newKeySecret(), `2001:db8:0:7::${i}`)
  expect(codes([await ask(newKeySecret(), '2001:db8:0:7:ffff::9')])).toEqual(['too_many_attempts'])
  expect(codes([await ask(newKeySecret(), '2001:db8:0:8::1')])).toEqual(['invalid_key'])
})

test('a key that was valid before works from an address without attempts left', async () => {
  expect((await ask(plumbline.key)).status).toBe(200)
  await askAll(Array.from({ length: 4 }, newKeySecret))
  for (let i = 0; i < 5; i++) {
    // A found key is cached for half a second. Advancing the clock makes the next request look it up again.
    plumbline.clock.advance(1000)
    expect((await ask(plumbline.key)).status).toBe(200)
  }
})

test('a revoked key in a loop is looked up once and then rejected, and a valid key from the same address works at once', async () => {
  const old = await plumbline.newKey([])
  await sql`update "apiKeys" k set "revokedAt" = now() from "apiKeySecrets" s
    where s."keyId" = k."id" and s."start" = ${old.slice(0, 10)}`.execute(plumbline.database.statements)
  lookUps = 0
  const [no, many] = ['revoked_key', 'too_many_attempts']
  expect(codes(await askAll(Array.from({ length: 6 }, () => old)))).toEqual([no, no, no, many, many, many])
  expect(lookUps).toBe(1)
  expect((await ask(plumbline.key)).status).toBe(200)
})

test('a malformed key is rejected without using an attempt', async () => {
  const answers = await askAll(Array.from({ length: 10 }, (_, i) => `plb_${i}`))
  expect(new Set(codes(answers))).toEqual(new Set(['invalid_key']))
  expect(lookUps).toBe(0)
  expect((await ask(plumbline.key)).status).toBe(200)
})

test('a builder of another tier gets tier_required, and access when its tier changes', async () => {
  const { key, organizationId } = await plumbline.newBuilder({ tier: 'standard' })
  expect(codes(await askAll(Array.from({ length: 10 }, () => key)))).toEqual(Array(10).fill('tier_required'))
  await sql`update "organizations" set "tier" = 'pro_plus' where "id" = ${organizationId}`.execute(
    plumbline.database.statements,
  )
  plumbline.clock.advance(1000)
  expect((await ask(key)).status).toBe(200)
})
