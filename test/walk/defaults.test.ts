import { describe, expect, test } from 'vitest'
import { at, contract, entriesAt } from '../../scripts/conformance/contract.ts'
import { placeOf } from '../../scripts/conformance/judge.ts'
import type { Operation, Schema } from '../../server/http/contract.ts'
import { createValidator } from '../../server/http/validate.ts'

/** What the contract has a default for is there when a handler looks, in a query, in a body, and in what is in a body. */
const validator = createValidator(contract)

type Place = [path: string[], value: unknown]

const cases = [...contract.operations.values()].flatMap((operation) => {
  const query = (operation.declaration.parameters ?? []).flatMap((declared): Place[] => {
    const { in: where, name, schema } = contract.resolve(declared)
    const value = contract.resolve<Schema>(schema).default
    return where === 'query' && value !== undefined ? [[[name], value]] : []
  })
  const bodies = bodiesOf(operation).map((body) => ({ body, places: withoutDefaults(schemaOf(operation), body, []) }))
  const count = query.length + bodies.reduce((sum, { places }) => sum + places.length, 0)
  return count === 0 ? [] : [{ id: operation.id, operation, query, bodies }]
})

describe('defaults are filled in', () => {
  test.each(cases)('$id', async ({ operation, query, bodies }) => {
    for (const { body, places } of bodies.length > 0 ? bodies : [{ body: undefined, places: [] }]) {
      const headers = operation.takesBody ? { 'content-type': 'application/json' } : {}
      const checked = await validator.check(operation, { url: requiredQuery(operation), params: {}, headers, body })
      for (const [path, value] of query) expect([path, valueAt(checked.query, path)]).toEqual([path, value])
      for (const [path, value] of places) expect([path, valueAt(checked.body, path)]).toEqual([path, value])
    }
  })
})

function bodiesOf(operation: Operation): unknown[] {
  if (!operation.takesBody) return []
  const examples = entriesAt(...placeOf(operation), 'requestBody', 'content', 'application/json', 'examples')
  return examples.map(([, { value }]) => structuredClone(value))
}

function schemaOf(operation: Operation): Schema {
  return at(...placeOf(operation), 'requestBody', 'content', 'application/json', 'schema') as Schema
}

/** Takes out of a body what has a default, and says where that was and what has to stand there. */
function withoutDefaults(schema: Schema, body: unknown, path: string[]): Place[] {
  if (Array.isArray(body)) {
    const items = contract.resolve<Schema>((schema.items ?? {}) as Schema)
    return body.flatMap((item, i) => withoutDefaults(items, item, [...path, String(i)]))
  }
  if (typeof body !== 'object' || body === null) return []
  return Object.entries((schema.properties ?? {}) as Record<string, Schema>).flatMap(([name, property]) => {
    const place = [...path, name]
    const fields = body as Record<string, unknown>
    if (property.default === undefined) return withoutDefaults(contract.resolve<Schema>(property), fields[name], place)
    delete fields[name]
    return [[place, property.default]]
  })
}

function requiredQuery(operation: Operation): string {
  const query = new URLSearchParams()
  for (const declared of operation.declaration.parameters ?? []) {
    const { in: where, name, required, example } = contract.resolve(declared) as never as Record<string, unknown>
    if (where === 'query' && required === true) query.set(String(name), String(example ?? 'x'))
  }
  return query.size > 0 ? `/?${query}` : '/'
}

function valueAt(value: unknown, path: string[]): unknown {
  return path.reduce((inner, step) => (inner as Record<string, unknown> | undefined)?.[step], value)
}
