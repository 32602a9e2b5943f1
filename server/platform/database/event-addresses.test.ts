import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/support/databases.ts'
import type { Database } from './database.ts'
import { up } from './migrations/0017_events_without_addresses.ts'

let database: Database
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

test('portal links are removed from recorded events except from texts that users wrote', async () => {
  const invitation = (portalUrl: string | null) => ({ id: 'inv_1', portalUrl, version: 1 })
  const payload = (portalUrl: string | null) =>
    JSON.stringify({
      id: 'evt_1',
      data: {
        object: {
          message: 'Answer at "portalUrl":"http://x/portal/inv_1.abc", please',
          invitations: [invitation(portalUrl)],
        },
        previous: { invitations: [invitation(portalUrl), invitation(portalUrl)] },
      },
    })
  await sql`
    insert into "events" ("organizationId", "id", "type", "resourceId", "payload", "occurredAt")
    values ('org_1', 'evt_1', 'bid_request.sent', 'brq_1', ${payload('http://x/portal/inv_1.secret')}, now())`.execute(
    database.statements,
  )
  await up(database.statements as unknown as Kysely<unknown>)
  const { rows } = await sql<{ payload: string }>`select "payload" from "events"`.execute(database.statements)
  expect(rows).toEqual([{ payload: payload(null) }])
})
