import { beforeAll, describe, expect, test } from 'vitest'
import { findBodySchema } from '../../scripts/conformance/operation-kinds.ts'
import { contract, getValueAtPath } from '../../scripts/conformance/walked-contract.ts'
import type { World } from '../../scripts/conformance/world.ts'
import type { Operation } from '../../server/platform/calls/contract.ts'
import { isTestedHere } from '../support/is-tested-here.ts'
import type { PopulatedPlumbline } from '../support/populated-plumbline.ts'
import { takeSnapshot } from '../support/snapshot.ts'
import type { ServiceResponse, TestPlumbline } from '../support/test-plumbline.ts'

/**
 * Tests that every operation rejects input that the contract does not allow. The operation must respond with an exact
 * problem before it sends any statement, and must not change anything.
 */
const operations = [...contract.operations.values()]
const withBody = operations.filter(({ takesBody }) => takesBody)
const withoutBody = operations.filter(({ takesBody }) => !takesBody)

let plumbline: TestPlumbline
let world: World
let before: Record<string, string>

export function testInputs(populated: () => PopulatedPlumbline): void {
  describe.skipIf(!isTestedHere())('input that the contract does not allow', () => {
    beforeAll(async () => {
      ;({ plumbline, world } = populated())
      before = await takeSnapshot(plumbline.database)
    })

    describe('a body that cannot be read is rejected before any other check', () => {
      test.each(withBody)('$id rejects an unreadable body before any other check', async (operation) => {
        for (const text of selectThird(operation, UNREADABLE)) {
          const refused = await world.send(operation, { body: text })
          expect([text, refused.status, refused.body.code]).toEqual([text, 400, 'malformed_json'])
        }
        // An empty body is rejected only if the body is required.
        if (operation.declaration.requestBody?.required === true)
          expectInvalid(await world.send(operation, { body: '' }), [''])
        for (const type of selectThird(operation, OTHER_TYPES)) {
          const refused = await world.send(operation, { headers: { 'content-type': type } })
          expect([type, refused.status, refused.body.code]).toEqual([type, 415, 'unsupported_media_type'])
        }
        const large = await world.send(operation, {
          body: JSON.stringify({ unknownField: 'x'.repeat(operation.mostBodyBytes ?? 1024 * 1024) }),
        })
        expect([large.status, large.body.code]).toEqual([413, 'payload_too_large'])
        const deep = await world.send(operation, { body: `${'['.repeat(33)}${']'.repeat(33)}` })
        expect([deep.status, deep.body.code]).toEqual([400, 'malformed_json'])
      })
    })

    describe('a body that breaks the schema is rejected with a pointer', () => {
      test.each(withBody)('$id rejects a body that breaks the schema with a pointer', async (operation) => {
        for (const body of selectThird(operation, ['null', '[]', '"text"', '1', 'true', '[{}]'])) {
          expectInvalid(await world.send(operation, { body }), [''])
        }
        const good = world.bodyOf(operation) as Record<string, unknown>
        const unknown = { noSuchField: 1, organizationId: 'org_01m7y975jxfesvq68mgh9k60f6' }
        await expectEach(operation, { ...good, ...unknown }, Object.keys(unknown))
        const { required = [] } = resolveValue(findBodySchema(operation)) as { required?: string[] }
        const rest = Object.entries(good).filter(([name]) => !required.includes(name))
        await expectEach(operation, Object.fromEntries(rest), required)
      })
    })

    describe('fields that only the service sets cannot be sent', () => {
      test.each(withBody)('$id rejects fields that only the service sets', async (operation) => {
        const taken = Object.keys((resolveValue(findBodySchema(operation)) as { properties?: object }).properties ?? {})
        const responded = Object.entries(operation.declaration.responses).filter(([status]) => status < '300')
        const good = world.bodyOf(operation) as Record<string, unknown>
        for (const [status] of responded) {
          const place = [
            'paths',
            operation.path,
            operation.method.toLowerCase(),
            'responses',
            status,
            'content',
            'application/json',
          ]
          const example = Object.values((getValueAtPath(...place, 'examples') as object | undefined) ?? {})[0]
          const shown = Object.entries((resolveValue(example) as { value?: object } | undefined)?.value ?? {})
          const set = Object.fromEntries(shown.filter(([field]) => !taken.includes(field)))
          await expectEach(operation, { ...good, ...set }, Object.keys(set))
        }
      })
    })

    describe('an operation without a body accepts no body', () => {
      const sending = withoutBody.filter(({ method }) => method !== 'GET')
      test.each(sending.filter(({ method }) => method === 'POST'))('$id accepts no body', async (operation) => {
        expectInvalid(await world.send(operation, { body: { noSuchField: 1 } }), [''])
      })
    })

    describe('query parameters must match the contract', () => {
      test.each(operations)('$id rejects query parameters that do not match the contract', async (operation) => {
        const [address = '', query] = world.addressFor(operation).split('?')
        const ask = (...provided: (readonly [name: string, value: string])[]) => {
          const requested = provided.map(([name, value]) => `${name}=${value}`).join('&')
          return world.send(operation, { address: `${address}?${query === undefined ? '' : `${query}&`}${requested}` })
        }
        expectInvalid(await ask(['noSuchParameter', '1'], ['__proto__', '1']), ['noSuchParameter', '__proto__'])
        // All parameters are invalid at once, each time in a different way.
        const wrong = listQueryParameters(operation).map(({ name, schema }) => ({
          name,
          values: listWrongValues(schema),
        }))
        for (let way = 0; wrong.some(({ values }) => way < values.length); way++) {
          const all = wrong.flatMap(({ name, values }) =>
            values.slice(way, way + 1).map((value) => [name, value] as const),
          )
          const isLong = ([, value]: readonly [string, string]) => value.length > 1000
          // Sends long values in separate requests, because a URL must not be longer than the limit for headers.
          const apart = all.filter(isLong).map((one) => [one])
          for (const provided of [all.filter((one) => !isLong(one)), ...apart].filter(({ length }) => length > 0)) {
            const refused = await ask(...provided)
            expect([provided, refused.status]).toEqual([provided, 422])
            const named = refused.body.errors.map(({ pointer }: { pointer: string }) => pointer.replace(/\/\d+$/, ''))
            expect([...new Set(named)].sort()).toEqual(provided.map(([name]) => name).sort())
          }
        }
        const single = listQueryParameters(operation).filter(({ schema }) => schema.type !== 'array')
        for (const { name } of single)
          expectInvalid(await world.send(operation, { address: `${address}?${name}=a&${name}=b` }), [name])
        if (listQueryParameters(operation).some(({ name }) => name === 'cursor')) {
          for (const cursor of ['nonsense', 'WyJ4Il0', btoa('["-createdAt",1]'), '%F0%9F%98%80']) {
            const refused = await ask(['cursor', cursor])
            expect([cursor, refused.status, refused.body.code]).toEqual([cursor, 422, 'invalid_cursor'])
          }
        }
      })
    })

    describe('headers must match the contract', () => {
      test.each(operations)('$id rejects headers that do not match the contract', async (operation) => {
        for (const declared of operation.declaration.parameters ?? []) {
          const { name, in: where } = contract.resolve(declared)
          if (where !== 'header') continue
          expectInvalid(await world.send(operation, { headers: { [name]: 'x'.repeat(501) } }), [
            expect.stringMatching(new RegExp(`^${name}$`, 'i')),
          ])
          expectInvalid(await world.send(operation, { headers: { [name]: '' } }), [
            expect.stringMatching(new RegExp(`^${name}$`, 'i')),
          ])
        }
      })
    })

    test('the input tests change no data', async () => {
      expect(await takeSnapshot(plumbline.database)).toEqual(before)
    })
  })
}

