import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Operation } from '../../server/platform/calls/contract.ts'
import { cleanUp } from './clean-up.ts'
import { contract, TAKES_ANOTHER_KEY } from './contract.ts'
import { brief, faultOf } from './judge.ts'
import { readOptions } from './options.ts'
import { type Answer, remoteService, type Service } from './service.ts'
import { prefixOf, schemaOfBody, underFreeNames, World } from './world.ts'

/**
 * Checks what a server must do to conform to this contract, for every operation in it. The checks use their own
 * resources, created from the contract's examples, and remove them at the end. main.ts runs them.
 */
const { baseUrl, key, restrictedKey, receiver, isProxied, only, progress } = readOptions()
/** The permissions of the keys. An operation beyond them is only checked to be rejected. */
const permitted = new Set(key.permissions)
const restricted = new Set(restrictedKey?.permissions)
const operations = [...contract.operations.values()].filter(({ id }) => only === undefined || id === only)

/** Results of the run for one operation. Every response is judged, whatever the request was for. */
interface Seen {
  faults: Set<string>
  /** Whether it has succeeded at least once. */
  hasSucceeded: boolean
  /** Why it has not succeeded, if it was rejected. */
  refusals: Set<string>
  /** A creation that was sent twice with one Idempotency-Key, with both responses. */
  repeated: { first: Answer; again: Answer; headers: Record<string, string> } | null
}
const seen = new Map(
  operations.map(({ id }): [string, Seen] => [
    id,
    { faults: new Set(), hasSucceeded: false, refusals: new Set(), repeated: null },
  ]),
)

const remote = remoteService(baseUrl, key.secret, (seconds) =>
  progress(`the rate limit is reached; the next request follows in ${seconds} s`),
)
const service: Service = {
  async request(method, target, body, options = {}) {
    const answer = await remote.request(method, target, body, options)
    const { operation } = contract.match(method, target.split('?', 1)[0] ?? '')
    const of = operation === null ? undefined : seen.get(operation.id)
    if (operation === null || of === undefined || isFromProxy(answer)) return answer
    const fault = faultOf(operation, answer)
    if (fault !== '') of.faults.add(fault)
    if (answer.status < 300) of.hasSucceeded = true
    else of.refusals.add(`${answer.status} ${answer.body?.code}: ${answer.body?.detail}`)
    if (answer.status === 201 && of.repeated === null && options.headers?.['idempotency-key'] !== undefined) {
      const again = await remote.request(method, target, body, options)
      of.repeated = { first: answer, again, headers: options.headers }
    }
    return answer
  },
}

const world = new World(service, key.secret, receiver)
const worlds = [world]

before(async () => {
  progress('creating test data')
  await (only === undefined ? world.populate() : world.populateFor(operations))
})

after(async () => {
  progress('deleting test data')
  for (const line of await cleanUp(worlds.toReversed())) progress(line)
})

describe('unknown callers are rejected', () => {
  for (const operation of operations) {
    test(operation.id, async () => {
      const address = addressForRefusal(operation)
      expectProblem(await world.send(operation, { address, key: null }), 401, 'missing_key')
      // A proxy checks only that there is a key.
      const wrong = await world.send(operation, { address, key: `${key.secret.slice(0, -4)}0000` })
      expectProblem(wrong, 401, 'invalid_key')
    })
  }
})

describe('a key without the permission is rejected, and the error names the permission', () => {
  for (const operation of operations) {
    test(operation.id, async (t) => {
      if (operation.permissions.length === 0) return t.skip('the operation requires no permission')
      const lacking = [
        ...(restrictedKey === undefined ? [] : [[restrictedKey.secret, restricted] as const]),
        [key.secret, permitted] as const,
      ].find(([, permissions]) => operation.permissions.some((permission) => !permissions.has(permission)))
      if (lacking === undefined) return t.skip('no key lacks the permission; set --restricted-key')
      const [secret, permissions] = lacking
      const answer = await world.send(operation, { address: addressForRefusal(operation), key: secret })
      expectProblem(answer, 403, 'permission_denied')
      assert.ok(
        !permissions.has(answer.body.permission),
        `the error names ${answer.body.permission}, which the key has`,
      )
      assert.ok(
        operation.permissions.includes(answer.body.permission),
        `the error names ${answer.body.permission}, which the operation does not require`,
      )
    })
  }
})

