import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import { parse } from 'yaml'
import { type ContractDocument, readContract } from '../../server/http/contract.ts'
import { formats } from '../../server/http/formats.ts'

/**
 * The contract as it is written, for suites that walk it, and its schemas compiled strictly: an unknown keyword, an
 * unknown format or a required property that is not declared is a fault of the contract and throws.
 */
export const root = path.resolve(import.meta.dirname, '../..')
export const document = parse(readFileSync(path.join(root, 'openapi.yaml'), 'utf8'), {
  maxAliasCount: -1,
}) as ContractDocument
export const contract = readContract(document)

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true, formats })
ajvFormats.default(ajv, { mode: 'full' })
ajv.addSchema(document, 'contract')

/** The value at a place in the document, references followed; undefined where there is none. */
export function at(...keys: string[]): unknown {
  return keys.reduce<unknown>(
    (place, key) => follow((follow(place) as Record<string, unknown> | undefined)?.[key]),
    document,
  )
}

function follow(place: unknown): unknown {
  const reference = (place as { $ref?: unknown } | null | undefined)?.$ref
  if (typeof reference !== 'string') return place
  const target = at(...keysOf(reference))
  if (target === undefined) throw new Error(`${reference} leads nowhere.`)
  return target
}

/** The entries of an object in the document, references followed. */
export function entriesAt(...keys: string[]): [string, Record<string, unknown>][] {
  return Object.keys((at(...keys) as Record<string, unknown> | undefined) ?? {}).map((key) => [
    key,
    at(...keys, key) as Record<string, unknown>,
  ])
}

/** The faults of a value by the schema at a place, one to a line; an empty text when it is valid. */
export function faults(value: unknown, ...keys: string[]): string {
  const pointer = home(keys)
    .map((key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1')))
    .join('/')
  const validate = ajv.getSchema(`contract#/${pointer}`)
  if (validate === undefined) throw new Error(`There is no schema at ${keys.join(' › ')}.`)
  if (validate(value)) return ''
  return (validate.errors ?? [])
    .map(({ instancePath, message, params }) => `${instancePath || '/'} ${message} ${JSON.stringify(params)}`)
    .join('\n')
}

/** Where a place really is, once every reference on the way to it is followed. */
function home(keys: string[]): string[] {
  let place: string[] = []
  for (const key of keys) {
    place.push(key)
    for (let node = raw(place); typeof node?.$ref === 'string'; node = raw(place)) place = keysOf(node.$ref)
  }
  return place
}

function raw(place: string[]): Record<string, unknown> | undefined {
  return place.reduce<Record<string, unknown> | undefined>(
    (node, key) => node?.[key] as Record<string, unknown> | undefined,
    document as unknown as Record<string, unknown>,
  )
}

function keysOf(reference: string): string[] {
  return reference
    .slice('#/'.length)
    .split('/')
    .map((key) => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~'))
}
