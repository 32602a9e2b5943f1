import { sql } from 'kysely'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type MailServer, startMailServer } from '../../../test/support/mail-server.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { mailDueReports } from './mail-due-reports.ts'
import { createReportFile } from './report-file.ts'
import { planNextMailing, planRetry } from './report-schedule.ts'

type Session = Awaited<ReturnType<TestPlumbline['signIn']>>
type Body = Awaited<ReturnType<TestPlumbline['get']>>['body']

const PATH = '/api/admin/saved-reports'
let mailServer: MailServer
let plumbline: TestPlumbline
let owner: Session
let viewer: Session
let viewerId: string
let ownerId: string

beforeAll(async () => {
  mailServer = await startMailServer()
  plumbline = await startTestPlumbline(mailServer.env)
  owner = await plumbline.signIn()
  ownerId = (await plumbline.get('/api/admin/session', owner)).body.user.id
  viewerId = (await addUser('Vera Okafor', 'vera@harrowfinch.example.com', 'viewer')).id
  viewer = await plumbline.signIn('vera@harrowfinch.example.com')
  const community = await created('/communities', { name: 'Juniper Ridge', status: 'active' })
  const home = await created('/homes', { name: 'Lot 1', communityId: community.id })
  const vendor = await created('/vendors', { companyName: '=Framing & Sons' })
  const lines = [{ homeId: home.id, description: 'Dumpster', amount: 1250.5 }]
  const bill = await created('/bills', { vendorId: vendor.id, lines })
  expect((await plumbline.post(`/api/ext/bills/${bill.id}/status`, { status: 'approved' })).status).toBe(200)
})
afterAll(async () => {
  await plumbline.stop()
  await mailServer.stop()
})

async function created(path: string, body: object): Promise<Body> {
  const response = await plumbline.post(`/api/ext${path}`, body)
  expect([path, response.status, response.body]).toEqual([path, 201, response.body])
  return response.body
}
async function addUser(name: string, email: string, role: string): Promise<Body> {
  const response = await plumbline.post('/api/admin/users', { name, email, role }, owner)
  expect(response.status).toBe(201)
  return response.body
}
async function save(more: object = {}, session = owner): Promise<Body> {
  const response = await plumbline.post(PATH, { name: 'Payables', report: 'apAging', ...more }, session)
  expect([response.status, response.body]).toEqual([201, response.body])
  return response.body
}
const read = async (id: string, session = owner) => plumbline.get(`${PATH}/${id}`, session)
const listIds = async (session: Session): Promise<string[]> =>
  (await plumbline.get(PATH, session)).body.data.map(({ id }: Body) => id)
const weekly = (userIds: string[], format = 'csv') => ({ schedule: { weekday: 'monday', format, userIds } })
const makeDue = async (id: string, minutes: number) => {
  const nextMailingAt = new Date(plumbline.clock.now().getTime() - minutes * 60_000).toISOString()
  await plumbline.database.statements.updateTable('savedReports').set({ nextMailingAt }).where('id', '=', id).execute()
}
/** Runs the job as if the weekly email were due. Moving the clock forward a week would instead end all sessions. */
const mailWhenDue = async (id: string) => {
  await makeDue(id, 0)
  await mailDueReports(plumbline.app.services)
}
const findMail = async (to: string, subject: string) => {
  for (;;) {
    const mail = await mailServer.next(to)
    if (mail.header('Subject')?.startsWith(subject) === true) return mail
  }
}

test('a private saved report is hidden from other users', async () => {
  const { id } = await save()
  expect(await listIds(owner)).toContain(id)
  expect(await listIds(viewer)).not.toContain(id)
  expect((await read(id, viewer)).status).toBe(404)
})

test('a shared saved report is listed for other users', async () => {
  const { id } = await save({ isShared: true })
  expect(await listIds(viewer)).toContain(id)
  expect((await read(id, viewer)).body).toMatchObject({ id, ownerId })
})

test('a shared saved report is hidden from users who are not allowed to run the report', async () => {
  const { id } = await save({ name: 'Hours', report: 'timesheetCostSummary', isShared: true })
  const { permissions } = (await plumbline.get('/api/admin/session', viewer)).body
  expect(permissions).not.toContain('users:read')
  expect(await listIds(viewer)).not.toContain(id)
  expect((await read(id, viewer)).status).toBe(404)
})

test('only the user who saved a report can change it', async () => {
  const { id } = await save({ isShared: true })
  expect((await plumbline.patch(`${PATH}/${id}`, { name: 'Mine' }, viewer)).status).toBe(403)
  expect((await plumbline.patch(`${PATH}/${id}`, { name: 'Old payables' }, owner)).body.name).toBe('Old payables')
})