function expectInvalid(response: ServiceResponse, pointers: unknown[]): void {
  expect([response.status, response.body.code]).toEqual([422, 'validation_failed'])
  expect(response.body.errors.map((fault: { pointer: string }) => fault.pointer)).toEqual(
    expect.arrayContaining(pointers),
  )
}

const UNREADABLE = ['{', '{"a":1,}', "{'a':1}", 'nul', '{"a":1}}', '[1', '"\\ud8"', '{"a":\u0001}']
const OTHER_TYPES = [
  'text/plain',
  'application/xml',
  'application/json; charset=latin1',
  'application/jsonp',
  'multipart/form-data; boundary=x',
  'json',
]

/**
 * Returns a third of the values, so that each value is tried with a third of the operations. This is enough, because
 * the same code reads the bodies of all operations.
 */
function selectThird<Value>(operation: Operation, all: readonly Value[]): Value[] {
  const place = withBody.indexOf(operation)
  return all.filter((_, i) => (i + place) % 3 === 0)
}

/** Asserts that the body is rejected and that the errors point to all of these fields. */
async function expectEach(
  operation: Operation,
  body: Record<string, unknown>,
  fields: readonly string[],
): Promise<void> {
  if (fields.length === 0) return
  const pointers = fields.map((field) => `/${field}`)
  expectInvalid(await world.send(operation, { body }), pointers)
}

interface QueryParameter {
  name: string
  schema: Record<string, unknown>
}

function listQueryParameters(operation: Operation): QueryParameter[] {
  return (operation.declaration.parameters ?? [])
    .map((declared) => contract.resolve(declared))
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, schema }) => ({ name, schema: resolveValue(schema) as Record<string, unknown> }))
}

/** Returns values that the schema of a query parameter rejects. */
function listWrongValues(schema: Record<string, unknown>): string[] {
  const values = ['%00']
  if (schema.minLength !== undefined || schema.type === 'integer' || schema.enum !== undefined) values.push('')
  if (schema.enum !== undefined) values.push('nonsense')
  if (schema.type === 'boolean') values.push('yes', '1', 'TRUE')
  if (schema.type === 'integer' || schema.type === 'number') values.push('abc', '1e400', 'NaN', '0x10')
  if (typeof schema.minimum === 'number') values.push(String(schema.minimum - 1))
  if (typeof schema.maximum === 'number') values.push(String(schema.maximum + 1))
  if (typeof schema.maxLength === 'number') values.push('x'.repeat(schema.maxLength + 1))
  if (schema.format === 'date-time' || schema.format === 'date')
    values.push('yesterday', '2026-02-30', '2026-13-01T00:00:00Z')
  if (schema.type === 'array')
    values.push(Array.from({ length: Number(schema.maxItems) + 1 }, (_, index) => `x${index}`).join(','))
  return values
}

/** Returns a schema or an example. If it is a reference, returns its target. */
function resolveValue(value: unknown): unknown {
  const reference = (value as { $ref?: unknown } | null | undefined)?.$ref
  return typeof reference === 'string' ? getValueAtPath(...reference.slice('#/'.length).split('/')) : value
}
