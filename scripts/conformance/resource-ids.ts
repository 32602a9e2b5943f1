import type { Operation } from '../../server/platform/calls/contract.ts'
import { toOperationKeyPath } from './describe-response-errors.ts'
import { contract, listEntriesAtPath } from './walked-contract.ts'

export const TYPE_ID = /^[a-z]{2,4}_[0-7][0-9a-hjkmnp-tv-z]{25}$/

export function getIdPrefix(id: string): string {
  return id.slice(0, id.indexOf('_'))
}

/**
 * Returns the ID prefix for fields with this name, based on the examples. For example, vendorId and vendorIds contain
 * ven_….
 */
export function findIdPrefix(field: string): string | undefined {
  return PREFIX_BY_FIELD.get(field.replace(/Ids$/, 'Id'))
}

const PREFIX_BY_FIELD = learnPrefixes()

function learnPrefixes(): Map<string, string> {
  const prefixes = new Map<string, string>()
  const visit = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return
    for (const [field, inner] of Object.entries(value)) {
      if (/Ids?$/.test(field)) {
        for (const id of [inner].flat()) {
          if (typeof id === 'string' && TYPE_ID.test(id)) prefixes.set(field.replace(/Ids$/, 'Id'), getIdPrefix(id))
        }
      }
      visit(inner)
    }
  }
  for (const [, example] of listEntriesAtPath('components', 'examples')) visit(example.value)
  // The name of a path parameter often occurs only in paths of its own resource. In the examples of the resource, the
  // ID is in the field `id`.
  for (const { path, method } of contract.operations.values()) {
    const name = /\{(\w+)\}$/.exec(path)?.[1]
    if (name === undefined || method !== 'GET') continue
    const place = ['paths', path, 'get', 'responses', '200', 'content', 'application/json', 'examples']
    for (const [, example] of listEntriesAtPath(...place)) {
      const id = (example.value as { id?: unknown }).id
      if (typeof id === 'string' && TYPE_ID.test(id)) prefixes.set(name, getIdPrefix(id))
    }
  }
  return prefixes
}

/**
 * Returns the ID prefix of the resource that a creation creates, based on its examples; undefined for other operations.
 */
export function findCreatedPrefix(operation: Operation): string | undefined {
  const place = [...toOperationKeyPath(operation), 'responses', '201', 'content', 'application/json', 'examples']
  const [example] = '201' in operation.declaration.responses ? listEntriesAtPath(...place) : []
  const { id } = (example?.[1].value ?? {}) as { id?: unknown }
  return typeof id === 'string' && TYPE_ID.test(id) ? getIdPrefix(id) : undefined
}

/** Returns the operations on a single resource with this prefix. Their paths end with its ID. */
export function listOperationsByPrefix(kind: string): Operation[] {
  return [...contract.operations.values()].filter(({ path }) => {
    const parameter = /\{(\w+)\}$/.exec(path)?.[1]
    return parameter !== undefined && findIdPrefix(parameter) === kind
  })
}

/**
 * Yields every `id` in a response, at any depth. Skips the possible duplicates of a new vendor, because they existed
 * before and must not be changed.
 */
export function* listIds(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return
  for (const [field, inner] of Object.entries(value)) {
    if (field === 'possibleDuplicates') continue
    if (field === 'id' && typeof inner === 'string' && TYPE_ID.test(inner)) yield inner
    else yield* listIds(inner)
  }
}

export const EXAMPLE_IDS: ReadonlySet<string> = new Set(
  listEntriesAtPath('components', 'examples').flatMap(([, { value }]) => [...listIds(value)]),
)

export type Resource = Record<string, unknown>

/** The resources in the examples by ID, each in its most complete form. */
export const EXAMPLE_RESOURCES: ReadonlyMap<string, Resource> = learnResources()

function learnResources(): Map<string, Resource> {
  const resources = new Map<string, Resource>()
  const visit = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return
    const { id } = value as { id?: unknown }
    if (typeof id === 'string' && TYPE_ID.test(id)) {
      const known = resources.get(id)
      if (known === undefined || Object.keys(known).length < Object.keys(value).length)
        resources.set(id, value as Resource)
    }
    for (const inner of Object.values(value)) visit(inner)
  }
  for (const [, { value }] of listEntriesAtPath('components', 'examples')) visit(value)
  for (const operation of contract.operations.values()) {
    const place = [...toOperationKeyPath(operation), 'responses', '201', 'content', 'application/json', 'examples']
    if ('201' in operation.declaration.responses) for (const [, { value }] of listEntriesAtPath(...place)) visit(value)
  }
  return resources
}
