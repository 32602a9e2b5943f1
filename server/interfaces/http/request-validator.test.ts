import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { loadContract, type Operation, type Schema } from '../../platform/calls/contract.ts'
import { findAcceptingOperation } from '../../platform/calls/field-hints.ts'
import { formatMessages, patternMessages } from '../../platform/problems/formats.ts'

/** Tests the errors that callers receive for invalid input. */
let plumbline: TestPlumbline
let vendorId: string
const VENDORS = '/api/ext/vendors'
const NOTHING = '00000000000000000000000000'

beforeAll(async () => {
  plumbline = await startTestPlumbline()
  vendorId = (await plumbline.post(VENDORS, { companyName: 'Brazos Framing' })).body.id
})
afterAll(() => plumbline.stop())

describe('format and pattern errors', () => {
  test('the errors for an invalid email address and a blank name say what is valid', async () => {
    expect(await refusedBody('POST', VENDORS, { companyName: '  ', email: 'nowhere' })).toEqual([
      { pointer: '/companyName', code: 'pattern', message: 'must not be blank' },
      {
        pointer: '/email',
        code: 'format',
        message: 'must be an email address like estimating@brazosframing.example.com',
      },
    ])
  })

  test('the error for an amount with too many decimals says how many decimals are allowed', async () => {
    expect(await refusedBody('POST', VENDORS, { companyName: 'A', poLimit: 1.005 })).toEqual([
      { pointer: '/poLimit', code: 'decimals', message: 'must have at most 2 decimals in USD' },
    ])
  })

  test('the errors for an invalid price and an invalid quantity say what is valid', async () => {
    const line = { description: 'Studs', quantity: 1.00001, unitPrice: 2.00001 }
    const body = { homeId: `hom_${NOTHING}`, vendorId, scope: 'framing', poType: 'base', lines: [line] }
    expect(await refusedBody('POST', '/api/ext/purchase-orders', body)).toEqual(
      expect.arrayContaining([
        {
          pointer: '/lines/0/quantity',
          code: 'format',
          message: 'must be a quantity with at most four decimals, like 12.5',
        },
        {
          pointer: '/lines/0/unitPrice',
          code: 'format',
          message: 'must be a price with at most four decimals, like 3.1275',
        },
      ]),
    )
  })

  test('the errors for an invalid date and an invalid timestamp say what is valid', async () => {
    const body = { type: 'general_liability', expirationDate: 'next spring' }
    expect(await refusedBody('POST', `${VENDORS}/${vendorId}/compliance-documents`, body)).toEqual([
      { pointer: '/expirationDate', code: 'format', message: 'must be a date like 2026-03-31' },
    ])
    expect(await refusedQuery('updatedAfter=2026-03-31')).toEqual([
      { pointer: 'updatedAfter', code: 'format', message: 'must be a timestamp like 2026-03-31T14:30:00Z' },
    ])
    expect(await refusedQuery('updatedAfter=0000-01-01T00:00:00Z')).toEqual([
      { pointer: 'updatedAfter', code: 'pattern', message: 'must not be in the year 0000' },
    ])
  })

  test.each([
    ['a leap second', '2016-12-31T23:59:60Z', 'must not be a leap second (:60); use the second before or after it'],
    [
      'a leap second in another time zone',
      '2017-01-01T00:59:60+01:00',
      'must not be a leap second (:60); use the second before or after it',
    ],
    ['an offset of 16 hours', '2026-03-31T14:30:00+16:00', 'must have an offset from UTC of less than 16 hours'],
    ['an offset of minus 23 hours', '2026-03-31T14:30:00-23:59', 'must have an offset from UTC of less than 16 hours'],
    ['the year 10000 in UTC', '9999-12-31T23:59:59-00:01', 'must be in the years 0001 to 9999 in UTC'],
    ['the year 0 in UTC', '0001-01-01T00:00:00+00:01', 'must be in the years 0001 to 9999 in UTC'],
    ['a day that does not exist', '2026-02-29T00:00:00Z', 'must be a timestamp like 2026-03-31T14:30:00Z'],
  ])(
    'the error for a timestamp with %s is the same in a query, a body, and a skill input',
    async (_what, timestamp, message) => {
      const webhook = (
        await plumbline.post('/api/ext/webhooks', { url: 'https://hooks.example.com', eventTypes: ['*'] })
      ).body.id
      const fault = (pointer: string) => [{ pointer, code: 'format', message }]
      expect(await refusedQuery(`updatedAfter=${encodeURIComponent(timestamp)}`)).toEqual(fault('updatedAfter'))
      const body = { since: timestamp }
      expect(await refusedBody('POST', `/api/ext/webhooks/${webhook}/recover`, body)).toEqual(fault('/since'))
      const skill = { skill: 'listVendors', input: { updatedAfter: timestamp } }
      expect(await refusedBody('POST', '/api/ext/execute', skill)).toEqual(fault('/input/updatedAfter'))
    },
  )

  test('the errors for an invalid webhook URL and an invalid webhook secret say what is valid', async () => {
    const body = { url: 'ftp://hooks.example.com', eventTypes: ['*'], secret: `whsec_${'!'.repeat(24)}` }
    expect(await refusedBody('POST', '/api/ext/webhooks', body)).toEqual([
      { pointer: '/url', code: 'pattern', message: 'must begin with https:// or http://' },
      {
        pointer: '/secret',
        code: 'pattern',
        message: 'must have at least 16 characters of padded base64 after whsec_ if it begins with whsec_',
      },
    ])
  })

  test('every format and pattern of the request schemas has an error message that explains it', () => {
    const requested = requestSchemas()
    // The format `binary` is left out, because every byte is valid in a file.
    const formats = new Set(
      requested.flatMap(({ format }) => (typeof format === 'string' && format !== 'binary' ? [format] : [])),
    )
    const patterns = new Set(requested.flatMap(({ pattern }) => (typeof pattern === 'string' ? [pattern] : [])))
    expect([...formats].filter((format) => formatMessages[format] === undefined)).toEqual([])
    expect([...patterns].filter((pattern) => patternMessages[pattern] === undefined)).toEqual([])
    expect([formats.size, patterns.size]).toEqual([8, 15])
    expect(Object.keys(formatMessages).filter((format) => !formats.has(format))).toEqual([])
    expect(Object.keys(patternMessages).filter((pattern) => !patterns.has(pattern))).toEqual([])
  })
})

