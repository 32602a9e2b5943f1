import { beforeAll, describe, expect, test } from 'vitest'
import { at, contract } from '../../scripts/conformance/contract.ts'
import { schemaOfBody, type World } from '../../scripts/conformance/world.ts'
import type { Operation } from '../../server/http/contract.ts'
import { isTestedHere } from '../support/once.ts'
import type { Answer, TestPlumbline } from '../support/plumbline.ts'
import type { Populated } from '../support/populated.ts'
import { snapshot } from '../support/snapshot.ts'

/**
 * What every operation does with input that the contract does not allow: one exact refusal, and no change. All of it is
 * refused before a statement.
 */
const operations = [...contract.operations.values()]
const withBody = operations.filter(({ takesBody }) => takesBody)
const withoutBody = operations.filter(({ takesBody }) => !takesBody)

let plumbline: TestPlumbline
let world: World
let before: Record<string, string>

export function inputs(populated: () => Populated): void {
  describe.skipIf(!isTestedHere())('input that the contract does not allow', () => {
    beforeAll(async () => {
      ;({ plumbline, world } = populated())
      before = await snapshot(plumbline.database)
    })

    describe('a body that cannot be read is refused before anything else is looked at', () => {
      test.each(withBody)('$id', async (operation) => {
        for (const text of ['{', '{"a":1,}', "{'a':1}", 'nul', '{"a":1}}', '[1', '"\\ud8"', '{"a":\u0001}']) {
          const refused = await world.send(operation, { body: text })
          expect([text, refused.status, refused.body.code]).toEqual([text, 400, 'malformed_json'])
        }
        // If the body is optional, an empty one counts as absent.
        if (operation.declaration.requestBody?.required === true)
          expectInvalid(await world.send(operation, { body: '' }), [''])
        for (const type of [
          'text/plain',
          'application/xml',
          'application/json; charset=latin1',
          'application/jsonp',
          'multipart/form-data; boundary=x',
          'json',
        ]) {
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

    describe('a body that breaks the schema is refused with a pointer', () => {
      test.each(withBody)('$id', async (operation) => {
        for (const body of ['null', '[]', '"text"', '1', 'true', '[{}]']) {
          expectInvalid(await world.send(operation, { body }), [''])
        }
        const good = world.bodyOf(operation) as Record<string, unknown>
        expectInvalid(await world.send(operation, { body: { ...good, noSuchField: 1 } }), ['/noSuchField'])
        expectInvalid(
          await world.send(operation, { body: { ...good, organizationId: 'org_01m7y975jxfesvq68mgh9k60f6' } }),
          ['/organizationId'],
        )
        const { required = [] } = at2(schemaOfBody(operation)) as { required?: string[] }
        for (const name of required) {
          const { [name]: _left, ...rest } = good
          expectInvalid(await world.send(operation, { body: rest }), [`/${name}`])
        }
      })
    })

    describe('fields that only the service sets cannot be sent', () => {
      test.each(withBody)('$id', async (operation) => {
        const taken = Object.keys((at2(schemaOfBody(operation)) as { properties?: object }).properties ?? {})
        const answered = Object.entries(operation.declaration.responses).filter(([status]) => status < '300')
        const good = world.bodyOf(operation) as Record<string, unknown>
        for (const [status] of answered) {
          const place = [
            'paths',
            operation.path,
            operation.method.toLowerCase(),
            'responses',
            status,
            'content',
            'application/json',
          ]
          const example = Object.values((at(...place, 'examples') as object | undefined) ?? {})[0]
          const shown = Object.entries((at2(example) as { value?: object } | undefined)?.value ?? {})
          for (const [field, value] of shown.filter(([field]) => !taken.includes(field))) {
            expectInvalid(await world.send(operation, { body: { ...good, [field]: value } }), [`/${field}`])
          }
        }
      })
    })

    describe('an operation without a body accepts none', () => {
      const sending = withoutBody.filter(({ method }) => method !== 'GET')
      test.each(sending.filter(({ method }) => method === 'POST'))('$id', async (operation) => {
        expectInvalid(await world.send(operation, { body: { noSuchField: 1 } }), [''])
      })
    })

    describe('query parameters have to match the contract', () => {
      test.each(operations)('$id', async (operation) => {
        const [address = '', query] = world.addressFor(operation).split('?')
        const ask = (name: string, value: string) =>
          world.send(operation, { address: `${address}?${query === undefined ? '' : `${query}&`}${name}=${value}` })
        expectInvalid(await ask('noSuchParameter', '1'), ['noSuchParameter'])
        expectInvalid(await ask('__proto__', '1'), ['__proto__'])
        for (const { name, schema } of queryParameters(operation)) {
          for (const value of wrongValues(schema)) {
            const refused = await ask(name, value)
            expect([name, value, refused.status]).toEqual([name, value, 422])
            for (const { pointer } of refused.body.errors) expect(pointer).toMatch(new RegExp(`^${name}(/\\d+)?$`))
          }
          if (schema.type !== 'array')
            expectInvalid(await world.send(operation, { address: `${address}?${name}=a&${name}=b` }), [name])
        }
        if (queryParameters(operation).some(({ name }) => name === 'cursor')) {
          for (const cursor of ['nonsense', 'WyJ4Il0', btoa('["-createdAt",1]'), '%F0%9F%98%80']) {
            const refused = await ask('cursor', cursor)
            expect([cursor, refused.status, refused.body.code]).toEqual([cursor, 422, 'invalid_cursor'])
          }
        }
      })
    })

    describe('headers have to match the contract', () => {
      test.each(operations)('$id', async (operation) => {
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

    test('none of this changed anything', async () => {
      expect(await snapshot(plumbline.database)).toEqual(before)
    })
  })
}

function expectInvalid(answer: Answer, pointers: unknown[]): void {
  expect([answer.status, answer.body.code]).toEqual([422, 'validation_failed'])
  expect(answer.body.errors.map((fault: { pointer: string }) => fault.pointer)).toEqual(
    expect.arrayContaining(pointers),
  )
}

interface QueryParameter {
  name: string
  schema: Record<string, unknown>
}

function queryParameters(operation: Operation): QueryParameter[] {
  return (operation.declaration.parameters ?? [])
    .map((declared) => contract.resolve(declared))
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, schema }) => ({ name, schema: at2(schema) as Record<string, unknown> }))
}

/** Values that the schema of a query parameter does not accept. */
function wrongValues(schema: Record<string, unknown>): string[] {
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

/** A schema or example, following its reference. */
function at2(value: unknown): unknown {
  const reference = (value as { $ref?: unknown } | null | undefined)?.$ref
  return typeof reference === 'string' ? at(...reference.slice('#/'.length).split('/')) : value
}
