import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAuthenticator } from '../../../test/support/authenticator.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { createUser } from '../../domain/office/users/users.ts'
import { eraseUser } from '../../operators/builder-data/erase-person.ts'
import { deleteEndedSessions } from './delete-old-identities.ts'

let plumbline: TestPlumbline
beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
afterAll(() => plumbline.stop())

async function counted(): Promise<Record<string, number>> {
  const { rows } = await sql<Record<string, number>>`
    select (select count(*) from "identities") as "identities", (select count(*) from "sessions") as "sessions",
      (select count(*) from "signInLinks") as "links", (select count(*) from "passkeys") as "passkeys",
      (select count(*) from "passkeyChallenges") as "challenges"`.execute(plumbline.database.statements)
  return rows[0] ?? {}
}

test('erasing a person who also works for another builder keeps the sign-in data', async () => {
  const { database, clock, organizationId } = plumbline
  const { identity } = plumbline.app.services
  const other = await plumbline.newBuilder()
  const email = 'dana@example.com'
  const created = { email, name: 'Dana Cho', role: 'viewer', poApprovalLimit: 0 } as const
  const here = await createUser(database, clock, { ...created, organizationId })
  const there = await createUser(database, clock, { ...created, organizationId: other.organizationId })
  const before = await counted()
  const dana = await plumbline.signIn(email)
  await identity.makeLink(email, 60_000)
  const device = createAuthenticator(plumbline.config.publicUrl)
  const { body: requested } = await plumbline.post('/api/admin/passkeys/prepare', undefined, dana)
  await plumbline.post('/api/admin/passkeys', { name: 'Laptop', ...device.create(requested) }, dana)
  await plumbline.post('/api/admin/passkeys/prepare', undefined, dana)
  const erase = ({ id }: { id: string }) => eraseUser(plumbline, id, { confirm: 'Dana Cho', also: [] })
  await erase(here)
  expect((await plumbline.get('/api/admin/session', dana)).body.user.id).toBe(there.id)
  await erase(there)
  expect((await plumbline.get('/api/admin/session', dana)).status).toBe(401)
  expect(await counted()).toEqual(before)
})

test('only expired sessions, links, and challenges are deleted', async () => {
  const { database, clock } = plumbline
  const { identity } = plumbline.app.services
  const before = await counted()
  const [kept, ended] = [await plumbline.signIn(), await plumbline.signIn()]
  const { body: session } = await plumbline.get('/api/admin/session', ended)
  await identity.makeLink('priya@harrowfinch.example.com', 60_000)
  await sql`update "sessions" set "expiresAt" = now() where "id" = ${session.id}`.execute(database.statements)
  await plumbline.post('/api/admin/passkeys/prepare', undefined, kept)
  for (const table of ['signInLinks', 'passkeyChallenges'])
    await sql`update ${sql.table(table)} set "expiresAt" = now()`.execute(database.statements)
  await plumbline.post('/api/admin/passkeys/prepare', undefined, kept)
  await identity.makeLink('priya@harrowfinch.example.com', 60_000)
  await deleteEndedSessions(database, clock)
  expect((await plumbline.get('/api/admin/session', kept)).status).toBe(200)
  expect(await counted()).toEqual({
    identities: 1,
    sessions: (before.sessions ?? 0) + 1,
    links: (before.links ?? 0) + 1,
    ...{ passkeys: 0, challenges: 1 },
  })
})
