import { execFile } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import { type ChangeKind, type ContractSnapshot, listBreakingChanges } from '../../scripts/breaking-changes.ts'
import { document, root } from '../../scripts/conformance/walked-contract.ts'
import { publishCompleteContract } from '../../server/interfaces/service/published-contract.ts'

/** Makes each kind of breaking change to the real contract, and a similar but harmless change. */
type Tree = { [key: string]: Tree }
type Case = [change: string, change_: (contract: Tree) => void]

const VENDORS_PATH = '/api/ext/vendors'
const whole = publishCompleteContract(document, '') as unknown as ContractSnapshot
/** The paths that the changes affect. Comparing all paths would take twenty times as long. */
const CONCERNED = new RegExp(`^${VENDORS_PATH}$|^/api/ext/bids/|^/api/ext/me$`)
const released: ContractSnapshot = {
  ...whole,
  paths: Object.fromEntries(Object.entries(whole.paths).filter(([path]) => CONCERNED.test(path))),
}

const VENDORS = ['paths', VENDORS_PATH]
const LIST = [...VENDORS, 'get']
const CREATE = [...VENDORS, 'post']
const schema = (name: string) => ['components', 'schemas', name]

const breaking: [ChangeKind, ...Case][] = [
  ['operation removed', 'a path is removed', (c) => set(c, VENDORS)],
  ['operation removed', 'a method of a path is removed', (c) => set(c, CREATE)],
  ['operation renamed', 'an operation is renamed', (c) => set(c, [...LIST, 'operationId'], 'listSuppliers')],
  ['event removed', 'an event is removed', (c) => set(c, ['webhooks', 'bid.submitted'])],
  ['skill removed', 'a composite skill is removed', (c) => set(c, ['x-skills', 'awardBid'])],
  ['permission added', 'an operation requires a different permission', (c) => permissions(c, ['homes:read'])],
  [
    'permission added',
    'an operation requires an additional permission',
    (c) => permissions(c, ['vendors:read', 'bids:read']),
  ],
  [
    'permission added',
    'a skill requires an additional permission',
    (c) => node(c, 'x-skills', 'awardBid', 'permissions').push('pos:read'),
  ],
  [
    'parameter removed',
    'a filter is removed',
    (c) => parameters(c, (all) => all.filter((each) => each.name !== 'status')),
  ],
  ['parameter required', 'an existing filter becomes required', (c) => set(parameter(c, 'status'), ['required'], true)],
  [
    'parameter required',
    'a new filter is required',
    (c) =>
      parameters(c, (all) => [...all, { name: 'region', in: 'query', required: true, schema: { type: 'string' } }]),
  ],
  [
    'parameter required',
    'If-Match becomes required',
    (c) => set(c, ['components', 'parameters', 'IfMatch', 'required'], true),
  ],
  [
    'body required',
    'a request body becomes required',
    (c) =>
      set(c, ['paths', '/api/ext/bids/requests/{bidRequestId}/send', 'post', 'requestBody'], {
        required: true,
        content: { 'application/json': { schema: { type: 'object' } } },
      }),
  ],
  ['field required', 'a new field is required', (c) => require_(c, 'VendorCreate', 'region', { type: 'string' })],
  ['field required', 'an existing field becomes required', (c) => require_(c, 'VendorCreate', 'email')],
  [
    'field removed',
    'a field is removed from a request body',
    (c) => set(c, [...schema('VendorCreate'), 'properties', 'phone']),
  ],
  ['field removed', 'a field is removed from a response', (c) => set(c, [...schema('Vendor'), 'properties', 'phone'])],
  [
    'field removed',
    'a field is renamed',
    (c) => rename(node(c, ...schema('Vendor'), 'properties'), 'companyName', 'name'),
  ],
  ['field optional', 'a response field becomes optional', (c) => without(c, 'Vendor', 'phone')],
  [
    'type changed',
    'a number in a response becomes a string',
    (c) => property(c, 'Vendor', 'version', { type: 'string' }),
  ],
  [
    'type changed',
    'a response field becomes nullable',
    (c) => property(c, 'Vendor', 'version', { type: ['integer', 'null'] }),
  ],
  [
    'type changed',
    'an integer in a response becomes a number',
    (c) => property(c, 'Vendor', 'version', { type: 'number' }),
  ],
  [
    'type changed',
    'a request field no longer accepts null',
    (c) => property(c, 'VendorCreate', 'phone', { type: 'string', maxLength: 40 }),
  ],
  [
    'type changed',
    'a string in a request becomes a list',
    (c) => property(c, 'VendorCreate', 'companyName', { type: 'array' }),
  ],
  [
    'type changed',
    'a request field accepts only certain values',
    (c) => property(c, 'VendorCreate', 'phone', { enum: ['x', null] }),
  ],
  [
    'enum value removed',
    'a request no longer accepts an enum value',
    (c) => set(c, [...schema('VendorCreate'), 'properties', 'status', 'enum'], ['active']),
  ],
  [
    'enum value removed',
    'a list can no longer be sorted by a field',
    (c) => node(parameter(c, 'sort'), 'schema', 'enum').pop(),
  ],
  [
    'enum value added',
    'a response gets a new enum value',
    (c) => node(c, ...schema('VendorStatus'), 'enum').push('retired'),
  ],
  ['format changed', 'a date becomes a timestamp', (c) => set(c, [...schema('CalendarDate'), 'format'], 'date-time')],
  [
    'bound tightened',
    'the maximum length of a string decreases',
    (c) => set(c, [...schema('VendorCreate'), 'properties', 'companyName', 'maxLength'], 60),
  ],
  ['bound tightened', 'the minimum of a number increases', (c) => set(c, [...schema('PositiveMoney'), 'minimum'], 1)],
  ['bound tightened', 'a string gets a pattern', (c) => set(c, [...schema('ExternalId'), 'pattern'], '^[a-z]+$')],
  [
    'default changed',
    'the default of a parameter changes',
    (c) => set(c, ['components', 'parameters', 'Limit', 'schema', 'default'], 20),
  ],
  ['status dropped', 'an error response is removed', (c) => set(c, [...LIST, 'responses', '403'])],
  ['status dropped', 'the success status changes', (c) => rename(node(c, ...CREATE, 'responses'), '201', '200')],
  [
    'media type dropped',
    'the media type of a response changes',
    (c) => rename(node(c, ...LIST, 'responses', '200', 'content'), 'application/json', 'text/csv'),
  ],
  [
    'header dropped',
    'a response no longer has the Link header',
    (c) => set(c, [...LIST, 'responses', '200', 'headers', 'Link']),
  ],
  [
    'header dropped',
    'the signature header of an event becomes optional',
    (c) => set(c, ['components', 'parameters', 'SignatureHeader', 'required'], false),
  ],
]

