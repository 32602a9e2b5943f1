import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'

let plumbline: TestPlumbline
beforeAll(async () => {
  plumbline = await startTestPlumbline({ PORTAL_LIMIT_PER_MINUTE: '3', PORTAL_CLIENT_LIMIT_PER_MINUTE: '8' })
})
afterAll(() => plumbline.stop())

test('calendar requests are limited per minute, whether or not the feed URL is known', async () => {
  const { body: vendor } = await plumbline.post('/api/ext/vendors', { companyName: 'Blanco', email: 'b@example.com' })
  const { body: feed } = await plumbline.post('/api/ext/calendar-feeds', { vendorId: vendor.id })
  const path = new URL(feed.url).pathname
  const statuses: number[] = []
  for (let i = 0; i < 4; i++) statuses.push((await fetch(plumbline.url + path)).status)
  expect(statuses).toEqual([200, 200, 200, 429])
  const guesses: Response[] = []
  for (let i = 0; i < 5; i++) guesses.push(await fetch(`${plumbline.url}/calendars/cal_${i}.ics`))
  expect(guesses.map(({ status }) => status)).toEqual([404, 404, 404, 404, 429])
  expect(Number(guesses.at(-1)?.headers.get('retry-after'))).toBeGreaterThan(0)
})
