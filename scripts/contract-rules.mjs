/**
 * Rules for the contract that the standard linters do not have. scripts/lint-contract.ts applies them to the bundle.
 *
 * Each rule is a generator over the whole document that yields [place, message]. A place is the list of keys from the
 * root of the document to the error. The rules contain no names of resources, so that they also apply to new resources.
 * The exceptions are a few short lists, to which nothing should be added.
 */

import { listBodies, listOperations, METHODS, parseReferenceKeys, resolveReference } from './contract-walk.mjs'
import {
  checkEventExamples,
  checkExampleSums,
  checkExamplesAgree,
  checkProblemInstances,
  checkTimestampOrder,
} from './example-rules.mjs'
import { checkDefaultsToNow, checkSecretMarks, checkWriterMarks } from './mark-rules.mjs'

const RULES = {
  'tag-groups': checkTagGroups,
  'path-order': checkPathOrder,
  'operation-names': checkOperationNames,
  permissions: checkPermissions,
  expansions: checkExpansions,
  examples: checkExamples,
  'agreeing-examples': checkExamplesAgree,
  'example-sums': checkExampleSums,
  'possible-times': checkTimestampOrder,
  'event-examples': checkEventExamples,
  'problem-instances': checkProblemInstances,
  'states-shown': checkStatesShown,
  'problem-responses': checkProblemResponses,
  headers: checkHeaders,
  lists: checkLists,
  bounds: checkBounds,
  'closed-objects': checkClosedObjects,
  'plain-schemas': checkPlainSchemas,
  'enum-descriptions': checkEnumDescriptions,
  'whole-responses': checkRequiredProperties,
  events: checkEvents,
  emits: checkEmits,
  skills: checkSkills,
  'problem-catalog': checkProblemCatalog,
  changelog: checkChangelog,
  'flat-names': checkFlatNames,
  records: checkRecords,
  secrets: checkSecretMarks,
  writers: checkWriterMarks,
  'defaults-to-now': checkDefaultsToNow,
}

export const ruleNames = Object.keys(RULES)

/** Yields the findings of each rule. */
export function* listFindings(document, names = ruleNames) {
  for (const name of names) {
    for (const [place, message] of RULES[name](document)) yield { rule: name, place, message }
  }
}

/** The operations whose name is only a verb, because a noun would repeat the path. */
const BARE_VERBS = ['search']

/**
 * Resources that describe the service instead of records. They are derived from the contract, so they have no version,
 * no dates to sort or filter by, and no intermediate statuses.
 */
const CATALOG_PATHS = ['/api/ext/skills', '/api/ext/event-types']

/**
 * Resources for the sign-in of users. They are not records of the builder, so they have no version and are not synced.
 */
const SESSIONS = ['/api/admin/session', '/api/admin/sessions', '/api/admin/passkeys']

/**
 * The verbs with which an operationId may start, by method. The operationId of a POST may start with any verb that is
 * not in another list.
 */
const VERBS = {
  get: ['list', 'get', 'search', 'compare', 'find', 'explain', 'simulate', 'download'],
  put: ['replace'],
  patch: ['update', 'revise'],
  delete: ['archive', 'remove', 'delete', 'reset'],
}

/**
 * Checks the groups of tags. The documentation links to a tag through its group, so readers would not find a tag
 * without a group.
 */
function* checkTagGroups(document) {
  const declared = (document.tags ?? []).map((tag) => tag.name)
  const grouped = (document['x-tagGroups'] ?? []).flatMap((group) => group.tags)
  for (const tag of declared) {
    const count = grouped.filter((name) => name === tag).length
    if (count !== 1)
      yield [['x-tagGroups'], `Expected the tag ${tag} in exactly one group, but it is in ${count} groups.`]
  }
  for (const tag of grouped)
    if (!declared.includes(tag))
      yield [['x-tagGroups'], `Unknown tag ${tag}. Declare it in \`tags\`, or remove it from the group.`]
}

