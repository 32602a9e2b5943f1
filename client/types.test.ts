import { readFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { compile } from '../test/support/compile.ts'

/** Compiles code that uses the client: code that must compile and code that must be rejected. */
const PRELUDE = `
import { createClient, ConflictReason, etagOf, objectOf, orThrow, PlumblineError, verifyWebhook, type Bid, type Problem, type ProblemCode, type ProblemOf, type WebhookEvent } from '@plumbline/client'
const client = createClient({ baseUrl: 'https://plumbline.example.com', key: 'plb_' })
declare function same<T>(): <U>(value: (<G>() => G extends T ? 1 : 2) extends (<G>() => G extends U ? 1 : 2) ? U : never) => void
type IsAny<T> = 0 extends 1 & T ? true : false
`

const right: Record<string, string> = {
  'a list request with filters': `
    const { data, error } = await client.GET('/api/ext/vendors', { params: { query: { limit: 5, ids: ['a'], status: 'active' } } })
    if (error) { const code: ProblemCode = error.code; void code } else { const name: string | undefined = data.data[0]?.companyName; void name }`,
  'a list request without filters': `await client.GET('/api/ext/vendors')`,
  'fetch options together with parameters': `await client.GET('/api/ext/vendors', { signal: AbortSignal.timeout(5), cache: 'no-store' })`,
  'a create request with a generated or provided Idempotency-Key': `
    const vendor = await orThrow(client.POST('/api/ext/vendors', { body: { companyName: 'x', scopes: ['framing'] } }))
    const id: string = vendor.id
    await client.POST('/api/ext/vendors', { params: { header: { 'Idempotency-Key': id } }, body: { companyName: 'x' } })`,
  'an action without a request body': `await client.POST('/api/ext/vendors/{vendorId}/invite', { params: { path: { vendorId: 'x' } } })`,
  'an action with an optional request body': `
    await client.POST('/api/ext/bids/{bidId}/accept', { params: { path: { bidId: 'x' } } })
    await client.POST('/api/ext/bids/{bidId}/accept', { params: { path: { bidId: 'x' } }, body: { createPurchaseOrder: true } })`,
  'an update that clears a field with null': `await client.PATCH('/api/ext/vendors/{vendorId}', { params: { path: { vendorId: 'x' } }, body: { accountingId: null } })`,
  'a delete request without a result': `
    const nothing: undefined = await orThrow(client.DELETE('/api/ext/vendors/{vendorId}', { params: { path: { vendorId: 'x' }, header: { 'If-Match': '"3"' } } }))`,
  'a YAML response as text': `const text: string = await orThrow(client.GET('/api/ext/schema/openapi.yaml'))`,
  'the items of all pages': `
    for await (const vendor of client.pages('/api/ext/vendors', { params: { query: { scope: 'framing' } } })) { const name: string = vendor.companyName }
    for await (const notice of client.pages('/api/ext/vendors/{vendorId}/notifications', { params: { path: { vendorId: 'x' } } })) { const kind: 'advance' | 'reminder' | 'moved_earlier' | 'postponed' = notice.kind }
    for await (const event of client.pages('/api/ext/events')) { const sequence: number | null = event.sequence }`,
  'the expanded links of a record': `
    const bid = await orThrow(client.GET('/api/ext/bids/{bidId}', { params: { path: { bidId: 'x' }, query: { expand: ['vendor', 'home.community'] } } }))
    const name: string | undefined = bid.vendor?.companyName
    const place: string | undefined = bid.home?.community?.name
    void [name, place]`,
  'skills that are run by name': `
    const { result, skill } = await client.execute('awardBid', { bidId: 'x', createPurchaseOrder: true }, { dryRun: true })
    const total: number | undefined = result.purchaseOrder?.total
    const name: 'awardBid' = skill
    const { result: vendor } = await client.execute('createVendor', { companyName: 'x' })
    const id: string = vendor.id
    const { result: changed } = await client.execute('updateVendor', { vendorId: id, contactName: null, ifMatch: '"3"' })
    const version: number = changed.version
    const { result: nothing } = await client.execute('archiveVendor', { vendorId: id })
    const none: null = nothing
    const { result: page } = await client.execute('listVendors')
    const cursor: string | null = page.nextCursor
    const { result: found } = await client.execute('detectOverCommittedBudgets', undefined, { idempotencyKey: 'mine' })
    void [total, name, version, none, cursor, found]`,
  'a problem as one kind of error': `
    try { await orThrow(client.GET('/api/ext/me')) } catch (error) {
      if (error instanceof PlumblineError) {
        const { code, status, requestId, errors, problem }: { code: ProblemCode | 'unexpected_answer'; status: number; requestId: string | null; errors: readonly { pointer: string }[]; problem: Problem | null } = error
        if (error.code === 'invalid_transition') void problem?.allowed
      }
    }`,
  'problems that are distinguished by code': `
    const { error } = await client.GET('/api/ext/me')
    if (error?.code === 'conflict') { const reason: ConflictReason = error.reason; const other: string | undefined = error.conflictingId; void [reason, other] }
    if (error?.code === 'invalid_transition') { const next: string[] = error.allowed; void next }
    if (error?.code === 'precondition_failed') { const version: number = error.currentVersion; void version }
    const nearest: string[] | undefined = error?.nearest
    const thrown: unknown = nearest
    if (thrown instanceof PlumblineError && thrown.is('conflict')) { const held: boolean = thrown.problem.reason === 'vendor_on_hold' || thrown.problem.reason === ConflictReason.vendor_archived; void held }
    const one = (problem: ProblemOf<'unknown_reference'>): string[] | undefined => problem.didYouMean
    void one`,
  'the ETag of a record': `
    const vendor = await orThrow(client.GET('/api/ext/vendors/{vendorId}', { params: { path: { vendorId: 'x' } } }))
    const etag = etagOf(vendor)
    if (etag !== undefined) await client.DELETE('/api/ext/vendors/{vendorId}', { params: { path: { vendorId: 'x' }, header: { 'If-Match': etag } } })`,
  'the current and previous record of an event, by its type': `
    const event = await verifyWebhook({ headers: new Headers(), body: '' }, 'whsec_a')
    if (event.type === 'bid.submitted') {
      const bid: Bid | null = objectOf(event)
      const before: number | null | undefined = event.data.previous?.amount
      void [bid?.revision, before]
    }`,
  'events that are distinguished by type': `
    const event = await verifyWebhook({ headers: new Headers(), body: '' }, ['whsec_a', 'whsec_b'])
    if (event.type === 'bid.submitted') { const { object } = event.data; if ('revision' in object) { const revision: number = object.revision } }
    if (event.type === 'home.status_changed') { const { object } = event.data; if ('lotNumber' in object) { const lot: string | null = object.lotNumber } }
    const types: WebhookEvent['type'][] = ['po.created', 'sale.cancelled']`,
  'a provided fetch function': `
    createClient({ baseUrl: '', key: '', fetch: (input, init) => fetch(input, init), retry: { retries: 0, longestWaitSeconds: 1, timeoutSeconds: 1 } })
    createClient({ baseUrl: '', key: '', fetch })`,
  'middleware of openapi-fetch': `client.openapi.use({ onRequest: ({ request }) => { request.headers.set('X-Request-Id', 'mine') } })`,
  'results without the type any': `
    const read = await client.GET('/api/ext/vendors/{vendorId}', { params: { path: { vendorId: 'x' } } })
    const done = await client.execute('getHome', { homeId: 'x' })
    const event = await verifyWebhook({ headers: {}, body: '' }, '')
    for await (const home of client.pages('/api/ext/homes')) { const isAny: IsAny<typeof home> = false }
    const any: [IsAny<typeof read>, IsAny<typeof read.data>, IsAny<typeof read.error>, IsAny<typeof done.result>, IsAny<typeof event.data>] = [false, false, false, false, false]`,
}

const wrong: [what: string, code: string, error: RegExp][] = [
  ['a path that does not exist', `await client.GET('/api/ext/vendor')`, /TS2345.*"\/api\/ext\/vendor"/],
  ['a method that the path does not have', `await client.DELETE('/api/ext/vendors')`, /TS2554|TS2345/],
  ['a missing path parameter', `await client.GET('/api/ext/vendors/{vendorId}')`, /TS2554.*Expected 2 arguments/],
  [
    'a misspelled path parameter',
    `await client.GET('/api/ext/vendors/{vendorId}', { params: { path: { vendorID: 'x' } } })`,
    /'vendorID' does not exist.*mean to write 'vendorId'/,
  ],
  [
    'an unknown link in expand',
    `await client.GET('/api/ext/bids', { params: { query: { expand: ['vendors'] } } })`,
    /'"vendors"' is not assignable/,
  ],
  [
    'a misspelled query parameter',
    `await client.GET('/api/ext/vendors', { params: { query: { statuss: 'active' } } })`,
    /'statuss' does not exist/,
  ],
  [
    'an unknown vendor status',
    `await client.GET('/api/ext/vendors', { params: { query: { status: 'gone' } } })`,
    /TS2322: Type '"gone"'/,
  ],
  [
    'a number that is passed as a string',
    `await client.GET('/api/ext/vendors', { params: { query: { limit: '5' } } })`,
    /TS2322.*'number/,
  ],
  [
    'an unknown sort order',
    `await client.GET('/api/ext/vendors', { params: { query: { sort: 'phone' } } })`,
    /TS2322: Type '"phone"'/,
  ],
  ['a misspelled option', `await client.GET('/api/ext/vendors', { parms: {} })`, /'parms' does not exist/],
  [
    'an unknown field of a row',
    `await client.POST('/api/ext/vendors/batch', { body: { match: 'accountingId', rows: [{ accountingId: 'QB-1', compnayName: 'x' }] } })`,
    /'compnayName' does not exist/,
  ],
  [
    'a row with a value of another type',
    `await client.POST('/api/ext/prices/batch', { body: { rows: [{ vendorId: 'x', unitPrice: '9.80' }] } })`,
    /TS2322: Type 'string' is not assignable to type 'number/,
  ],
  ['a missing request body', `await client.POST('/api/ext/vendors')`, /TS2554/],
  [
    'a missing required field',
    `await client.POST('/api/ext/vendors', { body: { email: 'a@b.c' } })`,
    /'companyName' is missing/,
  ],
  [
    'an unknown field',
    `await client.POST('/api/ext/vendors', { body: { companyName: 'x', fax: '1' } })`,
    /'fax' does not exist/,
  ],
  [
    'a read-only field',
    `await client.POST('/api/ext/vendors', { body: { companyName: 'x', id: 'ven_1' } })`,
    /'id' does not exist/,
  ],
  [
    'a nested field of another type',
    `await client.POST('/api/ext/bids', { body: { bidRequestId: 'x', vendorId: 'x', lines: [{ lineId: 'a', unitPrice: '9.80' }] } })`,
    /TS2322: Type 'string' is not assignable to type 'number/,
  ],
  [
    'null for a field that cannot be cleared',
    `await client.PATCH('/api/ext/vendors/{vendorId}', { params: { path: { vendorId: 'x' } }, body: { companyName: null } })`,
    /TS2322: Type 'null'/,
  ],
  [
    'a body for an operation without a request body',
    `await client.POST('/api/ext/vendors/{vendorId}/invite', { params: { path: { vendorId: 'x' } }, body: {} })`,
    /TS2322.*'(undefined|never)'/,
  ],
  [
    'a header that the operation does not accept',
    `await client.POST('/api/ext/vendors', { params: { header: { 'If-Match': '"1"' } }, body: { companyName: 'x' } })`,
    /'If-Match'.*does not exist/,
  ],
  [
    'data that is used before the error is checked',
    `const { data } = await client.GET('/api/ext/vendors'); data.data`,
    /TS18048|TS2532/,
  ],
  [
    'an unknown field of a response',
    `const { data } = await client.GET('/api/ext/vendors'); data?.data[0]?.name`,
    /TS2339.*'name' does not exist/,
  ],
  [
    'a nullable value that is used without a check',
    `const vendor = await orThrow(client.GET('/api/ext/vendors/{vendorId}', { params: { path: { vendorId: 'x' } } })); const phone: string = vendor.phone`,
    /TS2322: Type 'string \| null'/,
  ],
  [
    'an unknown problem code',
    `const { error } = await client.GET('/api/ext/vendors'); if (error?.code === 'not_there') void error`,
    /TS2367.*no overlap/,
  ],
  ['pages of an operation without pages', `for await (const me of client.pages('/api/ext/me')) void me`, /TS2345/],
  [
    'pages with an unknown filter',
    `for await (const vendor of client.pages('/api/ext/vendors', { params: { query: { trade: 'framing' } } })) void vendor`,
    /'trade' does not exist/,
  ],
  [
    'an unknown field of an item',
    `for await (const home of client.pages('/api/ext/homes')) home.companyName`,
    /TS2339.*'companyName' does not exist/,
  ],
  ['an unknown skill', `await client.execute('awardBids', { bidId: 'x' })`, /TS2345.*"awardBids"/],
  [
    'a skill that runs skills',
    `await client.execute('executeSkill', { skill: 'getCaller' })`,
    /TS2345.*"executeSkill"/,
  ],
  ['an operation that is only for signed-in users', `await client.execute('addPasskey', {})`, /TS2345.*"addPasskey"/],
  ['an operation of the portal', `await client.execute('submitPortalBid', {})`, /TS2345.*"submitPortalBid"/],
  ['a skill without its input', `await client.execute('awardBid')`, /TS2554/],
  [
    'an unknown input of a skill',
    `await client.execute('awardBid', { bidId: 'x', createPo: true })`,
    /'createPo' does not exist/,
  ],
  [
    'an input of another type',
    `await client.execute('suggestVendorsForScope', { scope: 'framing', count: '3' })`,
    /TS2322/,
  ],
  [
    'ifMatch for an operation without If-Match',
    `await client.execute('createVendor', { companyName: 'x', ifMatch: '"1"' })`,
    /'ifMatch' does not exist/,
  ],
  [
    'a field from the result of another skill',
    `const { result } = await client.execute('getVendor', { vendorId: 'x' }); result.purchaseOrder`,
    /TS2339.*'purchaseOrder' does not exist/,
  ],
  [
    'a misspelled option of execute',
    `await client.execute('getVendor', { vendorId: 'x' }, { dryrun: true })`,
    /'dryrun' does not exist/,
  ],
  [
    'an unknown event type',
    `const event = await verifyWebhook({ headers: {}, body: '' }, ''); if (event.type === 'bid.made') void event`,
    /TS2367.*no overlap/,
  ],
  [
    'a field of another event',
    `const event = await verifyWebhook({ headers: {}, body: '' }, ''); if (event.type === 'vendor.created' && 'revision' in event.data.object) event.data.object.revision.toFixed()`,
    /TS18046|TS2339/,
  ],
  ['a client without a key', `createClient({ baseUrl: '' })`, /'key' is missing/],
]

/** The code blocks of the README, compiled as the files of one project. */
const blocks = [
  ...readFileSync(path.join(import.meta.dirname, 'README.md'), 'utf8').matchAll(/```(tsx?)\n(.*?)```/gs),
].map(([, type = '', code = ''], index): [string, string] => [
  code.includes('createQueries(') ? `plumbline.${type}` : `readme-${index}.${type}`,
  // Makes each file a module, even if the file imports and exports nothing.
  code,
])

let errors: Record<string, string[]>

beforeAll(() => {
  const files = new Map<string, string>(blocks)
  for (const [index, code] of Object.values(right).entries())
    files.set(`right-${index}.ts`, `${PRELUDE}${code}\nexport {}\n`)
  for (const [index, [, code]] of wrong.entries()) files.set(`wrong-${index}.ts`, `${PRELUDE}${code}\nexport {}\n`)
  errors = compile(Object.fromEntries(files))
}, 120_000)

describe('correct code compiles', () => {
  test.each(Object.keys(right).map((what, index) => [what, index] as const))('%s compiles', (_what, index) => {
    expect(errors[`right-${index}.ts`]).toEqual([])
  })
})

describe('wrong code does not compile', () => {
  test.each(wrong.map(([what, , error], index) => [what, error, index] as const))(
    '%s does not compile',
    (_what, error, index) => {
      expect(errors[`wrong-${index}.ts`]).toEqual([expect.stringMatching(error)])
    },
  )
})

describe('the README compiles', () => {
  test.each(blocks.map(([file]) => file))('the README example %s compiles', (file) => {
    expect(errors[file]).toEqual([])
  })
})
