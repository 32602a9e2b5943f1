import { stringify } from 'yaml'
import type { OpenApiDocument } from '../../../client/contract.gen.ts'
import type { Reader } from '../../platform/calls/call.ts'
import type { ContractDocument, OperationObject } from '../../platform/calls/contract.ts'
import { described } from '../../platform/calls/description.ts'
import { invalid } from '../../platform/problems/problem.ts'

/**
 * The contract as one caller may use it: the operations below /api/ext and the composite skills that its permissions
 * cover, the webhooks, and the components that these refer to. A key with few permissions gets a short document.
 */
interface Published {
  /** Without the URL of the service. */
  document: OpenApiDocument
  yaml: string | undefined
}

/** One document per set of permissions and tags. There are rarely more than a handful. */
const MOST_REMEMBERED = 50
const remembered = new WeakMap<ContractDocument, Map<string, Published>>()

export function publishedJson(call: Reader, tags?: readonly string[]): OpenApiDocument {
  return { ...publishedFor(call, tags).document, servers: [{ url: call.surroundings.config.publicUrl }] }
}

export function publishedYaml(call: Reader, tags?: readonly string[]): string {
  const published = publishedFor(call, tags)
  published.yaml ??= stringify(published.document, { aliasDuplicateObjects: false, lineWidth: 120 })
  return published.yaml.replace(NOWHERE, () => call.surroundings.config.publicUrl)
}

/** A placeholder for the URL of the service. It occurs first in the document, so nothing else is replaced. */
const NOWHERE = 'https://plumbline.invalid'

function publishedFor(call: Reader, tags: readonly string[] | undefined): Published {
  const { document } = call.surroundings.contract
  const wanted = tags === undefined ? undefined : namedTags(document, tags)
  const key = JSON.stringify([[...call.permissions].sort(), wanted === undefined ? null : [...wanted].sort()])
  const ofContract = remembered.get(document) ?? new Map<string, Published>()
  remembered.set(document, ofContract)
  let published = ofContract.get(key)
  if (published === undefined) {
    if (ofContract.size >= MOST_REMEMBERED) ofContract.clear()
    published = { document: publish(document, call.permissions, NOWHERE, { tags: wanted }), yaml: undefined }
    ofContract.set(key, published)
  }
  return published
}

/** Returns the document as a key with every permission sees it, plus other parts of the API on request. */
export function publishWhole(document: ContractDocument, publicUrl: string, parts = [EXTERNAL]): OpenApiDocument {
  const permission = document.components.schemas?.Permission as { enum: string[] }
  return publish(document, new Set(permission.enum), publicUrl, { parts })
}

/** The path prefixes of operations for API keys and for vendors. */
export const EXTERNAL = '/api/ext/'
export const PORTAL = '/api/portal/'

function publish(
  document: ContractDocument,
  held: ReadonlySet<string>,
  publicUrl: string,
  { parts = [EXTERNAL], tags }: { parts?: readonly string[]; tags?: ReadonlySet<string> | undefined },
): OpenApiDocument {
  const {
    openapi,
    jsonSchemaDialect,
    info,
    security,
    webhooks: events,
    components,
  } = document as ContractDocument & {
    jsonSchemaDialect?: string
  }
  const paths: Record<string, unknown> = {}
  for (const [path, item] of Object.entries(document.paths)) {
    if (!parts.some((part) => path.startsWith(part))) continue
    const entries = Object.entries(item).filter(
      ([key, value]) =>
        key === 'parameters' || (mayCall(value as OperationObject, held) && isTagged(value as OperationObject, tags)),
    )
    if (!entries.some(([key]) => key !== 'parameters')) continue
    paths[path] = Object.fromEntries(
      entries.map(([key, value]) => [
        key,
        key === 'parameters' ? value : described(key, forPrograms(value as OperationObject)),
      ]),
    )
  }
  const webhooks =
    tags &&
    Object.fromEntries(
      Object.entries((events ?? {}) as Record<string, { post: OperationObject }>).filter(([, { post }]) =>
        isTagged(post, tags),
      ),
    )
  const skills = Object.entries((document['x-skills'] ?? {}) as Record<string, { permissions: string[] }>).filter(
    ([, skill]) =>
      (tags === undefined || tags.has('Skills')) &&
      ['skills:write', ...skill.permissions].every((permission) => held.has(permission)),
  )
  const told = {
    paths,
    webhooks: webhooks ?? events,
    ...(skills.length > 0 && { 'x-skills': Object.fromEntries(skills) }),
    'x-roles': document['x-roles'],
    'x-problems': document['x-problems'],
  }
  const used = tagsOf({ paths, webhooks: told.webhooks })
  const groups = document['x-tagGroups']
    ?.map(({ name, tags }) => ({ name, tags: tags.filter((tag) => used.has(tag)) }))
    .filter(({ tags }) => tags.length > 0)
  return {
    openapi,
    ...(jsonSchemaDialect !== undefined && { jsonSchemaDialect }),
    info,
    servers: [{ url: publicUrl }],
    security,
    tags: document.tags?.filter(({ name }) => used.has(name)),
    ...(groups !== undefined && { 'x-tagGroups': groups }),
    ...told,
    components: { securitySchemes: schemesOf(components, paths), ...reached(components, told) },
  }
}

