import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { isOpenToApiKeys } from '../../scripts/conformance/operation-kinds.ts'
import { EXAMPLE_IDS, findIdPrefix, listIds, TYPE_ID } from '../../scripts/conformance/resource-ids.ts'
import { contract, SKILL_RUNNERS } from '../../scripts/conformance/walked-contract.ts'
import { World } from '../../scripts/conformance/world.ts'
import type { Operation } from '../../server/platform/calls/contract.ts'
import { createKeySecret } from '../../server/platform/keys/key-secret.ts'
import { ALL_PERMISSIONS } from '../../server/platform/keys/roles.ts'
import { isTestedHere } from '../support/is-tested-here.ts'
import type { PopulatedPlumbline } from '../support/populated-plumbline.ts'
import { takeSnapshot } from '../support/snapshot.ts'
import type { TestPlumbline } from '../support/test-plumbline.ts'

/**
 * Tests the permissions of every operation in the contract. server/platform/keys tests on both databases how keys and
 * tokens are found. Here, one database is enough, because these tests only check that no operation skips the check.
 */
const operations = [...contract.operations.values()]
const openToKeys = operations.filter(isOpenToApiKeys)
const openToVendors = operations.filter(({ schemes }) => schemes.has('portalToken'))

let plumbline: TestPlumbline
let ours: World
let theirs: World
let strangers: [what: string, authorization: string | null, code: string][]
let keyOfAnotherTier: string
let before: Record<string, string>

export function testAccess(populated: () => PopulatedPlumbline): void {
  describe('permissions', () => {
    beforeAll(async () => {
      const { receiver } = populated()
      ;({ plumbline, world: ours } = populated())
      const other = await plumbline.newBuilder()
      theirs = await new World(plumbline, other.key, receiver.url).populate('enough')
      for (const permissions of listNarrowings()) keys.set(permissions.join(), await plumbline.newKey(permissions))
      const [expired, revoked] = [await plumbline.newKey([]), await plumbline.newKey([])]
      await endKey(expired, 'expiresAt')
      await endKey(revoked, 'revokedAt')
      const mistyped = `${plumbline.key.slice(0, -1)}${plumbline.key.endsWith('0') ? '1' : '0'}`
      strangers = [
        ['no key', null, 'missing_key'],
        ['a key in another scheme', `Basic xbearer${plumbline.key}x`, 'invalid_key'],
        ['no token', 'Bearer', 'invalid_key'],
        ['two tokens', `Bearer ${plumbline.key} ${plumbline.key}`, 'invalid_key'],
        ['a key without its scheme', plumbline.key, 'invalid_key'],
        ['a wrong checksum', `Bearer ${mistyped}`, 'invalid_key'],
        ['an unknown key', `Bearer ${createKeySecret()}`, 'invalid_key'],
        ['an expired key', `Bearer ${expired}`, 'expired_key'],
        ['a revoked key', `Bearer ${revoked}`, 'revoked_key'],
      ]
      keyOfAnotherTier = (await plumbline.newBuilder({ tier: 'free' })).key
      before = await takeSnapshot(plumbline.database)
    }, 120_000)

    test('the contract examples can create the resources that every operation needs, even for a second builder', () => {
      const missing = operations.map((operation) => theirs.missingFor(operation))
      expect(missing.filter((what) => what !== null)).toEqual([])
    })

    describe.skipIf(!isTestedHere())('every operation rejects unknown callers', () => {
      test.each(operations)('$id rejects unknown callers', async (operation) => {
        for (const [what, authorization, code] of strangers) {
          const response = await ours.send(operation, {
            key: null,
            ...(authorization !== null && { headers: { authorization } }),
          })
          // In the portal, an API key is never a valid token, even if the key is active.
          const said = isOpenToApiKeys(operation) || code === 'missing_key' ? code : 'invalid_key'
          expect([what, response.status, response.body.code]).toEqual([what, 401, said])
          expect(response.headers.get('www-authenticate')).toMatch(/^Bearer realm="plumbline"/)
          expect(response.headers.get('ratelimit')).toBeNull()
        }
      })
    })

    describe.skipIf(!isTestedHere())(
      'a key can run an operation only with every permission that the operation requires',
      () => {
        test.each(openToKeys)('$id requires each of its permissions', async (operation) => {
          for (const permission of operation.permissions) {
            const narrowed = ALL_PERMISSIONS.filter((other) => other !== permission)
            const refused = await ours.send(operation, { key: keys.get(narrowed.join()) ?? '' })
            expect([refused.status, refused.body.code, refused.body.permission]).toEqual([
              403,
              'permission_denied',
              permission,
            ])
          }
          // The service rejects an unknown parameter only after it has accepted the key.
          const key = keys.get(operation.permissions.join()) ?? ''
          const passed = await ours.send(operation, { key, address: `${withoutQuery(operation)}?noSuchParameter=1` })
          expect(passed.status).toBe(422)
        })
      },
    )

    test.each(openToKeys.filter(({ path }) => path.includes('{proposalId}')))(
      '$id requires the permissions of the proposed skill',
      async (operation) => {
        const refused = await ours.send(operation, { key: keys.get(operation.permissions.join()) ?? '' })
        expect([refused.status, refused.body.code]).toEqual([403, 'permission_denied'])
        expect(operation.permissions).not.toContain(refused.body.permission)
      },
    )

    test.skipIf(!isTestedHere())('every operation rejects an organization that is not on Pro+', async () => {
      for (const operation of openToKeys) {
        const refused = await ours.send(operation, { key: keyOfAnotherTier })
        expect([operation.id, refused.status, refused.body.code]).toEqual([operation.id, 403, 'tier_required'])
      }
    })

    test.skipIf(!isTestedHere())(
      'portal operations accept only portal tokens, and other operations only API keys',
      async () => {
        const [inPortal] = openToVendors
        const token = inPortal && ours.credentialFor(inPortal, ours.addressFor(inPortal))
        expect(token).toMatch(/^(inv|ven)_/)
        for (const [those, key] of [[openToVendors, plumbline.key] as const, [openToKeys, token] as const]) {
          for (const operation of those) {
            const refused = await ours.send(operation, { key })
            expect([operation.id, refused.status, refused.body.code]).toEqual([operation.id, 401, 'invalid_key'])
          }
        }
      },
    )

    describe("another builder's resource looks like one that does not exist", () => {
      const named = operations.filter(
        ({ path }) => path.includes('{') && idNames(path).every((name) => findIdPrefix(name) !== undefined),
      )

      test.each(named)("$id does not find another builder's resource by its path", async (operation) => {
        const [name = ''] = idNames(operation.path)
        const foreign = theirs.addressFor(operation)
        const query = foreign.includes('?') ? foreign.slice(foreign.indexOf('?')) : ''
        const responses = []
        const unknown = [undefined, `${findIdPrefix(name)}_01m7y975jzfesvq6zzzzzzzzzz`]
        for (const id of isTestedHere() ? [...unknown, ...NO_IDS] : unknown) {
          const address = id === undefined ? foreign : operation.path.replace(/\{\w+\}/g, id) + query
          const response = await ours.send(operation, { address })
          expect([id, response.status]).toEqual([id, 404])
          const { instance: _instance, requestId: _requestId, ...said } = response.body
          responses.push(said)
        }
        expect(responses[0].code).toBe('not_found')
        for (const response of responses) expect(response).toEqual(responses[0])
      })

      const filtered = operations.filter(({ method, id }) => method === 'GET' && id.startsWith('list'))

      test.each(filtered)("$id does not find another builder's resource with a filter", async (operation) => {
        const mine = await ours.send(operation)
        expect(mine.status).toBe(200)
        const foreignIds = new Set(
          [...listIds((await theirs.send(operation)).body)].filter((id) => !EXAMPLE_IDS.has(id)),
        )
        expect([...listIds(mine.body)].filter((id) => foreignIds.has(id))).toEqual([])
        for (const declared of operation.declaration.parameters ?? []) {
          const { name, in: where } = contract.resolve(declared)
          const id = theirs.idFor(name) ?? (name === 'ids' ? [...foreignIds][0] : undefined)
          if (where !== 'query' || id === undefined) continue
          const response = await ours.send(operation, { address: `${withoutQuery(operation)}?${name}=${id}` })
          // With such a filter, the list may contain only records that apply to every ID, such as vendors that may work
          // everywhere.
          expect([name, response.status]).toEqual([name, 200])
          expect([...listIds(response.body)].filter((found) => foreignIds.has(found))).toEqual([])
        }
      })

      const referring = operations.filter((operation) => operation.takesBody)

      test.each(referring)("$id rejects a reference to another builder's resource", async (operation) => {
        for (const body of ours.bodiesOf(operation)) {
          for (const { field, pointer, changed } of withForeignIds(body)) {
            const response = await ours.send(operation, { body: changed })
            // In the body of a skill, an ID may be a path parameter of the operation that the skill runs.
            if (SKILL_RUNNERS.has(operation.id) && response.status === 404) continue
            expect([field, response.status, response.body.code]).toEqual([field, 422, 'unknown_reference'])
            expect(response.body.errors.map((fault: { pointer: string }) => fault.pointer)).toContain(pointer)
          }
        }
      })
    })

    test('the permission tests change no data', async () => {
      expect(await takeSnapshot(plumbline.database)).toEqual(before)
    })
  })
}

