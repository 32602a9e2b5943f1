/**
 * The rules of this contract that the standard linters do not have. scripts/lint-contract.ts checks them on the bundle.
 *
 * Each rule is a generator over the whole document that yields [place, fault]; a place is the list of keys that leads
 * there. The rules know no particular resource, so they apply to a new one without an edit. The only names are in short
 * lists of exceptions, which only shrink.
 */

import { listBodies, listOperations, METHODS, referenceKeys, resolveReference } from './contract-walk.mjs'
import {
  checkEventExamples,
  checkExamplesAgree,
  checkProblemInstances,
  checkTimes,
  exampleSums,
} from './example-rules.mjs'
import { checkCurrentTimes, checkSecrets, checkWriters } from './mark-rules.mjs'

const RULES = {
  'tag-groups': checkTagGroups,
  'path-order': checkPathOrder,
  'operation-names': checkOperationNames,
  permissions: checkPermissions,
  expansions: checkExpansions,
  examples: checkExamples,
  'agreeing-examples': checkExamplesAgree,
  'example-sums': exampleSums,
  'possible-times': checkTimes,
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
  'whole-answers': checkRequiredProperties,
  events: checkEvents,
  emits: checkEmits,
  skills: checkSkills,
  'problem-catalogue': checkProblemCatalog,
  changelog: checkChangelog,
  'flat-names': checkFlatNames,
  records: checkRecords,
  secrets: checkSecrets,
  writers: checkWriters,
  currentTimes: checkCurrentTimes,
}

export const ruleNames = Object.keys(RULES)

/** Yields the findings of each rule. */
export function* faultsOf(document, names = ruleNames) {
  for (const name of names) {
    for (const [place, message] of RULES[name](document)) yield { rule: name, place, message }
  }
}

/** Operations whose name is only a verb, because a noun would repeat the path. */
const BARE_VERBS = ['redeliver', 'search']

/**
 * Resources that describe the service rather than records. They come from this document, so they have no version, no
 * dates to sort or filter by, and no intermediate states.
 */
const CATALOG_PATHS = ['/api/ext/skills', '/api/ext/event-types']

/** How users are signed in. These are not records of the builder, so they have no version and nothing to sync. */
const SESSIONS = ['/api/admin/session', '/api/admin/sessions', '/api/admin/passkeys']

/** The verbs that an operationId may start with. A POST may use any verb that is not in these lists. */
const VERBS = {
  get: ['list', 'get', 'search', 'compare', 'find', 'explain', 'simulate', 'download'],
  put: ['replace'],
  patch: ['update', 'revise'],
  delete: ['archive', 'remove', 'delete', 'reset'],
}

/** The docs navigate to a tag by its group, so a tag outside the groups would never be found. */
function* checkTagGroups(document) {
  const declared = (document.tags ?? []).map((tag) => tag.name)
  const grouped = (document['x-tagGroups'] ?? []).flatMap((group) => group.tags)
  for (const tag of declared) {
    const count = grouped.filter((name) => name === tag).length
    if (count !== 1) yield [['x-tagGroups'], `The tag ${tag} is in ${count} groups instead of one.`]
  }
  for (const tag of grouped) if (!declared.includes(tag)) yield [['x-tagGroups'], `There is no tag ${tag}.`]
}

