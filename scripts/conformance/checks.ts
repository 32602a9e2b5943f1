import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Operation } from '../../server/platform/calls/contract.ts'
import { cleanUp } from './clean-up.ts'
import { describeAnswerErrors, shortenBody } from './judge-answer.ts'
import { readOptions } from './options.ts'
import { type Answer, connectRemoteService, type Service } from './service.ts'
import { contract, NEEDS_SECOND_KEY } from './walked-contract.ts'
import { findBodySchema, findPrefix, sendWithFreeNames, World } from './world.ts'

/**
 * Checks what a server must do to conform to this contract, for every operation in it. The checks use their own
 * resources, created from the contract's examples, and remove them at the end. main.ts runs them.
 */
const { baseUrl, key, restrictedKey, receiver, isProxied, only, progress } = readOptions()
/** The permissions of the keys. An operation beyond them is only checked to be rejected. */
const permittedByKey = new Set(key.permissions)
const permittedByRestrictedKey = new Set(restrictedKey?.permissions)
const operations = [...contract.operations.values()].filter(({ id }) => only === undefined || id === only)

/** Results of the run for one operation. Every response is judged, whatever the request was for. */
interface SeenOperation {
  faults: Set<string>
  /** Whether it has succeeded at least once. */
  hasSucceeded: boolean
  /** Why it has not succeeded, if it was rejected. */
  refusals: Set<string>
  /** A creation that was sent twice with one Idempotency-Key, with both responses. */
  repeated: { first: Answer; again: Answer; headers: Record<string, string> } | null
}
const seenByOperation = new Map(
  operations.map(({ id }): [string, SeenOperation] => [
    id,
    { faults: new Set(), hasSucceeded: false, refusals: new Set(), repeated: null },
  ]),
)

const remote = connectRemoteService(baseUrl, key.secret, (seconds) =>
  progress(`the rate limit is reached; the next request follows in ${seconds} s`),
)
const service: Service = {
  async request(method, target, body, options = {}) {
    const response = await remote.request(method, target, body, options)
    const { operation } = contract.match(method, target.split('?', 1)[0] ?? '')
    const of = operation === null ? undefined : seenByOperation.get(operation.id)
    if (operation === null || of === undefined || isFromProxy(response)) return response
    const fault = describeAnswerErrors(operation, response)
    if (fault !== '') of.faults.add(fault)
    if (response.status < 300) of.hasSucceeded = true
    else of.refusals.add(`${response.status} ${response.body?.code}: ${response.body?.detail}`)
    if (response.status === 201 && of.repeated === null && options.headers?.['idempotency-key'] !== undefined) {
      const again = await remote.request(method, target, body, options)
      of.repeated = { first: response, again, headers: options.headers }
    }
    return response
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
      const address = createPlainAddress(operation)
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
        ...(restrictedKey === undefined ? [] : [[restrictedKey.secret, permittedByRestrictedKey] as const]),
        [key.secret, permittedByKey] as const,
      ].find(([, permissions]) => operation.permissions.some((permission) => !permissions.has(permission)))
      if (lacking === undefined) return t.skip('no key lacks the permission; set --restricted-key')
      const [secret, permissions] = lacking
      const response = await world.send(operation, { address: createPlainAddress(operation), key: secret })
      expectProblem(response, 403, 'permission_denied')
      assert.ok(
        !permissions.has(response.body.permission),
        `the error names ${response.body.permission}, which the key has`,
      )
      assert.ok(
        operation.permissions.includes(response.body.permission),
        `the error names ${response.body.permission}, which the operation does not require`,
      )
    })
  }
})