test('a viewer cannot delete the saved report of another user', async () => {
  const { id } = await save({ isShared: true })
  expect((await plumbline.delete(`${PATH}/${id}`, viewer)).status).toBe(403)
})

test('the user who saved a report can delete it', async () => {
  const { id } = await save({}, viewer)
  expect((await plumbline.delete(`${PATH}/${id}`, viewer)).status).toBe(204)
  expect(await listIds(viewer)).not.toContain(id)
})

test('a user whose role no longer allows the report can delete the saved report', async () => {
  const email = 'ada@harrowfinch.example.com'
  const { id: userId } = await addUser('Ada Quinn', email, 'admin')
  const session = await plumbline.signIn(email)
  const { id } = await save({ report: 'timesheetCostSummary' }, session)
  expect((await plumbline.patch(`/api/admin/users/${userId}`, { role: 'salesperson' }, owner)).status).toBe(200)
  expect(await listIds(session)).not.toContain(id)
  expect((await plumbline.delete(`${PATH}/${id}`, session)).status).toBe(204)
})

test('an admin can delete a private saved report of another user', async () => {
  await addUser('Noor Haddad', 'noor@harrowfinch.example.com', 'admin')
  const admin = await plumbline.signIn('noor@harrowfinch.example.com')
  const { id } = await save({}, viewer)
  expect((await read(id, admin)).status).toBe(200)
  expect((await plumbline.delete(`${PATH}/${id}`, admin)).status).toBe(204)
  expect((await read(id, admin)).status).toBe(404)
})

test('a favorite belongs to the user who marked it', async () => {
  const { id } = await save({ isShared: true })
  const mark = (isFavorite: boolean) => plumbline.post(`${PATH}/${id}/favorite`, { isFavorite }, viewer)
  expect((await mark(true)).body.favoriteUserIds).toEqual([viewerId])
  expect((await mark(false)).body.favoriteUserIds).toEqual([])
})

test('an unknown report is rejected at its field', async () => {
  const response = await plumbline.post(PATH, { name: 'Awards', report: 'awardBid' }, owner)
  expect(response.body.errors).toMatchObject([{ pointer: '/report' }])
})

test('the input of a saved report is validated in the same way as the input of the report', async () => {
  const response = await plumbline.post(PATH, { name: 'Late', report: 'apAging', input: { asOf: 'soon' } }, owner)
  expect(response.status).toBe(422)
  expect(response.body.errors).toMatchObject([{ pointer: '/input/asOf' }])
})

test('a recipient who is not allowed to read the scheduled report is rejected', async () => {
  const { id } = await addUser('Sam Ito', 'sam@harrowfinch.example.com', 'salesperson')
  const body = { name: 'Hours', report: 'timesheetCostSummary', ...weekly([ownerId, id]) }
  const response = await plumbline.post(PATH, body, owner)
  expect(response.body.errors).toMatchObject([{ pointer: '/schedule/userIds/1', code: 'not_allowed' }])
})

test('a scheduled report is emailed once as CSV with the columns of its page', async () => {
  const { id } = await save({ name: 'Weekly: payables', ...weekly([viewerId]) })
  await mailWhenDue(id)
  await mailDueReports(plumbline.app.services)
  const mail = await findMail('vera@harrowfinch.example.com', 'Weekly: payables, Harrow & Finch Homes')
  const [, encoded = ''] = /Content-Disposition: attachment[\s\S]*?\r\n\r\n([\s\S]*?)\r\n--/.exec(mail.source) ?? []
  const csv = Buffer.from(encoded, 'base64').toString()
  expect(csv).toContain('Vendor,')
  expect(csv).toContain("'=Framing & Sons")
  expect(csv).toContain('1250.5')
  const { data } = (await plumbline.get(`/api/ext/mails?aboutId=${id}`)).body
  expect(data).toMatchObject([{ kind: 'report', userId: viewerId, attachmentName: expect.stringMatching(/\.csv$/) }])
  expect((await read(id)).body.lastMailing).toMatchObject({ status: 'mailed', userIds: [viewerId], detail: null })
})

test('the attachment of a report email is deleted after the email is sent', async () => {
  const { id } = await save(weekly([viewerId]))
  await mailWhenDue(id)
  await plumbline.until(`/api/ext/mails?aboutId=${id}`, ({ body }) => body.data[0]?.status === 'sent')
  const rows = await plumbline.database.statements
    .selectFrom('mails')
    .select('attachment')
    .where('aboutId', '=', id)
    .execute()
  expect(rows).toEqual([{ attachment: null }])
})

test('a scheduled report can be emailed as a PDF', async () => {
  const { id } = await save(weekly([viewerId], 'pdf'))
  await mailWhenDue(id)
  const { data } = (await plumbline.get(`/api/ext/mails?aboutId=${id}`)).body
  expect(data).toMatchObject([{ attachmentName: expect.stringMatching(/\.pdf$/) }])
})

