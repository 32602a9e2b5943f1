import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  describeResponseErrors,
  shortenBody,
  toOperationKeyPath,
} from '../../scripts/conformance/describe-response-errors.ts'
import { findBodySchema } from '../../scripts/conformance/operation-kinds.ts'
import { DrawnRandom, type Random } from '../../scripts/conformance/random.ts'
import { breakValue, makeValidValue, type ValueSources } from '../../scripts/conformance/values.ts'
import { contract, describeSchemaErrors } from '../../scripts/conformance/walked-contract.ts'
import { World } from '../../scripts/conformance/world.ts'
import { hasPostgres } from '../../scripts/processes/postgres.ts'
import { type Receiver, startReceiver } from '../../scripts/processes/receiver.ts'
import type { Operation } from '../../server/platform/calls/contract.ts'
import type { ServiceResponse, TestPlumbline } from '../support/test-plumbline.ts'
import { startTestPlumbline } from '../support/test-plumbline.ts'
import { repeatUntilDeadline, SECONDS, SEED, TIMEOUT_MS } from './bounds.ts'

/**
 * Sends many random requests, valid and invalid, to every operation. No request may cause a 500 or a status that the
 * contract does not declare. Every response must match its schema, and every violation of the input schema must be
 * rejected as such. Two builders send requests concurrently. FUZZ_SEED=… repeats a run, and FUZZ_SECONDS sets its
 * duration. Every operation gets an equal share of that time and at least LEAST requests.
 */
const LEAST = hasPostgres() ? 3 : 5
const BUILDERS = 2

const operations = [...contract.operations.values()]
const CREATIONS = operations.filter(({ declaration }) => '201' in declaration.responses)

let plumbline: TestPlumbline
let receiver: Receiver
let worlds: World[]
let begunMs: number
const statuses = new Map<string, number>()

beforeAll(async () => {
  plumbline = await startTestPlumbline()
  receiver = await startReceiver()
  worlds = await Promise.all(
    Array.from({ length: BUILDERS }, async () => {
      const { key } = await plumbline.newBuilder()
      return new World(plumbline, key, receiver.url).populate('enough')
    }),
  )
  begunMs = performance.now()
}, 120_000)

afterAll(async () => {
  await plumbline.stop()
  await receiver.close()
}, 120_000)

describe.concurrent(`generated requests for ${SECONDS} s, seed ${SEED}`, () => {
  test.each(operations.map((operation, index) => ({ id: operation.id, operation, index })))(
    '$id handles random requests',
    { timeout: TIMEOUT_MS },
    async ({ operation, index }) => {
      const world = worlds[index % BUILDERS]
      if (world === undefined) throw new Error('There are fewer worlds than builders.')
      const property = fc.asyncProperty(fc.gen(), async (draw) => {
        const requests = new Requests(world, new DrawnRandom(draw))
        // Many requests archive or finish their resources, so the test keeps creating new ones.
        if (requests.random.chance(0.3)) await play(world, requests.to(requests.random.pick(CREATIONS)))
        await play(world, requests.to(operation))
      })
      // Tests several operations at the same time, each until its share of the time ends.
      const deadlineMs = begunMs + (SECONDS * 1000 * (index + 1)) / operations.length
      await repeatUntilDeadline(deadlineMs, (seed) => fc.assert(property, { seed, numRuns: LEAST }))
    },
  )
})

test('the random requests include enough successful and enough invalid requests', () => {
  const counted = [...statuses].sort().map(([what, count]) => `${what}: ${count}`)
  console.log(`seed ${SEED}: ${counted.join(', ')}`)
  const sum = (those: RegExp) =>
    [...statuses].filter(([what]) => those.test(what)).reduce((total, [, count]) => total + count, 0)
  expect(sum(/^good 2/)).toBeGreaterThan(sum(/./) / 5)
  expect(sum(/^bad 422/)).toBeGreaterThan(sum(/./) / 10)
})

async function play(world: World, request: Generated): Promise<void> {
  const { operation, kind, address, body, headers } = request
  const key = world.credentialFor(operation, address)
  // There is no key, because all portal links of this world may have been revoked by now.
  if (key === undefined) return
  const response = await plumbline.request(operation.method, address, toJson(body), { key, headers })
  statuses.set(`${kind} ${response.status}`, (statuses.get(`${kind} ${response.status}`) ?? 0) + 1)
  // The link is no longer valid, because many requests revoke links and archive vendors.
  if (/^(revoked|expired)_token$/.test(response.body?.code)) return world.dismiss(key)
  const fault = judge(request, response)
  // Removes some subscriptions. Each adds a delivery for every event, and a few are enough for the test.
  if (operation.id === 'createWebhook' && response.status === 201 && world.idsFor('webhookId').length > 5)
    await plumbline.delete(`${address}/${response.body.id}`, { key: world.key })
  else world.learn(response)
  expect(fault, `${fault}\n  ${operation.method} ${address}\n  ${JSON.stringify(body)?.slice(0, 2000)}`).toBe('')
}

