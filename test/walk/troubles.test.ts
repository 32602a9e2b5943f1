import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { isOpenToApiKeys } from '../../scripts/conformance/operation-kinds.ts'
import { EXAMPLE_IDS } from '../../scripts/conformance/resource-ids.ts'
import { contract, describeSchemaErrors } from '../../scripts/conformance/walked-contract.ts'
import { World } from '../../scripts/conformance/world.ts'
import type { Call } from '../../server/platform/calls/call.ts'
import type { Operation } from '../../server/platform/calls/contract.ts'
import type { Handlers } from '../../server/platform/calls/operation.ts'
import { isTestedHere } from '../support/is-tested-here.ts'
import type { ServiceResponse, TestPlumbline } from '../support/test-plumbline.ts'
import { startTestPlumbline } from '../support/test-plumbline.ts'

/**
 * Tests how every operation responds to problems that no caller can cause: an internal error, an unavailable database,
 * an exhausted limit, or a first request that is still running. Replaced handlers cause these problems; all other code
 * is the real service. Other tests check on both databases how limits are counted.
 */
const operations = [...contract.operations.values()]

let trouble: (call: Call) => Promise<never>
const handlers = new Proxy({}, { get: () => (_input: unknown, call: Call) => trouble(call) }) as Handlers

describe.skipIf(!isTestedHere())('a service whose handlers fail', () => {
  let plumbline: TestPlumbline
  let world: World
  beforeAll(async () => {
    plumbline = await startTestPlumbline({}, { handlers })
    world = await worldOfExamples(plumbline)
  })
  afterAll(() => plumbline.stop())

  test.each(operations)('$id returns internal without the reason of the failure', async (operation) => {
    trouble = () => Promise.reject(new Error('the secret reason'))
    const response = await world.send(operation)
    expectProblem(operation, response, 500, 'internal')
    expect(JSON.stringify(response.body)).not.toContain('secret reason')
    expect(response.headers.get('x-request-id')).toBe(response.body.requestId)
  })

  test.each(operations)('$id returns unavailable while the database is unavailable', async (operation) => {
    trouble = () => Promise.reject(Object.assign(new Error('terminating connection'), { code: '57P01' }))
    const response = await world.send(operation)
    expectProblem(operation, response, 503, 'unavailable')
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
  })

  // On the embedded database, writing requests wait for one another, so the service never tells a second request to try
  // again.
  const posts = operations.filter(({ method }) => method === 'POST')
  test.skipIf(inject('postgres') === null).each(posts)(
    '$id returns idempotency_in_progress to a repeat while the first request is writing',
    async (operation) => {
      let fail = (_error: Error) => {}
      const started = new Promise<void>((begun) => {
        trouble = (call) =>
          call.write(() => {
            begun()
            return new Promise<never>((_, reject) => {
              fail = reject
            })
          })
      })
      const headers = { 'idempotency-key': `twice-${operation.id}` }
      const first = world.send(operation, { headers })
      await started
      const second = await world.send(operation, { headers })
      fail(new Error('enough'))
      expectProblem(operation, second, 409, 'idempotency_in_progress')
      expect((await first).status).toBe(500)
    },
  )
})

describe.skipIf(!isTestedHere()).each([
  ['minute', 'rate_limited', { RATE_LIMIT_PER_MINUTE: '1', PORTAL_LIMIT_PER_MINUTE: '1' }],
  ['day', 'quota_exceeded', { QUOTA_PER_DAY: '1' }],
] as const)('once the %s is used up', (window, code, env) => {
  let plumbline: TestPlumbline
  let world: World
  beforeAll(async () => {
    plumbline = await startTestPlumbline(env, { handlers })
    world = await worldOfExamples(plumbline)
    trouble = () => Promise.reject(new Error('one request is let in'))
    expect((await plumbline.get('/api/ext/vendors')).status).toBe(500)
    const [inPortal] = operations.filter((operation) => !isOpenToApiKeys(operation))
    if (inPortal !== undefined) expect((await world.send(inPortal)).status).toBe(500)
  })
  afterAll(() => plumbline.stop())

  // Leaves out operations for vendors, because a vendor does not use the builder's daily quota.
  const limited = window === 'day' ? operations.filter(isOpenToApiKeys) : operations
  test.each(limited)('$id rejects a request above the limit and returns the wait time', async (operation) => {
    const response = await world.send(operation)
    expectProblem(operation, response, 429, code)
    const left = new RegExp(`"${window}";r=0;t=(\\d+)`).exec(response.headers.get('ratelimit') ?? '')
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(Number(left?.[1]))
  })
})

async function worldOfExamples(plumbline: TestPlumbline): Promise<World> {
  const world = new World(plumbline, plumbline.key, 'https://hooks.example.com/plumbline')
  // This service has no records, so the IDs in the examples are used in place of real IDs.
  for (const id of EXAMPLE_IDS) world.remember(id)
  world.admit(await plumbline.newPortalToken())
  return world
}

function expectProblem(operation: Operation, response: ServiceResponse, status: number, code: string): void {
  expect([response.status, response.body.code]).toEqual([status, code])
  expect(response.headers.get('content-type')).toBe('application/problem+json')
  expect(Object.keys(operation.declaration.responses)).toContain(String(status))
  expect(describeSchemaErrors(response.body, 'components', 'schemas', 'Problem')).toBe('')
  expect(response.headers.get('ratelimit')).not.toBeNull()
}