function* checkPathOrder(document) {
  const tagOrder = (document.tags ?? []).map((tag) => tag.name)
  let lastTag = -1
  /** The highest rank so far for each resource of the current tag. */
  let ranks = new Map()
  for (const [path, item] of Object.entries(document.paths)) {
    if (!/^(\/([a-z]+([-.][a-z]+)*|\{[a-zA-Z]+\}))+$/.test(path))
      yield [['paths', path], 'Expected the path in kebab-case.']
    const tags = new Set(METHODS.flatMap((method) => item[method]?.tags ?? []))
    if (tags.size > 1)
      yield [
        ['paths', path],
        `Expected all operations of a path to have the same tag, but this path has ${[...tags].join(' and ')}.`,
      ]
    const tag = tagOrder.indexOf([...tags][0])
    if (tag < lastTag)
      yield [
        ['paths', path],
        `Expected the paths in the order of their tags. Move this path of ${tagOrder[tag]} above the paths of ${tagOrder[lastTag]}.`,
      ]
    if (tag !== lastTag) ranks = new Map()
    lastTag = tag

    // The resource is the part of the path before the first parameter. The paths of a resource are ordered from the
    // collection to its parts.
    const resource = path.replace(/\/\{.*/, '')
    const rank = pathRank(path, item)
    const highest = ranks.get(resource) ?? 0
    if (rank < highest) {
      yield [['paths', path], `Move this ${RANKS[rank]} above the first ${RANKS[highest]} of ${resource}.`]
    }
    ranks.set(resource, Math.max(rank, highest))
  }
}

const RANKS = ['collection', 'item', 'sub-resource', 'action']

/**
 * Returns the rank of a path. After an item, a path that has only POST is an action, and any other path is a
 * sub-resource.
 */
function pathRank(path, item) {
  if (!path.includes('{')) return 0
  if (path.endsWith('}')) return 1
  const below = path.slice(path.indexOf('}/') + 2)
  return item.get || item.patch || item.delete || item.put || below.includes('{') ? 2 : 3
}

function* checkOperationNames(document) {
  const others = Object.values(VERBS).flat()
  for (const { operation, method, at } of listOperations(document)) {
    const id = operation.operationId
    if (typeof id !== 'string') {
      yield [at, 'The operation has no operationId. Add one.']
      continue
    }
    const place = [...at, 'operationId']
    if (!/^[a-z]+([A-Z][a-z0-9]*)+$/.test(id) && !BARE_VERBS.includes(id)) {
      yield [place, `Expected the operationId "${id}" to be a verb and a noun in camelCase.`]
    }
    const verb = id.match(/^[a-z]+/)?.[0]
    const fits = method === 'post' ? !others.includes(verb) : VERBS[method].includes(verb)
    if (!fits)
      yield [
        place,
        `The name of a ${method.toUpperCase()} operation cannot start with the verb "${verb}". Use another verb or method.`,
      ]
  }
}

function* checkPermissions(document) {
  const ofKeys = document.components?.schemas?.Permission?.enum ?? []
  const ofPeople = document.components?.schemas?.AdminPermission?.enum ?? []
  for (const { operation, at } of listOperations(document)) {
    const place = [...at, 'security']
    if (isForVisitors(operation)) continue
    // Every operation for API keys is also open to users with the same permissions, so only the requirement for keys
    // matters here.
    const stated = operation.security?.filter?.((each, _, all) => all.length === 1 || !('session' in each)) ?? []
    if (stated.length !== 1) {
      yield [at, 'Expected exactly one requirement in `security`.']
      continue
    }
    const [[scheme, needed], ...more] = Object.entries(stated[0])
    const ofSession = operation.security.find((each) => each !== stated[0])?.session
    if (scheme === 'apiKey' && !operation['x-keys-only'] && ofSession?.join() !== needed.join?.())
      yield [
        place,
        'Expected `session` in `security` with the same permissions as `apiKey`. If only API keys may call the operation, set x-keys-only.',
      ]
    if (more.length > 0 || !Array.isArray(needed) || !['apiKey', 'portalToken', 'session'].includes(scheme)) {
      yield [
        place,
        'Expected `security` to contain apiKey, session, or portalToken with a list of permissions. The list is empty if any key or user may call the operation.',
      ]
      continue
    }
    const known = scheme === 'session' ? [...ofKeys, ...ofPeople] : ofKeys
    if (isPortalOnly(operation) && needed.length > 0)
      yield [
        place,
        'An operation for vendors cannot require permissions, because vendors have none. Use an empty list.',
      ]
    for (const permission of needed) {
      if (!known.includes(permission))
        yield [place, `Unknown permission "${permission}". Add it to the schema Permission, or correct it.`]
      // The documentation and tools read the permissions from `security`, so the description does not have to mention
      // them. If it mentions one, it must mention all.
      if (omitsPermission(operation, permission))
        yield [
          [...at, 'description'],
          `The description names some required permissions, but not ${permission}. Name all of them.`,
        ]
    }
  }
}

/**
 * Checks `x-expands: { Bid: { vendor: Vendor } }`, which declares to which record the `vendorId` of a bid refers. The
 * schema Bid then needs an optional field `vendor`. Operations that read bids must accept `vendor`, and the links of a
 * vendor, in `expand`.
 */
function* checkExpansions(document) {
  const schemas = document.components?.schemas ?? {}
  const expands = document['x-expands'] ?? {}
  for (const [record, links] of Object.entries(expands)) {
    const properties = resolveReference(document, schemas[record])?.properties ?? {}
    for (const [name, target] of Object.entries(links)) {
      const at = ['x-expands', record, name]
      const id = resolveReference(document, properties[`${name}Id`])
      if (!id || !schemas[target]) {
        yield [at, `${record} has no field ${name}Id, or there is no schema ${target}. Correct x-expands.`]
        continue
      }
      const isNullable = [id.type].flat().includes('null')
      const { $ref = properties[name]?.anyOf?.[0]?.$ref } = properties[name] ?? {}
      if ($ref !== `#/components/schemas/${target}` || isNullable !== Boolean(properties[name]?.anyOf))
        yield [
          ['components', 'schemas', record],
          `Expected ${record} to have a field ${name} with the type ${target}${isNullable ? ' or null' : ''}, because x-expands declares it.`,
        ]
      if (resolveReference(document, schemas[record])?.required?.includes(name))
        yield [
          ['components', 'schemas', record],
          `Remove ${name} from \`required\`, because only \`expand\` adds the field.`,
        ]
    }
  }
  for (const { operation, method, parameters, at } of listOperations(document)) {
    if (method !== 'get') continue
    const shown = resolveReference(document, operation.responses?.['200'])?.content?.['application/json']?.schema
    const item = resolveReference(document, resolveReference(document, shown)?.properties?.data)?.items
    const links = expands[schemaName(item ?? shown)] ?? {}
    const expected = Object.entries(links).flatMap(([name, target]) => [
      name,
      ...Object.keys(expands[target] ?? {}).map((next) => `${name}.${next}`),
    ])
    const offered = parameters.find(({ name }) => name === 'expand')?.schema?.items?.enum ?? []
    if (offered.join() !== expected.join())
      yield [
        [...at, 'parameters'],
        `Expected the parameter expand to accept ${expected.join(', ') || 'nothing'}, because x-expands declares it.`,
      ]
  }
}

function schemaName(reference) {
  return reference?.$ref?.split('/').at(-1)
}

/** Returns whether only vendors may call the operation. Vendors have no permissions and no integrations. */
function isPortalOnly({ security }) {
  return security?.length > 0 && security.every((requirement) => 'portalToken' in requirement)
}

/** Returns whether the operation needs no credential, because it is part of the sign-in. */
function isForVisitors({ security }) {
  return Array.isArray(security) && security.length === 0
}

/** Returns whether signed-in users of every role may call the operation. */
function isForAnySession({ security }) {
  return security?.length === 1 && security[0].session?.length === 0
}

function omitsPermission({ description = '' }, permission) {
  return /\bneeds [a-z]+:/i.test(description) && !description.includes(permission)
}

function* checkExamples(document) {
  for (const { media, at } of listBodies(document)) {
    const named = Object.entries(media.examples ?? {})
    if (named.length === 0) yield [at, 'The body has no named example. Add one to `examples`.']
    for (const [name, reference] of named) {
      const example = resolveReference(document, reference)
      if (!example || !('value' in example)) yield [[...at, 'examples', name], 'The example has no `value`. Add one.']
      else if (!example.summary) yield [[...at, 'examples', name], 'The example has no `summary`. Add one.']
    }
  }
}

/**
 * Checks that the examples contain a resource in each status, for readers of the documentation and users of the mock.
 */
function* checkStatesShown(document) {
  for (const { path, operation, method, at } of listOperations(document)) {
    if (method !== 'get' || !path.endsWith('}')) continue
    const media = resolveReference(document, operation.responses?.['200'])?.content?.['application/json']
    const states = resolveReference(document, resolveReference(document, media?.schema)?.properties?.status)?.enum ?? []
    const shown = Object.values(media?.examples ?? {}).map(
      (reference) => resolveReference(document, reference)?.value?.status,
    )
    const missing = states.filter((state) => !shown.includes(state))
    if (missing.length > 0)
      yield [
        [...at, 'responses', '200'],
        `No example shows the status ${missing.join(', ')}. Add one for each of these statuses.`,
      ]
  }
}

const KNOWN_STATUSES = [
  '200',
  '201',
  '202',
  '204',
  '206',
  '304',
  '400',
  '401',
  '403',
  '404',
  '409',
  '412',
  '413',
  '415',
  '416',
  '422',
  '429',
  '500',
  '503',
]

function* checkProblemResponses(document) {
  for (const { path, operation, method, parameters, at } of listOperations(document)) {
    const declared = Object.keys(operation.responses ?? {})
    const demanded = ['422', '429', '500', '503']
    if (!isForVisitors(operation)) demanded.push('401')
    if (!isPortalOnly(operation) && !(method === 'get' && isForAnySession(operation))) demanded.push('403')
    if (path.includes('{')) demanded.push('404')
    if (operation.requestBody) demanded.push('400', '413', '415')
    // Whether the operation can cause a conflict. Requests without a credential cannot cause one. Changes of a resource
    // that is neither created nor ended cannot either.
    const isAtOdds = method === 'patch' ? path.endsWith('}') : method === 'post' && !isForVisitors(operation)
    if (isAtOdds || method === 'put') demanded.push('409')
    if (parameters.some((parameter) => parameter.name === 'If-Match')) demanded.push('412')
    if (parameters.some((parameter) => parameter.name === 'If-None-Match')) demanded.push('304')
    const missing = demanded.filter((status) => !declared.includes(status)).sort()
    if (missing.length > 0)
      yield [[...at, 'responses'], `The responses ${missing.join(', ')} are not declared. Add them to \`responses\`.`]
    for (const status of declared) {
      const place = [...at, 'responses', status]
      if (!KNOWN_STATUSES.includes(status))
        yield [place, `The service never returns ${status} for a known operation. Remove this response.`]
      if (status < '400') continue
      const problem = resolveReference(document, operation.responses[status])?.content?.['application/problem+json']
      if (problem?.schema?.$ref !== '#/components/schemas/Problem')
        yield [place, 'Expected an error response to be application/problem+json with the schema Problem.']
    }
  }
}

function* checkHeaders(document) {
  for (const { path, operation, method, parameters, at } of listOperations(document)) {
    const has = (name) => parameters.some((parameter) => parameter.in === 'header' && parameter.name === name)
    const single = path.endsWith('}') && !CATALOG_PATHS.some((catalog) => path.startsWith(catalog))
    // A sign-in cannot be repeated, because a link works only once. A session has no version.
    const isRecord = !SESSIONS.some((part) => path.startsWith(part))
    const demanded = {
      'Idempotency-Key': method === 'post' && !isForVisitors(operation),
      'If-Match': (method === 'patch' || method === 'delete') && isRecord,
      'If-None-Match': method === 'get' && single,
    }
    for (const [name, wanted] of Object.entries(demanded)) {
      if (wanted && !has(name))
        yield [at, `The operation does not declare the header ${name}. Add it to \`parameters\`.`]
    }
    for (const [status, reference] of Object.entries(operation.responses ?? {})) {
      const sent = Object.keys(resolveReference(document, reference)?.headers ?? {})
      const expected = status === '401' ? ['WWW-Authenticate'] : ['RateLimit', 'RateLimit-Policy']
      if (status === '201') expected.push('Location')
      if (status === '304' || (status === '200' && single && (method === 'get' || method === 'patch')))
        expected.push('ETag')
      if (status === '429' || status === '503') expected.push('Retry-After')
      if (method === 'post' && status < '300' && !isForVisitors(operation)) expected.push('Idempotent-Replayed')
      const missing = expected.filter((name) => !sent.includes(name))
      if (missing.length > 0)
        yield [
          [...at, 'responses', status],
          `The response does not declare the header ${missing.join(', ')}. Add it to \`headers\`.`,
        ]
    }
  }
}

const PAGE_PARAMETERS = ['limit', 'cursor']
const LIST_PARAMETERS = ['limit', 'cursor', 'sort', 'updatedAfter', 'createdAfter', 'ids']

function* checkLists(document) {
  for (const { path, operation, method, parameters, at } of listOperations(document)) {
    if (method !== 'get' || CATALOG_PATHS.includes(path)) continue
    const page = resolveReference(
      document,
      resolveReference(document, operation.responses?.['200'])?.content?.['application/json']?.schema,
    )
    const paged = Boolean(page?.properties?.data && page.properties.nextCursor)
    const named = String(operation.operationId).startsWith('list')
    if (named && !paged)
      yield [at, 'Expected the response of a list operation to have the fields `data` and `nextCursor`.']
    if (!paged) continue
    if (!named) yield [[...at, 'operationId'], 'The response is a page of records. Start the operationId with "list".']
    const query = new Map(
      parameters.filter((parameter) => parameter.in === 'query').map((parameter) => [parameter.name, parameter]),
    )
    const demanded = isPortalOnly(operation) || SESSIONS.includes(path) ? PAGE_PARAMETERS : LIST_PARAMETERS
    const missing = demanded.filter((name) => !query.has(name))
    if (missing.length > 0)
      yield [[...at, 'parameters'], `The list does not declare the parameters ${missing.join(', ')}. Add them.`]
    if (!resolveReference(document, operation.responses['200']).headers?.Link)
      yield [[...at, 'responses', '200'], 'The response does not declare the header Link. Add it to `headers`.']
    const sort = resolveReference(document, query.get('sort')?.schema)
    if (!sort) continue
    // Records that are never changed, such as events and status changes, have only one order: that in which they
    // occurred.
    const item = resolveReference(document, resolveReference(document, page.properties.data)?.items)
    const changes = Boolean(item?.properties?.updatedAt)
    const fields = (sort.enum ?? []).map((field) => field.replace(/^-/, ''))
    const offered = [...fields, ...(changes ? ['createdAt', 'updatedAt'] : [])].flatMap((field) => [field, `-${field}`])
    const lacking = new Set(offered.filter((field) => !sort.enum?.includes(field)))
    if (lacking.size > 0)
      yield [[...at, 'parameters'], `The parameter sort does not accept ${[...lacking].join(', ')}. Add these values.`]
    if (changes && sort.default !== '-createdAt')
      yield [[...at, 'parameters'], 'Expected the default of the parameter sort to be -createdAt.']
  }
}

function* checkBounds(document) {
  const asked = new Set([...listRequestSchemas(document)].map(({ schema }) => schema))
  for (const { schema, at } of listSchemas(document)) {
    const types = [schema.type].flat()
    if (schema.enum || 'const' in schema) continue
    if (types.includes('string') && !('maxLength' in schema) && schema.format !== 'date')
      yield [at, 'The string has no maxLength. Add one.']
    if (types.includes('array') && !('maxItems' in schema)) yield [at, 'The array has no maxItems. Add it.']
    // Only inputs need limits. The limits of responses follow from those of the inputs.
    if ((types.includes('number') || types.includes('integer')) && asked.has(schema)) {
      if (!('minimum' in schema || 'exclusiveMinimum' in schema))
        yield [at, 'The number in a request has no minimum. Add one.']
      if (!('maximum' in schema || 'exclusiveMaximum' in schema))
        yield [at, 'The number in a request has no maximum. Add one.']
    }
  }
}

function* checkClosedObjects(document) {
  for (const { schema, at } of listSchemas(document)) {
    if (![schema.type].flat().includes('object') || schema.additionalProperties === false) continue
    const map = 'additionalProperties' in schema && 'maxProperties' in schema
    if (!map)
      yield [
        at,
        'Expected the object to have additionalProperties: false, or a schema in additionalProperties and a maxProperties.',
      ]
  }
}

/**
 * Keywords that are not allowed, because the validator, the type generator, and models interpret them differently. Each
 * value describes an alternative.
 */
const AVOIDED_KEYWORDS = {
  allOf: 'write the properties out',
  discriminator: 'give each variant its own const',
  nullable: "use type: [string, 'null']",
  readOnly: 'keep Create, Update and Read schemas apart',
  writeOnly: 'keep Create, Update and Read schemas apart',
  multipleOf: 'use the formats money, unit-price and quantity, which count decimals exactly',
  example: 'use examples',
}

function* checkPlainSchemas(document) {
  for (const { schema, at } of listSchemas(document)) {
    for (const [keyword, instead] of Object.entries(AVOIDED_KEYWORDS)) {
      if (keyword in schema)
        yield [[...at, keyword], `The keyword ${keyword} is not allowed in a schema. Instead, ${instead}.`]
    }
    for (const name of schema['x-brief'] ?? []) {
      if (!(name in (schema.properties ?? {})))
        yield [[...at, 'x-brief'], `x-brief contains the unknown field ${name}. Correct or remove it.`]
    }
    // The regular expressions of model providers support no lookaround and no backreferences. The providers reject a
    // whole request because of one such pattern.
    if (typeof schema.pattern === 'string' && /\(\?[=!<]|\\[1-9]/.test(schema.pattern))
      yield [
        [...at, 'pattern'],
        'A pattern cannot contain a lookaround or a back reference. List the allowed characters instead.',
      ]
  }
}

/**
 * Fields that few actors have. A record contains several actors, so these fields are left out for all others to save
 * space.
 */
const RARE_FIELDS = {
  Actor: ['via', 'source', 'copiedBy'],
  AuditActor: ['via', 'source', 'copiedBy'],
}

/**
 * Checks that missing values are null. A schema that is used only in responses must require all properties, except
 * those that `expand` adds.
 */
function* checkRequiredProperties(document) {
  const asked = new Set([...listRequestSchemas(document)].map(({ schema }) => schema))
  const seen = new Set()
  for (const { schema, at } of listResponseSchemas(document)) {
    if (!schema.properties || asked.has(schema) || seen.has(schema) || at.at(-1) === 'Problem') continue
    seen.add(schema)
    const missing = Object.keys(schema.properties).filter(
      (name) =>
        !schema.required?.includes(name) &&
        !RARE_FIELDS[at.at(-1)]?.includes(name) &&
        !(name in (document['x-expands']?.[at.at(-1)] ?? {})),
    )
    if (missing.length > 0) yield [at, `A response contains every field. Add ${missing.join(', ')} to \`required\`.`]
  }
}

function* checkEvents(document) {
  const declared = Object.keys(document.webhooks ?? {})
  const kinds = document.components.schemas.AuditResourceType.enum
  for (const type of declared) {
    const at = ['webhooks', type]
    if (!kinds.includes(type.split('.')[0]))
      yield [at, `Expected the event type ${type} to start with the kind of a record.`]
    const { post, ...rest } = document.webhooks[type]
    if (!post || METHODS.some((method) => method in rest))
      yield [at, 'Expected an event to have exactly one method, POST.']
    // If a webhook had an operationId, code generators would treat it as an operation of the service.
    if (post?.operationId) yield [[...at, 'post', 'operationId'], 'An event cannot have an operationId. Remove it.']
    const media = post?.requestBody?.content?.['application/json']
    if (!media?.schema) yield [at, 'The event has no payload in application/json. Add a schema.']
    else if (Object.keys(media.examples ?? {}).length === 0)
      yield [[...at, 'post'], 'The event has no named example. Add one.']
    else if (resolveReference(document, resolveReference(document, media.schema)?.properties?.type)?.const !== type) {
      yield [[...at, 'post'], `Expected the field type of the payload to be the constant ${type}.`]
    }
    yield* findEventPermission(document, type)
  }
  const groups = [...new Set(declared.map((type) => type.split('.')[0]))].join('|')
  for (const { operation, at } of listOperations(document)) {
    for (const [name] of operation.description?.matchAll(new RegExp(`\\b(${groups})\\.[a-z_]+(\\.[a-z_]+)?`, 'g')) ??
      []) {
      if (!declared.includes(name))
        yield [[...at, 'description'], `Unknown event ${name}. Correct the name, or add the event to \`webhooks\`.`]
    }
  }
}

/**
 * Checks the permission for an event. An event contains a record, so it requires the same permission as the operations
 * that return this record.
 */
function* findEventPermission(document, type) {
  const { post } = document.webhooks[type]
  const at = ['webhooks', type, 'post', 'x-permission']
  const permission = post?.['x-permission']
  const known = document.components?.schemas?.Permission?.enum ?? []
  if (!known.includes(permission) || !permission.endsWith(':read')) {
    yield [at, 'The event has no x-permission. Add the permission that a reader of the event needs.']
    return
  }
  const payload = resolveReference(document, post.requestBody?.content?.['application/json']?.schema)
  const object = resolveReference(document, payload?.properties?.data)?.properties?.object ?? {}
  const records = [object, ...(object.anyOf ?? [])].map(({ $ref }) => $ref).filter(Boolean)
  for (const { operation, method } of listOperations(document)) {
    if (method !== 'get') continue
    const shown = resolveReference(document, operation.responses?.['200'])?.content?.['application/json']?.schema
    if (!records.includes(shown?.$ref)) continue
    const needed = (operation.security ?? []).flatMap((requirement) => requirement.apiKey ?? [])
    if (!needed.includes(permission))
      yield [
        at,
        `Expected x-permission to be ${needed.join(' and ')}, the permission of ${operation.operationId}, which returns the same record.`,
      ]
  }
}

/**
 * Checks `x-emits` and `x-timed`. `x-emits` declares the events of an operation for documentation and tools. `x-timed`
 * marks an event that only a scheduled job emits.
 */
function* checkEmits(document) {
  const declared = Object.keys(document.webhooks ?? {})
  const emitted = new Set([...listOperations(document)].flatMap(({ operation }) => operation['x-emits'] ?? []))
  for (const type of declared) {
    const { 'x-timed': isTimed } = document.webhooks[type].post ?? {}
    const place = ['webhooks', type, 'post', 'x-timed']
    if (isTimed !== undefined && isTimed !== true)
      yield [place, 'Expected x-timed to be true. If the event is not timed, remove x-timed.']
    else if (isTimed && emitted.has(type))
      yield [
        place,
        'The event cannot have x-timed, because an operation emits it. Remove x-timed, or the event from x-emits.',
      ]
  }
  for (const { operation, method, at } of listOperations(document)) {
    const place = [...at, 'x-emits']
    const types = operation['x-emits'] ?? []
    if (!Array.isArray(types)) {
      yield [place, 'Expected x-emits to be a list of event types.']
      continue
    }
    if (types.length > 0 && method === 'get') yield [place, 'A GET operation cannot emit events. Remove x-emits.']
    if ('x-emits' in operation && types.length === 0) yield [place, 'x-emits is an empty list. Remove it.']
    if (types.join() !== [...new Set(types)].sort().join())
      yield [place, 'Expected the event types in alphabetical order, without duplicates.']
    for (const type of types)
      if (!declared.includes(type))
        yield [place, `Unknown event ${type}. Correct the name, or add the event to \`webhooks\`.`]
    const { description = '' } = operation
    const said = description.slice(description.search(/\bemits\b/i)).match(/\b[a-z_]+(\.[a-z_]+)+/g) ?? []
    for (const type of /\bemits\b/i.test(description) ? said : []) {
      if (!types.includes(type))
        yield [place, `The description says that the operation emits ${type}. Add the event to x-emits.`]
    }
  }
}

/**
 * Checks the composite skills, which the contract declares separately from the operations. Operations are also skills.
 */
function* checkSkills(document) {
  const known = document.components?.schemas?.Permission?.enum ?? []
  const operationIds = [...listOperations(document)].map(({ operation }) => operation.operationId)
  for (const [name, skill] of Object.entries(document['x-skills'] ?? {})) {
    const at = ['x-skills', name]
    // In construction, `lookahead` is a single word.
    if (!/^([a-z]+([A-Z][a-z0-9]*)+|lookahead)$/.test(name))
      yield [at, `Expected the name of the skill, "${name}", to be a verb and a noun in camelCase.`]
    if (operationIds.includes(name)) yield [at, 'An operation has the same name. Choose another name for the skill.']
    for (const member of ['summary', 'description', 'permissions', 'input', 'output']) {
      if (!skill[member]) yield [at, `The skill has no ${member}. Add it.`]
    }
    if (typeof skill.writes !== 'boolean') yield [at, 'Expected the skill to have `writes: true` or `writes: false`.']
    if (Object.keys(skill.examples ?? {}).length === 0)
      yield [at, 'The skill has no named example of its input. Add one.']
    for (const permission of skill.permissions ?? []) {
      if (!known.includes(permission))
        yield [
          [...at, 'permissions'],
          `Unknown permission "${permission}". Add it to the schema Permission, or correct it.`,
        ]
      if (omitsPermission(skill, permission))
        yield [at, `The description names some required permissions, but not ${permission}. Name all of them.`]
    }
    yield* checkEffect(at, skill, skill.writes)
    yield* checkPhrases(at, skill)
  }
  for (const { operation, method, at } of listOperations(document)) {
    yield* checkEffect(at, operation, method !== 'get')
    if (isOffered(operation)) yield* checkPhrases(at, operation)
  }
}

/** Returns whether models can use the operation as a skill. */
function isOffered({ operationId, security = [], 'x-tool': isTool, 'x-skill': isSkill }) {
  const isForKeys = security.some((scheme) => 'apiKey' in scheme)
  return isForKeys && isTool !== false && isSkill !== false && !RUN_SKILLS.includes(operationId)
}

/** These operations run skills but are not skills themselves. */
const RUN_SKILLS = ['executeSkill', 'executeBatch', 'createProposal', 'approveProposal']

/** Checks the phrases of a skill. Users can find a skill only if its texts contain words that offices use. */
function* checkPhrases(at, { 'x-phrases': phrases = [] }) {
  const distinct = new Set(phrases.map((phrase) => phrase.toLowerCase()))
  if (distinct.size < MIN_PHRASES)
    yield [at, `Expected x-phrases to have at least ${MIN_PHRASES} requests in the words of a builder.`]
  else if (distinct.size < phrases.length) yield [[...at, 'x-phrases'], 'Expected x-phrases without duplicates.']
}

const MIN_PHRASES = 8

/**
 * Checks the declared effect of an operation, which agents read in addition to its method. An effect that only repeats
 * what the method implies is an error.
 */
function* checkEffect(at, { 'x-effect': stated, 'x-tool': isTool, 'x-skill': isSkill }, writes) {
  if (stated !== undefined && !EFFECTS.includes(stated))
    yield [[...at, 'x-effect'], `Expected x-effect to be one of ${EFFECTS.join(', ')}.`]
  if (stated !== undefined && !writes)
    yield [[...at, 'x-effect'], 'An operation or skill that only reads cannot have x-effect. Remove it.']
  if (isTool !== undefined && isTool !== false)
    yield [[...at, 'x-tool'], 'Expected x-tool to be false. If models may call the operation, remove x-tool.']
  if (isSkill !== undefined && isSkill !== false)
    yield [[...at, 'x-skill'], 'Expected x-skill to be false. If the operation is a skill, remove x-skill.']
}

/** server/interfaces/skills/skill-effect.ts explains these effects. */
const EFFECTS = ['reads', 'adds', 'settles', 'replaces', 'moves']

/**
 * Checks that every problem code has an entry in the catalog, and that its title and status are the same everywhere.
 */
function* checkProblemCatalog(document) {
  const codes = document.components?.schemas?.ProblemCode?.enum ?? []
  const entries = document['x-problems'] ?? {}
  for (const code of codes)
    if (!entries[code]) yield [['x-problems'], `The problem ${code} has no entry in x-problems. Add one.`]
  for (const [code, { when, advice, example }] of Object.entries(entries)) {
    const at = ['x-problems', code]
    if (!codes.includes(code)) yield [at, `Unknown problem code ${code}. Correct or remove this entry.`]
    if (!when || !advice) yield [at, 'Expected the entry to have `when` and `advice`.']
    const shown = resolveReference(document, example)
    if (shown?.value?.code !== code) yield [at, `Expected the example of ${code} to have the code ${code}.`]
    else if (shown.summary !== shown.value.title)
      yield [at, 'Expected the summary of the example to be the title of the problem.']
  }
  for (const { media, at } of listBodies(document)) {
    for (const [name, reference] of Object.entries(media.examples ?? {})) {
      const { code, title, status } = resolveReference(document, reference)?.value ?? {}
      const entry = resolveReference(document, entries[code]?.example)?.value
      if (!at.includes('application/problem+json') || !entry) continue
      if (title !== entry.title || status !== entry.status)
        yield [
          [...at, 'examples', name],
          `Expected the example of ${code} to have the title "${entry.title}" and the status ${entry.status}.`,
        ]
    }
  }
}

/** Checks that the changelog contains every release, and that it announces every deprecation with its last day. */
function* checkChangelog(document) {
  const releases = document['x-changelog'] ?? []
  const at = ['x-changelog']
  if (releases[0]?.version !== document.info?.version)
    yield [at, `Expected the newest entry to be for ${document.info?.version}, the version of this document.`]
  const announced = new Set()
  const ids = new Set([...listOperations(document)].map(({ operation }) => operation.operationId))
  for (const [index, { version, date, changes }] of releases.entries()) {
    const place = [...at, index]
    const older = releases[index + 1]
    if (older && !(compareVersions(version, older.version) > 0 && date >= older.date))
      yield [place, `Expected the newest version first. Move ${version} above the older versions.`]
    for (const { kind, operations: concerned } of changes) {
      if (kind === 'removed' && !version.endsWith('.0.0'))
        yield [place, 'Only a new major version can remove something.']
      for (const id of concerned) {
        if (index === 0 && kind !== 'removed' && !ids.has(id))
          yield [place, `Unknown operation ${id}. Correct the name.`]
        if (kind === 'deprecated') announced.add(id)
      }
    }
  }
  for (const { operation, at } of listOperations(document)) {
    const { operationId, deprecated, 'x-sunset': sunset } = operation
    if (sunset !== undefined && !deprecated)
      yield [at, 'An operation with x-sunset must be deprecated. Set `deprecated: true`, or remove x-sunset.']
    if (!deprecated) continue
    if (!/^\d{4}-\d{2}-\d{2}$/.test(sunset))
      yield [at, 'A deprecated operation has no valid x-sunset. Add its last day (YYYY-MM-DD).']
    if (!announced.has(operationId))
      yield [at, `No entry of x-changelog announces that ${operationId} is deprecated. Add one.`]
  }
}

function compareVersions(a, b) {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number))
  return left[0] - right[0] || left[1] - right[1] || left[2] - right[2]
}

