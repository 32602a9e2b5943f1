import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/support/databases.ts'
import { readConfig } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import { resolveEncryptionKey } from './encryption-key.ts'

let left: Database
let named: Database
beforeAll(async () => {
  left = await createTestDatabase()
  named = await createTestDatabase()
})
afterAll(async () => {
  await left.close()
  await named.close()
})

const given = (ENCRYPTION_KEY?: string) => readConfig({ DATABASE_URL: 'postgres://nowhere', ENCRYPTION_KEY })

test('processes without a configured encryption key share the key that the first process created', async () => {
  const all = await Promise.all([1, 2, 3].map(() => resolveEncryptionKey(given(), left)))
  expect(new Set(all.map(({ config }) => config.encryptionKey.toString('hex'))).size).toBe(1)
  expect(all[0]?.config.encryptionKey).toHaveLength(32)
  expect(all.map(({ isKeptInDatabase }) => isKeptInDatabase)).toEqual([true, true, true])
})

test("a start with another encryption key than the operator's first key is rejected", async () => {
  const key = randomBytes(32).toString('base64')
  const settled = await resolveEncryptionKey(given(key), named)
  expect(settled.isKeptInDatabase).toBe(false)
  expect(JSON.stringify(await named.statements.selectFrom('deployment').selectAll().execute())).not.toContain(key)
  await expect(resolveEncryptionKey(given(randomBytes(32).toString('base64')), named)).rejects.toThrow('is not the key')
  await expect(resolveEncryptionKey(given(), named)).rejects.toThrow('is missing')
  expect((await resolveEncryptionKey(given(key), named)).config.encryptionKey.toString('base64')).toBe(key)
})

test('the error for an encryption key that does not have 32 bytes names the variable', () => {
  expect(() => given('c2hvcnQ=')).toThrow('ENCRYPTION_KEY')
})
