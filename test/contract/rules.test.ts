import { expect, test } from 'vitest'
import { document } from '../../scripts/conformance/walked-contract.ts'
import { listFindings, ruleNames } from '../../scripts/contract-rules.mjs'

/**
 * Runs each lint rule on a contract that violates exactly this rule, because a rule that never reports anything proves
 * nothing.
 */
type Tree = { [key: string]: Tree }
type Breakage = [rule: string, what: string, break_: (contract: Tree) => void]

const VENDORS = '/api/ext/vendors'
const BID_REQUEST = '/api/ext/bids/request'
const VENDOR = '/api/ext/vendors/{vendorId}'

const createdVendor = [
  ...['paths', VENDORS, 'post', 'responses', '201', 'content', 'application/json'],
  ...['examples', 'created', 'value'],
]

const breakages: Breakage[] = [
  ['tag-groups', 'a tag without a group', set_(['x-tagGroups', '0', 'tags', '0'], 'Suppliers')],
  [
    'path-order',
    'a path that is listed before the paths of an earlier tag',
    (contract) => {
      const entries = Object.entries(node(contract, 'paths'))
      set(contract, ['paths'], Object.fromEntries([...entries.slice(-1), ...entries.slice(0, -1)]))
    },
  ],
  [
    'path-order',
    'a record path that is listed before its collection',
    (contract) => {
      const { [VENDORS]: collection, [VENDOR]: item, ...others } = node(contract, 'paths')
      set(contract, ['paths'], { [VENDOR]: item, [VENDORS]: collection, ...others })
    },
  ],
  ['path-order', 'two tags on one path', set_(['paths', VENDORS, 'post', 'tags'], ['Scopes'])],
  [
    'operation-names',
    'an operationId that is not in camel case',
    set_(['paths', VENDORS, 'get', 'operationId'], 'list_vendors'),
  ],
  [
    'operation-names',
    'a GET operation that is named like a change',
    set_(['paths', VENDORS, 'get', 'operationId'], 'createVendors'),
  ],
  ['operation-names', 'a missing operationId', set_(['paths', VENDORS, 'get', 'operationId'])],
  ['permissions', 'missing security requirements', set_(['paths', VENDORS, 'get', 'security'])],
  ['permissions', 'an unknown permission', set_(['paths', VENDORS, 'get', 'security'], [{ apiKey: ['vendors:see'] }])],
  [
    'permissions',
    'a description that names a permission that the operation does not require',
    set_(['paths', VENDORS, 'get', 'description'], 'Lists. Needs skills:read.'),
  ],
  [
    'permissions',
    'different permissions for users and keys',
    set_(['paths', VENDORS, 'get', 'security', '1', 'session'], ['vendors:write']),
  ],
  ['permissions', 'an operation that only keys can call', set_(['paths', VENDORS, 'get', 'security', '1'])],
  ['expansions', 'a record without a field for a link', set_(['components', 'schemas', 'Bid', 'properties', 'vendor'])],
  [
    'expansions',
    'a link that cannot be null although its ID can be',
    set_(['components', 'schemas', 'Bid', 'properties', 'home'], { $ref: '#/components/schemas/Home' }),
  ],
  ['expansions', 'a link without an ID', set_(['x-expands', 'Bid', 'builder'], 'Vendor')],
  [
    'expansions',
    'a link that is missing from the expand parameter',
    set_(['components', 'parameters', 'ExpandBid', 'schema', 'items', 'enum'], ['vendor']),
  ],
  ['examples', 'a request without an example', set_([...body('post', VENDORS), 'examples'], {})],
  [
    'agreeing-examples',
    'a response example that differs from its request example',
    set_([...createdVendor, 'companyName'], 'Others & Sons'),
  ],
  [
    'agreeing-examples',
    'a response example for another record than the one in the path',
    set_(['components', 'parameters', 'VendorId', 'example'], 'ven_01m7y975jzfesvq69r5b48w5sk'),
  ],
  [
    'agreeing-examples',
    'a request example without a response example',
    set_([...body('patch', VENDOR), 'examples', 'limit'], { value: { poLimit: 1 } }),
  ],
  [
    'example-sums',
    'an order whose lines do not total its subtotal',
    set_(['components', 'examples', 'PurchaseOrder', 'value', 'lines', '0', 'total'], 648.63),
  ],
  [
    'possible-times',
    'a record that was updated before it was created',
    set_(['components', 'examples', 'Vendor', 'value', 'createdAt'], '2027-01-01T00:00:00.000Z'),
  ],
  [
    'event-examples',
    'two events with the same ID',
    (contract) => {
      const id = node(contract, 'components', 'examples', 'Event_home_created', 'value', 'id')
      set(contract, ['components', 'examples', 'Event_vendor_created', 'value', 'id'], id)
    },
  ],
  [
    'records',
    'two records with the same ID prefix',
    set_(['components', 'schemas', 'Bid', 'x-record', 'prefix'], 'ven'),
  ],
  [
    'records',
    'an example with the ID of another record',
    set_(['components', 'examples', 'Vendor', 'value', 'id'], 'hom_01m7y975jyfesvq68ta7ctnfw5'),
  ],
  [
    'events',
    'an event without a record type',
    (contract) => set(contract, ['webhooks', 'seller.created'], node(contract, 'webhooks', 'vendor.created')),
  ],
  [
    'event-examples',
    'an event that is older than its record',
    set_(['components', 'examples', 'Event_vendor_updated', 'value', 'timestamp'], '2026-01-01T00:00:00.000Z'),
  ],
  [
    'event-examples',
    'a creation event with a later time than its record',
    set_(['components', 'examples', 'Event_home_created', 'value', 'timestamp'], '2027-01-01T00:00:00.000Z'),
  ],
  [
    'problem-instances',
    'an example of a problem on an operation that cannot return it',
    set_(['components', 'examples', 'Problem_precondition_failed', 'value', 'instance'], VENDORS),
  ],
  [
    'states-shown',
    'a status without an example',
    set_(['components', 'schemas', 'VendorStatus', 'enum', '0'], 'dormant'),
  ],
  ['problem-responses', 'a problem response that is not declared', set_(['paths', VENDOR, 'get', 'responses', '404'])],
  [
    'problem-responses',
    'a response status that the service never returns',
    set_(['paths', VENDOR, 'get', 'responses', '501'], {}),
  ],
  ['headers', 'a POST without Idempotency-Key', set_(['paths', VENDORS, 'post', 'parameters'], [])],
  ['headers', 'a response without its ETag', set_(['paths', VENDOR, 'get', 'responses', '200', 'headers', 'ETag'])],
  ['lists', 'a list without its parameters', set_(['paths', VENDORS, 'get', 'parameters'], [])],
  ['bounds', 'a string without a maximum length', set_(['components', 'schemas', 'ResourceId', 'maxLength'])],
  [
    'bounds',
    'an array without a maximum length',
    set_(['components', 'schemas', 'VendorCreate', 'properties', 'scopes', 'maxItems']),
  ],
  ['bounds', 'a number without a maximum', set_(['components', 'schemas', 'PositiveMoney', 'maximum'])],
  [
    'closed-objects',
    'an object that allows additional properties',
    set_(['components', 'schemas', 'Vendor', 'additionalProperties'], true),
  ],
  [
    'plain-schemas',
    'a schema keyword that the contract avoids',
    set_(['components', 'schemas', 'Money', 'multipleOf'], 0.01),
  ],
  ['plain-schemas', 'an unknown brief field', set_(['components', 'schemas', 'Vendor', 'x-brief'], ['shoeSize'])],
  [
    'plain-schemas',
    'a pattern that model providers reject',
    set_(['components', 'schemas', 'CalendarDate', 'pattern'], '^(?!0000)'),
  ],
  [
    'enum-descriptions',
    'a value without a description',
    set_(['components', 'schemas', 'ConflictReason', 'x-enumDescriptions', 'archived']),
  ],
  [
    'enum-descriptions',
    'a description that does not explain the values',
    set_(['components', 'schemas', 'ConflictReason', 'description'], 'Why it is not possible.'),
  ],
  [
    'whole-responses',
    'a response field that is not required',
    set_(['components', 'schemas', 'Vendor', 'required'], ['id']),
  ],
  ['emits', 'an unknown event', set_(['paths', VENDORS, 'post', 'x-emits'], ['vendor.born'])],
  ['emits', 'a value that is not a list', set_(['paths', VENDORS, 'post', 'x-emits'], 'vendor.created')],
  ['emits', 'an event of an operation that only reads', set_(['paths', VENDORS, 'get', 'x-emits'], ['vendor.created'])],
  ['emits', 'an empty list of events', set_(['paths', VENDORS, 'post', 'x-emits'], [])],
  [
    'emits',
    'a missing event that the description names',
    set_(['paths', BID_REQUEST, 'post', 'x-emits'], ['vendor.invited']),
  ],
  [
    'emits',
    'a timed event that an operation also emits',
    set_(['webhooks', 'vendor.created', 'post', 'x-timed'], true),
  ],
  ['emits', 'a timed event whose mark is a string', set_(['webhooks', 'permit.expiring', 'post', 'x-timed'], 'true')],
  [
    'emits',
    'events that are not sorted',
    set_(['paths', VENDORS, 'post', 'x-emits'], ['vendor.updated', 'vendor.created']),
  ],
  [
    'events',
    'an event with an operationId',
    set_(['webhooks', 'vendor.created', 'post', 'operationId'], 'vendorCreated'),
  ],
  ['events', 'an event without a read permission', set_(['webhooks', 'lead.created', 'post', 'x-permission'])],
  [
    'events',
    'an event that requires a write permission',
    set_(['webhooks', 'lead.created', 'post', 'x-permission'], 'leads:write'),
  ],
  [
    'events',
    'an event with another permission than its record',
    set_(['webhooks', 'bid.submitted', 'post', 'x-permission'], 'vendors:read'),
  ],
  [
    'events',
    'a description that names an unknown event',
    set_(['paths', VENDORS, 'post', 'description'], 'Emits vendor.made.'),
  ],
  ['skills', 'a composite skill with the name of an operation', set_(['x-skills', 'createVendor'], {})],
  ['skills', 'an unknown effect', set_(['paths', VENDORS, 'post', 'x-effect'], 'harms')],
  ['skills', 'an effect of an operation that only reads', set_(['paths', VENDORS, 'get', 'x-effect'], 'adds')],
  [
    'skills',
    'an operation with too few search phrases',
    set_(['paths', VENDORS, 'get', 'x-phrases'], ['list vendors']),
  ],
  ['skills', 'a duplicate search phrase', set_(['paths', VENDORS, 'get', 'x-phrases'], [...'abcdefgh', 'A'])],
  ['skills', 'a redundant x-tool: true', set_(['paths', VENDORS, 'get', 'x-tool'], true)],
  ['problem-catalog', 'a problem without an entry', set_(['x-problems', 'conflict'])],
  ['problem-catalog', 'an entry without advice', set_(['x-problems', 'conflict', 'advice'])],
  [
    'problem-catalog',
    'an example with the code of another problem',
    set_(['x-problems', 'conflict', 'example', '$ref'], '#/components/examples/Problem_not_found'),
  ],
  [
    'problem-catalog',
    'two titles for the same problem',
    (contract) => {
      const problem = structuredClone(node(contract, 'components', 'examples', 'Problem_conflict'))
      set(problem, ['value', 'title'], 'Another title.')
      const examples = ['content', 'application/problem+json', 'examples']
      set(contract, ['components', 'responses', 'Conflict', ...examples, 'conflict'], problem)
    },
  ],
  ['changelog', 'a version without a changelog entry', set_(['info', 'version'], '1.0.1')],
  [
    'changelog',
    'a deprecation without a sunset date',
    (contract) => {
      set(contract, ['paths', VENDORS, 'get', 'deprecated'], true)
      announce(contract, 'deprecated', 'listVendors')
    },
  ],
  [
    'changelog',
    'a deprecation without a changelog entry',
    (contract) => {
      set(contract, ['paths', VENDORS, 'get', 'deprecated'], true)
      set(contract, ['paths', VENDORS, 'get', 'x-sunset'], '2027-11-21')
    },
  ],
  ['changelog', 'a sunset date without a deprecation', set_(['paths', VENDORS, 'get', 'x-sunset'], '2027-11-21')],
  [
    'changelog',
    'a removal in a minor version',
    (contract) => {
      set(contract, ['info', 'version'], '1.1.0')
      set(contract, ['x-changelog', '0', 'version'], '1.1.0')
      announce(contract, 'removed', 'listSuppliers')
    },
  ],
  ['changelog', 'an entry for an unknown operation', (contract) => announce(contract, 'added', 'listSuppliers')],
  [
    'changelog',
    'an older version that is listed before a newer one',
    (contract) => {
      const newest = structuredClone(node(contract, 'x-changelog', '0'))
      const releases = [newest, { ...newest, version: '1.10.0' }, { ...newest, version: '1.9.0' }]
      set(contract, ['x-changelog'], releases)
    },
  ],
  [
    'flat-names',
    'two inputs with the same name',
    set_(['components', 'schemas', 'VendorUpdate', 'properties', 'vendorId'], { type: 'boolean' }),
  ],
  [
    'secrets',
    'a field that is named like a secret but not marked',
    set_(['components', 'schemas', 'VendorUpdate', 'properties', 'inviteToken'], { type: 'string' }),
  ],
  [
    'secrets',
    'an example with a calendar feed URL that is not marked',
    set_(['components', 'schemas', 'CalendarFeedWithUrl', 'properties', 'url', 'x-secret']),
  ],
  [
    'secrets',
    'a field that is shown only once but not marked',
    set_(['paths', VENDORS, 'post', 'x-shows-once'], ['companyName']),
  ],
  [
    'writers',
    'an unknown writer',
    set_(['components', 'schemas', 'Bid', 'properties', 'inclusions', 'x-writtenBy'], 'somebody'),
  ],
  [
    'defaults-to-now',
    'a string that defaults to the current time',
    set_(['components', 'schemas', 'Bid', 'properties', 'inclusions', 'x-defaultsToNow'], true),
  ],
]