test('a scheduled report can be emailed as a link to its page', async () => {
  const { id } = await save(weekly([viewerId], 'link'))
  await mailWhenDue(id)
  const { data } = (await plumbline.get(`/api/ext/mails?aboutId=${id}`)).body
  expect(data).toMatchObject([{ attachmentName: null }])
  expect(data[0].text).toContain(`/reports/apAging?saved=${id}`)
})

test('a scheduled report is skipped if none of its recipients can read it anymore', async () => {
  const { id: userId } = await addUser('Gus Lind', 'gus@harrowfinch.example.com', 'accountant')
  const { id } = await save(weekly([userId]))
  await plumbline.post(`/api/admin/users/${userId}/status`, { status: 'disabled' }, owner)
  await mailWhenDue(id)
  expect((await read(id)).body.lastMailing).toMatchObject({ status: 'skipped', userIds: [], skippedUserIds: [userId] })
  expect((await plumbline.get(`/api/ext/mails?aboutId=${id}`)).body.data).toEqual([])
})

test('a scheduled report is skipped while the user who saved it is deactivated', async () => {
  const email = 'ines@harrowfinch.example.com'
  const { id: userId } = await addUser('Ines Rocha', email, 'accountant')
  const { id } = await save(weekly([viewerId]), await plumbline.signIn(email))
  await plumbline.post(`/api/admin/users/${userId}/status`, { status: 'disabled' }, owner)
  await mailWhenDue(id)
  const { lastMailing } = (await read(id)).body
  expect(lastMailing).toMatchObject({ status: 'skipped', detail: 'The user who saved the report is deactivated.' })
  expect((await plumbline.get(`/api/ext/mails?aboutId=${id}`)).body.data).toEqual([])
})

test('the last email attempt of a report that can no longer be calculated states the reason', async () => {
  const community = await created('/communities', { name: 'Cedar Hollow', status: 'active' })
  const { id } = await save({ input: { communityId: community.id }, ...weekly([viewerId]) })
  await plumbline.database.statements
    .updateTable('savedReports')
    .set({ input: JSON.stringify({ communityId: 'com_gone' }) })
    .where('id', '=', id)
    .execute()
  await mailWhenDue(id)
  const { lastMailing, nextMailingAt } = (await read(id)).body
  expect(lastMailing).toMatchObject({ status: 'failed', userIds: [] })
  expect(Date.parse(nextMailingAt)).toBeGreaterThan(plumbline.clock.now().getTime())
})

test('a report is emailed even if its shortened name would end within a character', async () => {
  const name = `${'a'.repeat(119)}${'\u{20000}'.repeat(20)}`
  const { id } = await save({ name, ...weekly([viewerId]) })
  await mailWhenDue(id)
  expect((await read(id)).body.lastMailing).toMatchObject({ status: 'mailed', userIds: [viewerId] })
})

// On Citus, the owner of a table cannot add triggers or policies to it.
const testOnOneServer = test.skipIf(inject('citus'))

testOnOneServer('a scheduled report whose emails cannot be stored does not prevent the next report', async () => {
  const broken = await save({ name: 'Broken', ...weekly([viewerId]) })
  const sound = await save({ name: 'Sound', ...weekly([viewerId]) })
  await sql`
    create function "refuse"() returns trigger language plpgsql as $$
    begin
      if new."subject" like 'Broken%' then raise exception 'This email cannot be stored.'; end if;
      return new;
    end $$`.execute(plumbline.database.statements)
  await sql`create trigger "refuse" before insert on "mails" for each row execute function "refuse"()`.execute(
    plumbline.database.statements,
  )
  await makeDue(broken.id, 2)
  await makeDue(sound.id, 1)
  // The service's own job runs every minute and may send the email first. Then this call has nothing to do, so its
  // errors are ignored.
  await Promise.allSettled([mailDueReports(plumbline.app.services)])
  await sql`drop trigger "refuse" on "mails"`.execute(plumbline.database.statements)
  expect((await read(sound.id)).body.lastMailing).toMatchObject({ status: 'mailed' })
  const { lastMailing, nextMailingAt } = (await read(broken.id)).body
  expect(lastMailing).toMatchObject({ status: 'failed', detail: 'The emails with the report could not be written.' })
  expect(Date.parse(nextMailingAt)).toBeGreaterThan(plumbline.clock.now().getTime())
})

