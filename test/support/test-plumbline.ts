import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { sql } from 'kysely'
import { pino } from 'pino'
import {
  addDefaultKey,
  type RequestOptions,
  type Service,
  type ServiceResponse,
  sendRequest,
} from '../../scripts/conformance/service.ts'
import { findValidator } from '../../scripts/conformance/walked-contract.ts'
import { createOrganization } from '../../server/domain/office/organizations/organizations.ts'
import * as vendors from '../../server/domain/vendors/vendors/queries.ts'
import { buildVendor } from '../../server/domain/vendors/vendors/vendor.ts'
import { createValidator } from '../../server/interfaces/http/request-validator.ts'
import { createResponseChecker } from '../../server/interfaces/http/response-check.ts'
import { operations } from '../../server/interfaces/operations.ts'
import { loadContract } from '../../server/platform/calls/contract.ts'
import { readConfig } from '../../server/platform/config/config.ts'
import { createVault } from '../../server/platform/encryption/vault.ts'
import { createKey } from '../../server/platform/keys/keys.ts'
import {
  getPortalLinkEncryptionContext,
  hashPortalToken,
  issuePortalLinks,
} from '../../server/platform/keys/portal-links.ts'
import { createSystemCall } from '../../server/platform/keys/principals.ts'
import { Clock } from '../../server/platform/runtime/clock.ts'
import { type Plumbline, type PlumblineParts, startPlumbline } from '../../server/plumbline.ts'
import { createTestDatabase } from './databases.ts'
import { Emissions, listUndeclaredEmissions } from './emissions.ts'
import { listBrokenEvents } from './recorded-events.ts'

/**
 * A complete service for one test file. It has real HTTP on a free port, its own database, a clock that the test can
 * move forward, and a builder with an API key. The database is PGlite or a database on this run's PostgreSQL server.
 */
export interface TestPlumbline extends Plumbline, Service {
  organizationId: string
  /** The events that each operation has recorded so far. */
  emissions: Emissions
  /** An API key with all permissions. */
  key: string
  /** Creates another builder with its own API key. Used to test that builders cannot access each other's data. */
  newBuilder(options?: BuilderOptions): Promise<Builder>
  newKey(permissions: string[], organizationId?: string): Promise<string>
  /** Returns the portal token of a new vendor, which is created without an operation. */
  newPortalToken(): Promise<string>
  /**
   * Returns the portal link that was emailed for an invitation or for a vendor's whole portal. Used in tests without a
   * mail server, because no operation returns this link. If the token of the link is not stored, each call replaces the
   * link.
   */
  mailedLink(subjectId: string): Promise<string>
  /**
   * Signs in the user with this email address, by default the owner. Returns the options for requests like those from a
   * page of the service.
   */
  signIn(email?: string): Promise<RequestOptions>
  get(path: string, options?: RequestOptions): Promise<ServiceResponse>
  post(path: string, body?: unknown, options?: RequestOptions): Promise<ServiceResponse>
  put(path: string, body: unknown, options?: RequestOptions): Promise<ServiceResponse>
  patch(path: string, body: unknown, options?: RequestOptions): Promise<ServiceResponse>
  delete(path: string, options?: RequestOptions): Promise<ServiceResponse>
  /** Repeats the request until the condition is true. Fails after ten seconds with the last response. */
  until(path: string, holds: (response: ServiceResponse) => boolean): Promise<ServiceResponse>
}

export interface Builder {
  organizationId: string
  userId: string
  key: string
}

export interface BuilderOptions {
  name?: string
  currency?: string
  tier?: string
  timeZone?: string
  poApprovalLimit?: number | null
}

export type { RequestOptions, ServiceResponse }

// All test files of a process share the compiled schemas, because compiling all schemas for every file would take
// longer than the tests. Each schema is compiled when it is first needed. A test file with its own contract compiles
// its schemas itself.
const contract = loadContract()
export const compiledContract = {
  contract,
  validator: createValidator(contract),
  answerCheck: createResponseChecker(contract, findValidator),
}

