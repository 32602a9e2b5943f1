import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toOperationKeyPath } from '../../scripts/conformance/describe-response-errors.ts'
import { contract, getValueAtPath, listEntriesAtPath } from '../../scripts/conformance/walked-contract.ts'
import type { Input } from '../../server/interfaces/http/input-checker.ts'
import { parseQuery } from '../../server/interfaces/http/request-validator.ts'
import type { Operation, Schema } from '../../server/platform/calls/contract.ts'
import { isTestedHere } from '../support/is-tested-here.ts'
import { compiledContract } from '../support/test-plumbline.ts'

/**
 * Tests that handlers receive every default in the contract, whether it is in a query, in a body, or nested in a body,
 * and whether the operation is called over HTTP or within the process.
 */
const { validator } = compiledContract

/** A server that returns the input that an operation's handler would get. */
let echo: Server
beforeAll(async () => {
  const app = express().set('query parser', parseQuery).use(express.json())
  app.use(async (req, res) => {
    const operation = contract.operations.get(req.headers['x-operation'] as Operation['id'])
    if (operation === undefined) throw new Error('The request names no operation.')
    res.json(await validator.check(operation, req, res))
  })
  await new Promise<void>((done) => {
    echo = app.listen(0, '127.0.0.1', () => done())
  })
})
afterAll(() => echo.close())

async function overHttp(operation: Operation, body: unknown): Promise<Input> {
  const { port } = echo.address() as AddressInfo
  const path = operation.path.replaceAll(/\{\w+\}/g, 'x')
  const response = await fetch(`http://127.0.0.1:${port}${path}?${queryText(requiredQuery(operation))}`, {
    method: operation.method,
    headers: { 'x-operation': operation.id, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  expect(response.status).toBe(200)
  return (await response.json()) as Input
}

function inProcess(operation: Operation, body: unknown): Input {
  return validator.checkInput(operation, { path: {}, query: requiredQuery(operation), body: structuredClone(body) })
}

type Place = [path: string[], value: unknown]

const cases = [...contract.operations.values()].flatMap((operation) => {
  const query = (operation.declaration.parameters ?? []).flatMap((declared): Place[] => {
    const { in: where, name, schema } = contract.resolve(declared)
    const value = contract.resolve<Schema>(schema).default
    return where === 'query' && value !== undefined ? [[[name], value]] : []
  })
  const bodies = getBodies(operation).map((body) => ({ body, places: withoutDefaults(getSchema(operation), body, []) }))
  const count = query.length + bodies.reduce((sum, { places }) => sum + places.length, 0)
  return count === 0 ? [] : [{ id: operation.id, operation, query, bodies }]
})

describe.skipIf(!isTestedHere())('defaults are filled in', () => {
  test.each(cases)('$id fills in defaults', async ({ operation, query, bodies }) => {
    for (const { body, places } of bodies.length > 0 ? bodies : [{ body: undefined, places: [] }]) {
      for (const checked of [await overHttp(operation, body), inProcess(operation, body)]) {
        for (const [path, value] of query) expect([path, valueAt(checked.query, path)]).toEqual([path, value])
        for (const [path, value] of places) expect([path, valueAt(checked.body, path)]).toEqual([path, value])
      }
    }
  })
})

function getBodies(operation: Operation): unknown[] {
  if (!operation.takesBody) return []
  const examples = listEntriesAtPath(
    ...toOperationKeyPath(operation),
    'requestBody',
    'content',
    'application/json',
    'examples',
  )
  return examples.map(([, { value }]) => structuredClone(value))
}

function getSchema(operation: Operation): Schema {
  return getValueAtPath(
    ...toOperationKeyPath(operation),
    'requestBody',
    'content',
    'application/json',
    'schema',
  ) as Schema
}

/** Removes all fields that have a default from a body. Returns their paths and expected values. */
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

function queryText(query: Record<string, unknown>): string {
  return new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString()
}

function requiredQuery(operation: Operation): Record<string, unknown> {
  const query: Record<string, unknown> = {}
  for (const declared of operation.declaration.parameters ?? []) {
    const { in: where, name, required, example } = contract.resolve(declared) as never as Record<string, unknown>
    if (where === 'query' && required === true) query[String(name)] = example ?? 'x'
  }
  return query
}

function valueAt(value: unknown, path: string[]): unknown {
  return path.reduce((inner, step) => (inner as Record<string, unknown> | undefined)?.[step], value)
}
