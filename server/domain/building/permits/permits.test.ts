import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'
import { addDays, toLocalDate } from '../../../platform/values/calendar.ts'
import { advancePermits } from './advance-permits.ts'

const ZONE = 'Pacific/Auckland'
let plumbline: TestPlumbline
let homeId: string

beforeAll(async () => {
  plumbline = await startTestPlumbline()
  const community = (await plumbline.post('/api/ext/communities', { name: 'Far Hills', timeZone: ZONE })).body
  homeId = (await plumbline.post('/api/ext/homes', { name: 'Lot 16', communityId: community.id })).body.id
})
afterAll(() => plumbline.stop())

const today = () => toLocalDate(ZONE, plumbline.clock.now())
const create = (body: object) => plumbline.post('/api/ext/permits', { homeId, permitType: 'building', ...body })
const move = (id: string, body: object) => plumbline.post(`/api/ext/permits/${id}/status`, body)
const read = async (id: string) => (await plumbline.get(`/api/ext/permits/${id}`)).body
const countWarnings = async (id: string) =>
  (await plumbline.get(`/api/ext/events?type=permit.expiring&resourceId=${id}`)).body.data.length

test('a permit changes status from applied to issued to finaled', async () => {
  const { status, body } = await create({ authority: 'City of Austin', feeAmount: 1840 })
  expect([status, body]).toMatchObject([201, { status: 'applied', expiryDate: null, inactivityDays: 180 }])
  const issued = await move(body.id, { status: 'issued', number: '2026-1' })
  expect(issued.body).toMatchObject({ status: 'issued', number: '2026-1', expiryDate: addDays(today(), 180) })
  expect((await move(body.id, { status: 'issued' })).body.code).toBe('invalid_transition')
  expect((await move(body.id, { status: 'finaled' })).body).toMatchObject({ status: 'finaled', finaledDate: today() })
})

test('the dates of a permit must be in order and not in the future', async () => {
  const fault = async (body: object) => (await create(body)).body.errors[0].pointer
  expect(await fault({ issuedDate: addDays(today(), 1) })).toBe('/issuedDate')
  expect(await fault({ appliedDate: today(), issuedDate: addDays(today(), -1) })).toBe('/issuedDate')
  expect(await fault({ issuedDate: today(), expiryDate: addDays(today(), -1) })).toBe('/expiryDate')
  expect(await fault({ expiryDate: today() })).toBe('/expiryDate')
  const { body } = await create({})
  expect((await plumbline.patch(`/api/ext/permits/${body.id}`, { expiryDate: today() })).body.reason).toBe(
    'wrong_status',
  )
  expect((await move(body.id, { status: 'void' })).body.errors[0].pointer).toBe('/reason')
  expect((await move(body.id, { status: 'void', reason: 'Withdrawn.' })).body.status).toBe('void')
})

test('a permit with an open inspection cannot be finaled', async () => {
  const { body } = await create({ issuedDate: today() })
  await plumbline.post('/api/ext/inspections', { homeId, permitId: body.id, name: 'Final' })
  expect((await move(body.id, { status: 'finaled' })).body.reason).toBe('open_work')
})

test('a warning is sent once, 30 days before a permit expires', async () => {
  const { body } = await create({ issuedDate: today(), expiryDate: addDays(today(), 31) })
  const run = () => advancePermits(plumbline.app.services)
  await run()
  expect(await countWarnings(body.id)).toBe(0)
  plumbline.clock.advance(24 * 3_600_000)
  await run()
  await run()
  await plumbline.until(`/api/ext/events?type=permit.expiring&resourceId=${body.id}`, (r) => r.body.data.length === 1)
  const { version } = await read(body.id)
  expect(version).toBe(1)
})

test("a permit expires after its last day in the community's time zone", async () => {
  const { body } = await create({ issuedDate: today(), expiryDate: addDays(today(), 30) })
  const run = () => advancePermits(plumbline.app.services)
  const before = today()
  plumbline.clock.advance(Date.parse(addDays(before, 30)) - Date.parse(before))
  await run()
  expect((await read(body.id)).status).toBe('issued')
  plumbline.clock.advance(24 * 3_600_000)
  await run()
  // The service's own job may be expiring the permit concurrently.
  await plumbline.until(`/api/ext/permits/${body.id}`, (r) => r.body.status === 'expired')
  const renewed = await move(body.id, { status: 'issued', expiryDate: addDays(today(), 90) })
  expect(renewed.body).toMatchObject({ status: 'issued', issuedDate: today() })
})
