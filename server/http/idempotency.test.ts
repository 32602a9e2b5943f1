import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../test/support/plumbline.ts'

let plumbline: TestPlumbline
beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
afterAll(() => plumbline.stop())

const headers = { 'idempotency-key': 'attempt-1' }

test('what one key was answered is not repeated to another that sends the same Idempotency-Key', async () => {
  const subscription = { url: 'https://hooks.example.com/plumbline', eventTypes: ['*'], allowDuplicate: true }
  const [first, second] = [await plumbline.newKey(['webhooks:write']), await plumbline.newKey(['webhooks:write'])]
  const made = await plumbline.post('/api/ext/webhooks', subscription, { key: first, headers })
  const other = await plumbline.post('/api/ext/webhooks', subscription, { key: second, headers })
  const again = await plumbline.post('/api/ext/webhooks', subscription, { key: first, headers })
  expect([made.status, other.status, again.status]).toEqual([201, 201, 201])
  expect(other.body.secret).not.toBe(made.body.secret)
  expect(other.headers.get('idempotent-replayed')).toBeNull()
  expect(again.body).toEqual(made.body)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
})

test('two vendors who choose the same Idempotency-Key are each answered for themselves', async () => {
  const open = (key: string) => plumbline.post('/api/portal/visits', {}, { key, headers })
  const [one, other] = [await plumbline.newPortalToken(), await plumbline.newPortalToken()]
  const answers = [await open(one), await open(other), await open(one)]
  const ids = answers.map(({ body }) => body.vendor.id)
  expect(ids).toEqual([one, other, one].map((token) => token.split('.')[0]))
})
