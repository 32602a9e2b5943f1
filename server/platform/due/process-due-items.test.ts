import { sql } from 'kysely'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { listEvents } from '../../../test/support/recorded-events.ts'
import { type Builder, startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { advanceCompliance } from '../../domain/vendors/compliance-documents/advance-compliance.ts'

let plumbline: TestPlumbline
let builder: Builder
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  builder = await plumbline.newBuilder()
})
afterAll(() => plumbline.stop())

const db = () => plumbline.database.statements

/** Creates vendors whose last document expired this number of minutes ago, and whose status has not been updated. */
async function becomeDue(name: string, count: number, minutes: number): Promise<void> {
  await sql`
    insert into "vendors" ("organizationId", "id", "companyName", "scopes", "status", "portalStatus", "complianceStatus", "communityIds",
      "contacts", "defaultRetainagePercent", "notificationPreferences", "paymentTerms", "lienWaiverRequired", "version", "createdBy",
      "createdAt", "updatedAt", "complianceDueAt")
    select ${builder.organizationId}, 'ven_01k0' || lpad(${minutes}::text || lpad(n::text, 6, '0'), 22, '0'), ${name}::text || ' ' || n, array['framing'], 'active', 'joined',
      'compliant', '{}', '[]', 0, '{"advanceNoticeDays":7,"reminderDays":2}', '{"netDays":30,"discountPercent":0,"discountDays":0}', false, 1, '{"type":"system","id":null}', now(), now(),
      now() - ${minutes}::int * interval '1 minute'
    from generate_series(1, ${count}::int) as n`.execute(db())
}

async function unsettled(): Promise<Record<string, number>> {
  const { rows } = await sql<{ name: string; count: number }>`
    select split_part("companyName", ' ', 1) as "name", count(*)::int as "count" from "vendors"
    where "organizationId" = ${builder.organizationId} and "complianceStatus" = 'compliant' group by 1`.execute(db())
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]))
}

// On Citus, the owner of a table cannot add triggers to it.
test.skipIf(inject('citus'))('a due record that cannot be processed does not block other due records', async () => {
  await sql`
    create function "refuse"() returns trigger language plpgsql as $$
    begin
      if new."companyName" like 'broken %' then raise exception 'This vendor cannot be judged.'; end if;
      return new;
    end $$`.execute(db())
  await sql`create trigger "refuse" before update on "vendors" for each row execute function "refuse"()`.execute(db())
  // The number of vendors exceeds one page, and they have been due longer than the others.
  await becomeDue('broken', 210, 60)
  await becomeDue('sound', 50, 1)
  const runs = () => Promise.allSettled([1, 2].map(() => advanceCompliance(plumbline.app.services)))
  const reported: string[] = []
  for (let round = 0; round < 20 && (await unsettled()).sound !== undefined; round++)
    for (const run of await runs()) if (run.status === 'rejected') reported.push(run.reason.message)
  expect(await unsettled()).toEqual({ broken: 210 })
  expect(reported.join()).toMatch(/Failed to process \d+ of \d+ vendors to check for compliance/)

  await sql`drop trigger "refuse" on "vendors"`.execute(db())
  for (let round = 0; round < 20 && Object.keys(await unsettled()).length > 0; round++) await runs()
  expect(await unsettled()).toEqual({})
  const judged = (await listEvents(plumbline, builder.organizationId, /^vendor.updated/)).map(
    ({ data }) => data.object.id,
  )
  expect([judged.length, new Set(judged).size]).toEqual([260, 260])
})
