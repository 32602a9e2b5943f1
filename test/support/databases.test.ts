import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createOrganization } from '../../server/domain/office/organizations/organizations.ts'
import { enableRowLevelSecurity } from '../../server/platform/database/row-level-security.ts'
import { Clock } from '../../server/platform/runtime/clock.ts'
import { createTestDatabase } from './databases.ts'
import { startTestPlumbline } from './test-plumbline.ts'

test('a test database that was used before has the same rows and statistics as a new database', async () => {
  const plumbline = await startTestPlumbline()
  for (let i = 0; i < 60; i++) await plumbline.post('/api/ext/vendors', { companyName: `Brazos Framing ${i}` })
  await sql`vacuum (analyze) "vendors"`.execute(plumbline.database.statements)
  await plumbline.stop()
  const { statements, close } = await createTestDatabase()
  const { rows } = await sql<object>`
    select (select count(*)::int from "vendors") as "rows", c."reltuples" as "known", s."n_mod_since_analyze"::int as "changed",
      (select count(*)::int from pg_statistic where "starelid" = c."oid") as "columns"
    from "pg_class" c join "pg_stat_user_tables" s on s."relid" = c."oid" where c."relname" = 'vendors'`.execute(
    statements,
  )
  expect(rows).toEqual([{ rows: 0, known: -1, changed: 0, columns: 0 }])
  await close()
})

test('a test database can be emptied even if its last user was restricted to one organization', async () => {
  const used = await createTestDatabase()
  await enableRowLevelSecurity(used)
  const owner = { ownerName: 'Priya Harrow', ownerEmail: 'priya@harrowfinch.example.com' }
  const { organization } = await createOrganization(used, new Clock(), {
    name: 'Harrow & Finch Homes',
    ...owner,
    most: 1,
  })
  const seen = await used.of(organization.id).statements.selectFrom('organizations').select('id').execute()
  expect(seen).toEqual([{ id: organization.id }])
  await used.close()
  const { statements, close } = await createTestDatabase()
  expect(await statements.selectFrom('organizations').select('id').execute()).toEqual([])
  await close()
})
