import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { toOperationKeyPath } from '../../scripts/conformance/describe-response-errors.ts'
import { describeSchemaErrors, listEntriesAtPath, wholeContract } from '../../scripts/conformance/walked-contract.ts'
import { createUser } from '../../server/domain/office/users/users.ts'
import type { Call } from '../../server/platform/calls/call.ts'
import { isOpenToApiClients, type Operation } from '../../server/platform/calls/contract.ts'
import type { Handlers } from '../../server/platform/calls/operation.ts'
import { ROLES, type Role } from '../../server/platform/keys/roles.ts'
import { isTestedHere } from '../support/is-tested-here.ts'
import { connectApp, createOauthApp } from '../support/oauth-app.ts'
import {
  pageRequest,
  type RequestOptions,
  type ServiceResponse,
  startTestPlumbline,
  type TestPlumbline,
} from '../support/test-plumbline.ts'

/**
 * Tests the rules for all operations that only users can call, and which roles may call them. The other suites in this
 * folder test the operations for programs. Requests that are rejected before any statement are tested on only one
 * database.
 */
const operations = [...wholeContract.operations.values()]
const ofPeople = operations.filter((operation) => !isOpenToApiClients(operation))
const bySession = ofPeople.filter(({ schemes }) => schemes.has('session'))
const writes = ofPeople.filter(({ method }) => method !== 'GET')
const taking = ofPeople.filter(({ declaration }) => '415' in declaration.responses)

const OWNER = 'priya@harrowfinch.example.com'

interface Sent {
  by: RequestOptions
  body?: unknown
  query?: string
  headers?: Record<string, string>
  id?: string
}

/** Sends a request for an operation with its first example. */
function send(plumbline: TestPlumbline, operation: Operation, { by, query = '', headers, id, ...rest }: Sent) {
  const [example] = listEntriesAtPath(
    ...toOperationKeyPath(operation),
    'requestBody',
    'content',
    'application/json',
    'examples',
  )
  const body = 'body' in rest ? rest.body : operation.takesBody ? example?.[1].value : undefined
  const target = operation.path.replace(/\{\w+\}/, id ?? 'none_01m7y975jzfesvq6zzzzzzzzzz') + query
  return plumbline.request(operation.method, target, body, { key: null, headers: { ...by.headers, ...headers } })
}

function expectProblem(operation: Operation, response: ServiceResponse, status: number, code: string): void {
  expect([response.status, response.body.code]).toEqual([status, code])
  expect(Object.keys(operation.declaration.responses)).toContain(String(status))
  expect(describeSchemaErrors(response.body, 'components', 'schemas', 'Problem')).toBe('')
}

/** Creates a session without an operation, for services on which no operation works. */
async function getSession({ app }: TestPlumbline): Promise<RequestOptions> {
  const { identity } = app.services
  const { url } = await identity.makeLink(OWNER, 60_000)
  const opened = await identity.redeem(url.slice(url.indexOf('=') + 1), { address: null, device: null })
  return pageRequest(opened?.setCookie.split(';')[0] ?? '')
}