const harmless: Case[] = [
  ['no change', () => {}],
  [
    'a new operation',
    (c) => set(c, ['paths', '/api/ext/suppliers'], { get: { ...node(c, ...LIST), operationId: 'listSuppliers' } }),
  ],
  ['a new event', (c) => set(c, ['webhooks', 'vendor.renamed'], node(c, 'webhooks', 'vendor.updated'))],
  [
    'a new filter',
    (c) => parameters(c, (all) => [...all, { name: 'region', in: 'query', schema: { type: 'string' } }]),
  ],
  ['a new response field', (c) => require_(c, 'Vendor', 'region', { type: 'string' })],
  [
    'a new optional request field',
    (c) => set(c, [...schema('VendorCreate'), 'properties', 'region'], { type: 'string' }),
  ],
  ['a required request field that becomes optional', (c) => set(c, [...schema('VendorCreate'), 'required'], [])],
  ['a new error response', (c) => set(c, [...LIST, 'responses', '410'], node(c, ...LIST, 'responses', '403'))],
  ['a new problem code', (c) => node(c, ...schema('ProblemCode'), 'enum').push('on_strike')],
  ['a new enum value that requests accept', (c) => node(parameter(c, 'sort'), 'schema', 'enum').push('status')],
  [
    'an enum value that is removed from a response',
    (c) => node(c, ...schema('CallerOrganization'), 'properties', 'tier', 'enum').pop(),
  ],
  [
    'a higher maximum length',
    (c) => set(c, [...schema('VendorCreate'), 'properties', 'companyName', 'maxLength'], 400),
  ],
  [
    'a request field that starts to accept null',
    (c) => set(c, [...schema('VendorCreate'), 'properties', 'companyName', 'type'], ['string', 'null']),
  ],
  ['an operation that no longer requires a permission', (c) => permissions(c, [])],
  [
    'an operation that becomes deprecated',
    (c) => Object.assign(node(c, ...LIST), { deprecated: true, 'x-sunset': '2027-11-21' }),
  ],
  [
    'a reference that is replaced by its schema',
    (c) =>
      parameters(c, (all) =>
        all.map((each) =>
          each.$ref === '#/components/parameters/Cursor'
            ? structuredClone(node(c, 'components', 'parameters', 'Cursor'))
            : each,
        ),
      ),
  ],
]

test.each(breaking)('the breaking change "%s" is reported if %s', (kind, _change, change_) => {
  expect(kinds(change_)).toContain(kind)
})

test.each(harmless)('%s is not a breaking change', (_change, change_) => {
  expect(kinds(change_)).toEqual([])
})