describe('invalid input is rejected, with a pointer to the error', () => {
  for (const operation of operations) {
    test(operation.id, async (t) => {
      if (!isPermitted(operation)) return t.skip('the key does not have the permission')
      const address = createAddress(operation)
      const ask = (query: string) =>
        world.send(operation, { address: `${address}${address.includes('?') ? '&' : '?'}${query}` })
      expectErrorAt(await ask('noSuchParameter=1'), 'noSuchParameter')
      for (const declared of operation.declaration.parameters ?? []) {
        const { name, in: where, schema } = contract.resolve(declared)
        const { maximum } = contract.resolve(schema) as { maximum?: number }
        if (where === 'query' && maximum !== undefined) expectErrorAt(await ask(`${name}=${maximum + 1}`), name)
      }
      if (!operation.takesBody) return

      const good = world.bodyOf(operation) as Record<string, unknown>
      expectErrorAt(await world.send(operation, { address, body: { ...good, noSuchField: 1 } }), '/noSuchField')
      const { required = [] } = contract.resolve(findBodySchema(operation) as object) as { required?: string[] }
      for (const name of required) {
        const { [name]: _left, ...rest } = good
        expectErrorAt(await world.send(operation, { address, body: rest }), `/${name}`)
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
      const nothing = (name: string) => `${findPrefix(name) ?? 'no'}_01m7y975jzfesvq6zzzzzzzzzz`
      const address = createAddress(operation).split('?', 1)[0] ?? ''
      const target = operation.path.replaceAll(/\{(\w+)\}/g, (_, name) => nothing(name))
      const query = createAddress(operation).slice(address.length)
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
      const response = await service.request(other, path.replaceAll(/\{\w+\}/g, 'x'))
      expectProblem(response, 405, 'method_not_allowed')
      if (isFromProxy(response)) return
      const allowed = (response.headers.get('allow') ?? '').split(/, */)
      assert.deepEqual(
        known.filter((method) => !allowed.includes(method)),
        [],
        `Allow is ${response.headers.get('allow')}`,
      )
    })
  }
})

describe('the pages of a list have no gaps and no duplicates', () => {
  for (const operation of operations.filter(isList)) {
    test(operation.id, async (t) => {
      if (!isPermitted(operation)) return t.skip('the key does not have the permission')
      const address = createAddress(operation)
      const page = (query: string) => `${address}${address.includes('?') ? '&' : '?'}${query}`
      const whole = await requireSuccess(operation, page(`limit=${PAGES * PAGE_SIZE}`))
      const walked: unknown[] = []
      let target: string | null = page(`limit=${PAGE_SIZE}`)
      for (let pages = 0; target !== null && pages < PAGES; pages++) {
        const { body, headers }: Answer = await requireSuccess(operation, target)
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
      const response = await requireSuccess(operation, createAddress(operation))
      const again = await world.send(operation, { headers: { 'if-none-match': response.headers.get('etag') ?? '' } })
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
        const response = await world.send(operation, { address, headers: { 'if-match': '"no such version"' } })
        if (response.status !== 409) return expectProblem(response, 412, 'precondition_failed')
      }
    })
  }
})

describe('the examples succeed, and every response of this run matches the contract', () => {
  before(async () => {
    progress('sending the examples')
    for (const operation of operations) if (operation.method === 'GET') await tryOperation(world, operation)
    const changing = operations.filter(({ method }) => method !== 'GET')
    // Delete dependent resources before the resource they belong to.
    const removing = changing.filter(({ method }) => method === 'DELETE').toReversed()
    const inOrder = [...changing.filter((operation) => !removing.includes(operation)), ...removing]
    for (const operation of inOrder) {
      // Before anything is deleted: some operations depend on a later one, such as locking a budget.
      if (operation === removing[0])
        for (const earlier of inOrder.filter((one) => one.method !== 'DELETE' && isUnfinished(one)))
          await tryOperation(world, earlier)
      await tryOperation(world, operation)
    }
    // By now some resources are in a final state, so create new ones for the operations that have not succeeded yet.
    for (let pending = inOrder.filter(isUnfinished); pending.length > 0 && worlds.length < MAX_WORLDS; ) {
      progress(`creating more for ${pending.map(({ id }) => id).join(', ')}`)
      const another = new World(service, key.secret, receiver)
      worlds.push(another)
      // The last world has everything, in case an operation needs something that the contract does not declare.
      await (worlds.length < MAX_WORLDS ? another.populateFor(pending) : another.populate())
      for (const operation of pending) {
        await moveAlong(another, operation)
        await tryOperation(another, operation)
      }
      pending = pending.filter(isUnfinished)
    }
  })

  for (const operation of operations) {
    test(operation.id, (t) => {
      if (!isPermitted(operation)) return t.skip('the key does not have the permission')
      assert.equal([...(seenByOperation.get(operation.id)?.faults ?? [])].join('\n\n'), '')
      if (NEEDS_SECOND_KEY.has(operation.id)) return
      assert.ok(!isUnfinished(operation), `no example succeeds:\n${describeRefusals(operation)}`)
    })
  }
})

describe('a repeated creation returns the same response and runs once', () => {
  for (const operation of operations.filter(({ declaration }) => '201' in declaration.responses)) {
    test(operation.id, async (t) => {
      if (!isPermitted(operation)) return t.skip('the key does not have the permission')
      const repeated = seenByOperation.get(operation.id)?.repeated
      assert.ok(repeated, `no example succeeds:\n${describeRefusals(operation)}`)
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
async function tryOperation(at: World, operation: Operation): Promise<void> {
  if (!isPermitted(operation)) return
  for (let which = 0; which < MAX_TRIES; which++) {
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
      const response = await sendWithFreeNames(body, send)
      at.learn(response, operation)
      if (response.status < 300) return
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
  for (let which = 0; which < MAX_TRIES; which++) {
    const address = at.addressOf(move, which)
    if (address === undefined) return
    for (const body of at.bodiesOf(move).flatMap((body) => [body, body])) await at.send(move, { address, body })
  }
}

function isUnfinished(operation: Operation): boolean {
  return (
    isPermitted(operation) &&
    !NEEDS_SECOND_KEY.has(operation.id) &&
    seenByOperation.get(operation.id)?.hasSucceeded !== true
  )
}

function describeRefusals({ id }: Operation): string {
  return [...(seenByOperation.get(id)?.refusals ?? [])].join('\n')
}

const MAX_WORLDS = 4
const PAGE_SIZE = 2
const PAGES = 4
const MAX_TRIES = 8

function isPermitted({ permissions }: Operation): boolean {
  return permissions.every((permission) => permittedByKey.has(permission))
}

function isList({ method, declaration }: Operation): boolean {
  const names = (declaration.parameters ?? []).map((declared) => contract.resolve(declared).name)
  return method === 'GET' && names.includes('cursor') && names.includes('limit')
}

function createAddress(operation: Operation): string {
  return world.addressFor(operation)
}

/** A caller without access is rejected before the server checks the IDs, so they can be anything. */
function createPlainAddress(operation: Operation): string {
  return world.addressOf(operation) ?? operation.path.replaceAll(/\{\w+\}/g, 'x')
}

async function requireSuccess(operation: Operation, address: string): Promise<Answer> {
  const response = await world.send(operation, { address })
  assert.equal(response.status, 200, `${address}: ${shortenBody(response.body)}`)
  return response
}

function expectProblem(response: Answer, status: number, code: string): void {
  assert.equal(response.status, status, `expected ${code}, but got ${shortenBody(response.body)}`)
  if (isFromProxy(response)) return
  assert.equal(response.body.code, code, shortenBody(response.body))
  assert.match(response.headers.get('content-type') ?? '', /^application\/problem\+json/)
}

function expectErrorAt(response: Answer, pointer: string): void {
  expectProblem(response, 422, 'validation_failed')
  if (isFromProxy(response)) return
  const pointers = response.body.errors.map((fault: { pointer: string }) => fault.pointer)
  assert.ok(pointers.includes(pointer), `expected an error at ${pointer}, but got ${shortenBody(response.body)}`)
}

/**
 * Whether the validating proxy rejected the request itself. If it rejects a response of the server, that is an error.
 */
function isFromProxy({ status, body }: Answer): boolean {
  return isProxied && status < 500 && String(body?.type).startsWith('https://stoplight.io/prism/errors#')
}