/**
 * Checks that a name occurs only once in the path, the query, and the body, because skills accept all of them in one
 * flat object.
 */
function* checkFlatNames(document) {
  for (const { operation, parameters, at } of listOperations(document)) {
    const names = parameters
      .filter((parameter) => parameter.in === 'path' || parameter.in === 'query')
      .map((parameter) => parameter.name)
    const body = resolveReference(document, operation.requestBody)?.content?.['application/json']?.schema
    names.push(...Object.keys(resolveReference(document, body)?.properties ?? {}))
    const twice = names.filter((name, index) => names.indexOf(name) !== index)
    if (twice.length > 0) yield [at, `Two inputs have the name ${twice.join(', ')}. Rename one of them.`]
  }
}

/**
 * Checks that each kind, prefix, and table belongs to only one record, and that IDs in examples have the right prefix.
 */
function* checkRecords(document) {
  const used = new Map()
  for (const [name, { 'x-record': record }] of Object.entries(document.components.schemas)) {
    // A schema without a kind is a different form of a record that has a kind.
    if (record?.kind === undefined) continue
    const at = ['components', 'schemas', name, 'x-record']
    for (const [key, value] of Object.entries(record)) {
      if (key === 'audited') continue
      const whole = `${key === 'auditKind' ? 'kind' : key} ${value}`
      if (used.has(whole)) yield [at, `${used.get(whole)} already uses the ${whole}. Choose another value.`]
      used.set(whole, name)
    }
    const id = document.components.examples?.[name]?.value?.id
    if (id !== undefined && !String(id).startsWith(`${record.prefix}_`))
      yield [at, `Expected the ID of the example to start with ${record.prefix}_, but it is ${id}.`]
  }
}

