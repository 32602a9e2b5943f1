import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import type { Operation } from '../../server/platform/calls/contract.ts'
import { sendWithFreeNames } from './changed-names.ts'
import { cleanUpWorlds } from './clean-up-worlds.ts'
import { describeResponseErrors, shortenBody } from './describe-response-errors.ts'
import { describeExchange, type Exchange } from './exchange.ts'
import { findFilterValue, listFilters, matchesFilter } from './filters.ts'
import { findBodySchema } from './operation-kinds.ts'
import { readOptions } from './options.ts'
import { findIdPrefix } from './resource-ids.ts'
import { connectRemoteService, type Service, type ServiceResponse } from './service.ts'
import { CANNOT_SUCCEED, contract } from './walked-contract.ts'
import { World } from './world.ts'

/**
 * Checks whether a server meets the requirements of the contract, for every operation. The checks create their own
 * resources from the contract's examples and remove them at the end. main.ts runs the checks.
 */
const { baseUrl, key, restrictedKey, receiver, isProxied, isStateless, only, progress } = readOptions()
/**
 * The permissions of the keys. For an operation that requires other permissions, the run only checks that the server
 * rejects it.
 */
const permittedByKey = new Set(key.permissions)
const permittedByRestrictedKey = new Set(restrictedKey?.permissions)
const operations = [...contract.operations.values()].filter(({ id }) => only === undefined || id === only)

/** The results for one operation. Every response is checked, even if its request had another purpose. */
interface SeenOperation {
  /** The errors in the operation's responses, each with the first request that revealed it. */
  faults: Map<string, string>
  /** Whether the operation has succeeded at least once. */
  hasSucceeded: boolean
  /** The reasons why the operation has not succeeded, from the responses that rejected it. */
  refusals: Map<string, string>
  /** A creation that was sent twice with the same Idempotency-Key, and both responses. */
  repeated: { first: ServiceResponse; again: ServiceResponse; headers: Record<string, string> } | null
}
const seenByOperation = new Map(
  operations.map(({ id }): [string, SeenOperation] => [
    id,
    { faults: new Map(), hasSucceeded: false, refusals: new Map(), repeated: null },
  ]),
)

/** The request that belongs to each response, for reports. */
const exchanges = new WeakMap<ServiceResponse, Exchange>()

const remote = connectRemoteService(baseUrl, key.secret, (seconds) =>
  progress(`the rate limit is reached; the next request follows in ${seconds} s`),
)
const service: Service = {
  async request(method, target, body, options = {}) {
    const response = await remote.request(method, target, body, options)
    const { operation } = contract.match(method, target.split('?', 1)[0] ?? '')
    const exchange = { operation: operation?.id ?? null, method, target, body, response }
    exchanges.set(response, exchange)
    const of = operation === null ? undefined : seenByOperation.get(operation.id)
    if (operation === null || of === undefined || isFromProxy(response)) return response
    const fault = describeResponseErrors(operation, response)
    const [what = '', ...details] = fault.replace(`\n${shortenBody(response.body)}`, '').split('\n')
    if (fault !== '' && !of.faults.has(details[0] ?? what)) {
      const expected = 'a response that the contract declares'
      of.faults.set(details[0] ?? what, describeExchange(exchange, expected, [what, ...details].join('\n')))
    }
    if (response.status < 300) of.hasSucceeded = true
    else {
      const said = `${response.status} ${response.body?.code}: ${response.body?.detail}`
      of.refusals.set(said, describeExchange(exchange, 'a successful response'))
    }
    if (
      response.status === 201 &&
      !isStateless &&
      of.repeated === null &&
      options.headers?.['idempotency-key'] !== undefined
    ) {
      const again = await remote.request(method, target, body, options)
      of.repeated = { first: response, again, headers: options.headers }
    }
    return response
  },
}

const world = new World(service, key.secret, receiver, { isStateless })
const worlds = [world]

before(async () => {
  if (isStateless) return
  progress('creating test data')
  await (only === undefined ? world.populate() : world.populateFor(operations))
})

after(async () => {
  if (isStateless) return
  progress('deleting test data')
  for (const line of await cleanUpWorlds(worlds.toReversed())) progress(line)
})