function* checkPathOrder(document) {
  const tagOrder = (document.tags ?? []).map((tag) => tag.name)
  let lastTag = -1
  /** The highest rank so far of each resource in the current tag. */
  let ranks = new Map()
  for (const [path, item] of Object.entries(document.paths)) {
    if (!/^(\/([a-z]+([-.][a-z]+)*|\{[a-zA-Z]+\}))+$/.test(path))
      yield [['paths', path], 'A path is written in kebab-case.']
    const tags = new Set(METHODS.flatMap((method) => item[method]?.tags ?? []))
    if (tags.size > 1) yield [['paths', path], `Operations of one path carry one tag, not ${[...tags].join(' and ')}.`]
    const tag = tagOrder.indexOf([...tags][0])
    if (tag < lastTag)
      yield [
        ['paths', path],
        `Paths stand in the order of the tags: ${tagOrder[tag]} comes before ${tagOrder[lastTag]}.`,
      ]
    if (tag !== lastTag) ranks = new Map()
    lastTag = tag

    // The resource is the part before the first parameter; its paths go from the collection down to its parts.
    const resource = path.replace(/\/\{.*/, '')
    const rank = pathRank(path, item)
    const highest = ranks.get(resource) ?? 0
    if (rank < highest) {
      yield [['paths', path], `Within ${resource} this ${RANKS[rank]} comes before every ${RANKS[highest]}.`]
    }
    ranks.set(resource, Math.max(rank, highest))
  }
}

const RANKS = ['collection', 'item', 'sub-resource', 'action']

/** Below an item, a path that can be read is a sub-resource; one that only accepts POST is an action. */
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
      yield [at, 'Every operation has an operationId.']
      continue
    }
    const place = [...at, 'operationId']
    if (!/^[a-z]+([A-Z][a-z0-9]*)+$/.test(id) && !BARE_VERBS.includes(id)) {
      yield [place, `"${id}" is not a verb and a noun in camelCase.`]
    }
    const verb = id.match(/^[a-z]+/)?.[0]
    const fits = method === 'post' ? !others.includes(verb) : VERBS[method].includes(verb)
    if (!fits) yield [place, `A ${method.toUpperCase()} does not begin with "${verb}".`]
  }
}

function* checkPermissions(document) {
  const ofKeys = document.components?.schemas?.Permission?.enum ?? []
  const ofPeople = document.components?.schemas?.AdminPermission?.enum ?? []
  for (const { operation, at } of listOperations(document)) {
    const place = [...at, 'security']
    if (isForVisitors(operation)) continue
    // An operation that is open to keys is open to users too, with the same permissions.
    const stated = operation.security?.filter?.((each, _, all) => all.length === 1 || !('session' in each)) ?? []
    if (stated.length !== 1) {
      yield [at, 'Every operation states the one requirement that it has under `security`.']
      continue
    }
    const [[scheme, needed], ...more] = Object.entries(stated[0])
    const ofSession = operation.security.find((each) => each !== stated[0])?.session
    if (scheme === 'apiKey' && !operation['x-keys-only'] && ofSession?.join() !== needed.join?.())
      yield [place, 'Beside apiKey stands session with the same permissions, unless the operation has x-keys-only.']
    if (more.length > 0 || !Array.isArray(needed) || !['apiKey', 'portalToken', 'session'].includes(scheme)) {
      yield [
        place,
        'An operation is open to apiKey or session with a list of permissions, empty where any key or user will do, or to portalToken.',
      ]
      continue
    }
    const known = scheme === 'session' ? [...ofKeys, ...ofPeople] : ofKeys
    if (isPortalOnly(operation) && needed.length > 0) yield [place, 'A vendor has no permissions.']
    for (const permission of needed) {
      if (!known.includes(permission)) yield [place, `"${permission}" is not among the permissions.`]
      // Docs and tools show the permissions from here, so the description need not. If it names any, it must name all.
      if (saysLess(operation, permission))
        yield [[...at, 'description'], `The description does not say that it needs ${permission}.`]
    }
  }
}

/**
 * `x-expands: { Bid: { vendor: Vendor } }` states which record the `vendorId` of a bid refers to. The schema Bid then
 * has an optional field `vendor`, and operations that read bids offer `vendor` and the links of a vendor in `expand`.
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
        yield [at, `There is no field ${name}Id in ${record}, or no schema ${target}.`]
        continue
      }
      const isNullable = [id.type].flat().includes('null')
      const { $ref = properties[name]?.anyOf?.[0]?.$ref } = properties[name] ?? {}
      if ($ref !== `#/components/schemas/${target}` || isNullable !== Boolean(properties[name]?.anyOf))
        yield [
          ['components', 'schemas', record],
          `${record} has a field ${name} that is a ${target}${isNullable ? ' or null' : ''}, because of x-expands.`,
        ]
      if (resolveReference(document, schemas[record])?.required?.includes(name))
        yield [['components', 'schemas', record], `${name} is optional, because only \`expand\` adds it.`]
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
      yield [[...at, 'parameters'], `By x-expands, expand offers ${expected.join(', ') || 'nothing'} here.`]
  }
}

function schemaName(reference) {
  return reference?.$ref?.split('/').at(-1)
}

/** Whether only a vendor may call it; vendors have no permissions and no integration. */
function isPortalOnly({ security }) {
  return security?.length > 0 && security.every((requirement) => 'portalToken' in requirement)
}