describe('errors for other rules', () => {
  test.each([
    ['omitted', {}, '/companyName', 'is required'],
    ['empty', { companyName: '' }, '/companyName', 'must not be empty'],
    ['too long', { companyName: 'x'.repeat(201) }, '/companyName', 'must be at most 200 characters long'],
    ['of another type', { companyName: 5 }, '/companyName', 'must be a string'],
    ['of neither of the allowed types', { companyName: 'A', email: 5 }, '/email', 'must be a string or null'],
    ['not one of the values', { companyName: 'A', status: 'gone' }, '/status', 'must be one of prospective, active'],
    ['below the minimum', { companyName: 'A', poLimit: -1 }, '/poLimit', 'must be at least 0'],
    [
      'above the maximum',
      { companyName: 'A', defaultRetainagePercent: 101 },
      '/defaultRetainagePercent',
      'must be at most 100',
    ],
    ['neither an object nor null', { companyName: 'A', address: 'Main St' }, '/address', 'must be an object or null'],
    [
      'a list with duplicates',
      { companyName: 'A', scopes: ['framing', 'roofing', 'framing'] },
      '/scopes',
      'must not contain duplicates; items 0 and 2 are equal',
    ],
    [
      'too many',
      { companyName: 'A', scopes: Array.from({ length: 51 }, (_, i) => `s${i}`) },
      '/scopes',
      'must have at most 50 items',
    ],
  ])('the error for a value that is %s describes the broken rule', async (_what, body, pointer, message) => {
    const reported = await refusedBody('POST', VENDORS, body)
    expect(reported.map((fault) => [fault.pointer, fault.message])).toEqual([[pointer, message]])
  })

  test('the error for a value with several possible schemas describes only the intended schema', async () => {
    expect(await refusedBody('POST', VENDORS, { companyName: 'A', address: { country: 'USA' } })).toEqual([
      { pointer: '/address/country', code: 'maxLength', message: 'must be at most 2 characters long' },
      { pointer: '/address/country', code: 'pattern', message: 'must be two uppercase letters, like US' },
    ])
    const [reported] = await refusedBody('POST', '/api/ext/webhooks', {
      url: 'https://a.example.com',
      eventTypes: ['bid'],
    })
    expect(reported).toMatchObject({ pointer: '/eventTypes/0', code: 'enum' })
    expect(reported?.message).toMatch(/^must be one of .*vendor\.created, .*, or \d+ other values$/)
  })

  test('the errors for an empty update and for an update that is not an object describe the broken rule', async () => {
    expect(await refusedBody('PATCH', `${VENDORS}/${vendorId}`, {})).toEqual([
      { pointer: '', code: 'minProperties', message: 'must have at least one field' },
    ])
    expect(await refusedBody('PATCH', `${VENDORS}/${vendorId}`, [])).toEqual([
      { pointer: '', code: 'type', message: 'must be an object' },
    ])
  })

  test.each([
    ['limit=abc', 'limit', 'must be a whole number'],
    ['limit=0', 'limit', 'must be at least 1'],
    ['limit=201', 'limit', 'must be at most 200'],
    ['limit=0x10', 'limit', 'must be a number'],
    ['limit=', 'limit', 'must not be empty'],
    ['includeArchived=yes', 'includeArchived', 'must be true or false'],
    ['status=gone', 'status', 'must be one of prospective, active, on_hold, inactive'],
    ['q=%00', 'q', 'must not contain the character U+0000'],
  ])('the error for the query %s describes the broken rule', async (query, pointer, message) => {
    expect((await refusedQuery(query)).map((fault) => [fault.pointer, fault.message])).toEqual([[pointer, message]])
  })

  test('the error for an invalid header contains the name of the header', async () => {
    const headers = { 'if-none-match': `"${'x'.repeat(500)}"` }
    const refused = await plumbline.get(`${VENDORS}/${vendorId}`, { headers })
    expect(refused.body.errors).toEqual([
      { pointer: 'if-none-match', code: 'maxLength', message: 'must be at most 500 characters long' },
    ])
  })

  const LISTED = 'must be * or quoted ETags separated by commas'
  test.each([
    ['GET', 'If-None-Match', '3', LISTED],
    ['GET', 'If-None-Match', '"3", 4', LISTED],
    ['PATCH', 'If-Match', 'W/3', LISTED],
    ['POST', 'Idempotency-Key', 'Kran f\u00fcr Los 15', 'must contain only printable ASCII characters'],
  ])(
    'the error for a malformed header describes its format: %s with %s: %s',
    async (method, header, value, message) => {
      const address = method === 'POST' ? VENDORS : `${VENDORS}/${vendorId}`
      const body = method === 'GET' ? undefined : { companyName: 'Brazos Framing' }
      const refused = await plumbline.request(method, address, body, { headers: { [header]: value } })
      expect([refused.status, refused.body.errors]).toEqual([
        422,
        [{ pointer: header.toLowerCase(), code: 'pattern', message }],
      ])
    },
  )

  test.each(['*', '"1"', 'W/"1"', '"7", W/"1" ,"x y"'])(
    'a well-formed header causes no error: If-Match: %s',
    async (value) => {
      const own = (await plumbline.post(VENDORS, { companyName: 'Brazos Framing' })).body
      const headers = { 'if-match': value }
      expect((await plumbline.patch(`${VENDORS}/${own.id}`, { phone: '1' }, { headers })).status).toBe(200)
    },
  )
})