describe('unknown callers are rejected', () => {
  for (const operation of operations) {
    test(operation.id, async () => {
      const address = createPlainAddress(operation)
      expectProblem(await world.send(operation, { address, key: null }), 401, 'missing_key')
      if (isStateless) return
      // A proxy accepts any key and only checks that there is one.
      const wrong = await world.send(operation, { address, key: `${key.secret.slice(0, -4)}0000` })
      expectProblem(wrong, 401, 'invalid_key')
    })
  }
})

describe('a key without the permission is rejected, and the error names the permission', () => {
  for (const operation of operations) {
    test(operation.id, async (t) => {
      if (isStateless) return t.skip(STATELESS)
      if (operation.permissions.length === 0) return t.skip('the operation requires no permission')
      const lacking = [
        ...(restrictedKey === undefined ? [] : [[restrictedKey.secret, permittedByRestrictedKey] as const]),
        [key.secret, permittedByKey] as const,
      ].find(([, permissions]) => operation.permissions.some((permission) => !permissions.has(permission)))
      if (lacking === undefined) return t.skip('no key lacks the permission; set --restricted-key')
      const [secret, permissions] = lacking
      const response = await world.send(operation, { address: createPlainAddress(operation), key: secret })
      expectProblem(response, 403, 'permission_denied')
      const { permission } = response.body
      expectThat(!permissions.has(permission), response, `a permission that the key lacks, not ${permission}`)
      const isRequired = operation.permissions.includes(permission)
      expectThat(isRequired, response, `a permission that the operation requires, not ${permission}`)
    })
  }
})

describe('invalid input is rejected, with a pointer to the error', () => {
  for (const operation of operations) {
    test(operation.id, async (t) => {
      if (!isPermitted(operation)) return t.skip('the key does not have the permission')
      const address = createAddress(operation)
      const ask = (query: string) => world.send(operation, { address: addQuery(address, query) })
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
      // If a proxy parses the body itself, it may never respond to a malformed one.
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
      if (isStateless) return t.skip(STATELESS)
      if (!isPermitted(operation)) return t.skip('the key does not have the permission')
      const nothing = (name: string) => `${findIdPrefix(name) ?? 'no'}_01m7y975jzfesvq6zzzzzzzzzz`
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
      const missing = known.filter((method) => !allowed.includes(method))
      expectThat(missing.length === 0, response, `${missing} in Allow, which is ${response.headers.get('allow')}`)
    })
  }
})

describe('the pages of a list have no gaps and no duplicates', () => {
  for (const operation of operations.filter(isList)) {
    test(operation.id, async (t) => {
      if (isStateless) return t.skip(STATELESS)
      if (!isPermitted(operation)) return t.skip('the key does not have the permission')
      const address = createAddress(operation)
      const whole = await requireSuccess(operation, addQuery(address, `limit=${PAGES * PAGE_SIZE}`))
      const walked: unknown[] = []
      let last = whole
      let target: string | null = addQuery(address, `limit=${PAGE_SIZE}`)
      for (let pages = 0; target !== null && pages < PAGES; pages++) {
        const page: ServiceResponse = await requireSuccess(operation, target)
        last = page
        walked.push(...page.body.data)
        const { nextCursor } = page.body
        target = nextCursor === null ? null : addQuery(address, `limit=${PAGE_SIZE}&cursor=${nextCursor}`)
        const next = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1]
        expectThat((next === undefined) === (nextCursor === null), page, 'a Link header that agrees with nextCursor')
      }
      // A list may grow while it is read, but the items of the first read must remain, in the same order.
      const ids = (items: unknown[]) => items.map((item) => (item as { id?: string }).id ?? JSON.stringify(item))
      expectThat(new Set(ids(walked)).size === walked.length, last, `each item once, but the pages are ${ids(walked)}`)
      const first = new Set(ids(whole.body.data))
      const seen = ids(walked).filter((id) => first.has(id))
      const isInOrder = seen.every((id, at) => id === ids(whole.body.data)[at])
      const isComplete = walked.length >= Math.min(first.size, PAGES * PAGE_SIZE) - PAGE_SIZE
      const expected = `the items of one page in the same order (${[...first]}), but the pages are ${ids(walked)}`
      expectThat(isInOrder && isComplete, last, expected)
    })
  }
})