describe('a service in normal operation', () => {
  let plumbline: TestPlumbline
  let owner: RequestOptions
  beforeAll(async () => {
    plumbline = await startTestPlumbline()
    owner = await plumbline.signIn()
  })
  afterAll(() => plumbline.stop())

  const refused = test.skipIf(!isTestedHere())
  refused.each(bySession)('$id rejects a caller who is not signed in', async (operation) => {
    const response = await send(plumbline, operation, { by: pageRequest('') })
    expectProblem(operation, response, 401, 'not_signed_in')
    expect(response.headers.get('www-authenticate')).toBe('Session realm="plumbline"')
    expect(response.headers.get('ratelimit')).toBeNull()
    // An owner's API key with all permissions is not a user.
    const byKey = await plumbline.request(operation.method, operation.path.replace(/\{\w+\}/, 'x'), undefined, {
      headers: { 'sec-fetch-site': 'same-origin' },
    })
    expectProblem(operation, byKey, 401, 'not_signed_in')
  })

  refused.each(writes)('$id rejects requests from pages of other sites', async (operation) => {
    const headers = { 'sec-fetch-site': 'cross-site' }
    expectProblem(operation, await send(plumbline, operation, { by: owner, headers }), 403, 'cross_site')
  })

  refused.each(ofPeople)('$id rejects an unknown parameter', async (operation) => {
    const response = await send(plumbline, operation, { by: owner, query: '?noSuchParameter=1' })
    expectProblem(operation, response, 422, 'validation_failed')
  })

  refused.each(taking)('$id rejects a body that is malformed, too large, or not JSON', async (operation) => {
    const as = (body: string, type: string) =>
      send(plumbline, operation, { by: owner, body, headers: { 'content-type': type } })
    const json = 'application/json'
    expectProblem(operation, await as('{"a":', json), 400, 'malformed_json')
    expectProblem(operation, await as(`{"a":"${'x'.repeat(1024 * 1024)}"}`, json), 413, 'payload_too_large')
    expectProblem(operation, await as('{}', 'text/plain'), 415, 'unsupported_media_type')
  })

  test.each(ofPeople.filter(({ path }) => path.includes('{')))(
    '$id finds nothing under another ID',
    async (operation) => {
      for (const id of [undefined, 'nonsense', '%00'])
        expectProblem(operation, await send(plumbline, operation, { by: owner, ...(id && { id }) }), 404, 'not_found')
    },
  )

  test('operations for signed-in users return 304 for an unchanged resource', async () => {
    const { body: created } = await plumbline.post(
      '/api/admin/keys',
      { name: 'K', permissions: ['vendors:read'] },
      owner,
    )
    const { body: session } = await plumbline.get('/api/admin/session', owner)
    await connectApp(plumbline, await createOauthApp(plumbline), owner)
    const { body: grants } = await plumbline.get('/api/admin/oauth-grants', owner)
    const { body: report } = await plumbline.post(
      '/api/admin/saved-reports',
      { name: 'Payables', report: 'apAging' },
      owner,
    )
    const ids: Readonly<Record<string, string>> = {
      ...{ keyId: created.id, grantId: grants.data[0].id, savedReportId: report.id },
    }
    const idFor = ({ path }: Operation) => ids[/\{(\w+)\}/.exec(path)?.[1] ?? ''] ?? session.user.id
    for (const operation of ofPeople) {
      if (!('304' in operation.declaration.responses)) continue
      const id = idFor(operation)
      const { status } = await send(plumbline, operation, { by: owner, id, headers: { 'if-none-match': '*' } })
      expect([operation.id, status]).toEqual([operation.id, 304])
    }
  })

  test('operations for signed-in users return 412 for a stale ETag', async () => {
    const { body: created } = await plumbline.post(
      '/api/admin/keys',
      { name: 'K', permissions: ['vendors:read'] },
      owner,
    )
    const { body: session } = await plumbline.get('/api/admin/session', owner)
    await connectApp(plumbline, await createOauthApp(plumbline), owner)
    const { body: grants } = await plumbline.get('/api/admin/oauth-grants', owner)
    const { body: report } = await plumbline.post(
      '/api/admin/saved-reports',
      { name: 'Payables', report: 'apAging' },
      owner,
    )
    const ids: Readonly<Record<string, string>> = {
      ...{ keyId: created.id, grantId: grants.data[0].id, savedReportId: report.id },
    }
    const idFor = ({ path }: Operation) => ids[/\{(\w+)\}/.exec(path)?.[1] ?? ''] ?? session.user.id
    for (const operation of ofPeople) {
      if (!('412' in operation.declaration.responses)) continue
      const id = idFor(operation)
      const late = await send(plumbline, operation, { by: owner, id, headers: { 'if-match': '"999"' } })
      expectProblem(operation, late, 412, 'precondition_failed')
    }
  })

  describe.skipIf(!isTestedHere())("a role allows exactly the operations in the contract's table", () => {
    const [, [, permissions] = [], [, administration] = []] = listEntriesAtPath('x-roles')
    const table = { ...permissions, ...administration } as Record<string, Record<string, Role[]>>
    const covers = (role: Role, permission: string) => {
      const [entity = '', verb = ''] = permission.split(':')
      return table[entity]?.[verb]?.includes(role) === true
    }
    const open = operations.filter(({ schemes }) => schemes.has('session'))
    test.each(ROLES)('the role %s allows exactly the operations in the contract', async (role) => {
      const { database, clock, organizationId } = plumbline
      const email = `${role}@example.com`
      await createUser(database, clock, { organizationId, email, name: role, role, poApprovalLimit: 0 })
      const by = await plumbline.signIn(email)
      // The service rejects each request before it looks up any record, because of the role or the unknown parameter.
      for (const operation of open) {
        const missing = operation.schemes.get('session')?.find((permission) => !covers(role, permission))
        const required = (operation.declaration.parameters ?? [])
          .map((declared) => wholeContract.resolve<{ name: string; in: string; required?: boolean }>(declared))
          .filter((declared) => declared.in === 'query' && declared.required)
          .map(({ name }) => `&${name}=x`)
        const query = `?noSuchParameter=1${required.join('')}`
        const { status, body } = await send(plumbline, operation, { by, query })
        expect([operation.id, status, body.permission]).toEqual([
          operation.id,
          missing === undefined ? 422 : 403,
          missing,
        ])
      }
    })
  })
})