test('the errors of the parameters and of the body are returned together', async () => {
  const reported = await refusedBody(
    'POST',
    `${VENDORS}?dryrun=true&limit=5`,
    { email: 'nowhere' },
    { 'idempotency-key': '' },
  )
  expect(reported.map((fault) => fault.pointer)).toEqual([
    'dryrun',
    'limit',
    'idempotency-key',
    '/companyName',
    '/email',
  ])
})

describe('an unknown field', () => {
  test('the error for an unknown field names another operation of the resource that accepts the field', async () => {
    expect(await refusedBody('PATCH', `${VENDORS}/${vendorId}`, { status: 'inactive' })).toEqual([
      {
        pointer: '/status',
        code: 'unknown',
        message: 'is not a field of this operation; use changeVendorStatus to set it',
      },
    ])
    expect(await refusedBody('PATCH', `/api/ext/webhooks/whk_${NOTHING}`, { secret: 'x' })).toEqual([
      {
        pointer: '/secret',
        code: 'unknown',
        message: 'is not a field of this operation; use rotateWebhookSecret to set it',
      },
    ])
  })

  test('the error for a misspelled field suggests the correct name, even within an object', async () => {
    const contacts = [{ name: 'Ana', e_mail: 'a@example.com', mobile: '1' }]
    expect(await refusedBody('POST', VENDORS, { compnayName: 'A', company_name: 'A', contacts })).toEqual([
      { pointer: '/companyName', code: 'required', message: 'is required' },
      {
        pointer: '/compnayName',
        code: 'unknown',
        message: 'is not a field of this operation; did you mean companyName?',
      },
      {
        pointer: '/company_name',
        code: 'unknown',
        message: 'is not a field of this operation; did you mean companyName?',
      },
      {
        pointer: '/contacts/0/e_mail',
        code: 'unknown',
        message: 'is not a field of this operation; did you mean email?',
      },
      { pointer: '/contacts/0/mobile', code: 'unknown', message: 'is not a field of this operation' },
    ])
  })

  test('the error for an unknown field without a similar name suggests nothing', async () => {
    expect(await refusedBody('PATCH', `${VENDORS}/${vendorId}`, { color: 'red', 'a/b~c': 1 })).toEqual([
      { pointer: '/color', code: 'unknown', message: 'is not a field of this operation' },
      { pointer: '/a~1b~0c', code: 'unknown', message: 'is not a field of this operation' },
    ])
  })

  test('the error for an unknown field of an update suggests only other updates', () => {
    const contract = loadContract()
    const setters = [...contract.operations.values()]
      .filter(({ id }) => /^update/.test(id))
      .map((operation) => [operation.id, findAcceptingOperation(contract, operation, 'status')])
    expect(Object.fromEntries(setters)).toMatchObject({
      updateVendor: 'changeVendorStatus',
      updateComplianceDocument: 'changeComplianceDocumentStatus',
      updateHome: 'changeHomeStatus',
      updatePurchaseOrder: 'changePurchaseOrderStatus',
      updateScope: undefined,
    })
    const updateVendor = contract.operations.get('updateVendor') as Operation
    expect(findAcceptingOperation(contract, updateVendor, 'kind')).toBeUndefined()
  })
})