describe('invalid input is rejected, with a pointer to the error', () => {
  for (const operation of operations) {
    test(operation.id, async (t) => {
      if (!isPermitted(operation)) return t.skip('the key does not have the permission')
      const address = addressOf(operation)
      const ask = (query: string) =>
        world.send(operation, { address: `${address}${address.includes('?') ? '&' : '?'}${query}` })
      expectFaultAt(await ask('noSuchParameter=1'), 'noSuchParameter')
      for (const declared of operation.declaration.parameters ?? []) {
        const { name, in: where, schema } = contract.resolve(declared)
        const { maximum } = contract.resolve(schema) as { maximum?: number }
        if (where === 'query' && maximum !== undefined) expectFaultAt(await ask(`${name}=${maximum + 1}`), name)
      }
      if (!operation.takesBody) return

      const good = world.bodyOf(operation) as Record<string, unknown>
      expectFaultAt(await world.send(operation, { address, body: { ...good, noSuchField: 1 } }), '/noSuchField')
      const { required = [] } = contract.resolve(schemaOfBody(operation) as object) as { required?: string[] }
      for (const name of required) {
        const { [name]: _left, ...rest } = good
        expectFaultAt(await world.send(operation, { address, body: rest }), `/${name}`)
      }
      // A proxy that parses the body itself may never answer a malformed one.
      if (isProxied) return
      expectProblem(await world.send(operation, { address, body: '{"a":' }), 400, 'malformed_json')
      const headers = { 'content-type': 'text/plain' }
      expectProblem(await world.send(operation, { address, body: 'x', headers }), 415, 'unsupported_media_type')
    })
  }
})

describe('a missing record returns 404', () => {
  for (const operation of operations.filter(({ path }) => path.includes('{'))) {
    test(operation.id, async (t) => {
      if (!isPermitted(operation)) return t.skip('the key does not have the permission')
      const nothing = (name: string) => `${prefixOf(name) ?? 'no'}_01m7y975jzfesvq6zzzzzzzzzz`
      const address = addressOf(operation).split('?', 1)[0] ?? ''
      const target = operation.path.replaceAll(/\{(\w+)\}/g, (_, name) => nothing(name))
      const query = addressOf(operation).slice(address.length)
      const code = operation.path.includes('{skillName}') ? 'skill_not_found' : 'not_found'
      expectProblem(await world.send(operation, { address: target + query }), 404, code)
    })
  }
})

describe('an unsupported method is rejected, and Allow lists the supported ones', () => {
  for (const [path, those] of Map.groupBy(operations, (operation) => operation.path)) {
    const known = those.map(({ method }): string => method)
    const other = ['PUT', 'DELETE', 'PATCH', 'POST'].find((method) => !known.includes(method))
    if (other === undefined) continue
    test(`${other} ${path}`, async () => {
      const answer = await service.request(other, path.replaceAll(/\{\w+\}/g, 'x'))
      expectProblem(answer, 405, 'method_not_allowed')
      if (isFromProxy(answer)) return
      const allowed = (answer.headers.get('allow') ?? '').split(/, */)
      assert.deepEqual(
        known.filter((method) => !allowed.includes(method)),
        [],
        `Allow is ${answer.headers.get('allow')}`,
      )
    })
  }
})

describe('the pages of a list have no gaps and no duplicates', () => {
  for (const operation of operations.filter(isList)) {
    test(operation.id, async (t) => {
      if (!isPermitted(operation)) return t.skip('the key does not have the permission')
      const address = addressOf(operation)
      const page = (query: string) => `${address}${address.includes('?') ? '&' : '?'}${query}`
      const whole = await succeed(operation, page(`limit=${PAGES * PAGE_SIZE}`))
      const walked: unknown[] = []
      let target: string | null = page(`limit=${PAGE_SIZE}`)
      for (let pages = 0; target !== null && pages < PAGES; pages++) {
        const { body, headers }: Answer = await succeed(operation, target)
        walked.push(...body.data)
        target = body.nextCursor === null ? null : page(`limit=${PAGE_SIZE}&cursor=${body.nextCursor}`)
        const next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
        assert.equal(next === undefined, body.nextCursor === null, `nextCursor and Link disagree: ${next}`)
      }
      // A list may grow while it is read, but every item of the first read must stay, in the same order.
      const ids = (items: unknown[]) => items.map((item) => (item as { id?: string }).id ?? JSON.stringify(item))
      assert.deepEqual(ids(walked), [...new Set(ids(walked))], 'an item occurs twice')
      const first = new Set(ids(whole.body.data))
      assert.deepEqual(
        ids(walked).filter((id) => first.has(id)),
        ids(whole.body.data).slice(0, ids(walked).filter((id) => first.has(id)).length),
      )
      assert.ok(walked.length >= Math.min(first.size, PAGES * PAGE_SIZE) - PAGE_SIZE, 'items are missing')
    })
  }
})