/**
 * Checks that descriptions contain the texts of x-enumDescriptions, for readers whose tools do not support this
 * extension.
 */
function* checkEnumDescriptions(document) {
  for (const { schema, at } of listSchemas(document)) {
    const descriptions = schema['x-enumDescriptions']
    if (!descriptions) continue
    if (Object.keys(descriptions).join() !== schema.enum?.join())
      yield [
        [...at, 'x-enumDescriptions'],
        'Expected x-enumDescriptions to describe the values of `enum` in the same order.',
      ]
    for (const [value, text] of Object.entries(descriptions)) {
      if (!schema.description?.includes(`\`${value}\`: ${text}`))
        yield [
          [...at, 'description'],
          `Expected the description to contain "\`${value}\`: ${text}" from x-enumDescriptions.`,
        ]
    }
  }
}

function* listRequestSchemas(document) {
  for (const { operation, parameters, at } of listOperations(document)) {
    const body = resolveReference(document, operation.requestBody)?.content ?? {}
    const roots = [...Object.values(body), ...parameters].map((holder) => holder.schema).filter(Boolean)
    for (const root of roots) yield* listReachableSchemas(document, root, at, new Set())
  }
  for (const [name, skill] of Object.entries(document['x-skills'] ?? {})) {
    yield* listReachableSchemas(document, skill.input, ['x-skills', name], new Set())
  }
}

