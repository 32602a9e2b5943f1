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
    'a path before those of an earlier tag',
    (contract) => {
      const entries = Object.entries(node(contract, 'paths'))
      set(contract, ['paths'], Object.fromEntries([...entries.slice(-1), ...entries.slice(0, -1)]))
    },
  ],
  [
    'path-order',
    'an item before its collection',
    (contract) => {
      const { [VENDORS]: collection, [VENDOR]: item, ...others } = node(contract, 'paths')
      set(contract, ['paths'], { [VENDOR]: item, [VENDORS]: collection, ...others })
    },
  ],
  ['path-order', 'two tags on one path', set_(['paths', VENDORS, 'post', 'tags'], ['Scopes'])],
  [
    'operation-names',
    'an operationId in another spelling',
    set_(['paths', VENDORS, 'get', 'operationId'], 'list_vendors'),
  ],
  ['operation-names', 'a GET named as if it wrote', set_(['paths', VENDORS, 'get', 'operationId'], 'createVendors')],
  ['operation-names', 'no operationId', set_(['paths', VENDORS, 'get', 'operationId'])],
  ['permissions', 'no security', set_(['paths', VENDORS, 'get', 'security'])],
  [
    'permissions',
    'a permission that does not exist',
    set_(['paths', VENDORS, 'get', 'security'], [{ apiKey: ['vendors:see'] }]),
  ],
  [
    'permissions',
    'a description that names another permission than is needed',
    set_(['paths', VENDORS, 'get', 'description'], 'Lists. Needs skills:read.'),
  ],
  [
    'permissions',
    'other permissions for users than for keys',
    set_(['paths', VENDORS, 'get', 'security', '1', 'session'], ['vendors:write']),
  ],
  ['permissions', 'an operation that is open to keys only', set_(['paths', VENDORS, 'get', 'security', '1'])],
  ['expansions', 'a record without a field for a link', set_(['components', 'schemas', 'Bid', 'properties', 'vendor'])],
  [
    'expansions',
    'a link that is not null where its ID may be',
    set_(['components', 'schemas', 'Bid', 'properties', 'home'], { $ref: '#/components/schemas/Home' }),
  ],
  ['expansions', 'a link without an ID', set_(['x-expands', 'Bid', 'builder'], 'Vendor')],
  [
    'expansions',
    'a link that expand does not offer',
    set_(['components', 'parameters', 'ExpandBid', 'schema', 'items', 'enum'], ['vendor']),
  ],
  ['examples', 'a request without an example', set_([...body('post', VENDORS), 'examples'], {})],
  [
    'agreeing-examples',
    'an answer that shows another value than was sent',
    set_([...createdVendor, 'companyName'], 'Others & Sons'),
  ],
  [
    'agreeing-examples',
    'an answer about another record than the path names',
    set_(['components', 'parameters', 'VendorId', 'example'], 'ven_01m7y975jzfesvq69r5b48w5sk'),
  ],
  [
    'agreeing-examples',
    'a request without an answer',
    set_([...body('patch', VENDOR), 'examples', 'limit'], { value: { poLimit: 1 } }),
  ],
  [
    'example-sums',
    'an order whose lines do not add up to its subtotal',
    set_(['components', 'examples', 'PurchaseOrder', 'value', 'lines', '0', 'total'], 648.63),
  ],
  [
    'possible-times',
    'a change before the beginning',
    set_(['components', 'examples', 'Vendor', 'value', 'createdAt'], '2027-01-01T00:00:00.000Z'),
  ],
  [
    'event-examples',
    'two events with one id',
    (contract) => {
      const id = node(contract, 'components', 'examples', 'Event_home_created', 'value', 'id')
      set(contract, ['components', 'examples', 'Event_vendor_created', 'value', 'id'], id)
    },
  ],
  ['records', 'two records with one prefix', set_(['components', 'schemas', 'Bid', 'x-record', 'prefix'], 'ven')],
  [
    'records',
    'an example with the ID of another record',
    set_(['components', 'examples', 'Vendor', 'value', 'id'], 'hom_01m7y975jyfesvq68ta7ctnfw5'),
  ],
  [
    'events',
    'an event about no kind of record',
    (contract) => set(contract, ['webhooks', 'seller.created'], node(contract, 'webhooks', 'vendor.created')),
  ],
  [
    'event-examples',
    'an event before what it shows',
    set_(['components', 'examples', 'Event_vendor_updated', 'value', 'timestamp'], '2026-01-01T00:00:00.000Z'),
  ],
  [
    'event-examples',
    'a creation that was told later',
    set_(['components', 'examples', 'Event_home_created', 'value', 'timestamp'], '2027-01-01T00:00:00.000Z'),
  ],
  [
    'problem-instances',
    'a problem where nobody meets it',
    set_(['components', 'examples', 'Problem_precondition_failed', 'value', 'instance'], VENDORS),
  ],
  [
    'states-shown',
    'a status that no example shows',
    set_(['components', 'schemas', 'VendorStatus', 'enum', '0'], 'dormant'),
  ],
  ['problem-responses', 'a problem that is not declared', set_(['paths', VENDOR, 'get', 'responses', '404'])],
  ['problem-responses', 'a status that we never answer', set_(['paths', VENDOR, 'get', 'responses', '501'], {})],
  ['headers', 'a POST without Idempotency-Key', set_(['paths', VENDORS, 'post', 'parameters'], [])],
  ['headers', 'an answer without its ETag', set_(['paths', VENDOR, 'get', 'responses', '200', 'headers', 'ETag'])],
  ['lists', 'a list without its parameters', set_(['paths', VENDORS, 'get', 'parameters'], [])],
  ['bounds', 'a string without an end', set_(['components', 'schemas', 'ResourceId', 'maxLength'])],
  [
    'bounds',
    'an array without an end',
    set_(['components', 'schemas', 'VendorCreate', 'properties', 'scopes', 'maxItems']),
  ],
  ['bounds', 'a number without an end', set_(['components', 'schemas', 'PositiveMoney', 'maximum'])],
  ['closed-objects', 'an open object', set_(['components', 'schemas', 'Vendor', 'additionalProperties'], true)],
  ['plain-schemas', 'a keyword that we avoid', set_(['components', 'schemas', 'Money', 'multipleOf'], 0.01)],
  [
    'plain-schemas',
    'a brief field that does not exist',
    set_(['components', 'schemas', 'Vendor', 'x-brief'], ['shoeSize']),
  ],
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
    'whole-answers',
    'an answer that may leave something out',
    set_(['components', 'schemas', 'Vendor', 'required'], ['id']),
  ],
  ['emits', 'an event that does not exist', set_(['paths', VENDORS, 'post', 'x-emits'], ['vendor.born'])],
  ['emits', 'a list that is none', set_(['paths', VENDORS, 'post', 'x-emits'], 'vendor.created')],
  ['emits', 'an event of what only reads', set_(['paths', VENDORS, 'get', 'x-emits'], ['vendor.created'])],
  ['emits', 'no event at all', set_(['paths', VENDORS, 'post', 'x-emits'], [])],
  [
    'emits',
    'an event less than the description names',
    set_(['paths', BID_REQUEST, 'post', 'x-emits'], ['vendor.invited']),
  ],
  ['emits', 'an event of the clock and an operation', set_(['webhooks', 'vendor.created', 'post', 'x-timed'], true)],
  ['emits', 'an event of the clock as text', set_(['webhooks', 'permit.expiring', 'post', 'x-timed'], 'true')],
  ['emits', 'events out of order', set_(['paths', VENDORS, 'post', 'x-emits'], ['vendor.updated', 'vendor.created'])],
  [
    'events',
    'an event with an operationId',
    set_(['webhooks', 'vendor.created', 'post', 'operationId'], 'vendorCreated'),
  ],
  ['events', 'an event that everybody may read', set_(['webhooks', 'lead.created', 'post', 'x-permission'])],
  [
    'events',
    'an event that is read with the permission to change something',
    set_(['webhooks', 'lead.created', 'post', 'x-permission'], 'leads:write'),
  ],
  [
    'events',
    'an event that shows to others what its record is kept from',
    set_(['webhooks', 'bid.submitted', 'post', 'x-permission'], 'vendors:read'),
  ],
  [
    'events',
    'a description that names an event of its own',
    set_(['paths', VENDORS, 'post', 'description'], 'Emits vendor.made.'),
  ],
  ['skills', 'a skill with the name of an operation', set_(['x-skills', 'createVendor'], {})],
  ['skills', 'an effect that nobody knows', set_(['paths', VENDORS, 'post', 'x-effect'], 'harms')],
  ['skills', 'an effect of what reads', set_(['paths', VENDORS, 'get', 'x-effect'], 'adds')],
  ['skills', 'an operation that nobody would find', set_(['paths', VENDORS, 'get', 'x-phrases'], ['list vendors'])],
  ['skills', 'a phrase that occurs twice', set_(['paths', VENDORS, 'get', 'x-phrases'], [...'abcdefgh', 'A'])],
  ['skills', 'a tool that says that it is one', set_(['paths', VENDORS, 'get', 'x-tool'], true)],
  ['problem-catalogue', 'a problem without an entry', set_(['x-problems', 'conflict'])],
  ['problem-catalogue', 'an entry without advice', set_(['x-problems', 'conflict', 'advice'])],
  [
    'problem-catalogue',
    'the example of another problem',
    set_(['x-problems', 'conflict', 'example', '$ref'], '#/components/examples/Problem_not_found'),
  ],
  [
    'problem-catalogue',
    'two titles for one problem',
    (contract) => {
      const problem = structuredClone(node(contract, 'components', 'examples', 'Problem_conflict'))
      set(problem, ['value', 'title'], 'Another title.')
      const examples = ['content', 'application/problem+json', 'examples']
      set(contract, ['components', 'responses', 'Conflict', ...examples, 'conflict'], problem)
    },
  ],
  ['changelog', 'a version that nobody has written down', set_(['info', 'version'], '1.0.1')],
  [
    'changelog',
    'something that goes without a last day',
    (contract) => {
      set(contract, ['paths', VENDORS, 'get', 'deprecated'], true)
      announce(contract, 'deprecated', 'listVendors')
    },
  ],
  [
    'changelog',
    'something that goes without a word',
    (contract) => {
      set(contract, ['paths', VENDORS, 'get', 'deprecated'], true)
      set(contract, ['paths', VENDORS, 'get', 'x-sunset'], '2027-11-21')
    },
  ],
  ['changelog', 'a last day of what stays', set_(['paths', VENDORS, 'get', 'x-sunset'], '2027-11-21')],
  [
    'changelog',
    'a removal in a minor version',
    (contract) => {
      set(contract, ['info', 'version'], '1.1.0')
      set(contract, ['x-changelog', '0', 'version'], '1.1.0')
      announce(contract, 'removed', 'listSuppliers')
    },
  ],
  ['changelog', 'an operation that is not there', (contract) => announce(contract, 'added', 'listSuppliers')],
  [
    'changelog',
    'an older version above a newer one',
    (contract) => {
      const newest = structuredClone(node(contract, 'x-changelog', '0'))
      const releases = [newest, { ...newest, version: '1.10.0' }, { ...newest, version: '1.9.0' }]
      set(contract, ['x-changelog'], releases)
    },
  ],
  [
    'flat-names',
    'one name for two inputs',
    set_(['components', 'schemas', 'VendorUpdate', 'properties', 'vendorId'], { type: 'boolean' }),
  ],
  [
    'secrets',
    'a field named like a secret that is not marked',
    set_(['components', 'schemas', 'VendorUpdate', 'properties', 'inviteToken'], { type: 'string' }),
  ],
  [
    'secrets',
    'a link of a calendar feed in an example that is not marked',
    set_(['components', 'schemas', 'CalendarFeedWithUrl', 'properties', 'url', 'x-secret']),
  ],
  [
    'secrets',
    'a field that is shown once and is not marked',
    set_(['paths', VENDORS, 'post', 'x-shows-once'], ['companyName']),
  ],
  [
    'writers',
    'a writer that nobody knows',
    set_(['components', 'schemas', 'Bid', 'properties', 'inclusions', 'x-writtenBy'], 'somebody'),
  ],
  [
    'defaults-to-now',
    'a text that defaults to now',
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