/** Whether everyone may call it, because it is part of the sign-in. */
function isForVisitors({ security }) {
  return Array.isArray(security) && security.length === 0
}

/** Whether every signed-in user may call it, in any role. */
function isForAnySession({ security }) {
  return security?.length === 1 && security[0].session?.length === 0
}

function saysLess({ description = '' }, permission) {
  return /\bneeds [a-z]+:/i.test(description) && !description.includes(permission)
}

function* checkExamples(document) {
  for (const { media, at } of listBodies(document)) {
    const named = Object.entries(media.examples ?? {})
    if (named.length === 0) yield [at, 'Every body has at least one named example.']
    for (const [name, reference] of named) {
      const example = resolveReference(document, reference)
      if (!example || !('value' in example)) yield [[...at, 'examples', name], 'An example holds a value.']
      else if (!example.summary) yield [[...at, 'examples', name], 'An example has a summary.']
    }
  }
}

/** Readers of the document, and users of the mock, see a resource in each of its states. */
function* checkStatesShown(document) {
  for (const { path, operation, method, at } of listOperations(document)) {
    if (method !== 'get' || !path.endsWith('}')) continue
    const media = resolveReference(document, operation.responses?.['200'])?.content?.['application/json']
    const states = resolveReference(document, resolveReference(document, media?.schema)?.properties?.status)?.enum ?? []
    const shown = Object.values(media?.examples ?? {}).map(
      (reference) => resolveReference(document, reference)?.value?.status,
    )
    const missing = states.filter((state) => !shown.includes(state))
    if (missing.length > 0) yield [[...at, 'responses', '200'], `No example shows the status ${missing.join(', ')}.`]
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
    // Attempts of a visitor, and resources that are only changed but neither created nor ended, cannot conflict with
    // anything.
    const isAtOdds = method === 'patch' ? path.endsWith('}') : method === 'post' && !isForVisitors(operation)
    if (isAtOdds || method === 'put') demanded.push('409')
    if (parameters.some((parameter) => parameter.name === 'If-Match')) demanded.push('412')
    if (parameters.some((parameter) => parameter.name === 'If-None-Match')) demanded.push('304')
    const missing = demanded.filter((status) => !declared.includes(status)).sort()
    if (missing.length > 0) yield [[...at, 'responses'], `The answers ${missing.join(', ')} are not declared.`]
    for (const status of declared) {
      const place = [...at, 'responses', status]
      if (!KNOWN_STATUSES.includes(status)) yield [place, `The service never answers ${status} to a known operation.`]
      if (status < '400') continue
      const problem = resolveReference(document, operation.responses[status])?.content?.['application/problem+json']
      if (problem?.schema?.$ref !== '#/components/schemas/Problem')
        yield [place, 'A problem is answered as application/problem+json by the schema Problem.']
    }
  }
}