describe('conditional requests are supported', () => {
  for (const operation of operations.filter(({ declaration }) => '304' in declaration.responses)) {
    test(`${operation.id}, not modified`, async (t) => {
      if (!isPermitted(operation)) return t.skip('the key does not have the permission')
      const answer = await succeed(operation, addressOf(operation))
      const again = await world.send(operation, { headers: { 'if-none-match': answer.headers.get('etag') ?? '' } })
      assert.equal(again.status, 304)
    })
  }
  for (const operation of operations.filter(
    ({ method, declaration }) => method !== 'POST' && '412' in declaration.responses,
  )) {
    test(`${operation.id}, another version`, async (t) => {
      if (!isPermitted(operation)) return t.skip('the key does not have the permission')
      // A resource that cannot be changed in any version is rejected for that reason, so try the next one.
      for (let which = 0; ; which++) {
        const address = world.addressOf(operation, which)
        assert.ok(address !== undefined, 'no record can be changed')
        const answer = await world.send(operation, { address, headers: { 'if-match': '"no such version"' } })
        if (answer.status !== 409) return expectProblem(answer, 412, 'precondition_failed')
      }
    })
  }
})

describe('the examples succeed, and every response of this run matches the contract', () => {
  before(async () => {
    progress('sending the examples')
    for (const operation of operations) if (operation.method === 'GET') await attempt(world, operation)
    const changing = operations.filter(({ method }) => method !== 'GET')
    // Delete dependent resources before the resource they belong to.
    const removing = changing.filter(({ method }) => method === 'DELETE').toReversed()
    const inOrder = [...changing.filter((operation) => !removing.includes(operation)), ...removing]
    for (const operation of inOrder) {
      // Before anything is deleted: some operations depend on a later one, such as locking a budget.
      if (operation === removing[0])
        for (const earlier of inOrder.filter((one) => one.method !== 'DELETE' && isPending(one)))
          await attempt(world, earlier)
      await attempt(world, operation)
    }
    // By now some resources are in a final state, so create new ones for the operations that have not succeeded yet.
    for (let pending = inOrder.filter(isPending); pending.length > 0 && worlds.length < MOST_WORLDS; ) {
      progress(`creating more for ${pending.map(({ id }) => id).join(', ')}`)
      const another = new World(service, key.secret, receiver)
      worlds.push(another)
      // The last world has everything, in case an operation needs something that the contract does not declare.
      await (worlds.length < MOST_WORLDS ? another.populateFor(pending) : another.populate())
      for (const operation of pending) {
        await moveAlong(another, operation)
        await attempt(another, operation)
      }
      pending = pending.filter(isPending)
    }
  })

  for (const operation of operations) {
    test(operation.id, (t) => {
      if (!isPermitted(operation)) return t.skip('the key does not have the permission')
      assert.equal([...(seen.get(operation.id)?.faults ?? [])].join('\n\n'), '')
      if (TAKES_ANOTHER_KEY.has(operation.id)) return
      assert.ok(!isPending(operation), `no example succeeds:\n${reasons(operation)}`)
    })
  }
})

describe('a repeated creation returns the same response and runs once', () => {
  for (const operation of operations.filter(({ declaration }) => '201' in declaration.responses)) {
    test(operation.id, async (t) => {
      if (!isPermitted(operation)) return t.skip('the key does not have the permission')
      const repeated = seen.get(operation.id)?.repeated
      assert.ok(repeated, `no example succeeds:\n${reasons(operation)}`)
      const { first, again, headers } = repeated
      assert.deepEqual([again.status, again.body], [first.status, first.body])
      assert.equal(again.headers.get('idempotent-replayed'), 'true')
      // The same key with a different request is an error of the client.
      const skills = contract.operations.get('executeSkill')
      if (skills === undefined || !isPermitted(skills)) return
      const other = await world.send(skills, { body: { skill: 'getCaller', input: {} }, headers })
      expectProblem(other, 422, 'idempotency_key_reused')
    })
  }
})