test('comparing the whole contract with itself finds no breaking change', () => {
  expect(listBreakingChanges(whole, structuredClone(whole))).toEqual([])
})

test('the report of a breaking change names the operation and the field', () => {
  const present = changed((c) => set(c, [...schema('Bid'), 'properties', 'amount']))
  const places = listBreakingChanges(released, present).map(({ place }) => place)
  expect(places).toContain('getBid 200/amount')
  expect(places).toContain('bid.submitted/data/object/amount')
})

test('the check for breaking changes fails unless the major version is raised', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-released-'))
  const [contract, kept] = [path.join(folder, 'openapi.yaml'), path.join(folder, 'released.yaml')]
  // A contract with one operation, because only the versions matter here. Six processes read and write it.
  const few = {
    ...document,
    paths: { [VENDORS_PATH]: { post: { operationId: 'createVendor', security: [{ apiKey: ['vendors:write'] }] } } },
    ...{
      webhooks: {},
      'x-skills': {},
      components: { schemas: { Permission: document.components.schemas?.Permission } },
    },
  }
  const write = (version: string, break_: boolean) => {
    const present = structuredClone(few) as unknown as Tree
    set(present, ['info', 'version'], version)
    if (break_) set(present, CREATE)
    writeFileSync(contract, stringify(present))
  }
  write('1.0.0', false)
  expect(await release('--keep', contract, kept)).toMatchObject({ code: 0 })
  write('1.1.0', true)
  const refused = await release(contract, kept)
  expect(refused.code).toBe(1)
  expect(refused.said).toContain('operation removed: createVendor: POST /api/ext/vendors was removed')
  expect(await release('--keep', contract, kept)).toMatchObject({ code: 1 })
  write('2.0.0', true)
  expect(await release('--keep', contract, kept)).toMatchObject({ code: 0 })
  // After a version is released, its content must not change.
  write('2.0.0', false)
  expect(await release('--keep', contract, kept)).toMatchObject({ code: 1 })
  write('1.2.0', false)
  expect(await release(contract, kept)).toMatchObject({ code: 1 })
}, 120_000)

function release(...args: string[]): Promise<{ code: number; said: string }> {
  return new Promise((done) => {
    execFile(process.execPath, [path.join(root, 'scripts/release.ts'), ...args], (error, stdout, stderr) =>
      done({ code: error === null ? 0 : Number(error.code), said: stdout + stderr }),
    )
  })
}

function kinds(change_: (contract: Tree) => void): string[] {
  return [...new Set(listBreakingChanges(released, changed(change_)).map(({ kind }) => kind))]
}

function changed(change_: (contract: Tree) => void): ContractSnapshot {
  const present = structuredClone(released) as unknown as Tree
  change_(present)
  return present as unknown as ContractSnapshot
}

function node(tree: Tree, ...keys: string[]): Tree & unknown[] {
  return keys.reduce((place, key) => {
    const next = place[key]
    if (next === undefined) throw new Error(`The contract has no ${keys.join(' › ')}.`)
    return next
  }, tree) as Tree & unknown[]
}

/** Sets a value at a path, or removes it if no value is given. */
function set(tree: Tree, keys: string[], value?: unknown): void {
  const place = node(tree, ...keys.slice(0, -1))
  const last = keys.at(-1) ?? ''
  if (value === undefined) delete place[last]
  else place[last] = value as Tree
}

function rename(tree: Tree, from: string, to: string): void {
  tree[to] = node(tree, from)
  delete tree[from]
}

function property(tree: Tree, name: string, field: string, value: unknown): void {
  set(tree, [...schema(name), 'properties', field], value)
}

function require_(tree: Tree, name: string, field: string, value?: unknown): void {
  if (value !== undefined) property(tree, name, field, value)
  node(tree, ...schema(name), 'required').push(field)
}

function without(tree: Tree, name: string, field: string): void {
  const required = node(tree, ...schema(name), 'required') as unknown as string[]
  set(
    tree,
    [...schema(name), 'required'],
    required.filter((each) => each !== field),
  )
}

function permissions(tree: Tree, needed: string[]): void {
  set(tree, [...LIST, 'security'], [{ apiKey: needed }])
}

function parameters(tree: Tree, change_: (all: Record<string, unknown>[]) => unknown[]): void {
  set(tree, [...LIST, 'parameters'], change_(node(tree, ...LIST, 'parameters') as unknown as Record<string, unknown>[]))
}

function parameter(tree: Tree, name: string): Tree {
  const all = node(tree, ...LIST, 'parameters') as unknown as Tree[]
  const found = all.find((each) => (each.name as unknown) === name)
  if (found === undefined) throw new Error(`listVendors has no parameter ${name}.`)
  return found
}