/** Returns the tags that a caller names in the form of URLs, such as `bid-requests` for Bid requests. */
function namedTags({ tags = [] }: ContractDocument, wanted: readonly string[]): Set<string> {
  const known = new Map(tags.map(({ name }) => [name.toLowerCase().replaceAll(' ', '-'), name]))
  const strangers = wanted.filter((tag) => !known.has(tag))
  if (strangers.length > 0)
    throw invalid([
      {
        pointer: 'tags',
        code: 'unknown_tag',
        message: `contains unknown tags (${strangers.join(', ')}); allowed: ${[...known.keys()].join(', ')}`,
      },
    ])
  return new Set(wanted.flatMap((tag) => known.get(tag) ?? []))
}

function isTagged({ tags = [] }: { tags?: string[] }, wanted: ReadonlySet<string> | undefined): boolean {
  return wanted === undefined || tags.some((tag) => wanted.has(tag))
}

function mayCall({ security = [] }: OperationObject, held: ReadonlySet<string>): boolean {
  return security.some((requirement) =>
    Object.values(requirement).every((permissions) => permissions.every((permission) => held.has(permission))),
  )
}

/** Removes sessions, which are only for the service's own pages; readers of this document write programs. */
function forPrograms(operation: OperationObject): OperationObject {
  return { ...operation, security: operation.security?.filter((requirement) => !('session' in requirement)) ?? [] }
}

/** Returns only the security schemes that these paths use. */
function schemesOf(components: ContractDocument['components'], paths: Record<string, unknown>) {
  const operations = Object.values(paths).flatMap((item) => Object.values(item as Record<string, OperationObject>))
  const named = new Set(operations.flatMap(({ security = [] }) => security.flatMap(Object.keys)))
  return Object.fromEntries(Object.entries(components.securitySchemes ?? {}).filter(([name]) => named.has(name)))
}

function tagsOf(value: unknown): Set<string> {
  const tags = new Set<string>()
  for (const item of Object.values(value as Record<string, object>)) {
    for (const methods of Object.values(item)) {
      for (const operation of Object.values(methods as Record<string, { tags?: string[] }>)) {
        for (const tag of operation?.tags ?? []) tags.add(tag)
      }
    }
  }
  return tags
}

/** Returns the components that a value refers to, directly or indirectly, in the document's order. */
function reached(components: ContractDocument['components'], from: unknown): ContractDocument['components'] {
  const used = new Set<string>()
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const { $ref } = value as { $ref?: unknown }
    if (typeof $ref === 'string' && !used.has($ref)) {
      used.add($ref)
      const [, , kind = '', name = ''] = $ref.split('/')
      visit(components[kind]?.[name])
    }
    for (const inner of Object.values(value)) visit(inner)
  }
  visit(from)
  const kinds = Object.entries(components).map(([kind, entries]): [string, Record<string, unknown>] => [
    kind,
    Object.fromEntries(Object.entries(entries).filter(([name]) => used.has(`#/components/${kind}/${name}`))),
  ])
  return Object.fromEntries(kinds.filter(([, entries]) => Object.keys(entries).length > 0))
}