function* listResponseSchemas(document) {
  for (const { operation, at } of listOperations(document)) {
    for (const [status, reference] of Object.entries(operation.responses ?? {})) {
      for (const media of Object.values(resolveReference(document, reference)?.content ?? {})) {
        yield* listReachableSchemas(document, media.schema, [...at, 'responses', status], new Set())
      }
    }
  }
}

/** Yields each schema in the document once, at the location where it is defined. */
function* listSchemas(document) {
  for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) {
    yield* listNestedSchemas(schema, ['components', 'schemas', name])
  }
  for (const [name, parameter] of Object.entries(document.components?.parameters ?? {})) {
    yield* listNestedSchemas(parameter.schema, ['components', 'parameters', name, 'schema'])
  }
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const [index, parameter] of (item.parameters ?? []).entries()) {
      yield* listNestedSchemas(parameter.schema, ['paths', path, 'parameters', index, 'schema'])
    }
    for (const method of METHODS) {
      for (const [index, parameter] of (item[method]?.parameters ?? []).entries()) {
        yield* listNestedSchemas(parameter.schema, ['paths', path, method, 'parameters', index, 'schema'])
      }
    }
  }
  for (const { media, at } of listBodies(document)) yield* listNestedSchemas(media.schema, [...at, 'schema'])
  for (const [type, item] of Object.entries(document.webhooks ?? {})) {
    const schema = item.post?.requestBody?.content?.['application/json']?.schema
    yield* listNestedSchemas(schema, ['webhooks', type, 'post', 'requestBody', 'content', 'application/json', 'schema'])
  }
}

