import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ObservedPage } from '../../scripts/processes/chromium.ts'
import { chromium, closeWindows, openChromium } from '../support/chrome.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { expectNoComplaints, findViolations, visit } from './visit.ts'

describe.skipIf(chromium === null)('the schedule editor of a home', () => {
  let plumbline: TestPlumbline
  let browser: Browser
  let wide: ObservedPage
  let narrow: ObservedPage
  let communityId = ''
  let vendorId = ''
  let homeId = ''
  let lots = 0

  beforeAll(async () => {
    plumbline = await startTestPlumbline()
    browser = await openChromium()
    wide = await visit(browser, plumbline)
    narrow = await visit(browser, plumbline, { width: 390 })
    communityId = (await created('communities', { name: 'Juniper Ridge', status: 'active' })).id
    const vendor = { companyName: 'Lone Star Framing', phone: '+1 512 555 0142', scopes: ['framing'], status: 'active' }
    vendorId = (await created('vendors', vendor)).id
    await created('task-templates', {
      name: 'Slab house',
      rows: [{ name: 'Slab poured' }, { name: 'Walls framed', predecessors: [{ name: 'Slab poured' }] }],
    })
  })
  beforeEach(async () => {
    homeId = (await created('homes', { name: `Lot ${++lots}`, communityId })).id
  })
  afterAll(async () => {
    expectNoComplaints(wide)
    expectNoComplaints(narrow)
    await closeWindows()
    await plumbline.stop()
  })

  async function created(path: string, body: object) {
    const response = await plumbline.post(`/api/ext/${path}`, body)
    expect([path, response.body, response.status]).toEqual([path, response.body, 201])
    return response.body
  }

  const createSlab = () => created('tasks', { homeId, name: 'Slab poured', plannedStart: '2030-01-04' })
  const listTasks = async () => (await plumbline.get(`/api/ext/tasks?homeId=${homeId}&sort=createdAt`)).body.data
  const toUrl = (query = '') => `${plumbline.url}/homes/${homeId}?tab=schedule${query}`

  test('a task can be added after another task with a lag in calendar days', async () => {
    const { page } = wide
    const slab = await createSlab()
    await page.goto(toUrl())
    await page.getByRole('button', { name: 'New task' }).click()
    const dialog = page.getByRole('dialog', { name: 'New task' })
    await dialog.getByLabel('Name', { exact: true }).fill('Walls framed')
    await dialog.getByLabel('Duration in workdays').fill('6')
    await dialog.getByLabel('Vendor').selectOption('Lone Star Framing')
    await dialog.getByRole('button', { name: 'Add predecessor' }).click()
    await dialog.getByLabel('Task', { exact: true }).selectOption('Slab poured')
    await dialog.getByLabel('Lag', { exact: true }).fill('7')
    await dialog.getByLabel('Lag unit').selectOption('Calendar days')
    expect(await findViolations(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Add task' }).click()
    await page.getByText('Walls framed added').waitFor()
    expect((await listTasks())[1]).toMatchObject({
      ...{ name: 'Walls framed', durationDays: 6, vendorId, plannedStart: '2030-01-14' },
      predecessors: [{ taskId: slab.id, type: 'FS', lagDays: 7, lagUnit: 'calendar_days' }],
    })
  })

  test('editing a task changes only the entered fields', async () => {
    const { page } = wide
    const slab = await createSlab()
    const walls = await created('tasks', { homeId, name: 'Walls framed', predecessors: [{ taskId: slab.id }] })
    await plumbline.post(`/api/ext/tasks/${walls.id}/delay`, { days: 1, reasonCode: 'weather' })
    await page.goto(toUrl(`&task=${walls.id}`))
    await page.getByRole('button', { name: 'Edit task' }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit Walls framed' })
    await dialog.getByLabel('Duration in workdays').fill('4')
    await dialog.getByLabel('Link', { exact: true }).selectOption('Start to start')
    await dialog.getByRole('button', { name: 'Save task' }).click()
    await page.getByText('Walls framed updated, 1 task moved').waitFor()
    // If the page had also sent the constraint, the delay would have been reset.
    expect((await listTasks())[1]).toMatchObject({
      ...{ durationDays: 4, startDelayDays: 1, predecessors: [{ taskId: slab.id, type: 'SS' }] },
    })
  })

  test('changing the remaining workdays of a started task moves its end', async () => {
    const { page } = wide
    const slab = await created('tasks', { homeId, name: 'Slab poured' })
    await plumbline.post(`/api/ext/tasks/${slab.id}/status`, { status: 'in_progress' })
    await page.goto(toUrl(`&task=${slab.id}`))
    await page.getByRole('button', { name: 'Edit task' }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit Slab poured' })
    await dialog.getByLabel('Workdays of work left').fill('5')
    await dialog.getByRole('button', { name: 'Save task' }).click()
    await page.getByText('5 workdays').waitFor()
    expect((await listTasks())[0]).toMatchObject({ remainingDays: 5 })
  })

  test('a template creates the schedule of a home', async () => {
    const { page } = wide
    await page.goto(toUrl())
    await page.getByText('No tasks yet').waitFor()
    await page.getByRole('button', { name: 'Edit schedule' }).click()
    await page.getByRole('menuitem', { name: 'Apply template' }).click()
    await page.getByLabel('First day').fill('2030-01-07')
    await page.getByRole('button', { name: 'Create schedule' }).click()
    await page.getByText(`2 tasks added to Lot ${lots}`).waitFor()
    expect(await listTasks()).toMatchObject([{ plannedStart: '2030-01-07' }, { plannedStart: '2030-01-08' }])
  })

  test('the baseline can be set and shown in the chart', async () => {
    const { page } = wide
    const slab = await createSlab()
    await page.goto(toUrl())
    await page.getByRole('button', { name: 'Edit schedule' }).click()
    await page.getByRole('menuitem', { name: 'Set baseline' }).click()
    await page.getByRole('button', { name: 'Set baseline' }).click()
    await page.getByText(`Baseline of Lot ${lots} set, 1 task changed`).waitFor()
    await plumbline.patch(`/api/ext/tasks/${slab.id}`, { plannedStart: '2030-01-08' })
    await page.goto(toUrl(`&task=${slab.id}`))
    await page.getByText('Jan 4, 2030 to Jan 4, 2030').waitFor()
    await page.getByLabel('Show baseline').check()
    expect(await page.locator('.g-ghost').count()).toBeGreaterThan(0)
    expect(await findViolations(page)).toEqual([])
  })

  test('tasks that are too late for a fixed date are shown as a conflict', async () => {
    const { page } = wide
    const slab = await createSlab()
    const constraint = { type: 'must_start_on', date: '2030-01-02' }
    await created('tasks', { homeId, name: 'Walls framed', predecessors: [{ taskId: slab.id }], constraint })
    await page.goto(toUrl())
    await page.getByText('1 task is too late for a task with a fixed start date.').waitFor()
    await page.getByText('is 3 workdays late.').waitFor()
  })

  test('a milestone can be completed on the schedule of its home', async () => {
    const { page } = wide
    await createSlab()
    await created('milestones', { homeId, name: 'Dried in', targetDate: '2030-02-01' })
    await page.goto(toUrl())
    await page.getByRole('button', { name: 'Complete Dried in' }).click()
    await page.getByRole('button', { name: 'Complete', exact: true }).click()
    await page.getByText('Dried in completed').waitFor()
  })

  test('on a phone, the details of a selected task are visible', async () => {
    const { page } = narrow
    const slab = await createSlab()
    const rows = Array.from({ length: 25 }, (_, i) => `Task ${i + 1}`)
    for (const name of rows) await created('tasks', { homeId, name, predecessors: [{ taskId: slab.id }] })
    const walls = await created('tasks', {
      homeId,
      name: 'Walls framed',
      predecessors: [{ taskId: slab.id }],
      vendorId,
    })
    await page.goto(toUrl())
    await page.getByRole('link', { name: 'Walls framed' }).click()
    const call = page.getByRole('link', { name: 'Call +1 512 555 0142' })
    await call.waitFor()
    expect(new URL(page.url()).searchParams.get('task')).toBe(walls.id)
    await expect.poll(async () => ((await call.boundingBox())?.y ?? 9999) < 844 - 58).toBe(true)
    expect(await findViolations(page)).toEqual([])
  })

  test('on a phone, the navigation at the bottom has a link to the schedule', async () => {
    const { page } = narrow
    await page.goto(`${plumbline.url}/today`)
    await page.getByRole('navigation', { name: 'Quick navigation' }).getByRole('link', { name: 'Schedule' }).click()
    await page.waitForURL('**/schedule')
  })
})
