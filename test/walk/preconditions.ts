import { beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../../scripts/conformance/walked-contract.ts'
import type { World } from '../../scripts/conformance/world.ts'
import type { PopulatedPlumbline } from '../support/populated-plumbline.ts'
import { takeSnapshot } from '../support/snapshot.ts'
import type { TestPlumbline } from '../support/test-plumbline.ts'

/** Tests ETag, If-None-Match, and If-Match for every operation that declares them. */
const operations = [...contract.operations.values()]
const readable = operations.filter(({ declaration }) => '304' in declaration.responses)
const guarded = operations.filter(({ declaration }) =>
  (declaration.parameters ?? []).some((declared) => contract.resolve(declared).name === 'If-Match'),
)

let plumbline: TestPlumbline
let world: World

export function testPreconditions(populated: () => PopulatedPlumbline): void {
  describe('conditions', () => {
    beforeAll(() => {
      ;({ plumbline, world } = populated())
    })

    describe('an unchanged resource is not sent again', () => {
      test.each(readable)('$id does not send an unchanged resource again', async (operation) => {
        const first = await world.send(operation)
        expect(first.status).toBe(200)
        const etag = first.headers.get('etag') ?? ''
        expect(etag).toMatch(/^"[^"]+"$/)
        const { version } = first.body
        // If a record contains fields of other records, its ETag has a suffix.
        if (version !== undefined) expect(etag.replace(/\..+"$/, '"')).toBe(`"${version}"`)
        for (const header of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
          const again = await world.send(operation, { headers: { 'if-none-match': header } })
          expect([header, again.status, again.body, again.headers.get('etag')]).toEqual([header, 304, '', etag])
        }
        const other = await world.send(operation, { headers: { 'if-none-match': '"another"' } })
        expect(other.status).toBe(200)
      })
    })

    describe('a change based on another version is rejected with the current version', () => {
      let before: Record<string, string>
      beforeAll(async () => {
        before = await takeSnapshot(plumbline.database)
      })

      test.each(guarded)('$id rejects a change that is based on another version', async (operation) => {
        for (const header of ['"999999"', '"nonsense"', 'W/"999999"', '"0", "999998"']) {
          const refused = await world.send(operation, { headers: { 'if-match': header } })
          // If a change would be rejected for another reason, that reason takes precedence over the version (RFC 9110,
          // 13.2.1).
          if (refused.status === 409) {
            expect((await world.send(operation)).body.code).toBe(refused.body.code)
            continue
          }
          expect([header, refused.status, refused.body.code]).toEqual([header, 412, 'precondition_failed'])
          expect(refused.headers.get('etag')).toBe(`"${refused.body.currentVersion}"`)
        }
      })

      test('the precondition tests change no data', async () => {
        expect(await takeSnapshot(plumbline.database)).toEqual(before)
      })
    })
  })
}