test.each(breakages)('the contract rule %s detects %s', (rule, _what, break_) => {
  const broken = structuredClone(document) as unknown as Tree
  const before = faultsBy(rule, broken)
  break_(broken)
  expect(faultsBy(rule, broken)).toBeGreaterThan(before)
})

test('every contract rule is tested with a broken contract', () => {
  const shown = new Set(breakages.map(([rule]) => rule))
  expect(ruleNames.filter((rule) => !shown.has(rule))).toEqual([])
})

function faultsBy(rule: string, contract: unknown): number {
  return [...listFindings(contract, [rule])].length
}

function body(method: string, path: string): string[] {
  return ['paths', path, method, 'requestBody', 'content', 'application/json']
}

function node(tree: Tree, ...keys: string[]): Tree {
  return keys.reduce((place, key) => {
    const next = place[key]
    if (next === undefined) throw new Error(`The contract has no ${keys.join(' › ')}.`)
    return next
  }, tree)
}

/** Sets a value at a path, or removes it if no value is given. */
function set(tree: Tree, keys: string[], value?: unknown): void {
  const place = node(tree, ...keys.slice(0, -1))
  const last = keys.at(-1) ?? ''
  if (value === undefined) delete place[last]
  else place[last] = value as Tree
}

function announce(tree: Tree, kind: string, operationId: string): void {
  const change = { kind, description: 'It is so.', operations: [operationId] }
  set(tree, ['x-changelog', '0', 'changes'], [change])
}

function set_(keys: string[], value?: unknown): (tree: Tree) => void {
  return (tree) => set(tree, keys, value)
}
