import { stringify } from 'yaml'
import type { OpenApiDocument } from '../../../client/contract.gen.ts'
import type { ContractReader } from '../../platform/calls/call.ts'
import type { ContractDocument, OperationObject } from '../../platform/calls/contract.ts'
import { addDescription } from '../../platform/calls/operation-description.ts'
import { validationFailed } from '../../platform/problems/problem.ts'

/**
 * The part of the contract that a caller may use. It contains the operations below /api/ext and the composite skills
 * that the caller's permissions allow, the webhooks, and all referenced components. For an API key with few
 * permissions, the document is short.
 */
interface PublishedContract {
  /** The document without the URL of the service. */
  document: OpenApiDocument
  yaml: string | undefined
}

/**
 * The maximum number of cached documents, one for each set of permissions and tags. There are rarely more than a few
 * sets.
 */
const MAX_REMEMBERED = 50
const remembered = new WeakMap<ContractDocument, Map<string, PublishedContract>>()

export function getPublishedContractJson(call: ContractReader, tags?: readonly string[]): OpenApiDocument {
  return { ...findPublished(call, tags).document, servers: [{ url: call.services.config.publicUrl }] }
}

export function getPublishedContractYaml(call: ContractReader, tags?: readonly string[]): string {
  const published = findPublished(call, tags)
  published.yaml ??= stringify(published.document, { aliasDuplicateObjects: false, lineWidth: 120 })
  return published.yaml.replace(PLACEHOLDER_URL, () => call.services.config.publicUrl)
}

/**
 * A placeholder for the service's URL. Only its first occurrence in the document is replaced, so an occurrence in a
 * text is not changed.
 */
const PLACEHOLDER_URL = 'https://plumbline.invalid'

function findPublished(call: ContractReader, tags: readonly string[] | undefined): PublishedContract {
  const { document } = call.services.contract
  const requested = tags === undefined ? undefined : findTags(document, tags)
  const key = JSON.stringify([[...call.permissions].sort(), requested === undefined ? null : [...requested].sort()])
  const ofContract = remembered.get(document) ?? new Map<string, PublishedContract>()
  remembered.set(document, ofContract)
  let published = ofContract.get(key)
  if (published === undefined) {
    if (ofContract.size >= MAX_REMEMBERED) ofContract.clear()
    published = {
      document: publishContract(document, call.permissions, PLACEHOLDER_URL, { tags: requested }),
      yaml: undefined,
    }
    ofContract.set(key, published)
  }
  return published
}

/** Returns the document for an API key with every permission. If requested, includes other parts of the API. */
export function publishCompleteContract(
  document: ContractDocument,
  publicUrl: string,
  parts = [EXTERNAL_PREFIX],
): OpenApiDocument {
  const permission = document.components.schemas?.Permission as { enum: string[] }
  return publishContract(document, new Set(permission.enum), publicUrl, { parts })
}

/** The path prefix of the operations for API keys. Operations for vendors have their own prefix. */
export const EXTERNAL_PREFIX = '/api/ext/'
export const PORTAL_PREFIX = '/api/portal/'

function publishContract(
  document: ContractDocument,
  held: ReadonlySet<string>,
  publicUrl: string,
  { parts = [EXTERNAL_PREFIX], tags }: { parts?: readonly string[]; tags?: ReadonlySet<string> | undefined },
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
        key === 'parameters' ||
        (canCallOperation(value as OperationObject, held) && isTagged(value as OperationObject, tags)),
    )
    if (!entries.some(([key]) => key !== 'parameters')) continue
    paths[path] = Object.fromEntries(
      entries.map(([key, value]) => [
        key,
        key === 'parameters' ? value : addDescription(key, omitSessionScheme(value as OperationObject)),
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
  const reported = {
    paths,
    webhooks: webhooks ?? events,
    ...(skills.length > 0 && { 'x-skills': Object.fromEntries(skills) }),
    'x-roles': document['x-roles'],
    'x-problems': document['x-problems'],
  }
  const used = collectTags({ paths, webhooks: reported.webhooks })
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
    ...reported,
    components: {
      securitySchemes: collectSecuritySchemes(components, paths),
      ...collectReachable(components, reported),
    },
  }
}

/** Returns the tags whose names in URLs the caller requests, such as `bid-requests` for Bid requests. */
function findTags({ tags = [] }: ContractDocument, requested: readonly string[]): Set<string> {
  const known = new Map(tags.map(({ name }) => [name.toLowerCase().replaceAll(' ', '-'), name]))
  const strangers = requested.filter((tag) => !known.has(tag))
  if (strangers.length > 0)
    throw validationFailed([
      {
        pointer: 'tags',
        code: 'unknown_tag',
        message: `contains unknown tags (${strangers.join(', ')}); allowed: ${[...known.keys()].join(', ')}`,
      },
    ])
  return new Set(requested.flatMap((tag) => known.get(tag) ?? []))
}

function isTagged({ tags = [] }: { tags?: string[] }, requested: ReadonlySet<string> | undefined): boolean {
  return requested === undefined || tags.some((tag) => requested.has(tag))
}

function canCallOperation({ security = [] }: OperationObject, held: ReadonlySet<string>): boolean {
  return security.some((requirement) =>
    Object.values(requirement).every((permissions) => permissions.every((permission) => held.has(permission))),
  )
}

/**
 * Removes the session scheme. Only the service's own pages use sessions, and this document is for authors of other
 * programs.
 */
function omitSessionScheme(operation: OperationObject): OperationObject {
  return { ...operation, security: operation.security?.filter((requirement) => !('session' in requirement)) ?? [] }
}

/** Returns only the security schemes that these paths use. */
function collectSecuritySchemes(components: ContractDocument['components'], paths: Record<string, unknown>) {
  const operations = Object.values(paths).flatMap((item) => Object.values(item as Record<string, OperationObject>))
  const named = new Set(operations.flatMap(({ security = [] }) => security.flatMap(Object.keys)))
  return Object.fromEntries(Object.entries(components.securitySchemes ?? {}).filter(([name]) => named.has(name)))
}

function collectTags(value: unknown): Set<string> {
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

/** Returns the components to which a value refers, directly or through other components, in the document's order. */
function collectReachable(components: ContractDocument['components'], from: unknown): ContractDocument['components'] {
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
