import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RequestOptions, startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'
import { createUser } from '../../office/users/users.ts'

let plumbline: TestPlumbline
let owner: RequestOptions
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  owner = await plumbline.signIn()
})
afterAll(() => plumbline.stop())

const SETTINGS = '/api/admin/organization'

test('updated organization settings apply from the next request', async () => {
  const { body: before, headers } = await plumbline.get(SETTINGS, owner)
  expect(before).toMatchObject({
    ...{ id: plumbline.organizationId, name: 'Harrow & Finch Homes', currency: 'USD', weekStartsOn: 'monday' },
    ...{ overtimeRule: { weeklyAfterHours: 40 }, version: 1 },
  })
  const change = (body: object, ifMatch: string) =>
    plumbline.patch(SETTINGS, body, { ...owner, headers: { ...owner.headers, 'if-match': ifMatch } })
  const etag = headers.get('etag') ?? ''
  const changes = {
    ...{ name: 'Harrow & Daughters', phone: '+1 512 555 0100', timeZone: 'America/Denver', weekStartsOn: 'sunday' },
    ...{ salePipelineStages: ['contract_signed', 'closed'], poTerms: 'Paid within 30 days.' },
    lienWaiverRequired: true,
  }
  const { body: after } = await change({ ...changes, overtimeRule: { dailyAfterHours: 8 } }, etag)
  expect(after).toEqual({
    ...{ ...before, ...changes, updatedAt: after.updatedAt, version: 2 },
    overtimeRule: { ...before.overtimeRule, dailyAfterHours: 8 },
  })
  expect((await change({ name: 'Too late' }, etag)).status).toBe(412)
  expect((await plumbline.get('/api/admin/session', owner)).body.organization).toMatchObject({
    name: 'Harrow & Daughters',
    timeZone: 'America/Denver',
  })
  const { body: trail } = await plumbline.get(`/api/ext/audit-entries?resourceId=${plumbline.organizationId}&limit=1`)
  expect(trail.data[0]).toMatchObject({
    ...{ action: 'organization.updated', actor: { type: 'user' }, address: expect.any(String) },
    changed: expect.arrayContaining(['name', 'timeZone', 'overtimeRule']),
  })
})

test('an update of the organization settings with an invalid value changes nothing and reports the error at its field', async () => {
  const { body: before } = await plumbline.get(SETTINGS, owner)
  for (const [body, pointer] of [
    [{ timeZone: 'Mars/Olympus' }, '/timeZone'],
    [{ weekStartsOn: 'someday' }, '/weekStartsOn'],
    [{ salePipelineStages: ['Closed'] }, '/salePipelineStages/0'],
    [{ overtimeRule: { multiplier: 0.5 } }, '/overtimeRule/multiplier'],
    [{ tier: 'pro_plus' }, '/tier'],
  ] as const) {
    const refused = await plumbline.patch(SETTINGS, body, owner)
    expect([pointer, refused.status, refused.body.errors?.[0].pointer]).toEqual([pointer, 422, pointer])
  }
  expect((await plumbline.get(SETTINGS, owner)).body).toEqual(before)
})

test('a user without settings:write can read the organization settings but cannot change them', async () => {
  const { database, clock, organizationId } = plumbline
  const email = 'otto@example.com'
  await createUser(database, clock, { organizationId, email, name: 'Otto', role: 'estimator', poApprovalLimit: 0 })
  const otto = await plumbline.signIn(email)
  expect((await plumbline.get(SETTINGS, otto)).status).toBe(200)
  const refused = await plumbline.patch(SETTINGS, { name: 'Otto Homes' }, otto)
  expect(refused.body).toMatchObject({ status: 403, permission: 'settings:write' })
})