interface Generated {
  operation: Operation
  /**
   * `bad` violates the schema of the body or of a parameter. `good` does not, but the service may still reject it
   * because of a rule.
   */
  kind: 'good' | 'bad'
  address: string
  body: unknown
  headers: Record<string, string>
}

class Requests {
  readonly random: Random
  readonly #world: World
  readonly #sources: ValueSources

  constructor(world: World, random: Random) {
    this.#world = world
    this.random = random
    const idFor = (field: string) => {
      const ids = world.idsFor(field)
      // Mostly uses recent resources, because old ones are archived or finished, and nearly all requests for them are
      // rejected.
      return ids.length === 0 ? undefined : random.pick(random.chance(0.7) ? ids.slice(-6) : ids)
    }
    this.#sources = { random, idFor, url: world.receiver }
  }

  to(operation: Operation): Generated {
    const random = this.random
    const { address, isBroken } = this.#address(operation, random.chance(0.1))
    const headers: Record<string, string> = {}
    if (operation.method === 'POST' && random.chance(0.3)) headers['idempotency-key'] = `key-${random.between(1, 500)}`
    if (random.chance(0.2)) headers['if-match'] = random.pick(['"1"', '"2"', '*', '"x"', 'W/"1", "2"'])
    if (random.chance(0.2)) headers['if-none-match'] = random.pick(['"1"', '"2"', '*', '"x"'])
    const good = this.#body(operation)
    const body = good === undefined || random.chance(0.6) ? good : breakValue(findBodySchema(operation), good, random)
    const place = [...toOperationKeyPath(operation), 'requestBody', 'content', 'application/json', 'schema']
    const breaks = isBroken || (body !== undefined && describeSchemaErrors(body, ...place) !== '')
    return { operation, kind: breaks ? 'bad' : 'good', address, body, headers }
  }

  #body(operation: Operation): unknown {
    if (!operation.takesBody) return undefined
    if (operation.id === 'executeSkill' && this.random.chance(0.8)) return this.#execution()
    // An example satisfies more rules than a body that is generated from the schema.
    const examples = this.#world.bodiesOf(operation)
    if (examples.length > 0 && this.random.chance(0.4)) return this.random.pick(examples)
    return makeValidValue(findBodySchema(operation), this.#sources)
  }

  /** Returns a request to run an operation as a skill, with all of the operation's input in one flat object. */
  #execution(): unknown {
    const operation = this.random.pick(operations.filter(({ id }) => id !== 'createWebhook'))
    const input: Record<string, unknown> = operation.takesBody
      ? { ...(makeValidValue(findBodySchema(operation), this.#sources) as object) }
      : {}
    for (const declared of operation.declaration.parameters ?? []) {
      const { name, in: where, schema, required } = contract.resolve(declared)
      if (where !== 'header' && (required === true || this.random.chance(0.2)))
        input[name] = makeValidValue(schema, this.#sources, name)
    }
    return { skill: operation.id, input, dryRun: this.random.chance(0.5) }
  }

  #address(operation: Operation, breaks: boolean): { address: string; isBroken: boolean } {
    const random = this.random
    const query = new URLSearchParams()
    let path = operation.path
    let isBroken = false
    for (const declared of operation.declaration.parameters ?? []) {
      const { name, in: where, schema, required } = contract.resolve(declared)
      if (where === 'path') {
        const id = random.chance(0.95) ? this.#sources.idFor(name) : undefined
        const value = id ?? String(makeValidValue(schema, this.#sources, name))
        // An empty segment or a segment that consists of dots would change the path.
        path = path.replace(`{${name}}`, /^\.{0,2}$/.test(value) ? 'x' : encodeURIComponent(value))
      } else if (where === 'query' && (required === true || random.chance(0.15))) {
        // Uses short waits, because long ones would only slow down the test. events.test.ts tests the longest wait.
        const value = name === 'wait' ? random.between(0, 1) : makeValidValue(schema, this.#sources, name)
        query.set(name, Array.isArray(value) ? value.join(',') : String(value))
      }
    }
    if (breaks) {
      query.set(
        random.pick(['noSuchParameter', 'Limit', 'limit[]', '__proto__', 'toString']),
        random.pick(['1', '', 'x']),
      )
      isBroken = true
    }
    return { address: query.size > 0 ? `${path}?${query}` : path, isBroken }
  }
}

// Converts a body to JSON. A string is also a JSON value and must be converted.
function toJson(body: unknown): string | undefined {
  return body === undefined ? undefined : JSON.stringify(body)
}

/** Returns the errors in a response; empty if there are none. */
function judge({ operation, kind, headers }: Generated, response: ServiceResponse): string {
  if (response.status >= 500) return `${operation.id} failed with ${response.status}`
  const fault = describeResponseErrors(operation, response)
  if (fault !== '') return fault
  if (kind === 'bad' && response.status !== 422)
    return `${operation.id} takes what its contract refuses: ${response.status}`
  // With an idempotency key, the response may be that of an earlier request, so the input does not determine it.
  if (kind === 'bad' && headers['idempotency-key'] === undefined && response.body.code !== 'validation_failed') {
    return `${operation.id} refuses a broken input as ${shortenBody(response.body)}`
  }
  return ''
}
