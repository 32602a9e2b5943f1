import { readFileSync } from 'node:fs'
import path from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeResponseErrors } from '../../scripts/conformance/describe-response-errors.ts'
import { isOpenToApiKeys } from '../../scripts/conformance/operation-kinds.ts'
import { EXAMPLE_IDS, TYPE_ID } from '../../scripts/conformance/resource-ids.ts'
import { sendRequest as askAt } from '../../scripts/conformance/service.ts'
import {
  contract,
  getValueAtPath,
  listEntriesAtPath,
  SKILL_RUNNERS,
} from '../../scripts/conformance/walked-contract.ts'
import { World } from '../../scripts/conformance/world.ts'
import { type Receiver, startReceiver } from '../../scripts/processes/receiver.ts'
import type { Call as ServiceCall } from '../../server/platform/calls/call.ts'
import type { Operation, ResponseObject, SchemaReference } from '../../server/platform/calls/contract.ts'
import type { Handlers } from '../../server/platform/calls/operation.ts'
import { createKeySecret } from '../../server/platform/keys/key-secret.ts'
import { ALL_PERMISSIONS } from '../../server/platform/keys/roles.ts'
import { conflict, invalidTransition, Problem, problem } from '../../server/platform/problems/problem.ts'
import { isTestedHere } from '../support/is-tested-here.ts'
import { buildSite, type Site } from '../support/site.ts'
import { type RunningMock, startMock } from '../support/start-mock.ts'
import { type ServiceResponse, startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'

/**
 * Sends the same calls to the service and to the mock: each operation with its examples, and calls that cause every
 * possible problem. The responses must have the same status, headers, and structure. differences.txt lists the cases
 * that the mock cannot know. In these cases, the test requests the response with the Prefer header, and it must then be
 * the same.
 */
interface Call {
  method: string
  address: string
  body: unknown
  headers: Record<string, string>
}

/** A call to the service and the response. */
interface Played {
  what: string
  operation: Operation | null
  call: Call
  answer: ServiceResponse
}

const operations = [...contract.operations.values()]
const AS_SHOWN = 'as the examples show it'
const played: Played[] = []
const differing = new Set<string>()

const listed = new Set(
  readFileSync(path.join(import.meta.dirname, 'differences.txt'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(': ', 1)[0] ?? ''),
)

let mock: RunningMock
let receiver: Receiver

// The mock's responses do not depend on the database. The test uses PostgreSQL if it is available, because only there
// can two requests run at the same time.
const isHere = isTestedHere()

describe.skipIf(!isHere)('mock and service', () => {
  beforeAll(async () => {
    mock = await startMock()
    receiver = await startReceiver()
    await playTheService()
    await playMail()
    await playTroubles()
  }, 240_000)

  afterAll(async () => {
    await mock.stop()
    await receiver.close()
  })

  test('the test data contains a response for every declared status of every operation', () => {
    const seen = new Set(played.map(({ operation, answer }) => `${operation?.id} ${answer.status}`))
    const unseen = operations.flatMap(({ id, declaration }) =>
      Object.keys(declaration.responses)
        .filter((status) => !seen.has(`${id} ${status}`))
        .map((status) => `${id}: nothing provokes ${status} here; add to provoke() what does`),
    )
    expect(unseen).toEqual([])
  })

  test('the test data contains every problem code that an operation can return', () => {
    const codes = new Set(played.map(({ answer }) => answer.body?.code))
    // Problems that no call here can cause. beta_full occurs only when an organization is created, and malformed
    // requests are rejected before the operation is known.
    const outside = ['beta_full', 'malformed_request', 'request_timeout', 'expectation_failed', 'headers_too_large']
    // Neither the published document nor the mock contains operations for users of the pages.
    outside.push('not_signed_in', 'cross_site', 'link_spent', 'passkey_refused', 'fresh_sign_in_required')
    const others = (getValueAtPath('components', 'schemas', 'ProblemCode', 'enum') as string[]).filter(
      (code) => !outside.includes(code),
    )
    expect(others.filter((code) => !codes.has(code) && !isOnPostgresOnly(code))).toEqual([])
  })

  describe('the mock responds like the service', () => {
    test.each(operations)('the mock responds to $id like the service', (operation) =>
      compareAll((each) => each.operation?.id === operation.id),
    )
    test('the mock responds like the service to a request for an unknown operation', () =>
      compareAll((each) => each.operation === null))
  })

  test('the example of each problem has the same text as the service', () => {
    const said = Map.groupBy(
      played.filter(({ answer }) => answer.status >= 400),
      ({ answer }) => answer.body?.code,
    )
    // For these problems, the service has a different sentence for each rule.
    const isOneOfMany = new Set(['conflict', 'malformed_json', 'validation_failed', 'invalid_transition'])
    // The handlers of this test throw these problems with different texts.
    const isThrownHere = new Set(['answer_not_kept', 'too_much_work', 'too_many_concurrent_requests'])
    const differing = listEntriesAtPath('x-problems').flatMap(([code, { example }]) => {
      const provided = said.get(code)
      if (provided === undefined || isOneOfMany.has(code) || isThrownHere.has(code)) return []
      const shown = contract.resolve<{ value: { detail: string } }>(example as SchemaReference).value.detail
      const sentences = new Set(provided.map(({ answer }) => withoutValues(answer.body.detail)))
      return sentences.has(withoutValues(shown)) ? [] : [[code, shown, [...sentences].slice(0, 5)]]
    })
    expect(differing).toEqual([])
  })

  test('differences.txt lists only existing differences between the mock and the service', () => {
    expect([...listed].filter((what) => !differing.has(what) && !isOnPostgresOnly(what))).toEqual([])
  })
})

async function compareAll(belongs: (each: Played) => boolean): Promise<void> {
  // If several calls have similar responses, one of them is enough.
  const kinds = Map.groupBy(
    played.filter(belongs),
    ({ what, answer }) => `${what} ${answer.status} ${answer.body?.code}`,
  )
  const preferredAlready = new Set<string>()
  for (const [kind, [one]] of kinds) {
    if (one === undefined) continue
    const { what, operation, call, answer } = one
    // One operation that shows a listed difference is enough to confirm it.
    if (!differing.has(what)) {
      const difference = differenceBetween(operation, answer, await ask(call))
      if (!listed.has(what)) {
        expect([kind, call, difference]).toEqual([kind, call, null])
        continue
      }
      if (difference !== null) differing.add(what)
    }
    // If a rejection is requested by name, it must be the same for every cause.
    const refusal = `${answer.status} ${answer.body?.code}`
    if (answer.status >= 400 && !preferredAlready.has(refusal)) {
      preferredAlready.add(refusal)
      const preferred = await ask({
        ...call,
        headers: { ...call.headers, prefer: `code=${answer.status}, example=${answer.body.code}` },
      })
      expect([kind, differenceBetween(operation, answer, preferred)]).toEqual([kind, null])
    }
  }
}

function ask({ method, address, body, headers }: Call): Promise<ServiceResponse> {
  return askAt(mock.url, method, address, body, { headers })
}

/** Describes the difference between two responses; null if there is no relevant difference. */
function differenceBetween(
  operation: Operation | null,
  service: ServiceResponse,
  mocked: ServiceResponse,
): string | null {
  if (service.status !== mocked.status)
    return `status ${service.status} and ${mocked.status} ${JSON.stringify(mocked.body).slice(0, 300)}`
  for (const name of ['content-type', ...getHeaders(operation, service.status)]) {
    const [one, other] = [service.headers.get(name), mocked.headers.get(name)]
    // Whether there is a next page depends on the data. If there is one, both the header and the body must contain the
    // cursor.
    const pair = name === 'link' ? [linkFault(service), linkFault(mocked)] : [getForm(name, one), getForm(name, other)]
    if (pair[0] !== pair[1]) return `${name}: ${one} and ${other}`
  }
  return bodyDifference(operation, service, mocked)
}

function getHeaders(operation: Operation | null, status: number): string[] {
  const always = [
    'x-request-id',
    'api-version',
    'allow',
    'www-authenticate',
    'retry-after',
    'cache-control',
    'x-content-type-options',
    'etag',
    'location',
  ]
  const declared = operation?.declaration.responses[String(status)]
  const named = declared && (contract.resolve<ResponseObject>(declared) as { headers?: object }).headers
  return [...new Set([...always, ...Object.keys(named ?? {}).map((name) => name.toLowerCase())])]
}

/** Returns the value of a header without the parts that differ between requests. */
function getForm(name: string, value: string | null): string | null {
  if (value === null) return null
  if (name === 'location') return `to ${contract.match('GET', value.split('?', 1)[0] ?? '').operation?.id}`
  if (name === 'allow' || name === 'content-type' || name === 'api-version' || name === 'www-authenticate') return value
  return value
    .replace(/filename.*/, 'filename')
    .replaceAll(/"(\d+\.)?[\w-]{20,}"/g, '"1"')
    .replaceAll(/\d+/g, '1')
    .replaceAll(/req_\w+/g, 'req')
}

function linkFault({ headers, body }: ServiceResponse): string | null {
  const cursor = body?.nextCursor ?? null
  const link = headers.get('link')
  const [, target = ''] = /<([^>]+)>; rel="next"/.exec(link ?? '') ?? []
  if (cursor === null) return target === '' ? null : `a Link without a cursor: ${link}`
  return new URL(target, 'http://x').searchParams.get('cursor') === cursor ? null : `no Link to the next page: ${link}`
}

function bodyDifference(operation: Operation | null, service: ServiceResponse, mocked: ServiceResponse): string | null {
  if (service.status >= 400) {
    const members = (body: ServiceResponse['body']) => ({
      ...{ code: body.code, title: body.title, status: body.status, type: new URL(body.type).pathname },
      ...{
        members: Object.keys(body)
          .filter((name) => MEMBERS.has(name))
          .sort(),
      },
    })
    const [one, other] = [JSON.stringify(members(service.body)), JSON.stringify(members(mocked.body))]
    if (one !== other) return `${one} and ${other}`
  }
  if (operation === null) return null
  for (const response of [service, mocked]) {
    const wrong = describeResponseErrors(operation, response)
    if (wrong !== '') return wrong
  }
  return typeof service.body === typeof mocked.body ? null : 'another kind of text'
}

/** Returns a sentence without the parts that differ: numbers, timestamps, URLs, names, and input. */
function withoutValues(sentence: string): string {
  return sentence
    .replaceAll(/"[^"]*"(: .*(?=\.))?/g, '…')
    .replaceAll(/[A-Z][a-z]+ \d+, \d{4} at \d+:\d\d [AP]M \S+(?<!\.)/g, '…')
    .replaceAll(/\d[\dTZ:.,-]*\d|\d/g, '…')
    .replaceAll('… seconds', '… second')
    .replaceAll(/plb_…|…plb_…/g, '…')
    .replaceAll(
      /\/?[\w/]+(?= does not match any record)|(?<=More than one )[\w ]+(?= matches)|(?<=among |names are |methods: |Did you mean )[\w, ]+(?=[.?])|(?<=unknown tags \().*/g,
      '…',
    )
    .replaceAll(/\b\w+:\w+\b/g, '…')
}

/** The members that every problem may have. Other members belong to certain codes and are not always present. */
const MEMBERS = new Set(['type', 'title', 'status', 'detail', 'instance', 'code', 'requestId', 'permission'])

/** Returns the service with functions that also record the calls and responses. */
function playing(plumbline: TestPlumbline, what: () => string): TestPlumbline {
  const request: TestPlumbline['request'] = async (method, address, body, options = {}) => {
    const answer = await plumbline.request(method, address, body, options)
    const key = options.key === undefined ? plumbline.key : options.key
    const headers = {
      // The mock accepts every well-formed key, including real ones.
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...options.headers,
    }
    const { operation } = contract.match(method, address.split('?', 1)[0] ?? '')
    played.push({ what: what(), operation, call: { method, address, body, headers }, answer })
    return answer
  }
  return {
    ...plumbline,
    request,
    get: (address, options) => request('GET', address, undefined, options),
    post: (address, body, options) => request('POST', address, body, options),
  }
}

async function playTheService(): Promise<void> {
  const plumbline = await startTestPlumbline()
  let what = AS_SHOWN
  const world = new World(
    playing(plumbline, () => what),
    plumbline.key,
    receiver.url,
  )

  await world.populate()
  await world.importFile()
  const keys = await strangers(plumbline)
  for (const [index, operation] of operations.entries()) {
    for (const [stranger, key] of keys) {
      what = stranger
      if (what === 'a key without a permission' && operation.permissions.length === 0) continue
      await world.send(operation, { key })
    }
    what = 'a key of another form'
    const authorization = index % 2 === 0 ? 'Basic bearer' : 'Bearer plb_a plb_b'
    await world.send(operation, { key: null, headers: { authorization } })
    await provoke(world, operation, (next) => {
      what = next
    })
  }

  what = AS_SHOWN
  for (const operation of operations.filter(({ method }) => method === 'GET')) {
    await world.send(operation)
    if ('304' in operation.declaration.responses) await world.send(operation, { headers: { 'if-none-match': '*' } })
  }
  // Operations that change data come later. Skills run other operations, and archived resources can no longer be used.
  const changing = operations.filter(({ method, id }) => method !== 'GET' && !SKILL_RUNNERS.has(id))
  const hasSucceeded = (id: string) =>
    played.some(({ operation, answer }) => operation?.id === id && answer.status < 300)
  const before = changing.filter(({ method }) => method !== 'DELETE')
  await takeThrough(world, before)
  // Some operations depend on a later operation, such as one that locks a budget, so they are tried again in reverse
  // order.
  await takeThrough(
    world,
    before.filter(({ id }) => !hasSucceeded(id)),
  )
  await takeThrough(world, changing.filter(({ method }) => method === 'DELETE').toReversed())
  // Operations that found only finished resources are tried in another world.
  const pending = changing.filter(({ id }) => !hasSucceeded(id)).toReversed()
  const { key } = await plumbline.newBuilder()
  const another = await new World(
    playing(plumbline, () => what),
    key,
    receiver.url,
  ).populate()
  await takeThrough(another, pending)
  // A vendor can withdraw a bill only after submitting it, so the operations are tried again in reverse order.
  await takeThrough(another, pending.filter(({ id }) => !hasSucceeded(id)).toReversed())
  const approve = operations.find(({ id }) => id === 'approveProposal')
  // Uses another key, because nobody may approve their own proposals.
  const other = await plumbline.newKey([...ALL_PERMISSIONS])
  const approving = (id: string) => ({ address: approve?.path.replace('{proposalId}', id) ?? '', key: other })
  for (const execute of operations.filter(({ id }) => SKILL_RUNNERS.has(id) && id !== approve?.id))
    for (const body of world.bodiesOf(execute)) {
      const { body: created } = await world.send(execute, { body })
      // Approves each proposal immediately, because older ones may have been rejected in the meantime.
      if (execute.id === 'createProposal' && approve !== undefined) await world.send(approve, approving(created.id))
    }
  if (approve !== undefined) {
    what = 'another version in If-Match'
    const { body: vendor } = await plumbline.post('/api/ext/vendors', { companyName: 'Changed Meanwhile' })
    const input = { vendorId: vendor.id, contactName: 'x', ifMatch: '"1"' }
    const { body: created } = await plumbline.post('/api/ext/proposals', { skill: 'updateVendor', input })
    await plumbline.patch(`/api/ext/vendors/${vendor.id}`, { contactName: 'y' })
    await world.send(approve, approving(created.id))
    what = AS_SHOWN
  }
  // If these calls were rejected, the state of the world was the reason.
  for (const each of played) {
    const code = each.what === AS_SHOWN ? each.answer.body?.code : undefined
    if (code !== undefined) each.what = STATE_CODES[code] ?? each.what
  }
  await playNoOperation(
    world,
    playing(plumbline, () => what),
    (next) => {
      what = next
    },
  )
  await playRepeats(
    playing(plumbline, () => what),
    (next) => {
      what = next
    },
  )
  await playVendors(plumbline)
  await plumbline.stop()
}

/** Sends all examples, one after another, to the first resources of each kind. */
async function takeThrough(world: World, those: Operation[]): Promise<void> {
  for (let which = 0; which < 6; which++) {
    for (const operation of those) {
      const address = world.addressOf(operation, which)
      if (address === undefined) continue
      for (const body of world.bodiesOf(operation)) world.learn(await world.send(operation, { address, body }))
    }
  }
}

/** The rejections that depend on the state of a world, by problem code. */
const STATE_CODES: Record<string, string> = {
  conflict: 'what the present state forbids',
  invalid_transition: 'what the present state forbids',
  unknown_reference: 'a reference to nothing',
  not_found: 'an id of nothing',
  // Violations of rules that are not in the schema.
  validation_failed: 'what the present state forbids',
}

async function strangers(plumbline: TestPlumbline): Promise<[what: string, key: string | null][]> {
  const [expired, revoked] = [await plumbline.newKey([]), await plumbline.newKey([])]
  for (const [secret, how] of [
    [expired, 'expiresAt'],
    [revoked, 'revokedAt'],
  ] as const) {
    await sql`update "apiKeys" k set ${sql.ref(how)} = now() - interval '1 hour' from "apiKeySecrets" s
      where s."keyId" = k."id" and s."start" = ${secret.slice(0, 10)}`.execute(plumbline.database.statements)
  }
  return [
    ['no key', null],
    ['an unknown key', createKeySecret()],
    ['an expired key', expired],
    ['a revoked key', revoked],
    ['a key without a permission', await plumbline.newKey([])],
    ['a key of another tier', (await plumbline.newBuilder({ tier: 'free' })).key],
  ]
}

/** Causes the problems with which an operation rejects a request in any state, or because a record does not exist. */
async function provoke(world: World, operation: Operation, now: (what: string) => void): Promise<void> {
  const address = world.addressFor(operation)
  const requested = (query: string) => ({ address: `${address}${address.includes('?') ? '&' : '?'}${query}` })

  now('an unknown query parameter')
  await world.send(operation, requested('noSuchParameter=1'))
  for (const declared of operation.declaration.parameters ?? []) {
    const { name, in: where } = contract.resolve(declared)
    if (where === 'header') {
      now('a header that is too long')
      await world.send(operation, { headers: { [name]: 'x'.repeat(501) } })
    }
    if (name === 'Range') {
      now('a range of a file')
      await world.send(operation, { headers: { range: 'bytes=0-3' } })
      await world.send(operation, { headers: { range: 'bytes=999999999-' } })
    }
    if (name === 'cursor') {
      now('a cursor of nothing')
      await world.send(operation, requested('cursor=nonsense'))
    }
    if (name === 'limit') {
      now('a parameter out of bounds')
      await world.send(operation, requested('limit=0'))
    }
  }

  if (/\{(?!skillName)/.test(operation.path)) {
    now('an id of nothing')
    const [, query] = address.split('?')
    const nowhere = operation.path.replaceAll(/\{\w+\}/g, 'ven_01m7y975jyfesvq6zzzzzzzzzz')
    await world.send(operation, { address: query === undefined ? nowhere : `${nowhere}?${query}` })
  }
  if ('412' in operation.declaration.responses && !SKILL_RUNNERS.has(operation.id)) {
    now('another version in If-Match')
    // If the service rejects a stale version for another reason, because the resource cannot be changed at all, tries
    // the next resource.
    for (let which = 0, status = 0; which < 6 && status !== 412; which++) {
      const address = world.addressOf(operation, which)
      if (address === undefined) break
      status = (await world.send(operation, { address, headers: { 'if-match': '"999999"' } })).status
    }
  }
  if (operation.method === 'POST' && !operation.takesBody) {
    now('a body where there is none')
    await world.send(operation, { body: { noSuchField: 1 } })
  }
  if (SKILL_RUNNERS.has(operation.id) && operation.takesBody) {
    const bodyFor = (skill: string, input: object) =>
      operation.id === 'executeBatch' ? { steps: [{ name: 'only', skill, input }] } : { skill, input }
    now('a skill of no name')
    await world.send(operation, { body: bodyFor('doNothing', {}) })
    now('another version in If-Match')
    const input = { vendorId: world.idFor('vendorId'), contactName: 'x', ifMatch: '"999999"' }
    await world.send(operation, { body: bodyFor('updateVendor', input) })
    now('a name that several have')
    const create = operations.find(({ id }) => id === 'createVendor')
    for (let i = 0; i < 2 && create !== undefined; i++) await world.send(create, { body: { companyName: 'Twin' } })
    await world.send(operation, { body: bodyFor('getVendor', { vendorId: 'Twin' }) })
  }
  if (operation.path.includes('{skillName}')) {
    now('a skill of no name')
    await world.send(operation, { address: operation.path.replace('{skillName}', 'doNothing') })
  }
  // Even an operation without a body rejects a body that is not JSON, is too large, or has the wrong type.
  if (operation.method !== 'POST' && !operation.takesBody) return
  now('a body that is no JSON')
  await world.send(operation, { body: '{"a":' })
  now('a body that is too large')
  await world.send(operation, { body: JSON.stringify({ large: 'x'.repeat(operation.mostBodyBytes ?? 1024 * 1024) }) })
  now('a body of another type')
  await world.send(operation, { body: '{}', headers: { 'content-type': 'text/plain' } })
  if (!operation.takesBody) return

  const good = world.bodyOf(operation) as Record<string, unknown>
  now('an unknown field')
  await world.send(operation, { body: { ...good, noSuchField: 1 } })
  now('a body of another form')
  await world.send(operation, { body: [] })
  const dangling = withoutReference(good)
  if (dangling !== null && !SKILL_RUNNERS.has(operation.id)) {
    now('a reference to nothing')
    await world.send(operation, { body: dangling })
  }
}

/** Returns the body with its first ID replaced by an ID that does not exist; null if the body contains no ID. */
function withoutReference(body: unknown): unknown {
  let isChanged = false
  const changed = JSON.parse(JSON.stringify(body), (_field, value: unknown) => {
    if (isChanged || typeof value !== 'string' || !TYPE_ID.test(value)) return value
    isChanged = true
    return value.replace(/_.*/, '_01m7y975jyfesvq6zzzzzzzzzz')
  })
  return isChanged ? changed : null
}

/**
 * Sends requests with methods that do not exist. The response lists the methods of the path, so one path is tried for
 * each set of methods.
 */
async function playNoOperation(world: World, plumbline: TestPlumbline, now: (what: string) => void): Promise<void> {
  const byPath = Map.groupBy(operations, ({ path }) => path)
  const bySet = Map.groupBy(byPath, ([, members]) =>
    members
      .map(({ method }) => method)
      .sort()
      .join(),
  )
  for (const [known, [one]] of bySet) {
    const [address = ''] = one ?? []
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      now(`${method} where there is ${known}`)
      if (!known.split(',').includes(method))
        await plumbline.request(method, address.replaceAll(/\{\w+\}/g, 'x'), undefined, { key: world.key })
    }
  }
  for (const address of ['/api/ext/nothing', '/api', '/api/ext/vendors/', '/API/ext/vendors']) {
    now(`nothing at ${address}`)
    await plumbline.request('GET', address, undefined, { key: world.key })
  }
}

async function playRepeats(plumbline: TestPlumbline, now: (what: string) => void): Promise<void> {
  const headers = { 'idempotency-key': 'once' }
  now(AS_SHOWN)
  await plumbline.post('/api/ext/vendors', { companyName: 'Once Only LLC' }, { headers })
  now('a repeat with the same Idempotency-Key')
  await plumbline.post('/api/ext/vendors', { companyName: 'Once Only LLC' }, { headers })
  now('an Idempotency-Key with another body')
  await plumbline.post('/api/ext/vendors', { companyName: 'Twice LLC' }, { headers })
}

type Trouble = (call: ServiceCall) => Promise<never>

/** Causes the errors that only vendors get: an expired link, and a response that was changed too often. */
async function playVendors(plumbline: TestPlumbline): Promise<void> {
  const [revoked, expired] = [await plumbline.newPortalToken(), await plumbline.newPortalToken()]
  for (const [token, change] of [
    [revoked, sql`"revokedAt" = now()`],
    [expired, sql`"createdAt" = now() - interval '1 year'`],
  ] as const) {
    await sql`update "portalAddresses" set ${change} where "subjectId" = ${token.split('.')[0]}`.execute(
      plumbline.database.statements,
    )
  }
  let what = 'a revoked token'
  const asPlayed = playing(plumbline, () => what)
  await asPlayed.get('/api/portal/invitations', { key: revoked })
  what = 'an expired token'
  await asPlayed.get('/api/portal/invitations', { key: expired })

  const site = await buildSite(plumbline)
  const { body } = await plumbline.post('/api/ext/bids/request', site.framing(), { key: site.key })
  const [{ id }, second] = body.invitations
  const key = await portalToken(plumbline, id)
  const response = (by: TestPlumbline, i: number) =>
    by.post(`/api/portal/invitations/${id}/answer`, { answer: i % 2 === 0 ? 'will_bid' : 'declined' }, { key })
  for (let i = 0; i < 6; i++) await response(plumbline, i)
  what = 'an answer changed too often'
  await response(asPlayed, 6)
  await playBid(asPlayed, second.id, (next) => {
    what = next
  })
  what = AS_SHOWN
  await playOrder(asPlayed, site)
}

/** Returns the token from a vendor's email. */
async function portalToken(plumbline: TestPlumbline, subjectId: string): Promise<string> {
  return (await plumbline.mailedLink(subjectId)).split('/').at(-1) ?? ''
}

/** Submits a bid as the vendor until the limit is reached, and then withdraws it. */
async function playBid(asPlayed: TestPlumbline, id: string, now: (what: string) => void): Promise<void> {
  const key = await portalToken(asPlayed, id)
  const post = (path: string, body?: unknown) =>
    asPlayed.post(`/api/portal/invitations/${id}/bid${path}`, body, { key })
  now(AS_SHOWN)
  const files = `/api/portal/invitations/${id}/attachments`
  const content = Buffer.from('%PDF-1.4\n%%EOF\n').toString('base64')
  const { body: file } = await asPlayed.post(`${files}?fileName=Offer.pdf`, { content }, { key })
  await asPlayed.post(`${files}/${file.id}/discard`, undefined, { key })
  for (let i = 1; i <= 7; i++) {
    await post('/draft', { amount: 41_000 + i })
    if (i === 7) now('an answer changed too often')
    await post('/submit', {})
  }
  now(AS_SHOWN)
  await post('/withdraw', { reason: 'The crew is booked elsewhere.' })
}

/** Accepts an order and submits a certificate as the vendor. */
async function playOrder(asPlayed: TestPlumbline, { key, lot15, loneStar, day }: Site): Promise<void> {
  const ext = async (path: string, body?: unknown) => (await asPlayed.post(`/api/ext${path}`, body, { key })).body
  const lines = [{ description: 'Walls', quantity: 1, unitPrice: 1000 }]
  const order = await ext('/purchase-orders', { homeId: lot15, vendorId: loneStar, scope: 'framing', lines })
  for (const status of ['approved', 'issued']) await ext(`/purchase-orders/${order.id}/status`, { status })
  await ext(`/vendors/${loneStar}/invite`)
  const token = await portalToken(asPlayed, loneStar)
  const portal = (path: string, body: unknown) => asPlayed.post(`/api/portal${path}`, body, { key: token })
  await asPlayed.get(`/api/portal/orders/${order.id}`, { key: token })
  await asPlayed.get(`/api/portal/orders/${order.id}`, { key: token, headers: { 'if-none-match': '*' } })
  await portal(`/orders/${order.id}/answer`, { answer: 'accepted' })
  const { body } = await portal('/compliance-documents', { type: 'license' })
  const content = Buffer.from('%PDF-1.4\n%%EOF\n').toString('base64')
  await portal(`/compliance-documents/${body.id}/attachments?fileName=License.pdf`, { content })
  await playRepairs(ext, portal, { homeId: lot15, vendorId: loneStar, day })
}

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEklEQVR4nGPomLmKAYSgFAAAK1IGP0FG2OAAAAAASUVORK5CYII='

/** Completes a punch item and a service visit as the vendor, with photos of the work. */
async function playRepairs(
  ext: (path: string, body?: unknown) => Promise<ServiceResponse['body']>,
  portal: (path: string, body: unknown) => Promise<ServiceResponse>,
  { homeId, vendorId, day }: { homeId: string; vendorId: string; day: Site['day'] },
): Promise<void> {
  const item = await ext('/punch-items', { homeId, vendorId, description: 'A stud is bowed.', dueDate: day(3) })
  await portal(`/punch-items/${item.id}/photos?fileName=Stud.png`, { content: PNG })
  const request = await ext('/warranty-requests', { homeId, description: 'The floor squeaks.' })
  await ext(`/warranty-requests/${request.id}/decision`, { decision: 'goodwill' })
  await ext(`/warranty-requests/${request.id}/assignment`, { vendorId })
  const visit = await ext('/visits', { requestIds: [request.id], date: day(4) })
  await portal(`/service-visits/${visit.id}/photos?fileName=Floor.png`, { content: PNG })
  await portal(`/service-visits/${visit.id}/complete`, {})
}

/** Invites a home owner on a service with a mail server. The email is never delivered. */
async function playMail(): Promise<void> {
  const plumbline = await startTestPlumbline({ SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'office@example.com' })
  const asPlayed = playing(plumbline, () => AS_SHOWN)
  const create = async (path: string, body: object) => (await plumbline.post(`/api/ext${path}`, body)).body.id
  const communityId = await create('/communities', { name: 'Cedar Hollow', status: 'active' })
  const homeId = await create('/homes', { name: 'Lot 16', communityId })
  const ownerId = await create('/home-owners', { homeId, name: 'Dana Whitfield', email: 'dana@example.com' })
  await asPlayed.post(`/api/ext/home-owners/${ownerId}/invitation`, undefined, { key: plumbline.key })
  await plumbline.stop()
}

/** Causes problems that no caller can cause, on services whose handlers are replaced for this purpose. */
async function playTroubles(): Promise<void> {
  let trouble: Trouble
  const handlers = new Proxy({}, { get: () => (_input: unknown, call: ServiceCall) => trouble(call) }) as Handlers
  const declares = (status: number) => operations.filter(({ declaration }) => String(status) in declaration.responses)

  async function playAll(
    env: Record<string, string>,
    plays: [what: string, error: Error | null, those: Operation[]][],
  ): Promise<void> {
    const plumbline = await startTestPlumbline(env, { handlers })
    trouble = () => Promise.reject(new Error('one request is let in'))
    let what = ''
    const world = new World(
      playing(plumbline, () => what),
      plumbline.key,
      'https://hooks.example.com/plumbline',
    )
    // This service has no records, so the IDs in the examples are used in place of real IDs.
    for (const id of EXAMPLE_IDS) world.remember(id)
    const token = await plumbline.newPortalToken()
    world.admit(token)
    if (plays[0]?.[1] === null) {
      await plumbline.get('/api/ext/vendors')
      await plumbline.get('/api/portal/invitations', { key: token })
    }
    for (const [name, error, those] of plays) {
      what = name
      if (error !== null) trouble = () => Promise.reject(error)
      for (const operation of those) await world.send(operation)
    }
    if (!plumbline.database.embedded) await playInProgress(plumbline, (next) => (trouble = next))
    await plumbline.stop()
  }

  const away = Object.assign(new Error('terminating connection'), { code: '57P01' })
  const slow = Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' })
  const tooMany = new Problem('too_many_concurrent_requests', 'No more at the same time.', {}, { 'Retry-After': '1' })
  const executes = operations.filter(({ id }) => SKILL_RUNNERS.has(id))
  await playAll({}, [
    ['a fault of the service', new Error('unforeseen'), operations],
    ['a database that is away', away, operations],
    ['a database that is slow', slow, operations],
    ['too much at the same time', tooMany, operations],
    ['an answer that was not kept', problem('answer_not_kept', 'It was too large.'), declares(409)],
    ['more than a skill may go through', problem('too_much_work', 'Narrow its input.'), executes],
    ['what the present state forbids', conflict('in_use', 'It is in use.'), declares(409)],
    ['what the present state forbids', invalidTransition('draft', 'awarded', ['sent']), declares(409)],
  ])
  await playAll({ RATE_LIMIT_PER_MINUTE: '1', PORTAL_LIMIT_PER_MINUTE: '1' }, [['a minute used up', null, operations]])
  // Leaves out operations for vendors, because a vendor does not use the builder's daily quota.
  await playAll({ QUOTA_PER_DAY: '1' }, [['a day used up', null, operations.filter(isOpenToApiKeys)]])
  await playRefusedKey()
}

async function playRefusedKey(): Promise<void> {
  const plumbline = await startTestPlumbline({ FAILED_KEYS_PER_MINUTE: '1' })
  const elsewhere = playing(plumbline, () => 'a key from another address')
  const bound = await plumbline.newKey([])
  await sql`update "apiKeys" k set "allowedAddresses" = '{203.0.113.0/24}' from "apiKeySecrets" s
    where s."keyId" = k."id" and s."start" = ${bound.slice(0, 10)}`.execute(plumbline.database.statements)
  await elsewhere.get('/api/ext/vendors', { key: bound })
  const key = createKeySecret()
  await plumbline.get('/api/ext/vendors', { key })
  const played = playing(plumbline, () => 'a key refused too often')
  await played.get('/api/ext/vendors', { key })
  await played.post('/api/ext/vendors', { companyName: 'Nobody LLC' }, { key })
  await plumbline.stop()
}

async function playInProgress(plumbline: TestPlumbline, handle: (trouble: Trouble) => void): Promise<void> {
  let fail = (_error: Error) => {}
  const started = new Promise<void>((begun) => {
    handle((call) =>
      call.write(() => {
        begun()
        return new Promise<never>((_, reject) => {
          fail = reject
        })
      }),
    )
  })
  const headers = { 'idempotency-key': 'twice' }
  const body = { companyName: 'Twice LLC' }
  const first = plumbline.post('/api/ext/vendors', body, { headers })
  const isRunning = await Promise.race([started.then(() => true), first.then(() => false)])
  if (!isRunning) return
  await playing(plumbline, () => 'a first request that still runs').post('/api/ext/vendors', body, { headers })
  fail(new Error('enough'))
  await first
}

/**
 * Returns whether a case can occur only on PostgreSQL. On the embedded database, writing requests wait for one another,
 * so the service never tells a second request to try again.
 */
function isOnPostgresOnly(what: string): boolean {
  return (
    (what === 'idempotency_in_progress' || what === 'a first request that still runs') &&
    !played.some((each) => each.answer.body?.code === 'idempotency_in_progress')
  )
}