function* checkHeaders(document) {
  for (const { path, operation, method, parameters, at } of listOperations(document)) {
    const has = (name) => parameters.some((parameter) => parameter.in === 'header' && parameter.name === name)
    const single = path.endsWith('}') && !CATALOG_PATHS.some((catalogue) => path.startsWith(catalogue))
    // A link is used once, so a sign-in cannot be repeated, and a session has no version.
    const isRecord = !SESSIONS.some((part) => path.startsWith(part))
    const demanded = {
      'Idempotency-Key': method === 'post' && !isForVisitors(operation),
      'If-Match': (method === 'patch' || method === 'delete') && isRecord,
      'If-None-Match': method === 'get' && single,
    }
    for (const [name, wanted] of Object.entries(demanded)) {
      if (wanted && !has(name)) yield [at, `This operation takes the header ${name}.`]
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
        yield [[...at, 'responses', status], `The answer does not declare the header ${missing.join(', ')}.`]
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
    if (named && !paged) yield [at, 'A list answers a page of `data` and `nextCursor`.']
    if (!paged) continue
    if (!named) yield [[...at, 'operationId'], 'An operation that answers a page is called list….']
    const query = new Map(
      parameters.filter((parameter) => parameter.in === 'query').map((parameter) => [parameter.name, parameter]),
    )
    const demanded = isPortalOnly(operation) || SESSIONS.includes(path) ? PAGE_PARAMETERS : LIST_PARAMETERS
    const missing = demanded.filter((name) => !query.has(name))
    if (missing.length > 0) yield [[...at, 'parameters'], `Every list takes ${missing.join(', ')}.`]
    if (!resolveReference(document, operation.responses['200']).headers?.Link)
      yield [[...at, 'responses', '200'], 'A page declares the header Link.']
    const sort = resolveReference(document, query.get('sort')?.schema)
    if (!sort) continue
    // Append-only records (events, status changes) have a single order: the one in which they happened.
    const item = resolveReference(document, resolveReference(document, page.properties.data)?.items)
    const changes = Boolean(item?.properties?.updatedAt)
    const fields = (sort.enum ?? []).map((field) => field.replace(/^-/, ''))
    const offered = [...fields, ...(changes ? ['createdAt', 'updatedAt'] : [])].flatMap((field) => [field, `-${field}`])
    const lacking = new Set(offered.filter((field) => !sort.enum?.includes(field)))
    if (lacking.size > 0) yield [[...at, 'parameters'], `One can also sort by ${[...lacking].join(', ')}.`]
    if (changes && sort.default !== '-createdAt')
      yield [[...at, 'parameters'], 'Records are listed with the newest first unless asked otherwise.']
  }
}

function* checkBounds(document) {
  const asked = new Set([...listRequestSchemas(document)].map(({ schema }) => schema))
  for (const { schema, at } of listSchemas(document)) {
    const types = [schema.type].flat()
    if (schema.enum || 'const' in schema) continue
    if (types.includes('string') && !('maxLength' in schema) && schema.format !== 'date')
      yield [at, 'A string has a maxLength.']
    if (types.includes('array') && !('maxItems' in schema)) yield [at, 'An array has maxItems.']
    // Responses are bounded by the accepted inputs and by arithmetic, so only inputs need limits here.
    if ((types.includes('number') || types.includes('integer')) && asked.has(schema)) {
      if (!('minimum' in schema || 'exclusiveMinimum' in schema))
        yield [at, 'A number that is sent to us has a minimum.']
      if (!('maximum' in schema || 'exclusiveMaximum' in schema))
        yield [at, 'A number that is sent to us has a maximum.']
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
        'An object has additionalProperties: false, or says what more it takes and at most how much (maxProperties).',
      ]
  }
}

/**
 * Keywords that the validator, the type generator or the agents' schema dialects interpret differently are not allowed.
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
      if (keyword in schema) yield [[...at, keyword], `No ${keyword} in a schema: ${instead}.`]
    }
  }
}

/**
 * An actor occurs several times in every record and is stored with it, so fields that few actors have are omitted
 * otherwise.
 */
const RARE_FIELDS = {
  Actor: ['via', 'source', 'copiedBy'],
  AuditActor: ['via', 'source', 'copiedBy'],
}

/**
 * A missing value is null: a schema that occurs only in responses requires all properties, except those that `expand`
 * adds.
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
    if (missing.length > 0) yield [at, `Answers never leave a field out, so ${missing.join(', ')} is required.`]
  }
}

function* checkEvents(document) {
  const declared = Object.keys(document.webhooks ?? {})
  const kinds = document.components.schemas.AuditResourceType.enum
  for (const type of declared) {
    const at = ['webhooks', type]
    if (!kinds.includes(type.split('.')[0])) yield [at, `An event type begins with the kind of a record, not ${type}.`]
    const { post, ...rest } = document.webhooks[type]
    if (!post || METHODS.some((method) => method in rest)) yield [at, 'An event is sent by POST.']
    // With an operationId, code generators would mistake it for an operation of the service.
    if (post?.operationId) yield [[...at, 'post', 'operationId'], 'An event has no operationId.']
    const media = post?.requestBody?.content?.['application/json']
    if (!media?.schema) yield [at, 'An event has a payload in application/json.']
    else if (Object.keys(media.examples ?? {}).length === 0) yield [[...at, 'post'], 'An event has a named example.']
    else if (resolveReference(document, resolveReference(document, media.schema)?.properties?.type)?.const !== type) {
      yield [[...at, 'post'], `The payload's type is the constant ${type}.`]
    }
    yield* findEventPermission(document, type)
  }
  const groups = [...new Set(declared.map((type) => type.split('.')[0]))].join('|')
  for (const { operation, at } of listOperations(document)) {
    for (const [name] of operation.description?.matchAll(new RegExp(`\\b(${groups})\\.[a-z_]+(\\.[a-z_]+)?`, 'g')) ??
      []) {
      if (!declared.includes(name)) yield [[...at, 'description'], `There is no event ${name}.`]
    }
  }
}

/** An event shows a record, so it requires the permission of the operations that show such a record. */
function* findEventPermission(document, type) {
  const { post } = document.webhooks[type]
  const at = ['webhooks', type, 'post', 'x-permission']
  const permission = post?.['x-permission']
  const known = document.components?.schemas?.Permission?.enum ?? []
  if (!known.includes(permission) || !permission.endsWith(':read')) {
    yield [at, 'An event says under x-permission what one has to be allowed to read.']
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
      yield [at, `${operation.operationId} shows the same record and needs ${needed.join(' and ')}.`]
  }
}

/** The events of an operation are declared under `x-emits`, where docs and tools find them. */
function* checkEmits(document) {
  const declared = Object.keys(document.webhooks ?? {})
  for (const { operation, method, at } of listOperations(document)) {
    const place = [...at, 'x-emits']
    const types = operation['x-emits'] ?? []
    if (!Array.isArray(types)) {
      yield [place, 'x-emits is a list of event types.']
      continue
    }
    if (types.length > 0 && method === 'get') yield [place, 'What only reads emits nothing.']
    if ('x-emits' in operation && types.length === 0) yield [place, 'An operation that emits nothing says nothing.']
    if (types.join() !== [...new Set(types)].sort().join())
      yield [place, 'Event types are in alphabetical order, each once.']
    for (const type of types) if (!declared.includes(type)) yield [place, `There is no event ${type}.`]
    const { description = '' } = operation
    const said = description.slice(description.search(/\bemits\b/i)).match(/\b[a-z_]+(\.[a-z_]+)+/g) ?? []
    for (const type of /\bemits\b/i.test(description) ? said : []) {
      if (!types.includes(type)) yield [place, `The description says that it emits ${type}.`]
    }
  }
}

/** The composite skills are declared apart from the operations, which are skills too. */
function* checkSkills(document) {
  const known = document.components?.schemas?.Permission?.enum ?? []
  const operationIds = [...listOperations(document)].map(({ operation }) => operation.operationId)
  for (const [name, skill] of Object.entries(document['x-skills'] ?? {})) {
    const at = ['x-skills', name]
    // The trade has a single word for this one.
    if (!/^([a-z]+([A-Z][a-z0-9]*)+|lookahead)$/.test(name))
      yield [at, `"${name}" is not a verb and a noun in camelCase.`]
    if (operationIds.includes(name)) yield [at, 'An operation already has this name.']
    for (const member of ['summary', 'description', 'permissions', 'input', 'output']) {
      if (!skill[member]) yield [at, `A skill has ${member}.`]
    }
    if (typeof skill.writes !== 'boolean') yield [at, 'A skill says whether it writes.']
    if (Object.keys(skill.examples ?? {}).length === 0)
      yield [at, 'A skill has at least one named example of its input.']
    for (const permission of skill.permissions ?? []) {
      if (!known.includes(permission)) yield [[...at, 'permissions'], `"${permission}" is not among the permissions.`]
      if (saysLess(skill, permission)) yield [at, `The description does not say that it needs ${permission}.`]
    }
    yield* checkEffect(at, skill, skill.writes)
  }
  for (const { operation, method, at } of listOperations(document)) yield* checkEffect(at, operation, method !== 'get')
}

/**
 * Properties of an operation that agents read in addition to its method. An effect that repeats what the method implies
 * is a mistake.
 */
function* checkEffect(at, { 'x-effect': stated, 'x-tool': isTool, 'x-skill': isSkill }, writes) {
  if (stated !== undefined && !EFFECTS.includes(stated))
    yield [[...at, 'x-effect'], `x-effect is one of ${EFFECTS.join(', ')}.`]
  if (stated !== undefined && !writes) yield [[...at, 'x-effect'], 'What reads says so without x-effect.']
  if (isTool !== undefined && isTool !== false)
    yield [[...at, 'x-tool'], 'x-tool is false where models are not offered something, and left out elsewhere.']
  if (isSkill !== undefined && isSkill !== false)
    yield [[...at, 'x-skill'], 'x-skill is false for an operation that is no skill, and left out elsewhere.']
}

/** Explained in server/interfaces/skills/skill-effect.ts. */
const EFFECTS = ['reads', 'adds', 'settles', 'replaces', 'moves']

/** Every code has an entry, and the same title and status everywhere. */
function* checkProblemCatalog(document) {
  const codes = document.components?.schemas?.ProblemCode?.enum ?? []
  const entries = document['x-problems'] ?? {}
  for (const code of codes) if (!entries[code]) yield [['x-problems'], `The problem ${code} has no entry.`]
  for (const [code, { when, advice, example }] of Object.entries(entries)) {
    const at = ['x-problems', code]
    if (!codes.includes(code)) yield [at, `No problem has the code ${code}.`]
    if (!when || !advice) yield [at, 'An entry says `when` it happens, and gives `advice`.']
    const shown = resolveReference(document, example)
    if (shown?.value?.code !== code) yield [at, `The example of ${code} shows another code.`]
    else if (shown.summary !== shown.value.title) yield [at, 'The summary of the example is the title of the problem.']
  }
  for (const { media, at } of listBodies(document)) {
    for (const [name, reference] of Object.entries(media.examples ?? {})) {
      const { code, title, status } = resolveReference(document, reference)?.value ?? {}
      const entry = resolveReference(document, entries[code]?.example)?.value
      if (!at.includes('application/problem+json') || !entry) continue
      if (title !== entry.title || status !== entry.status)
        yield [
          [...at, 'examples', name],
          `The problem ${code} is called "${entry.title}" and has the status ${entry.status}.`,
        ]
    }
  }
}

/** Every release is in the changelog, and everything deprecated is announced with its last day. */
function* checkChangelog(document) {
  const releases = document['x-changelog'] ?? []
  const at = ['x-changelog']
  if (releases[0]?.version !== document.info?.version)
    yield [at, `The newest entry is that of ${document.info?.version}, the version of this document.`]
  const announced = new Set()
  const ids = new Set([...listOperations(document)].map(({ operation }) => operation.operationId))
  for (const [index, { version, date, changes }] of releases.entries()) {
    const place = [...at, index]
    const older = releases[index + 1]
    if (older && !(compareVersions(version, older.version) > 0 && date >= older.date))
      yield [place, `The newest version comes first, so ${version} comes before older ones.`]
    for (const { kind, operations: concerned } of changes) {
      if (kind === 'removed' && !version.endsWith('.0.0'))
        yield [place, 'Only a new major version may remove anything.']
      for (const id of concerned) {
        if (index === 0 && kind !== 'removed' && !ids.has(id)) yield [place, `There is no operation ${id}.`]
        if (kind === 'deprecated') announced.add(id)
      }
    }
  }
  for (const { operation, at } of listOperations(document)) {
    const { operationId, deprecated, 'x-sunset': sunset } = operation
    if (sunset !== undefined && !deprecated) yield [at, 'Only what is deprecated has an x-sunset.']
    if (!deprecated) continue
    if (!/^\d{4}-\d{2}-\d{2}$/.test(sunset))
      yield [at, 'What is deprecated has its last day under x-sunset (YYYY-MM-DD).']
    if (!announced.has(operationId)) yield [at, `No entry of x-changelog announces that ${operationId} is deprecated.`]
  }
}

function compareVersions(a, b) {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number))
  return left[0] - right[0] || left[1] - right[1] || left[2] - right[2]
}