describe('the filters of a list select the items that match', () => {
  for (const operation of operations.filter(isList)) {
    test(operation.id, async (t) => {
      if (isStateless) return t.skip(STATELESS)
      if (!isPermitted(operation)) return t.skip('the key does not have the permission')
      const address = createAddress(operation)
      const { body: all } = await requireSuccess(operation, addQuery(address, `limit=${FILTERED_ITEMS}`))
      for (const filter of listFilters(operation)) {
        // Uses the oldest item. A list usually begins with the newest items, and they must not be returned for the
        // oldest item's value.
        const item = all.data.findLast((each: Item) => findFilterValue(filter, each) !== null)
        const value = item === undefined ? null : findFilterValue(filter, item)
        if (value === null || address.includes(`${filter.parameter}=`)) continue
        const query = `limit=${FILTERED_ITEMS}&${filter.parameter}=${encodeURIComponent(value)}`
        const response = await requireSuccess(operation, addQuery(address, query))
        const items: Item[] = response.body.data
        const others = items.filter((each) => !matchesFilter(filter, each, value)).map((each) => each[filter.field])
        const expected = `only items whose ${filter.field} matches ${value}`
        expectThat(others.length === 0, response, `${expected}, but there are items with ${JSON.stringify(others)}`)
        // With a filter by time, the list contains only later items, not the item itself.
        const isFound = items.some(({ id }) => id === item.id) || response.body.nextCursor !== null
        expectThat(filter.selects === 'since' || isFound, response, `${item.id} among the items for ${value}`)
      }
    })
  }
})

describe('conditional requests are supported', () => {
  for (const operation of operations.filter(({ declaration }) => '304' in declaration.responses)) {
    test(`${operation.id}, not modified`, async (t) => {
      if (!isPermitted(operation)) return t.skip('the key does not have the permission')
      const response = await requireSuccess(operation, createAddress(operation))
      const again = await world.send(operation, { headers: { 'if-none-match': response.headers.get('etag') ?? '' } })
      expectThat(again.status === 304, again, '304 for the ETag of the same response')
    })
  }
  for (const operation of operations.filter(
    ({ method, declaration }) => method !== 'POST' && '412' in declaration.responses,
  )) {
    test(`${operation.id}, another version`, async (t) => {
      if (isStateless) return t.skip(STATELESS)
      if (!isPermitted(operation)) return t.skip('the key does not have the permission')
      // If the server rejects a stale version for another reason, because the resource cannot be changed at all, tries
      // the next resource.
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
    // Deletes dependent resources before the resource to which they belong.
    const removing = changing.filter(({ method }) => method === 'DELETE').toReversed()
    const inOrder = [...changing.filter((operation) => !removing.includes(operation)), ...removing]
    for (const operation of inOrder) {
      // Runs the pending operations again before anything is deleted, because some depend on a later operation, such as
      // locking a budget.
      if (operation === removing[0])
        for (const earlier of inOrder.filter((one) => one.method !== 'DELETE' && isUnfinished(one)))
          await tryOperation(world, earlier)
      await tryOperation(world, operation)
    }
    // By now, some resources are in a final state. Creates new resources for the operations that have not succeeded
    // yet.
    for (
      let pending = inOrder.filter(isUnfinished);
      !isStateless && pending.length > 0 && worlds.length < MAX_WORLDS;
    ) {
      progress(`creating more for ${pending.map(({ id }) => id).join(', ')}`)
      const another = new World(service, key.secret, receiver)
      worlds.push(another)
      // The last world contains all kinds of resources, in case an operation needs one that the contract does not
      // declare.
      await (worlds.length < MAX_WORLDS ? another.populateFor(pending) : another.populate())
      if (pending.some(({ id }) => id === 'undoImport')) await another.importFile()
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
      const faults = [...(seenByOperation.get(operation.id)?.faults.values() ?? [])]
      assert.ok(faults.length === 0, faults.join('\n'))
      if (CANNOT_SUCCEED.has(operation.id)) return
      assert.ok(!isUnfinished(operation), `no example succeeds:\n${describeRefusals(operation)}`)
    })
  }
})

describe('a repeated creation returns the same response and runs once', () => {
  for (const operation of operations.filter(({ declaration }) => '201' in declaration.responses)) {
    test(operation.id, async (t) => {
      if (!isPermitted(operation)) return t.skip('the key does not have the permission')
      if (isStateless) return t.skip(STATELESS)
      const repeated = seenByOperation.get(operation.id)?.repeated
      assert.ok(repeated, `no example succeeds:\n${describeRefusals(operation)}`)
      const { first, again, headers } = repeated
      const isSame = again.status === first.status && isDeepStrictEqual(again.body, first.body)
      const sent = exchanges.get(first)
      const exchange = sent && { ...sent, response: again }
      assert.ok(
        isSame,
        describeExchange(exchange, `the first response again: ${first.status} ${shortenBody(first.body)}`),
      )
      assert.equal(
        again.headers.get('idempotent-replayed'),
        'true',
        describeExchange(exchange, 'Idempotent-Replayed: true'),
      )
      // Reusing an Idempotency-Key for a different request is an error of the client.
      const skills = contract.operations.get('executeSkill')
      if (skills === undefined || !isPermitted(skills)) return
      const other = await world.send(skills, { body: { skill: 'getCaller', input: {} }, headers })
      expectProblem(other, 422, 'idempotency_key_reused')
    })
  }
})

/**
 * Sends the examples for one resource after another, because the operation may be possible in the state of only some of
 * them.
 */
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
 * Changes the status of the resource step by step with the examples of its status operation, because some actions need
 * more than one change. If a change first requests approval, repeats the change, which grants the approval.
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
    !CANNOT_SUCCEED.has(operation.id) &&
    seenByOperation.get(operation.id)?.hasSucceeded !== true
  )
}

