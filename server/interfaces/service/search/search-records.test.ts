import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'
import { listTypoVariants, toIndexWords, toQueryWords } from '../../../platform/search/search-words.ts'

let plumbline: TestPlumbline
let loneStar: string
let number: string

beforeAll(async () => {
  plumbline = await startTestPlumbline()
  loneStar = await newVendor({ companyName: 'Lone Star Framing LLC', contactName: 'Marisol Vega', scopes: ['framing'] })
  await newVendor({ companyName: 'Łódź Frames & Trusses', phone: '+1 512 555 0142' })
  const community = { name: 'Cedar Bend', status: 'active', timeZone: 'America/Chicago' }
  const communityId = (await plumbline.post('/api/ext/communities', community)).body.id
  await plumbline.post('/api/ext/homes', { name: 'Lot 14', communityId, address: { line1: '212 Juniper Street' } })
  const requested = {
    vendorIds: [loneStar],
    scope: 'framing',
    deadline: '2031-06-30',
    communityId,
    title: 'Frames of phase 2',
  }
  const { body: request } = await plumbline.post('/api/ext/bids/request', requested)
  number = request.number
  await plumbline.post('/api/ext/bids', { bidRequestId: request.id, vendorId: loneStar, amount: 39_850 })
  await indexed()
})
afterAll(() => plumbline.stop())

const newVendor = async (vendor: object): Promise<string> => (await plumbline.post('/api/ext/vendors', vendor)).body.id
const find = async (q: string, more = '', key?: string) =>
  (await plumbline.get(`/api/ext/search?q=${encodeURIComponent(q)}${more}`, key === undefined ? {} : { key })).body
const titles = ({ data }: { data: { title: string }[] }) => data.map(({ title }) => title)

/** Waits until the job has indexed all previous changes. */
async function indexed() {
  for (;;) {
    const left = await plumbline.database.statements.selectFrom('searchQueue').select('place').limit(1).execute()
    if (left.length === 0) return
    await new Promise((next) => setTimeout(next, 20))
  }
}

test('every type of record can be found by a word or a prefix of its number, name, or address', async () => {
  expect((await find('lone star')).data[0]).toEqual({
    ...{ type: 'vendor', id: loneStar, title: 'Lone Star Framing LLC', detail: 'Marisol Vega' },
    status: 'active',
  })
  expect((await find(number)).data.map(({ type }: { type: string }) => type).sort()).toEqual(['bid', 'bid_request'])
  expect(titles(await find(number.replace('-', '').toLowerCase()))).toContain(number)
  expect(titles(await find('212 juni'))).toEqual(['Lot 14'])
  expect(titles(await find('cedar'))).toEqual(['Cedar Bend'])
  expect(titles(await find('priya'))).toEqual(['Priya Harrow'])
  expect(titles(await find('5550142'))).toEqual([])
  expect(titles(await find('512 555 0142'))).toEqual(['Łódź Frames & Trusses'])
  expect(titles(await find('lodz'))).toEqual(['Łódź Frames & Trusses'])
})

test('a search also finds words that differ from a search word by one letter', async () => {
  const { data, corrections } = await find('frames', '&types=vendor,bid_request')
  expect([data.map(({ type }: { type: string }) => type), corrections]).toEqual([['vendor', 'bid_request'], []])
  expect(titles(await find('fram', '&types=vendor'))).toEqual(['Łódź Frames & Trusses', 'Lone Star Framing LLC'])
  for (const slip of ['framng', 'frraming', 'frmaing', 'fraking']) {
    const found = await find(slip, '&types=vendor')
    expect([slip, titles(found), found.corrections]).toEqual([
      slip,
      ['Lone Star Framing LLC'],
      [{ word: slip, to: ['framing'] }],
    ])
  }
  expect(await find('xyzzyx plugh')).toEqual({ data: [], isPartial: false, corrections: [], notSearched: [] })
  expect((await find('& —')).data).toEqual([])
})

test("leads, sales, and payments can be found by a person's or vendor's name", async () => {
  const person = { firstName: 'Ottilie', lastName: 'Zimmerman', email: 'ottilie@example.com', phone: '+1 512 555 0177' }
  const { body: lead } = await plumbline.post('/api/ext/leads', { ...person, source: 'website' })
  const homeId = (await find('212 juniper')).data[0].id
  const sold = { homeId, buyers: [{ name: 'Ottilie Zimmerman' }], basePrice: 400_000 }
  const { body: sale } = await plumbline.post('/api/ext/sales', sold)
  const lines = [{ description: 'Walls', quantity: 1, unitPrice: 1000 }]
  const ordered = { vendorId: loneStar, homeId, scope: 'framing', lines }
  const { id: poId } = (await plumbline.post('/api/ext/purchase-orders', ordered)).body
  for (const status of ['approved', 'issued'])
    await plumbline.post(`/api/ext/purchase-orders/${poId}/status`, { status })
  const paid = { poId, paymentType: 'deposit', grossAmount: 100, invoiceNumber: 'INV-7781' }
  const payment = await plumbline.post('/api/ext/payments', paid)
  await indexed()
  expect((await find('ottilie zim')).data).toEqual([
    { type: 'lead', id: lead.id, title: 'Ottilie Zimmerman', detail: 'ottilie@example.com', status: 'new' },
    { type: 'sale', id: sale.id, title: sale.number, detail: 'Ottilie Zimmerman', status: sale.status },
  ])
  expect([payment.status, titles(await find('inv-7781'))]).toEqual([201, [payment.body.number]])
})

