import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'
import { createUser } from '../../office/users/users.ts'

const WORKLOAD = '/api/ext/vendors/workload'

let plumbline: TestPlumbline
let superintendentId: string
const communities: string[] = []
const vendors: string[] = []
const homes: string[] = []

beforeAll(async () => {
  plumbline = await startTestPlumbline()
  const { database, clock, organizationId } = plumbline
  const user = { email: 'marcus@example.com', name: 'Marcus', role: 'superintendent' as const, poApprovalLimit: 0 }
  superintendentId = (await createUser(database, clock, { organizationId, ...user })).id
  // The first community has a holiday on a Tuesday; the second community works on Saturdays.
  for (const site of [
    { name: 'Juniper Ridge', holidays: ['2030-01-08'], superintendentId },
    { name: 'Cedar Hollow', workdays: [1, 2, 3, 4, 5, 6] },
  ]) {
    communities.push((await plumbline.post('/api/ext/communities', { status: 'active', ...site })).body.id)
    const home = { name: `Lot of ${site.name}`, communityId: communities.at(-1) }
    homes.push((await plumbline.post('/api/ext/homes', home)).body.id)
  }
  for (const companyName of ['Blanco Framers', 'Hill Country Framers', 'Idle Framers'])
    vendors.push((await plumbline.post('/api/ext/vendors', { companyName, email: 'b@example.com' })).body.id)
  await newTask(0, 0, '2030-01-07', 6)
  await newTask(0, 1, '2030-01-11', 2)
  await newTask(1, 1, '2030-01-16', 1)
  await newTask(1, 1, '2030-01-16', 1, 'skipped')
})
afterAll(() => plumbline.stop())

async function newTask(vendor: number, home: number, plannedStart: string, durationDays: number, status?: string) {
  const task = { homeId: homes[home], vendorId: vendors[vendor], name: 'Walls framed', plannedStart, durationDays }
  const { body } = await plumbline.post('/api/ext/tasks', task)
  if (status !== undefined) await plumbline.post(`/api/ext/tasks/${body.id}/status`, { status })
}

const read = async (query: string) => (await plumbline.get(`${WORKLOAD}?from=2030-01-09&weeks=3${query}`)).body
const numbersOf = (sheet: { vendors: { weeks: { tasks: number; workdays: number }[] }[] }) =>
  sheet.vendors.map(({ weeks }) => weeks.map(({ tasks, workdays }) => [tasks, workdays]))

test("the workload counts each vendor's tasks and workdays by week, based on the calendar of each community", async () => {
  const sheet = await read('')
  expect(sheet).toMatchObject({ from: '2030-01-07', to: '2030-01-27', lastVendorId: null })
  expect(sheet.vendors.map(({ companyName }: { companyName: string }) => companyName)).toEqual([
    'Blanco Framers',
    'Hill Country Framers',
  ])
  expect(sheet.vendors[0].weeks.map(({ week }: { week: string }) => week)).toEqual([
    ...['2030-01-07', '2030-01-14', '2030-01-21'],
  ])
  // The first week has six workdays: four of the first task and two of the second. The second week has two workdays of
  // the first task.
  expect(numbersOf(sheet)).toEqual([
    [
      [2, 6],
      [1, 2],
      [0, 0],
    ],
    [
      [0, 0],
      [1, 1],
      [0, 0],
    ],
  ])
})

test('the workload can be filtered by vendor, community, and superintendent', async () => {
  expect(numbersOf(await read(`&communityId=${communities[1]}&vendorId=${vendors[0]}`))).toEqual([
    [
      [1, 2],
      [0, 0],
      [0, 0],
    ],
  ])
  const ofSite = await read(`&superintendentId=${superintendentId}`)
  expect(ofSite.vendors).toMatchObject([{ vendorId: vendors[0], weeks: [{ tasks: 1, workdays: 4 }, {}, {}] }])
  expect((await read(`&vendorId=${vendors[2]}`)).vendors).toEqual([])
})

test('the workload is paginated by vendor', async () => {
  const first = await read('&limit=1')
  expect(first).toMatchObject({ vendors: [{ vendorId: vendors[0] }], lastVendorId: vendors[0] })
  const second = await read(`&limit=1&afterVendorId=${first.lastVendorId}`)
  expect(second).toMatchObject({ vendors: [{ vendorId: vendors[1] }], lastVendorId: null })
})

test('the workload starts in the current week by default', async () => {
  const { status, body } = await plumbline.get(WORKLOAD)
  expect(status).toBe(200)
  expect(new Date(body.from).getUTCDay()).toBe(1)
})

test('a start date of the workload that is out of range is rejected', async () => {
  for (const from of ['1899-12-31', '3000-01-01', '9999-12-31', '0001-01-01']) {
    const refused = await plumbline.get(`${WORKLOAD}?from=${from}`)
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ pointer: 'from', code: 'out_of_range' }] } })
  }
  expect((await plumbline.get(`${WORKLOAD}?from=2999-12-31&weeks=26`)).status).toBe(200)
})

test('the workload covers at most 26 weeks', async () => {
  expect((await plumbline.get(`${WORKLOAD}?weeks=27`)).status).toBe(422)
  expect((await plumbline.get(`${WORKLOAD}?from=2999-12-31&weeks=26`)).status).toBe(200)
})

test('the workload requires tasks:read and vendors:read', async () => {
  for (const permission of ['tasks:read', 'vendors:read']) {
    const key = await plumbline.newKey([permission])
    expect((await plumbline.get(WORKLOAD, { key })).status).toBe(403)
  }
})

test('the workload contains no data of another builder', async () => {
  const { key } = await plumbline.newBuilder()
  expect((await plumbline.get(`${WORKLOAD}?from=2030-01-07`, { key })).body.vendors).toEqual([])
})