function describeRefusals({ id }: Operation): string {
  return [...(seenByOperation.get(id)?.refusals.values() ?? [])].slice(-MAX_SHOWN_REFUSALS).join('\n')
}

const MAX_WORLDS = 4
const PAGE_SIZE = 2
const PAGES = 4
const MAX_TRIES = 8
/**
 * The maximum number of rejections to report. The last ones explain why no example succeeds; the first ones were
 * intended.
 */
const MAX_SHOWN_REFUSALS = 5
/** The maximum number of items that the run requests when it checks a filter. */
const FILTERED_ITEMS = 100
const STATELESS = 'a stateless mock keeps no records and checks no keys'

type Item = Record<string, unknown> & { id?: string }

function isPermitted({ permissions }: Operation): boolean {
  return isStateless || permissions.every((permission) => permittedByKey.has(permission))
}

function isList({ method, declaration }: Operation): boolean {
  const names = (declaration.parameters ?? []).map((declared) => contract.resolve(declared).name)
  return method === 'GET' && names.includes('cursor') && names.includes('limit')
}

function createAddress(operation: Operation): string {
  return world.addressFor(operation)
}

/** Returns a URL with arbitrary IDs. The server must reject a caller without access before it looks at the IDs. */
function createPlainAddress(operation: Operation): string {
  return world.addressOf(operation) ?? operation.path.replaceAll(/\{\w+\}/g, 'x')
}

async function requireSuccess(operation: Operation, address: string): Promise<ServiceResponse> {
  const response = await world.send(operation, { address })
  expectThat(response.status === 200, response, '200')
  return response
}

function addQuery(address: string, query: string): string {
  return `${address}${address.includes('?') ? '&' : '?'}${query}`
}

function expectThat(isMet: boolean, response: ServiceResponse, expected: string): void {
  assert.ok(isMet, isMet ? undefined : describeExchange(exchanges.get(response), expected))
}

function expectProblem(response: ServiceResponse, status: number, code: string): void {
  expectThat(response.status === status, response, `${status} ${code}`)
  if (isFromProxy(response)) return
  expectThat(response.body.code === code, response, `${status} ${code}`)
  const type = response.headers.get('content-type') ?? ''
  expectThat(/^application\/problem\+json/.test(type), response, `the type application/problem+json, not ${type}`)
}

function expectErrorAt(response: ServiceResponse, pointer: string): void {
  expectProblem(response, 422, 'validation_failed')
  if (isFromProxy(response)) return
  const pointers = response.body.errors.map((fault: { pointer: string }) => fault.pointer)
  expectThat(pointers.includes(pointer), response, `an error with the pointer ${pointer}`)
}

/**
 * Returns whether the validating proxy rejected the request itself. If the proxy rejects a response from the server,
 * the server is at fault.
 */
function isFromProxy({ status, body }: ServiceResponse): boolean {
  return isProxied && status < 500 && String(body?.type).startsWith('https://stoplight.io/prism/errors#')
}