test('contracts, plans, options, parts, and tasks can be found by a misspelled word', async () => {
  const post = async (path: string, body: object) => (await plumbline.post(`/api/ext/${path}`, body)).body
  const plan = await post('plans', { code: 'P2450', name: 'The Wisteria' })
  const option = await post('options', { code: 'WIS-PORCH', name: 'Wisteria porch', optionType: 'upgrade', price: 900 })
  const part = await post('parts', { sku: 'TRELLIS-6', name: 'Wisteria trellis, 6 ft', unit: 'EA' })
  const homeId = (await find('212 juniper')).data[0].id
  const task = await post('tasks', { homeId, name: 'Plant wisteria' })
  const lumpSums = [{ planId: plan.id, amount: 38_400 }]
  const contract = await post('contracts', {
    ...{ vendorId: loneStar, scope: 'framing', effectiveDate: '2031-01-01', lumpSums },
    notes: 'Includes the wisteria trellis.',
  })
  await indexed()
  expect((await find('wisteria')).data).toEqual([
    {
      ...{ type: 'contract', id: contract.id, title: contract.number, detail: 'Lone Star Framing LLC' },
      status: 'draft',
    },
    { type: 'plan', id: plan.id, title: 'P2450', detail: 'The Wisteria', status: plan.status },
    { type: 'option', id: option.id, title: 'WIS-PORCH', detail: 'Wisteria porch', status: option.status },
    { type: 'part', id: part.id, title: 'TRELLIS-6', detail: 'Wisteria trellis, 6 ft', status: 'active' },
    { type: 'task', id: task.id, title: 'Plant wisteria', detail: 'Lot 14', status: task.status },
  ])
  expect((await find('wistera', '&types=plan')).data.map(({ id }: { id: string }) => id)).toEqual([plan.id])
})

test('indexing a record again adds missing spelling variants of its words', async () => {
  const { organizationId, database } = plumbline
  const { body } = await plumbline.post('/api/ext/plans', { code: 'P2800', name: 'The Sassafras' })
  await indexed()
  await database.statements.deleteFrom('searchVariants').where('word', '=', 'sassafras').execute()
  expect(titles(await find('sasafras'))).toEqual([])
  await database.statements.insertInto('searchQueue').values({ organizationId, recordId: body.id }).execute()
  await indexed()
  expect(titles(await find('sasafras'))).toEqual(['P2800'])
})

test('a search finds only the current words of records that are not archived', async () => {
  const id = await newVendor({ companyName: 'Quixote Roofing' })
  await indexed()
  expect(titles(await find('quixote'))).toEqual(['Quixote Roofing'])
  await plumbline.patch(`/api/ext/vendors/${id}`, { companyName: 'Dulcinea Roofing' })
  await indexed()
  expect(titles(await find('quixote'))).toEqual([])
  expect(titles(await find('dulcina'))).toEqual(['Dulcinea Roofing'])
  const variants = plumbline.database.statements.selectFrom('searchVariants').select('variant')
  expect(await variants.where('word', '=', 'quixote').execute()).toEqual([])
  await plumbline.delete(`/api/ext/vendors/${id}`)
  expect(titles(await find('dulcinea'))).toEqual([])
  await indexed()
  expect(await variants.where('word', '=', 'dulcinea').execute()).toEqual([])
})

test('a search finds only records that the key can read', async () => {
  const key = await plumbline.newKey(['vendors:read'])
  const { data, notSearched } = await find('framing', '', key)
  expect(data.map(({ type }: { type: string }) => type)).toEqual(['vendor'])
  expect(notSearched).toEqual([
    'community',
    'home',
    'bid_request',
    'bid',
    'purchase_order',
    'bill',
    'payment',
    'user',
    'contract',
    'plan',
    'option',
    'part',
    'task',
    'daily_log',
    'permit',
    'inspection',
    'lead',
    'sale',
    'punch_item',
    'warranty_request',
  ])
  const { key: foreign } = await plumbline.newBuilder()
  await indexed()
  expect((await find('framing', '', foreign)).data).toEqual([])
  expect((await find('framng', '', foreign)).corrections).toEqual([])
})

test('the results for a very frequent word are partial unless a rarer word narrows them', async () => {
  const { organizationId, database } = plumbline
  const many = Array.from({ length: 450 }, (_, i) => ({
    companyName: `Common ${i % 3 === 0 ? 'Third' : 'Other'} ${i}`,
  }))
  for (const vendor of many) await plumbline.post('/api/ext/vendors', vendor)
  await indexed()
  const common = await find('common', '&limit=50')
  expect([common.data.length, common.isPartial]).toEqual([50, true])
  expect(titles(await find('common 17'))).toContain('Common Other 17')
  const { data, isPartial } = await find('common third', '&limit=50')
  expect([data.length, isPartial]).toEqual([50, true])
  const rows = await database.statements
    .selectFrom('searchWords')
    .select('recordId')
    .where('organizationId', '=', organizationId)
    .where('word', '=', 'common')
    .execute()
  expect(rows).toHaveLength(450)
})

test('search words are separated at hyphens and spaces and lose their accents', () => {
  expect(toIndexWords('PO-0001-01 Lone Star, LLC')).toEqual(['po000101', 'po', '0001', '01', 'lone', 'star', 'llc'])
  expect(toQueryWords('po-0001-01  ÉTÉ')).toEqual(['po000101', 'ete'])
  expect(listTypoVariants('abca')).toEqual(['abca', 'bca', 'aca', 'aba', 'abc'])
})