/** Sends the examples to one resource after another: the state of one may forbid what another's allows. */
async function attempt(at: World, operation: Operation): Promise<void> {
  if (!isPermitted(operation)) return
  for (let which = 0; which < MOST_TRIES; which++) {
    const address = at.addressOf(operation, which)
    if (address === undefined) return
    for (const body of at.bodiesOf(operation)) {
      const isCreation = '201' in operation.declaration.responses
      const send = (content: unknown) =>
        at.send(operation, {
          address,
          body: content,
          headers: isCreation ? { 'idempotency-key': crypto.randomUUID() } : {},
        })
      const answer = await underFreeNames(body, send)
      at.learn(answer, operation)
      if (answer.status < 300) return
    }
  }
}

/**
 * Changes the state of the resource as far as the examples of its status operation allow, because some actions need
 * more than one change. A change that first requests approval is repeated, which grants it.
 */
async function moveAlong(at: World, operation: Operation): Promise<void> {
  const [, resource] = /^(.*\/\{\w+\})\/[\w-]+$/.exec(operation.path) ?? []
  const move = [...contract.operations.values()].find(
    ({ method, path }) => method === 'POST' && path === `${resource}/status`,
  )
  if (move === undefined || move === operation || !isPermitted(move)) return
  for (let which = 0; which < MOST_TRIES; which++) {
    const address = at.addressOf(move, which)
    if (address === undefined) return
    for (const body of at.bodiesOf(move).flatMap((body) => [body, body])) await at.send(move, { address, body })
  }
}

function isPending(operation: Operation): boolean {
  return isPermitted(operation) && !TAKES_ANOTHER_KEY.has(operation.id) && seen.get(operation.id)?.hasSucceeded !== true
}

function reasons({ id }: Operation): string {
  return [...(seen.get(id)?.refusals ?? [])].join('\n')
}

const MOST_WORLDS = 4
const PAGE_SIZE = 2
const PAGES = 4
const MOST_TRIES = 8

function isPermitted({ permissions }: Operation): boolean {
  return permissions.every((permission) => permitted.has(permission))
}

function isList({ method, declaration }: Operation): boolean {
  const names = (declaration.parameters ?? []).map((declared) => contract.resolve(declared).name)
  return method === 'GET' && names.includes('cursor') && names.includes('limit')
}

function addressOf(operation: Operation): string {
  return world.addressFor(operation)
}

/** A caller without access is rejected before the server checks the IDs, so they can be anything. */
function addressForRefusal(operation: Operation): string {
  return world.addressOf(operation) ?? operation.path.replaceAll(/\{\w+\}/g, 'x')
}

async function succeed(operation: Operation, address: string): Promise<Answer> {
  const answer = await world.send(operation, { address })
  assert.equal(answer.status, 200, `${address}: ${brief(answer.body)}`)
  return answer
}

function expectProblem(answer: Answer, status: number, code: string): void {
  assert.equal(answer.status, status, `expected ${code}, but got ${brief(answer.body)}`)
  if (isFromProxy(answer)) return
  assert.equal(answer.body.code, code, brief(answer.body))
  assert.match(answer.headers.get('content-type') ?? '', /^application\/problem\+json/)
}

function expectFaultAt(answer: Answer, pointer: string): void {
  expectProblem(answer, 422, 'validation_failed')
  if (isFromProxy(answer)) return
  const pointers = answer.body.errors.map((fault: { pointer: string }) => fault.pointer)
  assert.ok(pointers.includes(pointer), `expected an error at ${pointer}, but got ${brief(answer.body)}`)
}

/**
 * Whether the validating proxy rejected the request itself. If it rejects a response of the server, that is an error.
 */
function isFromProxy({ status, body }: Answer): boolean {
  return isProxied && status < 500 && String(body?.type).startsWith('https://stoplight.io/prism/errors#')
}