describe('an unknown parameter', () => {
  test.each([
    ['updatedSince', 'is not a parameter of this operation; did you mean updatedAfter?'],
    ['community_id', 'is not a parameter of this operation; did you mean communityId?'],
    ['limt', 'is not a parameter of this operation; did you mean limit?'],
    ['color', 'is not a parameter of this operation'],
    ['__proto__', 'is not a parameter of this operation'],
    ['a/b~c', 'is not a parameter of this operation'],
    ['constructor', 'is not a parameter of this operation'],
  ])('the error for the unknown parameter %s suggests a similar name if such a name exists', async (name, message) => {
    expect(await refusedQuery(`${name}=2026-01-01`)).toEqual([{ pointer: name, code: 'unknown', message }])
  })

  test('every unknown query parameter of a request is reported', async () => {
    expect((await refusedQuery('one=1&two=2&limit=x')).map((fault) => fault.pointer)).toEqual(['one', 'two', 'limit'])
  })
})

describe('the input of a skill', () => {
  test('errors in the input of a skill have pointers that start with /input', async () => {
    const input = { vendorId, status: 'inactive', compnayName: 'A', email: 'nowhere' }
    expect(await refusedBody('POST', '/api/ext/execute', { skill: 'updateVendor', input })).toEqual([
      {
        pointer: '/input/status',
        code: 'unknown',
        message: 'is not an input of this skill; use changeVendorStatus to set it',
      },
      {
        pointer: '/input/compnayName',
        code: 'unknown',
        message: 'is not an input of this skill; did you mean companyName?',
      },
      {
        pointer: '/input/email',
        code: 'format',
        message: 'must be an email address like estimating@brazosframing.example.com',
      },
    ])
  })

  test('the input of a skill is passed to the operation with converted types and default values', async () => {
    const names = ['Comma, Inc.', 'Amp & Sons', '100% Concrete?', 'A+B']
    const created = await Promise.all(names.map((companyName) => plumbline.post(VENDORS, { companyName })))
    for (const { possibleDuplicates: _, ...body } of created.map(({ body }) => body)) {
      const found = await plumbline.post('/api/ext/execute', {
        skill: 'listVendors',
        input: { q: body.companyName, ids: [body.id], limit: 1, includeArchived: false },
      })
      expect(found.body.result.data).toEqual([body])
    }
    const page = await plumbline.post('/api/ext/execute', { skill: 'listVendors', input: { ids: [vendorId] } })
    expect(page.body.result).toEqual((await plumbline.get(`${VENDORS}?ids=${vendorId}`)).body)
  })
})

