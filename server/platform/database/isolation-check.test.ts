import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { createIsolationCheck, IsolationBrokenError } from './isolation-check.ts'
import { enableRowLevelSecurity } from './row-level-security.ts'

let plumbline: TestPlumbline
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  await plumbline.newBuilder()
})
afterAll(() => plumbline.stop())

test('the isolation check passes if requests see only the rows of their own organization', async () => {
  await createIsolationCheck(plumbline.database).assertIsolated()
  expect((await fetch(`${plumbline.url}/readyz`)).status).toBe(200)
})

test('the isolation check detects a policy that shows all rows to requests', async () => {
  const { database } = plumbline
  // Permissive policies are combined with "or". Citus copies policies as permissive, so a policy for other users would
  // also show all rows to the role.
  await sql`drop policy "one_organization" on "organizations"`.execute(database.statements)
  try {
    await expect(createIsolationCheck(database).assertIsolated()).rejects.toThrow(IsolationBrokenError)
  } finally {
    await enableRowLevelSecurity(database)
  }
  await createIsolationCheck(database).assertIsolated()
})

test('the isolation check detects an organization setting that has no effect on the visible rows', async () => {
  const { database } = plumbline
  const other: typeof database = Object.create(database)
  other.of = () => database.of('none')
  await expect(createIsolationCheck(other).assertIsolated()).rejects.toThrow(/hides the organization/)
})