/** Skills accept path, query and body in one flat object, so a name may occur in only one of them. */
function* checkFlatNames(document) {
  for (const { operation, parameters, at } of listOperations(document)) {
    const names = parameters
      .filter((parameter) => parameter.in === 'path' || parameter.in === 'query')
      .map((parameter) => parameter.name)
    const body = resolveReference(document, operation.requestBody)?.content?.['application/json']?.schema
    names.push(...Object.keys(resolveReference(document, body)?.properties ?? {}))
    const twice = names.filter((name, index) => names.indexOf(name) !== index)
    if (twice.length > 0) yield [at, `${twice.join(', ')} is the name of two inputs.`]
  }
}

/** Kinds, prefixes and tables each name one record, and the examples have IDs with the prefix. */
function* checkRecords(document) {
  const used = new Map()
  for (const [name, { 'x-record': record }] of Object.entries(document.components.schemas)) {
    // A schema without a kind is another form of a record that has one.
    if (record?.kind === undefined) continue
    const at = ['components', 'schemas', name, 'x-record']
    for (const [key, value] of Object.entries(record)) {
      if (key === 'audited') continue
      const whole = `${key === 'auditKind' ? 'kind' : key} ${value}`
      if (used.has(whole)) yield [at, `The ${whole} belongs to ${used.get(whole)}.`]
      used.set(whole, name)
    }
    const id = document.components.examples?.[name]?.value?.id
    if (id !== undefined && !String(id).startsWith(`${record.prefix}_`))
      yield [at, `IDs begin with ${record.prefix}_, but the example has ${id}.`]
  }
}