testOnOneServer(
  'after a temporary error for one role, only the users with that role get the next attempt',
  async () => {
    const { statements } = plumbline.database
    const { id: accountantId } = await addUser('Omar Haas', 'omar@harrowfinch.example.com', 'accountant')
    const { timeZone } = (await plumbline.get('/api/admin/organization', owner)).body
    expect(timeZone).toBe('America/Chicago')
    const today = plumbline.clock.now().toLocaleDateString('en-US', { weekday: 'long', timeZone }).toLowerCase()
    const userIds = [viewerId, accountantId]
    const { id, schedule } = await save({ name: 'Partly', schedule: { weekday: today, format: 'csv', userIds } })
    // The first report that reads the ledger fails.
    await sql`create sequence "ledgerReads"`.execute(statements)
    await sql`
    create function "failOnce"() returns boolean language plpgsql security definer as $$
    begin
      if nextval('"ledgerReads"') = 1 then raise exception 'The disk could not be read.'; end if;
      return true;
    end $$`.execute(statements)
    await sql`create policy "failOnce" on "postings" as restrictive for select using ("failOnce"())`.execute(statements)
    await makeDue(id, 1)
    await Promise.allSettled([mailDueReports(plumbline.app.services)])
    const partly = (await read(id)).body
    expect(partly.lastMailing).toMatchObject({ status: 'mailed', detail: 'The report could not be calculated.' })
    expect(partly.nextMailingAt).toBe(planRetry(schedule, timeZone, new Date(partly.lastMailing.at)))
    const { userIds: first, skippedUserIds: left } = partly.lastMailing
    expect([first.length, [...first, ...left].sort()]).toEqual([1, userIds.toSorted()])
    await mailWhenDue(id)
    await sql`drop policy "failOnce" on "postings"`.execute(statements)
    const { lastMailing } = (await read(id)).body
    expect(lastMailing).toMatchObject({
      status: 'mailed',
      userIds: [...first, ...left],
      skippedUserIds: [],
      detail: null,
    })
    const { data } = (await plumbline.get(`/api/ext/mails?aboutId=${id}`)).body
    expect(data.map(({ userId }: Body) => userId).sort()).toEqual(userIds.toSorted())
  },
)

test('the scheduled reports of a sandbox that is being filled do not delay other reports', async () => {
  const { statements } = plumbline.database
  const sandbox = await plumbline.newBuilder()
  const { id } = await save(weekly([viewerId]))
  await makeDue(id, 1)
  await sql`
    insert into "savedReports" select r.* from generate_series(1, 20) as n, "savedReports" as s,
      jsonb_populate_record(s, jsonb_build_object('organizationId', ${sandbox.organizationId}::text,
        'ownerId', ${sandbox.userId}::text, 'id', s."id" || n, 'nextMailingAt', s."nextMailingAt" - interval '1 hour')) as r
    where s."id" = ${id}`.execute(statements)
  await sql`
    insert into "sandboxes" ("organizationId", "status", "done", "total", "claim", "claimedUntil")
    values (${sandbox.organizationId}, 'filling', 0, 1, 'test', now() + interval '1 day')`.execute(statements)
  await mailDueReports(plumbline.app.services)
  expect((await read(id)).body.lastMailing).toMatchObject({ status: 'mailed' })
})

test('after a temporary error, a scheduled report is sent again one hour later only if it is still the same day', () => {
  const plan = (after: string) => planRetry({ weekday: 'monday' }, 'America/Chicago', new Date(after))
  expect(plan('2026-11-23T12:00:10Z')).toBe('2026-11-23T13:00:10.000Z')
  expect(plan('2026-11-24T05:30:00Z')).toBe('2026-11-30T12:00:00.000Z')
})

test('the CSV file of a truncated report states that the report is truncated', async () => {
  const content = { name: 'Payables', builder: 'Harrow & Finch Homes', currency: 'USD', date: '2026-11-23' }
  const file = await createReportFile('csv', { ...content, result: { total: 5, truncated: true }, schema: {} })
  expect(file?.bytes.toString()).toMatch(/The list is incomplete because it is too long\.[^\r\n]*\r\n$/)
})

test("a weekly report is sent at 6:00 a.m. in the organization's time zone on the next selected weekday", () => {
  const plan = (after: string) => planNextMailing({ weekday: 'monday' }, 'America/Chicago', new Date(after))
  expect(plan('2026-11-20T15:00:00Z')).toBe('2026-11-23T12:00:00.000Z')
  expect(plan('2026-11-23T11:59:59Z')).toBe('2026-11-23T12:00:00.000Z')
  expect(plan('2026-11-23T12:00:00Z')).toBe('2026-11-30T12:00:00.000Z')
})

test('a weekly report is sent at the same local time after a clock change', () => {
  const plan = (after: string) => planNextMailing({ weekday: 'sunday' }, 'America/Chicago', new Date(after))
  expect(plan('2026-10-30T15:00:00Z')).toBe('2026-11-01T12:00:00.000Z')
  expect(plan('2027-03-10T15:00:00Z')).toBe('2027-03-14T11:00:00.000Z')
})
