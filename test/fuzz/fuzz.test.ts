import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Operation } from '../../server/http/contract.ts'
import { at, contract, faults } from '../support/contract.ts'
import { brokenValue, type Sources, validValue } from '../support/generate.ts'
import type { Answer, TestPlumbline } from '../support/plumbline.ts'
import { startTestPlumbline } from '../support/plumbline.ts'
import { Random } from '../support/random.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { schemaOfBody, World } from '../support/world.ts'

/**
 * Thousands of requests that nobody thought of, good and bad, over all operations: never a fault of ours, never a status
 * that the contract does not declare, every body by its schema, and whatever breaks the schema of its input is refused
 * as that. Several builders are at it at once. A run is repeated with its seed: FUZZ_SEED=… FUZZ_REQUESTS=….
 */
const SEED = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000)
const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 10_000)
const BUILDERS = 4

const operations = [...contract.operations.values()]

const CREATIONS = operations.filter(({ declaration }) => '201' in declaration.responses)

let plumbline: TestPlumbline
let receiver: Receiver

beforeAll(async () => {
  plumbline = await startTestPlumbline()
  receiver = await startReceiver()
})

afterAll(async () => {
  await plumbline.stop()
  await receiver.close()
}, 120_000)

test(`${REQUESTS} generated requests, seed ${SEED}`, { timeout: 900_000 }, async () => {
  const wrong: string[] = []
  const statuses = new Map<string, number>()
  await Promise.all(
    Array.from({ length: BUILDERS }, async (_, index) => {
      const { key } = await plumbline.newBuilder()
      const world = await new World(plumbline, key, receiver.url).populate()
      const lane = new Lane(world, new Random(SEED + index))
      for (let sent = 0; sent < REQUESTS / BUILDERS && wrong.length < 20; sent++) {
        const request = lane.next()
        const answer = await plumbline.request(request.operation.method, request.address, toJson(request.body), {
          key,
          headers: request.headers,
        })
        statuses.set(`${request.kind} ${answer.status}`, (statuses.get(`${request.kind} ${answer.status}`) ?? 0) + 1)
        const fault = judge(request, answer)
        if (fault !== '')
          wrong.push(
            `${fault}\n  ${request.operation.method} ${request.address}\n  ${JSON.stringify(request.body)?.slice(0, 2000)}\n  ${JSON.stringify(answer.body).slice(0, 600)}`,
          )
        world.learn(answer)
      }
    }),
  )
  console.log(
    `seed ${SEED}: ${[...statuses]
      .sort()
      .map(([what, count]) => `${what}: ${count}`)
      .join(', ')}`,
  )
  expect(wrong.join('\n\n')).toBe('')
  // A generator whose good requests are all refused would prove little.
  const succeeded = [...statuses].filter(([what]) => /^good 2/.test(what)).reduce((sum, [, count]) => sum + count, 0)
  expect(succeeded).toBeGreaterThan(REQUESTS / 5)
})

interface Generated {
  operation: Operation
  /** `bad` breaks the schema of the body or of a parameter; `good` does not, though the rules may still refuse it. */
  kind: 'good' | 'bad'
  address: string
  body: unknown
  headers: Record<string, string>
}

class Lane {
  readonly #world: World
  readonly #random: Random
  readonly #sources: Sources

  constructor(world: World, random: Random) {
    this.#world = world
    this.#random = random
    const idFor = (field: string) => {
      const ids = world.idsFor(field)
      // Most work is done on what was made lately; what is old is archived or settled, and refuses nearly everything.
      return ids.length === 0 ? undefined : random.pick(random.chance(0.7) ? ids.slice(-6) : ids)
    }
    this.#sources = { random, idFor, url: world.receiver }
  }

  next(): Generated {
    const random = this.#random
    const operation = this.#operation()
    const { address, isBroken } = this.#address(operation, random.chance(0.1))
    const headers: Record<string, string> = {}
    if (operation.method === 'POST' && random.chance(0.3)) headers['idempotency-key'] = `key-${random.between(1, 500)}`
    if (random.chance(0.2)) headers['if-match'] = random.pick(['"1"', '"2"', '*', '"x"', 'W/"1", "2"'])
    if (random.chance(0.2)) headers['if-none-match'] = random.pick(['"1"', '"2"', '*', '"x"'])
    const good = this.#body(operation)
    const body = good === undefined || random.chance(0.6) ? good : brokenValue(schemaOfBody(operation), good, random)
    const place = [
      'paths',
      operation.path,
      operation.method.toLowerCase(),
      'requestBody',
      'content',
      'application/json',
      'schema',
    ]
    const breaks = isBroken || (body !== undefined && faults(body, ...place) !== '')
    return { operation, kind: breaks ? 'bad' : 'good', address, body, headers }
  }