/** One API key for each set of permissions that the tests use. */
const keys = new Map<string, string>()

function listNarrowings(): string[][] {
  const sets = operations.flatMap(({ permissions }) => [
    [...permissions],
    ...permissions.map((permission) => ALL_PERMISSIONS.filter((other) => other !== permission)),
  ])
  return [...new Map(sets.map((set) => [set.join(), set])).values()]
}

async function endKey(secret: string, how: 'expiresAt' | 'revokedAt'): Promise<void> {
  const start = secret.slice(0, 10)
  await sql`update "apiKeys" k set ${sql.ref(how)} = now() - interval '1 hour' from "apiKeySecrets" s
    where s."keyId" = k."id" and s."start" = ${start}`.execute(plumbline.database.statements)
}

function withoutQuery(operation: Operation): string {
  return ours.addressFor(operation).split('?', 1)[0] ?? ''
}

/** Values that the service rejects without a query to the database. */
const NO_IDS = ['nonsense', '%00', '%E0%A4%A', '..%2F..', 'x'.repeat(64)]

function idNames(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '')
}

/** Yields copies of the body. In each copy, one ID is replaced by an ID of the other builder. */
function* withForeignIds(body: unknown): Generator<{ field: string; pointer: string; changed: unknown }> {
  function* places(value: unknown, at: (string | number)[]): Generator<(string | number)[]> {
    if (typeof value === 'string' && TYPE_ID.test(value)) yield at
    if (typeof value !== 'object' || value === null) return
    for (const [key, inner] of Object.entries(value)) yield* places(inner, [...at, key])
  }
  for (const place of places(body, [])) {
    const field = String(place.findLast((key) => Number.isNaN(Number(key))))
    const foreign = theirs.idFor(field)
    if (foreign === undefined) continue
    const changed = structuredClone(body)
    let holder = changed as Record<string | number, unknown>
    for (const key of place.slice(0, -1)) holder = holder[key] as Record<string | number, unknown>
    holder[place.at(-1) ?? ''] = foreign
    yield { field, pointer: `/${place.join('/')}`, changed }
  }
}
