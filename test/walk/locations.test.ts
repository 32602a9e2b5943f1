import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listIds } from '../../scripts/conformance/resource-ids.ts'
import type { Service, ServiceResponse } from '../../scripts/conformance/service.ts'
import { contract } from '../../scripts/conformance/walked-contract.ts'
import { World } from '../../scripts/conformance/world.ts'
import { type Receiver, startReceiver } from '../../scripts/processes/receiver.ts'
import type { Operation, ResponseObject } from '../../server/platform/calls/contract.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'

/** Tests that every creation returns the location of the new resource, and that the resource can be read there. */
const creations = [...contract.operations.values()].filter(({ declaration }) =>
  Object.values(declaration.responses).some(
    (declared) => contract.resolve<ResponseObject>(declared).headers?.Location !== undefined,
  ),
)

let plumbline: TestPlumbline
let receiver: Receiver
const created = new Map<string, ServiceResponse>()

beforeAll(async () => {
  plumbline = await startTestPlumbline()
  receiver = await startReceiver()
  const listening: Service = {
    ...plumbline,
    async request(method, target, body, options) {
      const response = await plumbline.request(method, target, body, options)
      const { operation } = contract.match(method, target.split('?', 1)[0] ?? '')
      if (operation !== null && response.status === 201) created.set(operation.id, response)
      return response
    },
  }
  const world = await new World(listening, plumbline.key, receiver.url).populate('enough')
  // If the examples created a resource only as a side effect, creates it directly with each of the possible parents.
  for (const operation of creations) {
    for (let which = 0; which < 6 && !created.has(operation.id); which++) {
      const address = world.addressOf(operation, which)
      if (address === undefined) break
      await move(world, operation, which)
      for (const example of world.bodiesOf(operation)) {
        for (const body of [example, ...oneAtATime(world, example)]) await world.send(operation, { address, body })
      }
    }
  }
}, 120_000)

afterAll(async () => {
  await plumbline.stop()
  await receiver.close()
})

describe('a new resource can be read at its Location', () => {
  test.each(creations)('a resource created by $id can be read at its Location', async ({ id }) => {
    const response = created.get(id)
    const location = response?.headers.get('location')
    expect(location).toMatch(/^\/api\/ext\//)
    const found = await plumbline.get(String(location))
    expect(found.status).toBe(200)
    const made = [...listIds(response?.body)]
    expect(made).not.toEqual([])
    expect([...listIds(found.body)]).toEqual(expect.arrayContaining(made))
  })
})

/**
 * Changes the status of a record as in the first example, because what can be created from the record may depend on its
 * status.
 */
async function move(world: World, { path }: Operation, which: number): Promise<void> {
  const { operation } = contract.match('POST', path.replace(/\/[^/]+$/, '/status'))
  const address = operation === null ? undefined : world.addressOf(operation, which)
  if (operation !== null && address !== undefined) await world.send(operation, { address })
}

function* oneAtATime(world: World, body: unknown): Generator<unknown> {
  for (const [field, value] of Object.entries(body ?? {})) {
    if (Array.isArray(value)) for (const id of world.idsFor(field)) yield { ...(body as object), [field]: [id] }
  }
}