  /** More is made than taken away, so that there is something to work on. */
  #operation(): Operation {
    const operation = this.#random.pick(operations)
    if (operation.method === 'DELETE' && this.#random.chance(0.8)) return this.#operation()
    return this.#random.chance(0.15) ? this.#random.pick(CREATIONS) : operation
  }

  #body(operation: Operation): unknown {
    if (!operation.takesBody) return undefined
    // Every subscription multiplies what each event has to be sent to; a few of them say as much as hundreds.
    if (operation.id === 'createWebhook' && this.#world.idsFor('webhookId').length > 5)
      return { url: 'not an address', eventTypes: [] }
    if (operation.id === 'executeSkill' && this.#random.chance(0.8)) return this.#execution()
    // An example gets further into the rules than what is made from the schema alone.
    const examples = this.#world.bodiesOf(operation)
    if (examples.length > 0 && this.#random.chance(0.4)) return this.#random.pick(examples)
    return validValue(schemaOfBody(operation), this.#sources)
  }

  /** A skill by the name of an operation, with everything that the operation takes in one flat object. */
  #execution(): unknown {
    const operation = this.#random.pick(operations.filter(({ id }) => id !== 'createWebhook'))
    const input: Record<string, unknown> = operation.takesBody
      ? { ...(validValue(schemaOfBody(operation), this.#sources) as object) }
      : {}
    for (const declared of operation.declaration.parameters ?? []) {
      const { name, in: where, schema, required } = contract.resolve(declared)
      if (where !== 'header' && (required === true || this.#random.chance(0.2)))
        input[name] = validValue(schema, this.#sources, name)
    }
    return { skill: operation.id, input, dryRun: this.#random.chance(0.5) }
  }

  #address(operation: Operation, breaks: boolean): { address: string; isBroken: boolean } {
    const random = this.#random
    const query = new URLSearchParams()
    let path = operation.path
    let isBroken = false
    for (const declared of operation.declaration.parameters ?? []) {
      const { name, in: where, schema, required } = contract.resolve(declared)
      if (where === 'path') {
        const id = random.chance(0.95) ? this.#sources.idFor(name) : undefined
        path = path.replace(
          `{${name}}`,
          encodeURIComponent(id ?? String(validValue(schema, this.#sources, name))) || 'x',
        )
      } else if (where === 'query' && (required === true || random.chance(0.15))) {
        const value = validValue(schema, this.#sources, name)
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

// A text is a JSON value too, and has to be sent as one.
function toJson(body: unknown): string | undefined {
  return body === undefined ? undefined : JSON.stringify(body)
}

/** What is wrong with an answer; an empty text when nothing is. */
function judge({ operation, kind, headers }: Generated, answer: Answer): string {
  const declared = operation.declaration.responses[answer.status]
  if (answer.status >= 500) return `${operation.id} failed with ${answer.status}`
  if (declared === undefined) return `${operation.id} does not declare ${answer.status}`
  const place = ['paths', operation.path, operation.method.toLowerCase(), 'responses', String(answer.status), 'content']
  const [type] = Object.keys((at(...place) as object | undefined) ?? {})
  if (type === undefined) return answer.body === '' ? '' : `${operation.id} answers ${answer.status} with a body`
  const said = answer.headers.get('content-type')?.split(';', 1)[0]
  if (said !== type) return `${operation.id} answers ${said}, not ${type}`
  const wrong = type.endsWith('json') ? faults(answer.body, ...place, type, 'schema') : ''
  if (wrong !== '') return `${operation.id} answers ${answer.status} against its schema: ${wrong}`
  if (kind === 'bad' && answer.status !== 422)
    return `${operation.id} takes what its contract refuses: ${answer.status}`
  // Only where no earlier answer could be replayed does the present input alone decide.
  if (kind === 'bad' && headers['idempotency-key'] === undefined && answer.body.code !== 'validation_failed') {
    return `${operation.id} refuses a broken input as ${answer.body.code}`
  }
  return ''
}