describe.skipIf(!isTestedHere())('a service whose handlers fail', () => {
  let trouble: (call: Call) => Promise<never>
  const handlers = new Proxy({}, { get: () => (_input: unknown, call: Call) => trouble(call) }) as Handlers
  let plumbline: TestPlumbline
  let owner: RequestOptions
  beforeAll(async () => {
    plumbline = await startTestPlumbline({}, { handlers })
    owner = await getSession(plumbline)
  })
  afterAll(() => plumbline.stop())

  test.each(ofPeople)('$id returns internal or unavailable without the reason of the failure', async (operation) => {
    trouble = () => Promise.reject(new Error('the secret reason'))
    const failed = await send(plumbline, operation, { by: owner })
    expectProblem(operation, failed, 500, 'internal')
    expect(JSON.stringify(failed.body)).not.toContain('secret reason')
    trouble = () => Promise.reject(Object.assign(new Error('terminating connection'), { code: '57P01' }))
    expectProblem(operation, await send(plumbline, operation, { by: owner }), 503, 'unavailable')
  })

  // On the embedded database, writing requests wait for one another, so the service never tells a second request to try
  // again.
  const repeatable = bySession.filter(
    ({ method, declaration }) =>
      method === 'POST' ||
      declaration.parameters?.some((parameter) => wholeContract.resolve(parameter).name === 'Idempotency-Key'),
  )
  test.skipIf(inject('postgres') === null).each(repeatable)(
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
      const sent = { by: owner, headers: { 'idempotency-key': `twice-${operation.id}` } }
      const first = send(plumbline, operation, sent)
      await started
      const second = await send(plumbline, operation, sent)
      fail(new Error('enough'))
      expectProblem(operation, second, 409, 'idempotency_in_progress')
      expect((await first).status).toBe(500)
    },
  )
})

describe('after the limit per minute is exhausted', () => {
  let plumbline: TestPlumbline
  let owner: RequestOptions
  beforeAll(async () => {
    plumbline = await startTestPlumbline({
      ...{ USER_LIMIT_PER_MINUTE: '1', SIGN_IN_LIMIT_PER_MINUTE: '1', TRUSTED_PROXIES: 'loopback' },
    })
    owner = await getSession(plumbline)
    expect((await plumbline.get('/api/ext/vendors', owner)).status).toBe(200)
    expect((await plumbline.post('/api/admin/sign-in/link', { email: OWNER }, pageRequest(''))).status).toBe(202)
  })
  afterAll(() => plumbline.stop())

  test.each(ofPeople)('$id rejects a request above the limit and returns the wait time', async (operation) => {
    const response = await send(plumbline, operation, { by: owner })
    expectProblem(operation, response, 429, 'rate_limited')
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(response.headers.get('ratelimit')).toMatch(/^"minute";r=0;t=\d+$/)
  })

  test('each IP address has its own rate limit, which a forged header cannot evade', async () => {
    const ask = (forwarded: string) =>
      plumbline.post(
        '/api/admin/sign-in/link',
        { email: OWNER },
        { key: null, headers: { 'sec-fetch-site': 'same-origin', 'x-forwarded-for': forwarded } },
      )
    expect((await ask('198.51.100.7')).status).toBe(202)
    expect((await ask('198.51.100.7')).status).toBe(429)
    // The proxy adds the address that it sees to those that the client sent.
    expect((await ask('203.0.113.9, 198.51.100.7')).status).toBe(429)
    // An API key has its own limit per minute.
    expect((await plumbline.get('/api/ext/vendors')).status).toBe(200)
  })
})