/** Yields a schema and the schemas nested in it, without resolving references. */
function* listNestedSchemas(schema, at) {
  if (!schema || typeof schema !== 'object' || schema.$ref) return
  yield { schema, at }
  for (const [keys, inner] of listSubschemas(schema)) yield* listNestedSchemas(inner, [...at, ...keys])
}

/** Yields a schema and every schema that it uses, directly or through references. */
function* listReachableSchemas(document, schema, at, visited) {
  if (!schema || typeof schema !== 'object') return
  const target = resolveReference(document, schema)
  if (!target || visited.has(target)) return
  visited.add(target)
  const home = schema.$ref ? parseReferenceKeys(schema.$ref) : at
  yield { schema: target, at: home }
  for (const [keys, inner] of listSubschemas(target))
    yield* listReachableSchemas(document, inner, [...home, ...keys], visited)
}

function* listSubschemas(schema) {
  for (const [name, inner] of Object.entries(schema.properties ?? {})) yield [['properties', name], inner]
  for (const keyword of ['items', 'additionalProperties', 'propertyNames', 'not', 'if', 'then', 'else']) {
    if (schema[keyword] && typeof schema[keyword] === 'object') yield [[keyword], schema[keyword]]
  }
  for (const keyword of ['anyOf', 'oneOf', 'prefixItems']) {
    for (const [index, inner] of (schema[keyword] ?? []).entries()) yield [[keyword, index], inner]
  }
}
