import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { PUNCH_ITEM_MOVES } from './punch-items/punch-item.ts'
import { WARRANTY_REQUEST_MOVES } from './warranty-requests/warranty-request.ts'

let plumbline: TestPlumbline
let communityId: string
let vendorId: string
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  communityId = await created('communities', { name: 'Juniper Ridge', status: 'active' })
  vendorId = await created('vendors', { companyName: 'Lone Star Paint', status: 'active' })
})
afterAll(() => plumbline.stop())

async function created(kind: string, fields: object): Promise<string> {
  const { status, body } = await plumbline.post(`/api/ext/${kind}`, fields)
  expect([kind, status, body.errors ?? body.detail]).toEqual([kind, 201, undefined])
  return body.id
}

const RUNS = 12
const MAX_STEPS = 12
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEklEQVR4nGPomLmKAYSgFAAAK1IGP0FG2OAAAAAASUVORK5CYII='

interface StatusChange {
  from: string | null
  to: string
}

/** Asserts that the status history is a chain of allowed changes that ends in the current status. */
async function expectAllowedHistory(
  id: string,
  current: string,
  moves: Readonly<Record<string, readonly string[]>>,
): Promise<readonly StatusChange[]> {
  const { body } = await plumbline.get(`/api/ext/status-changes?resourceId=${id}&limit=200`)
  const changes: StatusChange[] = body.data
  expect(changes[0]?.from).toBeNull()
  expect(changes.at(-1)?.to).toBe(current)
  for (const [i, { from, to }] of changes.slice(1).entries()) {
    expect(from).toBe(changes[i]?.to)
    expect([from, moves[from ?? '']?.includes(to)]).toEqual([from, true])
  }
  return changes
}

const punchStep = fc.record({
  status: fc.constantFrom('open', 'assigned', 'fixed', 'verified', 'cancelled'),
  hasVendor: fc.boolean(),
  hasDueDate: fc.boolean(),
  reason: fc.constantFrom(null, 'The joint is open again.'),
})

test('after random status changes, a punch item has only allowed statuses with the fields that they need', async () => {
  const homeId = await created('homes', { name: 'Lot 1', communityId })
  await fc.assert(
    fc.asyncProperty(fc.array(punchStep, { minLength: 1, maxLength: MAX_STEPS }), async (steps) => {
      const id = await created('punch-items', { homeId, description: 'Paint is missing.' })
      for (const { status, hasVendor, hasDueDate, reason } of steps) {
        const response = await plumbline.post(`/api/ext/punch-items/${id}/status`, {
          status,
          ...(hasVendor && { vendorId }),
          ...(hasDueDate && { dueDate: '2035-06-30' }),
          ...(reason !== null && { reason }),
        })
        expect([200, 409, 422]).toContain(response.status)
      }
      const { body: item } = await plumbline.get(`/api/ext/punch-items/${id}`)
      const changes = await expectAllowedHistory(id, item.status, PUNCH_ITEM_MOVES)
      const reopened = changes.filter(({ from, to }) => from === 'fixed' && to === 'assigned')
      expect(item.reopenedCount).toBe(reopened.length)
      if (item.status === 'assigned') expect([item.vendorId, item.dueDate]).toEqual([vendorId, '2035-06-30'])
      expect(item.verifiedAt !== null).toBe(item.status === 'verified')
    }),
    { numRuns: RUNS },
  )
}, 120_000)

const warrantyStep = fc.oneof(
  fc.record({
    does: fc.constant('decision' as const),
    decision: fc.constantFrom('covered', 'goodwill', 'not_covered'),
    reason: fc.constantFrom(null, 'Watering is described in the manual.'),
  }),
  fc.record({ does: fc.constant('assignment' as const) }),
  fc.record({ does: fc.constant('photo' as const) }),
  fc.record({
    does: fc.constant('status' as const),
    status: fc.constantFrom('assigned', 'completed', 'completed', 'closed', 'cancelled'),
    reason: fc.constantFrom(null, 'It still drips.'),
  }),
)

test('after random actions, a warranty request has only allowed statuses with the fields that they need', async () => {
  const homeId = await created('homes', { name: 'Lot 2', communityId })
  await fc.assert(
    fc.asyncProperty(fc.array(warrantyStep, { minLength: 3, maxLength: MAX_STEPS }), async (steps) => {
      const id = await created('warranty-requests', { homeId, description: 'The faucet drips.' })
      let hasPhoto = false
      for (const step of steps) {
        const { does, ...rest } = step
        const body = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null))
        const path =
          does === 'photo'
            ? `attachments?recordId=${id}&fileName=Done.png&stage=after`
            : `warranty-requests/${id}/${does}`
        const input = does === 'photo' ? { content: PNG } : does === 'assignment' ? { vendorId } : body
        const { status } = await plumbline.post(`/api/ext/${path}`, input)
        expect([200, 201, 409, 422]).toContain(status)
        hasPhoto ||= does === 'photo'
      }
      const { body: request } = await plumbline.get(`/api/ext/warranty-requests/${id}`)
      const changes = await expectAllowedHistory(id, request.status, WARRANTY_REQUEST_MOVES)
      const hasBeen = (status: string) => changes.some(({ to }) => to === status)
      // The home is not closed, so that nothing is covered.
      if (hasBeen('accepted')) expect(request.decision).toBe('goodwill')
      if (hasBeen('assigned')) expect(request.vendorId).toBe(vendorId)
      if (hasBeen('completed')) expect(hasPhoto).toBe(true)
      if (request.status === 'not_covered') expect(request.decisionReason).not.toBeNull()
    }),
    { numRuns: RUNS },
  )
}, 120_000)