/** Readers without support for x-enumDescriptions find the same in the description. */
function* checkEnumDescriptions(document) {
  for (const { schema, at } of listSchemas(document)) {
    const descriptions = schema['x-enumDescriptions']
    if (!descriptions) continue
    if (Object.keys(descriptions).join() !== schema.enum?.join())
      yield [[...at, 'x-enumDescriptions'], 'x-enumDescriptions describes the values of `enum`, in the same order.']
    for (const [value, text] of Object.entries(descriptions)) {
      if (!schema.description?.includes(`\`${value}\`: ${text}`))
        yield [[...at, 'description'], `The description says "\`${value}\`: ${text}", as x-enumDescriptions does.`]
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

/** Yields every schema of the document once, where it is written. */
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

/** Yields a schema and those written inside it, without following references. */
function* listNestedSchemas(schema, at) {
  if (!schema || typeof schema !== 'object' || schema.$ref) return
  yield { schema, at }
  for (const [keys, inner] of listSubschemas(schema)) yield* listNestedSchemas(inner, [...at, ...keys])
}

/** Yields a schema and everything it reaches, including through references. */
function* listReachableSchemas(document, schema, at, visited) {
  if (!schema || typeof schema !== 'object') return
  const target = resolveReference(document, schema)
  if (!target || visited.has(target)) return
  visited.add(target)
  const home = schema.$ref ? referenceKeys(schema.$ref) : at
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