export async function startTestPlumbline(
  env: Record<string, string> = {},
  parts: Partial<PlumblineParts> = {},
): Promise<TestPlumbline> {
  const config = readConfig({
    PORT: '0',
    DATA_DIR: mkdtempSync(path.join(tmpdir(), 'plumbline-test-')),
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    WEBHOOK_ALLOW_PRIVATE: 'true',
    RATE_LIMIT_PER_MINUTE: '1000000',
    FAILED_KEYS_PER_MINUTE: '1000000',
    MAX_CONNECTIONS_PER_ADDRESS: '5000',
    QUOTA_PER_DAY: '100000000',
    PORTAL_LIMIT_PER_MINUTE: '1000000',
    PORTAL_CLIENT_LIMIT_PER_MINUTE: '1000000',
    USER_LIMIT_PER_MINUTE: '1000000',
    SIGN_IN_LIMIT_PER_MINUTE: '1000000',
    EMBEDDED_FSYNC: 'false',
    CHECK_ANSWERS: 'true',
    COMPILE_AHEAD: 'false',
    LOG_LEVEL: 'silent',
    ...env,
  })
  const database = parts.database ?? (await createTestDatabase(config))
  const log = pino({ level: config.logLevel })
  const emissions = new Emissions()
  const plumbline = await startPlumbline({
    config,
    log,
    database,
    clock: new Clock(),
    ...(parts.contract === undefined && compiledContract),
    ...parts,
    handlers: emissions.watch(parts.handlers ?? operations),
  })

  async function newBuilder({ poApprovalLimit = null, ...options }: BuilderOptions = {}): Promise<Builder> {
    const { organization, owner } = await createOrganization(database, plumbline.clock, {
      name: 'Harrow & Finch Homes',
      ownerEmail: 'priya@harrowfinch.example.com',
      ownerName: 'Priya Harrow',
      poApprovalLimit,
      most: 1000,
      ...options,
    })
    const { secret } = await createKey(database, plumbline.clock, {
      organizationId: organization.id,
      userId: owner.id,
      name: 'Test',
      // The key does not expire, because tests may move the clock forward by any amount of time.
      expiresAt: null,
    })
    return { organizationId: organization.id, userId: owner.id, key: secret }
  }

  const builder = await newBuilder()
  function request(method: string, target: string, body?: unknown, options?: RequestOptions): Promise<ServiceResponse> {
    return sendRequest(plumbline.url, method, target, body, addDefaultKey(builder.key, options))
  }

  return {
    ...plumbline,
    emissions,
    organizationId: builder.organizationId,
    key: builder.key,
    newBuilder,
    async newKey(permissions, organizationId = builder.organizationId) {
      const userId = organizationId === builder.organizationId ? builder.userId : undefined
      const { secret } = await createKey(database, plumbline.clock, {
        organizationId,
        userId,
        name: 'Narrow',
        permissions,
        expiresAt: null,
      })
      return secret
    },
    async newPortalToken() {
      const call = await createSystemCall(plumbline.app.services, builder.organizationId)
      return call.write(async (call) => {
        const { id } = await vendors.insert(call, buildVendor({ companyName: 'Brazos Framing', status: 'active' }))
        const addresses = await issuePortalLinks(call, [{ subjectId: id, vendorId: id }])
        return addresses.get(id)?.split('/').at(-1) ?? ''
      })
    },
    async mailedLink(subjectId) {
      const { publicUrl, encryptionKey } = plumbline.app.services.config
      const db = database.statements
      const { rows } = await sql<{ organizationId: string; sealedToken: string | null }>`
        select "organizationId", "sealedToken" from "portalAddresses"
        where "subjectId" = ${subjectId} and "revokedAt" is null and "copiedBy" is null`.execute(db)
      const [row] = rows
      if (row === undefined) throw new Error(`${subjectId} has no portal link.`)
      if (row.sealedToken !== null) {
        const place = getPortalLinkEncryptionContext(row.organizationId, subjectId)
        return `${publicUrl}/portal/${createVault(encryptionKey).open(row.sealedToken, place)}`
      }
      const token = `${subjectId}.${randomBytes(24).toString('base64url')}`
      await sql`
        update "portalAddresses" set "hash" = ${hashPortalToken(token)}
        where "subjectId" = ${subjectId} and "revokedAt" is null and "copiedBy" is null`.execute(db)
      return `${publicUrl}/portal/${token}`
    },
    async signIn(email = 'priya@harrowfinch.example.com') {
      const { url } = await plumbline.app.services.identity.makeLink(email, 60_000)
      const body = { token: url.slice(url.indexOf('=') + 1), device: 'Test' }
      const response = await request('POST', '/api/admin/sign-in', body, pageRequest(''))
      if (response.status !== 200) throw new Error(`The sign-in was answered ${JSON.stringify(response.body)}`)
      return pageRequest(response.headers.getSetCookie()[0]?.split(';')[0] ?? '')
    },
    // At the end, all events of a test file must match the contract, even if the file does not test events.
    async stop() {
      if (process.env.SEEN_RESPONSES !== undefined) emissions.note(process.env.SEEN_RESPONSES)
      const broken = [
        ...(await listBrokenEvents(database)),
        ...listUndeclaredEmissions(plumbline.app.services.contract, emissions),
      ]
      await plumbline.stop()
      rmSync(config.dataDir, { recursive: true, force: true })
      if (broken.length > 0) throw new Error(`Events break the contract:\n${broken.join('\n')}`)
    },
    request,
    get: (target, options) => request('GET', target, undefined, options),
    post: (target, body, options) => request('POST', target, body, options),
    put: (target, body, options) => request('PUT', target, body, options),
    patch: (target, body, options) => request('PATCH', target, body, options),
    delete: (target, options) => request('DELETE', target, undefined, options),
    async until(target, holds) {
      const deadline = Date.now() + 10_000
      for (;;) {
        const response = await request('GET', target, undefined)
        if (holds(response)) return response
        if (Date.now() > deadline) throw new Error(`${target} did not come to it: ${JSON.stringify(response.body)}`)
        await new Promise((next) => setTimeout(next, 20))
      }
    },
  }
}

/** Returns the headers that a browser sends with a request from a page of the service. */
export function pageRequest(cookie: string): RequestOptions {
  return { key: null, headers: { 'sec-fetch-site': 'same-origin', ...(cookie !== '' && { cookie }) } }
}
