import type { Browser, Locator, Page, Request } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { RequestOptions } from '../../scripts/conformance/service.ts'
import type { ObservedPage } from '../../scripts/processes/chromium.ts'
import { addDays, toLocalDate } from '../../server/platform/values/calendar.ts'
import { chromium, closeWindows, openChromium } from '../support/chrome.ts'
import { createPdf, sendBytes } from '../support/files.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { findViolations, measureOverflow, visit } from './visit.ts'

const EMAIL = 'marcus@harrowfinch.example.com'
const PHONE_WIDTH = 390

describe.skipIf(chromium === null)('the page of the superintendent', () => {
  let plumbline: TestPlumbline
  let browser: Browser
  let seen: ObservedPage
  let page: Page
  let picture: Buffer
  let owner: RequestOptions
  let userId = ''
  let communityId = ''
  let vendorId = ''
  let homeId = ''
  let homeName = ''
  let today = ''
  let lots = 0
  let taps = 0

  const created = async (path: string, body: object) => {
    const response = await plumbline.post(`/api/ext/${path}`, body)
    expect([path, response.body, response.status]).toEqual([path, response.body, 201])
    return response.body
  }
  const read = async (path: string) => (await plumbline.get(`/api/ext/${path}`)).body
  const newTask = (name: string, fields: object = {}) =>
    created('tasks', { homeId, name, plannedStart: today, vendorId, scope: 'painting', ...fields })

  /** Opens the page as if from a phone's home screen. */
  const open = async () => {
    await page.goto(`${plumbline.url}/field/`)
    // The page first shows the stored day from the previous test.
    await link(new RegExp(`^${homeName}\\b`)).waitFor()
  }
  const waitUntilStored = () =>
    page.waitForFunction(() => {
      const { navigator } = globalThis as unknown as { navigator: { serviceWorker: { controller: object | null } } }
      return navigator.serviceWorker.controller !== null
    })
  const goOffline = (isOffline: boolean) => page.context().setOffline(isOffline)
  /** Closes the page without warning and opens it again. */
  const killAndReopen = async () => {
    const context = page.context()
    await page.close({ runBeforeUnload: false })
    page = await context.newPage()
    await open()
  }
  const waitUntilSent = () => page.getByRole('link', { name: /^Updated/ }).waitFor()

  const tap = async (target: Locator) => {
    taps++
    await target.click()
  }
  /** Presses a button that opens the camera, and then the buttons to take and use the photo. */
  const takePhoto = async (button: Locator) => {
    taps += 3
    await button.setInputFiles({ name: 'IMG_0001.jpg', mimeType: 'image/jpeg', buffer: picture })
  }
  /** Taps a button twice, before the page can react to the first tap. */
  const tapTwice = (target: Locator) =>
    target.evaluate((element) => {
      const { click } = element as unknown as { click(): void }
      click.call(element)
      click.call(element)
    })
  const chip = (group: string, name: string) =>
    page.getByRole('group', { name: group }).getByText(name, { exact: true })
  const button = (name: string | RegExp) => page.getByRole('button', { name })
  const link = (name: string | RegExp) => page.getByRole('link', { name })

  beforeAll(async () => {
    plumbline = await startTestPlumbline()
    browser = await openChromium()
    owner = await plumbline.signIn()
    const user = await plumbline.post(
      '/api/admin/users',
      { name: 'Marcus Reed', email: EMAIL, role: 'superintendent' },
      owner,
    )
    userId = user.body.id
    today = toLocalDate('America/Chicago', new Date())
    const site = {
      name: 'Juniper Ridge',
      status: 'active',
      timeZone: 'America/Chicago',
      workdays: [1, 2, 3, 4, 5, 6, 7],
    }
    communityId = (await created('communities', { ...site, superintendentId: userId })).id
    vendorId = (
      await created('vendors', { companyName: 'Lone Star Paint', phone: '+1 512 555 0142', scopes: ['painting'] })
    ).id
    picture = await sharp({ create: { width: 3000, height: 1500, channels: 3, background: '#5577aa' } })
      .jpeg()
      .toBuffer()
    seen = await visit(browser, plumbline, { email: EMAIL, width: PHONE_WIDTH })
    page = seen.page
  })
  afterAll(async () => {
    await closeWindows()
    await plumbline.stop()
  })
  beforeEach(async () => {
    await goOffline(false)
    taps = 0
    homeName = `Lot ${++lots}`
    homeId = (await created('homes', { name: homeName, communityId })).id
  })

  const expectAccessible = async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      expect(await findViolations(page)).toEqual([])
    }
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
    expect(await measureOverflow(page)).toBe(0)
  }

  test('completing a task with a photo and contacting its vendor requires at most 4 taps', async () => {
    const { id } = await newTask('Paint walls')
    await open()
    expect(await link('Call Lone Star Paint').first().getAttribute('href')).toBe('tel:+1 512 555 0142')
    expect(await link('Text Lone Star Paint').first().getAttribute('href')).toBe('sms:+1 512 555 0142')
    await expectAccessible()
    await takePhoto(page.getByLabel('Complete Paint walls with a photo'))
    await page.getByText('Paint walls completed').waitFor()
    expect(taps).toBe(3)
    await waitUntilSent()
    expect(await read(`tasks/${id}`)).toMatchObject({ status: 'completed', actualEnd: today })
    const { data } = await read(`attachments?recordId=${id}`)
    expect(data).toMatchObject([{ kind: 'photo', caption: 'Paint walls', width: 2048, height: 1024 }])
  })

  test('an office user can open the day of a superintendent and return to their own day', async () => {
    await newTask('Caulk windows')
    const office = (await visit(browser, plumbline, { width: PHONE_WIDTH })).page
    await office.goto(`${plumbline.url}/field/`)
    await office.getByText('You are not the superintendent of any home.').waitFor()
    await office.getByRole('link', { name: 'See the day of a superintendent' }).click()
    await office.getByRole('button', { name: 'Marcus Reed' }).waitFor()
    expect(await findViolations(office)).toEqual([])
    await office.getByRole('button', { name: 'Marcus Reed' }).click()
    await office.getByText('You see the day of Marcus Reed.').waitFor()
    await office.getByRole('link', { name: /^Caulk windows/ }).waitFor()
    expect(await office.getByRole('link', { name: 'Clock in' }).count()).toBe(0)
    expect(await findViolations(office)).toEqual([])
    expect(await measureOverflow(office)).toBe(0)
    // The choice remains after the page is closed and opened again.
    await office.reload()
    await office.getByText('You see the day of Marcus Reed.').waitFor()
    await office.getByRole('link', { name: 'Choose another day' }).click()
    await office.context().setOffline(true)
    await office.getByRole('button', { name: 'My own day' }).click()
    await office.getByText('The day could not be loaded.').waitFor()
    await office.getByText('You see the day of Marcus Reed.').waitFor()
    await office.context().setOffline(false)
    await office.getByRole('link', { name: 'Choose another day' }).click()
    await office.getByRole('button', { name: 'My own day' }).click()
    await office.getByText('You are not the superintendent of any home.').waitFor()
    await office.close()
  })

  test('delaying a task requires 4 taps', async () => {
    const { id } = await newTask('Paint trim')
    await newTask('Clean', { predecessors: [{ taskId: id }] })
    await open()
    await tap(link('Delay Paint trim'))
    await tap(chip('Workdays', '3'))
    await tap(page.getByText('Weather', { exact: true }))
    await page.getByText('1 other task moves').waitFor()
    await expectAccessible()
    await tap(button('Move'))
    await page.getByText('Paint trim delayed').waitFor()
    expect(taps).toBe(4)
    await waitUntilSent()
    const { delays } = await read(`tasks/${id}`)
    expect(delays).toMatchObject([{ days: 3, reasonCode: 'weather' }])
  })

  test('tapping Move twice delays a task only once', async () => {
    const { id } = await newTask('Paint ceiling')
    await open()
    await link('Delay Paint ceiling').click()
    await chip('Workdays', '1').click()
    await page.getByText('Weather', { exact: true }).click()
    await tapTwice(button('Move'))
    await waitUntilSent()
    expect((await read(`tasks/${id}`)).delays).toMatchObject([{ days: 1, reasonCode: 'weather' }])
  })

  test('tapping a trade twice adds only one punch item', async () => {
    await open()
    await link(new RegExp(`^${homeName}\\b`)).click()
    await page.evaluate(`location.hash = '#/punch/${homeId}'`)
    await page.getByText('Kitchen', { exact: true }).click()
    await page.getByLabel('What needs to be fixed?').fill('The door sticks.')
    await tapTwice(button('painting'))
    await link('Day').click()
    await waitUntilSent()
    expect((await read(`punch-items?homeId=${homeId}`)).data).toHaveLength(1)
  })

  test('a task can start before its predecessor is completed only with a reason', async () => {
    const first = await newTask('Prime')
    const second = await newTask('Second coat', {
      predecessors: [{ taskId: first.id }],
      checklist: [{ text: 'Sanded' }],
    })
    await open()
    await link(/^Prime/).click()
    await button('Start').click()
    await page.getByText('Prime started').waitFor()
    await waitUntilSent()
    expect(await read(`tasks/${first.id}`)).toMatchObject({ status: 'in_progress', actualStart: today })
    await link(/Homes/).click()
    await link(new RegExp(`^${homeName} `)).click()
    await link(/^Second coat/).click()
    await page.getByText('Waiting for Prime').waitFor()
    await page.getByLabel('Sanded').check()
    expect(await button('Complete without a photo').isDisabled()).toBe(true)
    await page.getByLabel('Reason to start before Prime').fill('Only the garage is left.')
    await expectAccessible()
    await button('Start').click()
    await waitUntilSentFromHome()
    expect((await read(`tasks/${second.id}`)).status).toBe('in_progress')
  })
  const waitUntilSentFromHome = async () => {
    await link('Day').click()
    await waitUntilSent()
  }

  test('recording an inspection requires 3 taps if it passed and 5 taps if it failed', async () => {
    const inspect = async (name: string) => {
      const task = await newTask(name, {
        taskKind: 'inspection',
        vendorId: null,
        checklist: [{ text: `Nails of ${name}` }],
      })
      return created('inspections', { homeId, taskId: task.id, authority: 'internal', scheduledDate: today })
    }
    const [passed, failed] = [await inspect('Framing check'), await inspect('Roof check')]
    await open()
    await tap(link('Record the result of Framing check'))
    await tap(page.getByText('Passed', { exact: true }))
    await tap(button('Save result'))
    await page.getByText('Framing check passed').waitFor()
    expect(taps).toBe(3)
    taps = 0
    await tap(link('Record the result of Roof check'))
    await tap(page.getByText('Failed', { exact: true }))
    await tap(page.getByText('Nails of Roof check'))
    await expectAccessible()
    await tap(
      page
        .getByRole('group', { name: 'Next attempt' })
        .getByText(/^\w{3}, /)
        .nth(1),
    )
    await tap(button('Save result'))
    await page.getByText('Roof check failed').waitFor()
    expect(taps).toBe(5)
    await waitUntilSent()
    expect((await read(`inspections/${passed.id}`)).result).toBe('passed')
    expect(await read(`inspections/${failed.id}`)).toMatchObject({ result: 'failed', items: [{ result: 'fail' }] })
    const { data } = await read(`inspections?homeId=${homeId}&status=scheduled`)
    expect(data).toMatchObject([{ attempt: 2, scheduledDate: addDays(today, 2) }])
  })

  test('submitting a daily log with the planned crews requires 5 taps and a dictated sentence', async () => {
    await newTask('Paint doors')
    await open()
    await tap(link(`Daily log of ${homeName}`))
    await tap(page.getByText('Rain', { exact: true }))
    await tap(page.getByText('Not workable'))
    const work = page.getByLabel('Work of the day')
    await tap(work)
    await work.fill('Second coat in the hall.')
    await expectAccessible()
    await tap(button('Submit log'))
    await page.getByText(`Log of ${homeName} submitted`).waitFor()
    expect(taps).toBe(5)
    await waitUntilSent()
    const { data } = await read(`daily-logs?homeId=${homeId}`)
    expect(data).toMatchObject([
      {
        ...{ status: 'submitted', logDate: today, workDone: 'Second coat in the hall.' },
        ...{ weather: { condition: 'rain', workable: false }, crews: [{ vendorId, scope: 'painting', noShow: false }] },
      },
    ])
    await link(`Daily log of ${homeName}`).click()
    await page.getByLabel('Work of the day').fill('Doors are hung.')
    await button('Add to log').click()
    await waitUntilSent()
    expect((await read(`daily-logs/${data[0].id}`)).workDone).toBe('Second coat in the hall.\nDoors are hung.')
  })

  test('adding to a daily log keeps the weather values that the user does not change', async () => {
    const weather = { condition: 'rain', high: 61, low: 48, unit: 'fahrenheit', workable: false }
    const { id } = await created('daily-logs', { homeId, logDate: today, workDone: 'Stopped at noon.', weather })
    await open()
    const openLog = async () => {
      await page.evaluate(`location.hash = '#/log/${homeId}'`)
      await page.getByText('This day has a log.').waitFor()
    }
    const addToLog = async () => {
      await button('Add to log').click()
      await page.getByText(`Log of ${homeName} submitted`).waitFor()
      await waitUntilSent()
      return read(`daily-logs/${id}`)
    }
    await openLog()
    await page.getByLabel('Work of the day').fill('Swept.')
    expect(await addToLog()).toMatchObject({ workDone: 'Stopped at noon.\nSwept.', weather })
    await openLog()
    await page.getByText('Cloudy', { exact: true }).click()
    expect((await addToLog()).weather).toEqual({ ...weather, condition: 'cloudy' })
  })

  test('clocking in and clocking out require 2 taps each', async () => {
    await open()
    await tap(link('Clock in'))
    await expectAccessible()
    await tap(button(new RegExp(`^${homeName},`)))
    await page.getByText(`Clocked in at ${homeName}`).waitFor()
    await page.getByText(`Clocked in since`).waitFor()
    expect(taps).toBe(2)
    await waitUntilSent()
    taps = 0
    await tap(link('Clock out'))
    await tap(button('No break'))
    await page.getByText('Clocked out').waitFor()
    expect(taps).toBe(2)
    await waitUntilSent()
    const [sheet] = (await read(`timesheets?userId=${userId}`)).data
    const { data } = await read(`timesheets/${sheet.id}/entries`)
    expect(data).toMatchObject([{ homeId, breakMinutes: 0, endedAt: expect.anything() }])
  })

  test('adding a punch item and verifying its fix requires at most 4 taps', async () => {
    await newTask('Paint hall')
    await plumbline.post(`/api/ext/homes/${homeId}/budget`, {})
    await open()
    await takePhoto(page.getByLabel(`Add punch item in ${homeName} with the camera`))
    await tap(page.getByText('Kitchen', { exact: true }))
    await page.getByAltText('The punch item').waitFor()
    await expectAccessible()
    await tap(button('painting'))
    await page.getByText('Punch item added').waitFor()
    // The five taps are on the camera button, the shutter, "Use photo", the room, and the trade.
    expect(taps).toBe(5)
    await waitUntilSent()
    const { data } = await read(`punch-items?homeId=${homeId}`)
    expect(data).toMatchObject([
      { location: 'Kitchen', scope: 'painting', description: 'Painting in Kitchen. See the photo.' },
    ])
    expect((await read(`attachments?recordId=${data[0].id}`)).data).toHaveLength(1)

    const due = { vendorId, dueDate: addDays(today, 3) }
    const fixed = await created('punch-items', { homeId, description: 'The door sticks.', ...due })
    await plumbline.post(`/api/ext/punch-items/${fixed.id}/status`, { status: 'fixed' })
    await open()
    taps = 0
    await tap(button('Verify P-2'))
    await page.getByText('P-2 verified').waitFor()
    await waitUntilSent()
    expect([taps, (await read(`punch-items/${fixed.id}`)).status]).toEqual([1, 'verified'])
  })

  test('entries that are made offline are sent exactly once, even after the page is closed', async () => {
    const [done, late] = [await newTask('Paint stairs'), await newTask('Paint attic')]
    await open()
    await waitUntilStored()
    await goOffline(true)
    await killAndReopen()
    await takePhoto(page.getByLabel('Complete Paint stairs with a photo'))
    await page.getByText('Paint stairs completed').waitFor()
    await link('Delay Paint attic').click()
    await chip('Workdays', '2').click()
    await page.getByText('Material', { exact: true }).click()
    await page.getByText('No connection. The new dates will be computed when the entry is sent.').waitFor()
    await button('Move').click()
    await takePhoto(page.getByLabel(`Add punch item in ${homeName} with the camera`))
    await page.getByText('Garage', { exact: true }).click()
    await button('painting').click()
    await link(`Daily log of ${homeName}`).click()
    await page.getByText('Clear', { exact: true }).click()
    await page.getByLabel('Work of the day').fill('Stairs are painted.')
    await button('Submit log').click()
    await page.getByText('submitted').waitFor()
    await killAndReopen()
    expect(await page.getByText('Paint stairs').count()).toBe(0)
    await link(/Outbox/).click()
    await page.getByRole('heading', { name: 'Outbox' }).waitFor()
    expect(await page.getByRole('article').count()).toBe(7)
    await expectAccessible()
    expect((await read(`tasks/${done.id}`)).status).toBe('not_started')

    await goOffline(false)
    await page.getByText('Everything is sent.').waitFor()
    expect((await read(`tasks/${done.id}`)).status).toBe('completed')
    expect((await read(`tasks/${late.id}`)).delays).toMatchObject([{ days: 2, reasonCode: 'material_delay' }])
    expect((await read(`daily-logs?homeId=${homeId}`)).data).toMatchObject([{ status: 'submitted' }])
    const { data: items } = await read(`punch-items?homeId=${homeId}`)
    expect(items).toHaveLength(1)
    for (const id of [done.id, items[0].id]) expect((await read(`attachments?recordId=${id}`)).data).toHaveLength(1)
  })

  test('a delay whose response was lost is recorded only once, even if it is repeated after 25 hours', async () => {
    const { id } = await newTask('Paint porch')
    await open()
    let isLost = true
    await page.route('**/delay', async (route) => {
      if (route.request().method() !== 'POST' || !isLost) return route.continue()
      await route.fetch()
      await route.abort()
    })
    await link('Delay Paint porch').click()
    await chip('Workdays', '1').click()
    await page.getByText('Weather', { exact: true }).click()
    await button('Move').click()
    await link(/not sent yet|Sending/).click()
    await page.getByText('The entry was sent, but no response has arrived yet.').waitFor()
    plumbline.clock.advance(25 * 3_600_000)
    isLost = false
    await button('Send now').click()
    await page.getByText('Everything is sent.').waitFor()
    expect((await read(`tasks/${id}`)).delays).toHaveLength(1)
    await page.unroute('**/delay')
  })

  test('after the session ends, offline entries wait until the user signs in again on the page', async () => {
    const { id } = await newTask('Paint fence')
    await open()
    await page.context().clearCookies()
    await takePhoto(page.getByLabel('Complete Paint fence with a photo'))
    await page.getByText('Your session has ended. 2 entries are stored until you sign in.').waitFor()
    await expectAccessible()
    await button('Send sign-in link').click()
    const { url } = await plumbline.app.services.identity.makeLink(EMAIL, 60_000)
    await page.getByLabel('Sign-in link').fill(url)
    await button('Sign in').click()
    await waitUntilSent()
    expect((await read(`tasks/${id}`)).status).toBe('completed')
    expect((await read(`attachments?recordId=${id}`)).data).toHaveLength(1)
  })

  test('an offline entry is held only if another user changed the fields that the entry depends on', async () => {
    const [moved, changed] = [await newTask('Paint den'), await newTask('Paint bath')]
    await open()
    await goOffline(true)
    for (const name of ['Paint den', 'Paint bath']) {
      await link(new RegExp(`^${name}`)).click()
      await button('Complete without a photo').click()
      await page.getByText(`${name} completed`).waitFor()
    }
    await plumbline.post(`/api/ext/tasks/${moved.id}/delay`, { days: 1, reasonCode: 'weather' })
    const other = await created('vendors', { companyName: 'Redrock Paint' })
    await plumbline.patch(`/api/ext/tasks/${changed.id}`, { vendorId: other.id })
    await goOffline(false)
    await link('1 entry to check').click()
    await page.getByText('Another user changed this record.').waitFor()
    await expectAccessible()
    expect((await read(`tasks/${moved.id}`)).status).toBe('completed')
    expect((await read(`tasks/${changed.id}`)).status).toBe('not_started')
    await button('Send my version anyway').click()
    await page.getByText('Everything is sent.').waitFor()
    expect((await read(`tasks/${changed.id}`)).status).toBe('completed')
  })

  test('text for a daily log that another user wrote in the meantime is added to that log', async () => {
    await newTask('Paint cellar')
    await open()
    await goOffline(true)
    await link(`Daily log of ${homeName}`).click()
    await page.getByText('Clear', { exact: true }).click()
    await page.getByLabel('Work of the day').fill('Cellar is painted.')
    await button('Submit log').click()
    await page.getByText('submitted').waitFor()
    const log = await created('daily-logs', { homeId, logDate: today, workDone: 'Fence is up.' })
    await goOffline(false)
    await link('1 entry to check').click()
    await button('Add to that log').click()
    await page.getByText('Everything is sent.').waitFor()
    const { workDone, status } = await read(`daily-logs/${log.id}`)
    expect([workDone, status]).toEqual(['Fence is up.\nCellar is painted.', 'submitted'])
  })

  test('adding to the log of another user keeps the crews and safety entries of both users', async () => {
    await newTask('Paint pantry')
    await open()
    await goOffline(true)
    await link(`Daily log of ${homeName}`).click()
    await page.getByText('Clear', { exact: true }).click()
    await page.getByText('Incident', { exact: true }).click()
    await page.getByLabel('What happened').fill('A ladder fell.')
    await button('Submit log').click()
    await page.getByText('submitted').waitFor()
    const log = await created('daily-logs', {
      ...{ homeId, logDate: today, workDone: 'Fence is up.', crews: [{ name: 'Fence crew', headcount: 2 }] },
      safety: [{ kind: 'observation', description: 'The gate is open.' }],
    })
    await goOffline(false)
    await link('1 entry to check').click()
    await button('Add to that log').click()
    await page.getByText('Everything is sent.').waitFor()
    expect(await read(`daily-logs/${log.id}`)).toMatchObject({
      ...{ status: 'submitted', workDone: 'Fence is up.', weather: { condition: 'clear' } },
      crews: [
        { name: 'Fence crew', headcount: 2 },
        { vendorId, scope: 'painting' },
      ],
      safety: [
        { kind: 'observation', description: 'The gate is open.' },
        { kind: 'incident', description: 'A ladder fell.' },
      ],
    })
  })

  test('an offline entry that the service rejects stays in the outbox with the reason until the user deletes it', async () => {
    const { id } = await newTask('Paint shed')
    await open()
    await goOffline(true)
    await link(/^Paint shed/).click()
    await button('Start').click()
    await page.getByText('Paint shed started').waitFor()
    await plumbline.post(`/api/ext/homes/${homeId}/status`, { status: 'cancelled', reason: 'The buyer withdrew.' })
    await goOffline(false)
    await link('1 entry to check').click()
    const entry = page.getByRole('article', { name: 'Start Paint shed' })
    await entry.getByRole('note').waitFor()
    await entry.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Delete "Start Paint shed"? You cannot undo this.').waitFor()
    await entry.getByRole('button', { name: 'Delete' }).last().click()
    await page.getByText('Everything is sent.').waitFor()
    expect((await read(`tasks/${id}`)).actualStart).toBeNull()
  })

  const issueRevision = async (drawingId: string, label: string) => {
    const query = new URLSearchParams({ recordId: drawingId, fileName: `A-101-${label}.pdf`, kind: 'document' })
    const { url, key } = plumbline
    const file = await sendBytes(`${url}/api/ext/attachments?${query}`, createPdf(), { key })
    const revision = { attachmentId: file.body.id, label, issuedDate: today }
    expect((await plumbline.post(`/api/ext/drawings/${drawingId}/revisions`, revision)).status).toBe(200)
  }

  test('a drawing that is saved for offline use stays at its revision until the user updates it', async () => {
    const sheet = { homeId, sheetNumber: 'A-101', title: 'First floor', discipline: 'architectural' }
    const { id: drawingId } = await created('drawings', sheet)
    await issueRevision(drawingId, 'A')
    await open()
    await waitUntilStored()
    await page.goto(`${plumbline.url}/field/#/home/${homeId}`)
    await link('Drawings').click()
    await button('Keep').click()
    await page.getByText('Revision A, kept on this phone').waitFor()
    await goOffline(true)
    await page.reload()
    await page.getByText('Revision A, kept on this phone').waitFor()
    expect(await link('Open').getAttribute('href')).toMatch(/^blob:/)
    await expectAccessible()
    await goOffline(false)
    await issueRevision(drawingId, 'B')
    await page.reload()
    await page.getByText('You kept revision A. Revision B replaced it.').waitFor()
    await button('Update').click()
    await page.getByText('Revision B, kept on this phone').waitFor()
    await button('Remove').click()
    await button('Keep').waitFor()
  })

  /** Draws a line with a finger. The positions are fractions of the width and height of the element. */
  const drawLine = async (target: Locator, from: [number, number], to: [number, number]) => {
    // The bar at the bottom must not cover the element.
    await target.evaluate((element) => {
      const { scrollIntoView } = element as unknown as { scrollIntoView(options: object): void }
      scrollIntoView.call(element, { block: 'center' })
    })
    const box = await target.boundingBox()
    if (box === null) throw new Error('Expected a visible element.')
    const touch = await page.context().newCDPSession(page)
    const at = ([x, y]: [number, number]) => [{ x: box.x + x * box.width, y: box.y + y * box.height }]
    await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: at(from) })
    for (const part of [0.25, 0.5, 0.75, 1]) {
      const [x, y] = [from[0] + part * (to[0] - from[0]), from[1] + part * (to[1] - from[1])]
      await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: at([x, y]) })
    }
    await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
    await touch.detach()
  }
  /** Returns the color of a pixel of an attachment. The position is a fraction of its width and height. */
  const readColor = async (attachmentId: string, x: number, y: number) => {
    const { url, key } = plumbline
    const headers = { Authorization: `Bearer ${key}` }
    const response = await fetch(`${url}/api/ext/attachments/${attachmentId}/content`, { headers })
    const image = sharp(Buffer.from(await response.arrayBuffer()))
    const { width, height } = await image.metadata()
    const place = { left: Math.round(x * width), top: Math.round(y * height), width: 1, height: 1 }
    return [...(await image.extract(place).removeAlpha().raw().toBuffer())]
  }
  const isRed = ([red = 0, green = 0]: number[]) => red > 150 && green < 90

  test('a buyer can sign a walkthrough with a finger while offline, including an item with a marked photo', async () => {
    const { id } = await created('walkthroughs', { homeId, kind: 'final', date: today })
    await created('punch-items', { homeId, walkthroughId: id, location: 'Hall', description: 'A scratch.' })
    await open()
    await waitUntilStored()
    await link(new RegExp(`^${homeName}\\b`)).click()
    await goOffline(true)
    await takePhoto(page.getByLabel('Add an item to the final walkthrough with the camera'))
    await button('Mark photo').click()
    const picture = page.getByRole('img', { name: 'Picture to mark' })
    await drawLine(picture, [0.2, 0.5], [0.8, 0.5])
    await drawLine(picture, [0.1, 0.1], [0.2, 0.2])
    await button('Undo').click()
    await expectAccessible()
    await button('Save marks').click()
    await page.getByText('Kitchen', { exact: true }).click()
    await page.getByLabel('What needs to be fixed?').fill('The drawer sticks.')
    await button('painting').click()
    await link('Sign the final walkthrough').click()
    await page.getByText('P-1 Hall: A scratch.').waitFor()
    await page.getByText('New Kitchen: The drawer sticks.').waitFor()
    expect(await button('Sign').isDisabled()).toBe(true)
    await page.getByLabel('Name of the signer').fill('Dana Whitfield')
    await drawLine(page.getByRole('img', { name: 'Signature' }), [0.1, 0.8], [0.9, 0.2])
    await expectAccessible()
    await button('Sign').click()
    await page.getByText('Final walkthrough signed').waitFor()
    await killAndReopen()
    await goOffline(false)
    await waitUntilSent()
    const { status, signature } = await read(`walkthroughs/${id}`)
    expect([status, signature.signedBy]).toEqual(['closed', 'Dana Whitfield'])
    expect(signature.text).toContain('P-1 Hall: A scratch.\nP-2 Kitchen: The drawer sticks.')
    const [drawn] = (await read(`attachments?recordId=${id}`)).data
    expect(drawn).toMatchObject({ kind: 'signature', caption: 'Dana Whitfield', contentType: 'image/png' })
    expect(Math.max(...(await readColor(drawn.id, 0.5, 0.5)))).toBeLessThan(120)
    expect(await readColor(drawn.id, 0.1, 0.1)).toEqual([255, 255, 255])
    const [, item] = (await read(`punch-items?homeId=${homeId}&sort=createdAt`)).data
    const [photo] = (await read(`attachments?recordId=${item.id}`)).data
    expect(isRed(await readColor(photo.id, 0.5, 0.5))).toBe(true)
    expect(isRed(await readColor(photo.id, 0.15, 0.15))).toBe(false)
    const office = await visit(browser, plumbline)
    await office.page.goto(`${plumbline.url}/homes/${homeId}?tab=punch`)
    await office.page.getByRole('img', { name: 'Signature of Dana Whitfield' }).waitFor()
    await office.page.context().close()
  })

  test('a signature waits in the outbox if the office has added items to the walkthrough in the meantime', async () => {
    const { id } = await created('walkthroughs', { homeId, kind: 'orientation', date: today })
    await open()
    await link(new RegExp(`^${homeName}\\b`)).click()
    await goOffline(true)
    await link('Sign the orientation walkthrough').click()
    await page.getByLabel('Name of the signer').fill('Dana Whitfield')
    await drawLine(page.getByRole('img', { name: 'Signature' }), [0.1, 0.8], [0.9, 0.2])
    await button('Sign').click()
    await created('punch-items', { homeId, walkthroughId: id, description: 'A late item.' })
    await goOffline(false)
    await link('Day').click()
    await link('1 entry to check').click()
    expect((await read(`walkthroughs/${id}`)).signature).toBeNull()
    const entry = page.getByRole('article', { name: 'Sign the walkthrough' })
    await entry.getByRole('button', { name: 'Delete' }).click()
    await entry.getByRole('button', { name: 'Delete' }).last().click()
    await page.getByText('Everything is sent.').waitFor()
  })

  test('a photo of the home can be marked with an arrow and a pin, and a daily log can be signed', async () => {
    await newTask('Paint attic')
    const query = new URLSearchParams({ recordId: homeId, fileName: 'attic.jpg', kind: 'photo', caption: 'Attic' })
    const { url, key } = plumbline
    const original = await sendBytes(`${url}/api/ext/attachments?${query}`, picture, { key })
    await open()
    await link(new RegExp(`^${homeName}\\b`)).click()
    await page.getByRole('link', { name: 'Attic', exact: true }).click()
    const shown = page.getByRole('img', { name: 'Picture to mark' })
    await chip('Draw', 'Arrow').click()
    await drawLine(shown, [0.1, 0.5], [0.5, 0.5])
    await chip('Draw', 'Pin').click()
    await drawLine(shown, [0.7, 0.2], [0.8, 0.3])
    await button('Save marks').click()
    await page.getByText('Marked picture added').waitFor()
    await waitUntilSentFromHome()
    const { data } = await read(`attachments?recordId=${homeId}&sort=-createdAt`)
    expect(data.map(({ caption }: { caption: string }) => caption)).toEqual(['Marked: Attic', 'Attic'])
    const [marked] = data
    expect(isRed(await readColor(marked.id, 0.3, 0.5))).toBe(true)
    expect(isRed(await readColor(marked.id, 0.8, 0.3))).toBe(true)
    expect(isRed(await readColor(original.body.id, 0.3, 0.5))).toBe(false)
    await link(`Daily log of ${homeName}`).click()
    await page.getByText('Clear', { exact: true }).click()
    await button('Submit log').click()
    await waitUntilSent()
    await link(`Daily log of ${homeName}`).click()
    await link('Sign log').click()
    await page.getByLabel('Name of the signer').fill('R. Alvarez')
    await drawLine(page.getByRole('img', { name: 'Signature' }), [0.2, 0.5], [0.8, 0.5])
    await button('Sign').click()
    await waitUntilSentFromHome()
    const [log] = (await read(`daily-logs?homeId=${homeId}`)).data
    expect((await read(`attachments?recordId=${log.id}`)).data).toMatchObject([
      { kind: 'signature', caption: 'R. Alvarez' },
    ])
  })

  test("the superintendent's page loads at most 120 kB, compressed", async () => {
    expect(seen.strayed).toEqual([])
    const context = await browser.newContext({ serviceWorkers: 'block' })
    const counting = await context.newPage()
    const requests: Request[] = []
    counting.on('requestfinished', (request) => requests.push(request))
    await counting.goto(`${plumbline.url}/field/`)
    await counting.getByRole('heading', { name: 'Sign in to send and update' }).waitFor()
    const sizes = await Promise.all(requests.map((request) => request.sizes()))
    const bytes = sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0)
    await context.close()
    expect(bytes).toBeGreaterThan(20_000)
    expect(bytes).toBeLessThan(120_000)
  })
})