test('HEAD accepts and rejects the same parameters as GET', async () => {
  const head = (query: string) =>
    fetch(`${plumbline.url}${VENDORS}?${query}`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${plumbline.key}` },
    })
  expect((await head('limit=7')).status).toBe(200)
  expect((await head('limit=x')).status).toBe(422)
})

test('only the first 50 of many unknown fields get a suggestion', async () => {
  const fields = Array.from({ length: 990 }, (_, i) => [`companyName${i}`, 'A'])
  const errors = await refusedBody('POST', VENDORS, { companyName: 'A', ...Object.fromEntries(fields) })
  expect(errors).toHaveLength(990)
  expect(errors.filter(({ message }) => message.endsWith('did you mean companyName?'))).toHaveLength(50)
})

test('the same unknown field in many rows gets the same suggestion in every row', async () => {
  const contacts = Array.from({ length: 60 }, () => ({ name: 'Ana', e_mail: 'a@example.com' }))
  const errors = await refusedBody('POST', VENDORS, { companyName: 'A', contacts })
  expect(errors.filter(({ message }) => message.endsWith('did you mean email?'))).toHaveLength(60)
})

test('only the first error is reported for a body with more than 10,000 values', async () => {
  const rows = Array.from({ length: 900 }, (_, i) => ({
    ...{ name: `Task ${i}`, durationDays: 2 },
    predecessors: Array.from({ length: 12 }, () => ({ nothing: 1 })),
  }))
  const errors = (count: number) =>
    refusedBody('POST', '/api/ext/task-templates', { name: 'Long', rows: rows.slice(0, count) })
  expect(await errors(900)).toEqual([expect.objectContaining({ pointer: expect.stringMatching('/rows/0/') })])
  expect((await errors(10)).length).toBeGreaterThan(100)
})

test('a body with too many values is rejected before it is validated', async () => {
  const contacts = Array.from({ length: 300 }, () => ({ name: 'Ana', ...numbered(70) }))
  expect(await refusedBody('POST', VENDORS, { companyName: 'A', contacts })).toEqual([
    { pointer: '', code: 'maxItems', message: 'must have at most 20000 values in total' },
  ])
})

interface Fault {
  pointer: string
  code: string
  message: string
}

const numbered = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`x${i}`, 1]))

async function refusedBody(
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Fault[]> {
  const response = await plumbline.request(method, path, body, { headers })
  expect([response.status, response.body.code]).toEqual([422, 'validation_failed'])
  return response.body.errors
}

async function refusedQuery(query: string): Promise<Fault[]> {
  const response = await plumbline.get(`${VENDORS}?${query}`)
  expect([response.status, response.body.code]).toEqual([422, 'validation_failed'])
  return response.body.errors
}

/** Returns every schema that validates a request or the input of a skill, at any depth. */
function requestSchemas(): Schema[] {
  const contract = loadContract()
  const seen = new Set<object>()
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const found = contract.resolve(value)
    if (seen.has(found)) return
    seen.add(found)
    for (const [key, inner] of Object.entries(found)) if (key !== 'examples' && key !== 'example') visit(inner)
  }
  for (const { declaration } of contract.operations.values()) visit([declaration.parameters, declaration.requestBody])
  for (const { input } of Object.values(contract.document['x-skills'] as Record<string, { input: Schema }>))
    visit(input)
  return [...seen] as Schema[]
}
