import { readFileSync } from 'node:fs'
import path from 'node:path'
import { zipSync } from 'fflate'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sendBytes } from '../../../test/support/files.ts'
import {
  type Builder,
  type ServiceResponse,
  startTestPlumbline,
  type TestPlumbline,
} from '../../../test/support/test-plumbline.ts'
import { processImports } from './process-imports.ts'

let plumbline: TestPlumbline
beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
afterAll(() => plumbline.stop())

type Body = ServiceResponse['body']
const IMPORTS = '/api/ext/imports'

function fixture(name: string): Buffer {
  return readFileSync(path.join(import.meta.dirname, 'fixtures', name))
}

async function upload(
  caller: Builder,
  content: Buffer | string,
  query: Record<string, string> = {},
): Promise<ServiceResponse> {
  const search = new URLSearchParams({ kind: 'vendor', fileName: 'vendors.csv', ...query })
  return sendBytes(`${plumbline.url}${IMPORTS}?${search}`, Buffer.from(content), { key: caller.key })
}

async function settled(caller: Builder, id: string): Promise<Body> {
  const isOver = ({ body }: ServiceResponse) => ['checked', 'imported', 'undone', 'ready'].includes(body.status)
  return (
    await expect
      .poll(
        async () => {
          // The job runs only once a second, which is too slow for the many imports in these tests.
          await processImports(plumbline.app.services)
          const answer = await plumbline.get(`${IMPORTS}/${id}`, caller)
          return isOver(answer) ? answer.body : null
        },
        { timeout: 15_000, interval: 50 },
      )
      .not.toBeNull()
      .then(() => plumbline.get(`${IMPORTS}/${id}`, caller))
  ).body
}

async function start(caller: Builder, id: string, dryRun: boolean): Promise<Body> {
  const answer = await plumbline.post(`${IMPORTS}/${id}/start`, { dryRun }, caller)
  expect([answer.status, answer.body.status ?? answer.body]).toEqual([200, dryRun ? 'checking' : 'importing'])
  return settled(caller, id)
}

/** Uploads a file, previews it, and saves its rows. */
async function importAll(caller: Builder, content: Buffer | string, query: Record<string, string> = {}): Promise<Body> {
  const { status, body } = await upload(caller, content, query)
  expect([status, body.questions]).toEqual([201, []])
  const checked = await start(caller, body.id, true)
  if (checked.undecided > 0) return checked
  return start(caller, body.id, false)
}

const rowsOf = async (caller: Builder, { id }: Body, query = ''): Promise<Body[]> =>
  (await plumbline.get(`${IMPORTS}/${id}/rows${query}`, caller)).body.rows
const vendorsOf = async (caller: Builder): Promise<Body[]> =>
  (await plumbline.get('/api/ext/vendors?sort=companyName&limit=200', caller)).body.data
const fieldsOf = ({ columns }: Body) => columns.flatMap(({ field }: Body) => field ?? [])

test('a vendor list from QuickBooks Desktop in Windows-1252 can be imported', async () => {
  const caller = await plumbline.newBuilder()
  const content = Buffer.from(fixture('quickbooks-desktop.csv').toString('utf8'), 'latin1')
  const { body } = await upload(caller, content)
  expect(body).toMatchObject({
    ...{ layout: 'quickbooks_desktop', encoding: 'windows-1252', delimiter: ',', headerLine: 5, rowCount: 3 },
    questions: [],
  })
  expect(fieldsOf(body)).toEqual([
    ...['status', 'companyName', 'firstName', 'lastName', 'phone', 'email', 'address.block1', 'address.block2'],
    ...['address.block3', 'accountingId', 'scopes', 'paymentTerms', 'poLimit', 'taxId', 'is1099'],
  ])
  await start(caller, body.id, true)
  expect(await vendorsOf(caller)).toEqual([])
  expect(await start(caller, body.id, false)).toMatchObject({ status: 'imported', created: 3, failed: 0 })
  expect(await vendorsOf(caller)).toMatchObject([
    {
      ...{ companyName: 'Lone Star Concrete', accountingId: 'V-1002', status: 'active', scopes: ['Concrete'] },
      paymentTerms: { netDays: 30, discountPercent: 2, discountDays: 10 },
    },
    { companyName: 'Old Roofing Co.', status: 'inactive', is1099: false },
    {
      ...{ companyName: 'Peña Framing, LLC', contactName: 'Ana Peña', phone: '(512) 555-0101', poLimit: 25000 },
      ...{ taxIdLast4: '4821', is1099: true, email: 'ana@penaframing.example.com' },
      address: { line1: '4410 Burnet Rd', city: 'Austin', state: 'TX', postalCode: '78756' },
    },
  ])
})

test('vendor lists from QuickBooks Online, Xero, and ProjectHound are recognized', async () => {
  const caller = await plumbline.newBuilder()
  const online = await importAll(caller, fixture('quickbooks-online.csv'))
  expect(online).toMatchObject({ layout: 'quickbooks_online', created: 2, failed: 0 })
  const xero = await importAll(caller, Buffer.from(`\ufeff${fixture('xero.csv').toString()}`, 'utf16le'))
  expect(xero).toMatchObject({ layout: 'xero', encoding: 'utf-16le', created: 2, failed: 0 })
  const hound = await importAll(caller, fixture('projecthound.csv'))
  expect(hound).toMatchObject({ layout: 'projecthound', delimiter: ';', headerLine: 4, created: 2, failed: 0 })
  const generic = await importAll(caller, fixture('generic.csv'))
  expect(generic).toMatchObject({ layout: null, delimiter: ';', headerLine: 3, created: 2, failed: 0 })
  const byName = new Map((await vendorsOf(caller)).map((vendor) => [vendor.companyName, vendor]))
  expect(byName.get('Hill Country Tile')).toMatchObject({
    is1099: false,
    address: { line1: '88 Oak Ave', postalCode: '02118' },
  })
  expect(byName.get('Gulf Plumbing')).toMatchObject({
    ...{ accountingId: 'GP-7', contactName: 'Lee Tran', phone: '713-555-0120', taxIdLast4: '4445' },
    address: { line1: '501 Bay St', line2: 'Suite 4', city: 'Houston', country: 'US' },
  })
  expect(byName.get('Cedar Drywall')).toMatchObject({ defaultRetainagePercent: 10, status: 'active', is1099: true })
  expect(byName.get('Oak Cabinets')).toMatchObject({ defaultRetainagePercent: 5, status: 'on_hold', is1099: false })
  expect(byName.get('Rio Bricklaying')).toMatchObject({
    poLimit: 25000,
    phone: '+1 512-555-0141',
    scopes: ['masonry', 'stucco'],
  })
  expect(byName.get('Señor Stucco')).toMatchObject({
    poLimit: 1500.5,
    phone: '+1 512-555-0142',
    defaultRetainagePercent: 7.5,
  })
})

test('importing the same file again changes nothing', async () => {
  const caller = await plumbline.newBuilder()
  await importAll(caller, fixture('generic.csv'))
  expect(await importAll(caller, fixture('generic.csv'))).toMatchObject({
    created: 0,
    updated: 0,
    unchanged: 2,
    failed: 0,
  })
  const [rio] = await vendorsOf(caller)
  const exported = `\ufeffPlumbline ID,Vendor,Phone\r\n${rio.id},Rio Brick,'+1 512-555-0141\r\n`
  expect(await importAll(caller, exported)).toMatchObject({ created: 0, updated: 1 })
  expect((await vendorsOf(caller)).map(({ companyName, phone }) => [companyName, phone])).toEqual([
    ['Rio Brick', '+1 512-555-0141'],
    ['Señor Stucco', '+1 512-555-0142'],
  ])
})

test('an import asks how to read ambiguous amounts and dates', async () => {
  const caller = await plumbline.newBuilder()
  const { body } = await upload(caller, 'Company;Limit\nA;1.500\nB;2.250\n')
  expect(body.questions).toMatchObject([{ code: 'number_format', column: 1 }])
  await start(caller, body.id, true)
  const refused = await plumbline.post(`${IMPORTS}/${body.id}/start`, { dryRun: false }, caller)
  expect(refused).toMatchObject({ status: 409, body: { reason: 'open_work' } })
  const answered = await plumbline.patch(
    `${IMPORTS}/${body.id}`,
    { columns: [{ column: 1, numberFormat: 'comma' }] },
    caller,
  )
  expect(answered.body).toMatchObject({ questions: [], status: 'ready' })
  expect(answered.body.columns[1].samples).toEqual([
    { text: '1.500', value: '1500' },
    { text: '2.250', value: '2250' },
  ])
  await start(caller, body.id, true)
  await start(caller, body.id, false)
  expect((await vendorsOf(caller)).map(({ poLimit }) => poLimit)).toEqual([1500, 2250])
  const again = await upload(caller, 'Company;Limit\nC;3.500\n')
  expect(again.body).toMatchObject({
    questions: [],
    columns: [{}, { recognizedBy: expect.anything(), numberFormat: 'comma' }],
  })
})

test('an import saves nothing until possible duplicates are decided', async () => {
  const caller = await plumbline.newBuilder()
  await importAll(caller, 'Company,Phone\nBrazos Framing LLC,512-555-0100\n')
  const { body } = await upload(caller, 'Company,Phone\nBrazos Framing,512-555-0100\nAll New,512-555-0101\n')
  const checked = await start(caller, body.id, true)
  expect(checked).toMatchObject({ undecided: 1, created: 1 })
  expect(await rowsOf(caller, body, '?status=undecided')).toMatchObject([
    { row: 1, line: 2, possibleDuplicates: [{ companyName: 'Brazos Framing LLC' }] },
  ])
  const refused = await plumbline.post(`${IMPORTS}/${body.id}/start`, { dryRun: false }, caller)
  expect(refused.body).toMatchObject({ code: 'conflict', reason: 'open_work' })
  const decided = await plumbline.patch(
    `${IMPORTS}/${body.id}`,
    { decisions: [{ row: 1, decision: 'update' }] },
    caller,
  )
  expect(decided.body).toMatchObject({ undecided: 0 })
  expect(await start(caller, body.id, false)).toMatchObject({ created: 1, updated: 1 })
  expect((await vendorsOf(caller)).map(({ companyName }) => companyName)).toEqual(['All New', 'Brazos Framing'])
})

test('import rows with errors can be downloaded with their errors', async () => {
  const caller = await plumbline.newBuilder()
  const done = await importAll(
    caller,
    'Company,Email,Tax ID,1099\nA,nowhere,12-3454821,Yes\nB,b@example.com,,maybe\nC,,,No\n',
  )
  expect(done).toMatchObject({ created: 1, failed: 2 })
  const [first] = await rowsOf(caller, done, '?status=failed&limit=1')
  expect(first).toMatchObject({
    cells: ['A', 'nowhere', '•••4821', 'Yes'],
    problem: { errors: [{ pointer: '/email' }] },
  })
  const { body, headers } = await plumbline.get(`${IMPORTS}/${done.id}/errors.csv`, caller)
  expect(headers.get('content-disposition')).toContain('vendors errors.csv')
  expect(String(body)).toMatch(/^\ufeff?Company,Email,Tax ID,1099,Errors\r\nA,nowhere,•••4821,Yes,Email /)
  expect(String(body)).toContain('1099 vendor must be yes or no')
})

test('an import stores no complete tax ID', async () => {
  const caller = await plumbline.newBuilder()
  const done = await importAll(
    caller,
    'Company,Email,Tax ID,1099\nA,nowhere,12-3454821,Yes\nB,b@example.com,,maybe\nC,,,No\n',
  )
  expect(done).toMatchObject({ created: 1, failed: 2 })
  const rows = await plumbline.database.statements
    .selectFrom('importRows')
    .select('cells')
    .where('importId', '=', done.id)
    .execute()
  expect(JSON.stringify(rows)).not.toContain('12-3454821')
})

test('undoing an import reverts all records except records that changed after the import', async () => {
  const caller = await plumbline.newBuilder()
  await importAll(caller, 'Company,Phone,Account No.\nKept,1,K\nChanged,2,C\n')
  const done = await importAll(caller, 'Company,Phone,Account No.\nKept,3,K\nNew,4,N\nTouched,5,T\n')
  expect(done).toMatchObject({ created: 2, updated: 1 })
  const touched = (await vendorsOf(caller)).find(({ companyName }) => companyName === 'Touched')
  await plumbline.patch(`/api/ext/vendors/${touched.id}`, { phone: '6' }, caller)
  const undoing = await plumbline.post(`${IMPORTS}/${done.id}/undo`, undefined, caller)
  expect(undoing.body).toMatchObject({ status: 'undoing' })
  const undone = await settled(caller, done.id)
  expect(undone).toMatchObject({ status: 'undone', undone: 2 })
  expect((await vendorsOf(caller)).map(({ companyName, phone }) => [companyName, phone])).toEqual([
    ['Changed', '2'],
    ['Kept', '1'],
    ['Touched', '6'],
  ])
  expect(await rowsOf(caller, done, '?status=kept')).toMatchObject([{ problem: { reason: 'changed_meanwhile' } }])
  expect(await importAll(caller, 'Company,Phone,Account No.\nNew,4,N\n')).toMatchObject({ created: 1, failed: 0 })
})

test('imported homes, plans, costs, schedules, and leads can refer to other records by code or name', async () => {
  const caller = await plumbline.newBuilder()
  const load = async (kind: string, text: string) => {
    const done = await importAll(caller, text, { kind })
    const failed = await rowsOf(caller, done, '?status=failed')
    expect([kind, failed.map(({ problem }) => problem), done.created > 0]).toEqual([kind, [], true])
    expect([kind, await importAll(caller, text, { kind })]).toMatchObject([kind, { created: 0, failed: 0 }])
    return done
  }
  await load('community', 'Community,Code,City,State,Lots\nCedar Bend,CB,Austin,TX,40\n')
  await load('plan', 'Plan Code,Plan Name,Sq Ft,Beds,Baths,Base Price\nOAK,The Oak,2150,3,2.5,"$325,000"\n')
  await load('cost_code', 'Cost Code,Description,Category,Parent\n03,Concrete,Subcontract,\n03-100,Slab,S,03\n')
  await load('part', 'SKU,Description,UOM,Cost Code\n2X4-8,Stud 2x4 8 ft,EA,03-100\n')
  await load('vendor', 'Company\nLone Star Lumber\n')
  await load('price', 'Part Number,Vendor,Unit Price,Effective Date\n2X4-8,Lone Star Lumber,4.1250,11/20/2026\n')
  await load('takeoff', 'Plan,SKU,Qty,Waste %\nOAK,2X4-8,420,5%\n')
  const released = await importAll(caller, 'Plan Code,Status\nOAK,Released\n', { kind: 'plan' })
  expect(released).toMatchObject({ updated: 1, questions: [] })
  await load('home', 'Subdivision,Lot,Plan,Type,Address,City,State,Zip\nCB,14,OAK,Spec,14 Bend Way,Austin,TX,78701\n')
  await load('option', 'Option,Option Name,Type,Price,Cost\nFP-1,Fireplace,Upgrade,"4,200.00","2,900.00"\n')
  await load(
    'task_template',
    'Template,Task,Trade,Days,Predecessors\nStandard,Slab,concrete,5,\nStandard,Framing,framing,10,Slab [FS+1d]\n',
  )
  await load(
    'task',
    'Home,Task,Duration,Planned Start,Predecessors\nLot 14,Slab,5,2026-12-01,\nLot 14,Framing,10,,Slab\n',
  )
  await load('lead', 'First Name,Last Name,Email,Lead Source,Community\nDana,Lee,dana@example.com,Zillow,CB\n')
  await load('budget_line', 'Home,Trade,Cost Code,Description,Amount\nLot 14,concrete,03-100,Slab,"12,500.00"\n')
})

const FIELD_FILES: Readonly<Record<string, string>> = {
  permit: 'Home,Permit No,Permit Type,Jurisdiction,Issued,Fee\nLot 14,BP-2031,Building,Austin,2026-11-02,"1,250.00"\n',
  inspection: 'Job,Inspection,Inspected by,Date,Time\nLot 14,Pre-drywall,Builder,2026-12-03,Morning\n',
  punch_item: 'Home,Room,Item,Trade,Priority\nLot 14,Kitchen,Scratch on the counter,cabinets,High\n',
  warranty_request: 'Home,Room,Issue,Urgency,Homeowner\nLot 14,Bath,Faucet drips,High,Dana Lee\n',
  drawing: 'Plan,Sheet,Title,Discipline,Trades\nOAK,A-101,First floor,A,framing\n',
  home_owner: 'Home,Owner,Email,Phone,Language\nLot 14,Dana Lee,Dana@example.com,+1 512 555 0100,Spanish\n',
}

/** Creates a builder with the home and the plan to which the files in `FIELD_FILES` refer. */
async function createFieldBuilder(): Promise<Builder> {
  const caller = await plumbline.newBuilder()
  await importAll(caller, 'Community,Code,City,State\nCedar Bend,CB,Austin,TX\n', { kind: 'community' })
  await importAll(caller, 'Plan Code,Plan Name\nOAK,The Oak\n', { kind: 'plan' })
  await importAll(caller, 'Subdivision,Lot,Name\nCB,14,Lot 14\n', { kind: 'home' })
  return caller
}

test.each(Object.entries(FIELD_FILES))(
  'importing the same file of kind %s twice creates its records once',
  async (kind, text) => {
    const caller = await createFieldBuilder()
    const done = await importAll(caller, text, { kind })
    const failed = await rowsOf(caller, done, '?status=failed')
    expect([failed.map(({ problem }) => problem), done.created]).toEqual([[], 1])
    expect(await importAll(caller, text, { kind })).toMatchObject({ created: 0, failed: 0, unchanged: 1 })
  },
)

test.each(Object.entries(FIELD_FILES))(
  'a file of kind %s can be imported again after its import is undone',
  async (kind, text) => {
    const caller = await createFieldBuilder()
    const done = await importAll(caller, text, { kind })
    await plumbline.post(`${IMPORTS}/${done.id}/undo`, undefined, caller)
    const undone = await settled(caller, done.id)
    expect([undone.status, undone.undone, await rowsOf(caller, done, '?status=kept')]).toEqual(['undone', 1, []])
    expect(await importAll(caller, text, { kind })).toMatchObject({ created: 1, failed: 0 })
  },
)

test('the Spanish names of tasks and of the rows of task templates are imported', async () => {
  const caller = await createFieldBuilder()
  await importAll(caller, 'Template,Task,Spanish name\nStandard,Slab,Colar la losa\n', { kind: 'task_template' })
  await importAll(caller, 'Home,Task,Spanish\nLot 14,Slab,Colar la losa\n', { kind: 'task' })
  const [template] = (await plumbline.get('/api/ext/task-templates', caller)).body.data
  const { body } = await plumbline.get(`/api/ext/task-templates/${template.id}`, caller)
  const tasks = await plumbline.get('/api/ext/tasks', caller)
  for (const named of [body.rows, tasks.body.data])
    expect(named).toMatchObject([{ name: 'Slab', spanishName: 'Colar la losa' }])
})

test('import rows match records by key, regardless of case, surrounding spaces, and Unicode form', async () => {
  const caller = await plumbline.newBuilder()
  const load = async (kind: string, text: string) => {
    const done = await importAll(caller, text, { kind })
    const failed = await rowsOf(caller, done, '?status=failed')
    const { created, updated, unchanged } = done
    return { created, updated, unchanged, problems: failed.map(({ problem }) => problem) }
  }
  const found = { created: 0, updated: 0, unchanged: 1, problems: [] }
  const changed = { ...found, updated: 1, unchanged: 0 }
  const decomposed = (text: string) => text.normalize('NFD')
  await load('community', 'Community,Code,Lots\nPeñasco,CB,40\n')
  expect(await load('community', 'Community,Code,Lots\nPeñasco,cb,40\n')).toEqual(found)
  expect(await load('community', decomposed('Community,Lots\n PEÑASCO ,41\n'))).toEqual(changed)
  await load('plan', 'Plan Code,Plan Name\nOak,The Oak\n')
  expect(await load('plan', 'Plan Code,Plan Name\nOAK,Big Oak\n')).toEqual(changed)
  await load('cost_code', 'Cost Code,Description,Category\n03-a,Slab,S\n')
  expect(await load('cost_code', 'Cost Code,Description,Category\n03-A,Slab,S\n')).toEqual(found)
  await load('part', 'SKU,Description,UOM\nStud-8,Stud,EA\n')
  expect(await load('part', 'SKU,Description,UOM\nSTUD-8,Long stud,EA\n')).toEqual(changed)
  await load('option', 'Option,Option Name,Type,Price\nfp-1,Fireplace,Upgrade,10\n')
  expect(await load('option', 'Option,Option Name,Type,Price\nFP-1,Fireplace,Upgrade,10\n')).toEqual(found)
  await load('vendor', 'Company,Account No.\nBrazos Framing,v-7\n')
  expect(await load('vendor', 'Company,Account No.\nBrazos Framers,V-7\n')).toEqual(changed)
  await load('home', 'Community,Lot,Block\nCB,14a,North\n')
  expect(await load('home', 'Community,Lot,Block,Type\nCB,14A,NORTH,Spec\n')).toMatchObject({
    created: 0,
    problems: [],
  })
  expect(await load('home', 'Community,Lot,Block\nCB,14A,South\n')).toMatchObject({ created: 1, problems: [] })
  await load('task', 'Home,Task,Duration\nLot 14a Block North,Slab,5\n')
  expect(await load('task', 'Home,Task,Duration\nLot 14a Block North,SLAB,6\n')).toEqual(changed)
  await load('lead', 'First Name,Last Name,Email\nDana,Lee,dana@example.com\n')
  expect(await load('lead', 'First Name,Last Name,Email\nDana,Lee,dana@EXAMPLE.com\n')).toEqual(found)
  const [part] = (await plumbline.get('/api/ext/parts', caller)).body.data
  expect([part.sku, part.name]).toEqual(['Stud-8', 'Long stud'])
})

const ORDERS = `PO Number,Job,Vendor,Trade,PO Date,Description,Amount,Billed to date,Retainage
10452,Lot 14,Brazos Framing,Framing,2026-08-03,Walls,"10,000.00","3,333.33",10
10452,Lot 14,Brazos Framing,Framing,2026-08-03,Roof,"2,000.00",,10
10460,Lot 14,Brazos Framing,Framing,2026-09-01,Punch list,500.00,500.00,
`
const PAYMENTS = `Payment No,PO,Date Paid,Amount,Check No,Invoice
88213,10452,2026-09-15,"2,000.00",20417,A-1
88213,10452,2026-09-15,"1,333.33",20417,A-2
88213,10460,2026-09-15,100.00,20417,A-2
88220,10460,2026-10-02,400.00,20430,A-3
`

test('imported orders and payments keep the numbers and dates that they had in the other system', async () => {
  const caller = await plumbline.newBuilder()
  await importAll(caller, 'Community\nCedar Bend\n', { kind: 'community' })
  await importAll(caller, 'Community,Lot,Type\nCedar Bend,14,Spec\n', { kind: 'home' })
  await importAll(caller, 'Company,Trade\nBrazos Framing,Framing\n')
  const orders = await importAll(caller, ORDERS, { kind: 'purchase_order' })
  expect([await rowsOf(caller, orders, '?status=failed'), orders.created]).toEqual([[], 3])
  const paid = await importAll(caller, PAYMENTS, { kind: 'payment' })
  expect([await rowsOf(caller, paid, '?status=failed'), paid.created]).toEqual([[], 4])
  const { data } = (await plumbline.get('/api/ext/purchase-orders?sort=number', caller)).body
  expect(data).toMatchObject([
    {
      ...{ number: '10452', status: 'partially_completed', migrated: true, total: 12000, completedAmount: 3333.33 },
      ...{ retainagePercent: 10, retainedAmount: 333.33, paidAmount: 3000, payableAmount: 0 },
      issuedAt: '2026-08-03T12:00:00.000Z',
    },
    { number: '10460', status: 'closed', paidAmount: 500, balance: 0 },
  ])
  const payments = (await plumbline.get('/api/ext/payments?sort=number', caller)).body.data
  expect(payments).toMatchObject([
    {
      ...{ number: '88213', status: 'paid', migrated: true, paidDate: '2026-09-15', checkNumber: '20417' },
      ...{ invoiceNumber: 'A-1, A-2', grossAmount: 3433.33, retainageWithheld: 333.33, amount: 3100 },
    },
    { number: '88220', status: 'paid', paidDate: '2026-10-02', amount: 400 },
  ])
  const { items } = (await plumbline.get('/api/ext/accounting/queue?type=payment', caller)).body
  expect(items).toEqual([])
  for (const [text, kind] of [
    [ORDERS, 'purchase_order'],
    [PAYMENTS, 'payment'],
  ] as const)
    expect(await importAll(caller, text, { kind })).toMatchObject({ created: 0, updated: 0, failed: 0 })
  await plumbline.post(`${IMPORTS}/${paid.id}/undo`, undefined, caller)
  expect(await settled(caller, paid.id)).toMatchObject({ status: 'undone', undone: 4 })
  expect((await plumbline.get('/api/ext/purchase-orders?sort=number', caller)).body.data).toMatchObject([
    { number: '10452', paidAmount: 0 },
    { number: '10460', status: 'completed', paidAmount: 0 },
  ])
  expect(await importAll(caller, PAYMENTS, { kind: 'payment' })).toMatchObject({ created: 4, failed: 0 })
})

test('the bill of an imported order gets its date from the column Invoice date', async () => {
  const caller = await plumbline.newBuilder()
  await importAll(caller, 'Community\nCedar Bend\n', { kind: 'community' })
  await importAll(caller, 'Community,Lot,Type\nCedar Bend,14,Spec\n', { kind: 'home' })
  await importAll(caller, 'Company,Trade\nBrazos Framing,Framing\n')
  const text = `PO Number,Job,Vendor,Trade,PO Date,Amount,Billed to date,Invoice date
10470,Lot 14,Brazos Framing,Framing,2026-02-03,500.00,500.00,2026-08-20
`
  expect(await importAll(caller, text, { kind: 'purchase_order' })).toMatchObject({ created: 1, failed: 0 })
  expect((await plumbline.get('/api/ext/bills', caller)).body.data).toMatchObject([
    { invoiceDate: '2026-08-20', postingDate: '2026-08-20', migrated: true },
  ])
})

test('the bills of imported orders are not in the accounting queue, but the bills of later work are', async () => {
  const caller = await plumbline.newBuilder()
  await importAll(caller, 'Community\nCedar Bend\n', { kind: 'community' })
  await importAll(caller, 'Community,Lot,Type\nCedar Bend,14,Spec\n', { kind: 'home' })
  await importAll(caller, 'Company,Trade\nBrazos Framing,Framing\n')
  await importAll(caller, ORDERS, { kind: 'purchase_order' })
  const queued = async () => (await plumbline.get('/api/ext/accounting/queue?type=bill', caller)).body.items
  expect([await queued(), (await plumbline.get('/api/ext/bills', caller)).body.data]).toMatchObject([
    [],
    [{ migrated: true }, { migrated: true }],
  ])
  const [order] = (await plumbline.get('/api/ext/purchase-orders?sort=number', caller)).body.data
  await plumbline.post(`/api/ext/purchase-orders/${order.id}/status`, { status: 'completed' }, caller)
  expect(await queued()).toMatchObject([{ amount: 7800, reason: 'new' }])
})

test('two payments of one invoice can be imported', async () => {
  const caller = await plumbline.newBuilder()
  await importAll(caller, 'Community\nCedar Bend\n', { kind: 'community' })
  await importAll(caller, 'Community,Lot,Type\nCedar Bend,14,Spec\n', { kind: 'home' })
  await importAll(caller, 'Company,Trade\nBrazos Framing,Framing\n')
  await importAll(caller, ORDERS, { kind: 'purchase_order' })
  const halves = `Payment No,PO,Date Paid,Amount,Invoice
88213,10460,2026-09-15,200.00,A-1
88220,10460,2026-10-02,300.00,A-1
`
  const paid = await importAll(caller, halves, { kind: 'payment' })
  expect([await rowsOf(caller, paid, '?status=failed'), paid.created]).toEqual([[], 2])
})

test('an imported payment needs no lien waiver', async () => {
  const caller = await plumbline.newBuilder()
  await importAll(caller, 'Community\nCedar Bend\n', { kind: 'community' })
  await importAll(caller, 'Community,Lot,Type\nCedar Bend,14,Spec\n', { kind: 'home' })
  await importAll(caller, 'Company,Trade\nBrazos Framing,Framing\n')
  const [vendor] = await vendorsOf(caller)
  await plumbline.patch(`/api/ext/vendors/${vendor.id}`, { lienWaiverRequired: true }, caller)
  await importAll(caller, ORDERS, { kind: 'purchase_order' })
  await importAll(caller, PAYMENTS, { kind: 'payment' })
  const run = async (skill: string, input: object) =>
    (await plumbline.post('/api/ext/execute', { skill, input }, caller)).body.result
  expect((await run('findMissingLienWaivers', {})).payments).toEqual([])
  const { checks } = await run('closingReadiness', { homeId: 'Lot 14' })
  expect(checks.find(({ check }: Body) => check === 'lien_waivers')).toMatchObject({ isMet: true })
})

test('undoing an import voids its orders and frees their numbers', async () => {
  const caller = await plumbline.newBuilder()
  await importAll(caller, 'Community\nCedar Bend\n', { kind: 'community' })
  await importAll(caller, 'Community,Lot,Type\nCedar Bend,14,Spec\n', { kind: 'home' })
  await importAll(caller, 'Company,Trade\nBrazos Framing,Framing\n')
  const orders = await importAll(caller, ORDERS, { kind: 'purchase_order' })
  await plumbline.post(`${IMPORTS}/${orders.id}/undo`, undefined, caller)
  expect(await settled(caller, orders.id)).toMatchObject({ status: 'undone', undone: 3 })
  expect(await importAll(caller, ORDERS, { kind: 'purchase_order' })).toMatchObject({ created: 3, failed: 0 })
  const { data } = (await plumbline.get('/api/ext/purchase-orders?sort=number', caller)).body
  expect(data.map(({ number, status }: Body) => `${number} ${status}`).sort()).toEqual([
    ...['10452 partially_completed', '10452 void', '10460 completed', '10460 void'],
  ])
})

test('an import of orders can be undone after the import of their payments, except orders with later work', async () => {
  const caller = await plumbline.newBuilder()
  await importAll(caller, 'Community\nCedar Bend\n', { kind: 'community' })
  await importAll(caller, 'Community,Lot,Type\nCedar Bend,14,Spec\n', { kind: 'home' })
  await importAll(caller, 'Company,Trade\nBrazos Framing,Framing\n')
  const orders = await importAll(caller, ORDERS, { kind: 'purchase_order' })
  const paid = await importAll(caller, PAYMENTS, { kind: 'payment' })
  const undo = async ({ id }: Body) => {
    await plumbline.post(`${IMPORTS}/${id}/undo`, undefined, caller)
    return settled(caller, id)
  }
  const kept = async () => (await rowsOf(caller, orders, '?status=kept')).map(({ problem }) => problem.reason)
  expect(await undo(paid)).toMatchObject({ undone: 4 })
  const [worked] = (await plumbline.get('/api/ext/purchase-orders?sort=number', caller)).body.data
  await plumbline.post(`/api/ext/purchase-orders/${worked.id}/status`, { status: 'completed' }, caller)
  expect([await undo(orders), await kept()]).toMatchObject([{ undone: 1 }, ['changed_meanwhile', 'changed_meanwhile']])
  expect((await plumbline.get('/api/ext/purchase-orders?sort=number', caller)).body.data).toMatchObject([
    { number: '10452', status: 'completed' },
    { number: '10460', status: 'void' },
  ])
})

test('the error for an order or payment row that cannot be imported states the reason', async () => {
  const caller = await plumbline.newBuilder()
  await importAll(caller, 'Community\nCedar Bend\n', { kind: 'community' })
  await importAll(caller, 'Community,Lot,Type\nCedar Bend,14,Spec\n', { kind: 'home' })
  await importAll(caller, 'Company,Trade\nBrazos Framing,Framing\n')
  const head = 'PO Number,Job,Vendor,Trade,PO Date,Amount,Billed to date\n'
  const orders = await importAll(
    caller,
    `${head}PO-0014-07,Lot 14,Brazos Framing,Framing,2026-08-03,10.00,\n2,Lot 14,Brazos Framing,Framing,2999-01-01,10.00,\n3,Lot 14,Brazos Framing,Framing,2026-08-03,10.00,10.01\n4,Lot 14,Brazos Framing,Framing,2026-08-03,10.00,5.00\n`,
    { kind: 'purchase_order' },
  )
  const messagesOf = async (done: Body) =>
    (await rowsOf(caller, done, '?status=failed')).map(({ problem }) =>
      problem.errors.length === 0 ? problem.detail : problem.errors[0].message,
    )
  expect(await messagesOf(orders)).toEqual([
    'must not begin with PO-0014-, which is for new orders of the home',
    expect.stringMatching(/^must not be after today \(\d{4}-\d\d-\d\d\)$/),
    'must not exceed the amount of the line ($10.00)',
  ])
  const paid = await importAll(
    caller,
    'Payment No,PO,Date Paid,Amount\nPM-7,4,2026-09-15,1.00\n8,4,2026-09-15,5.01\n9,4,2026-09-15,5.00\n',
    { kind: 'payment' },
  )
  expect([paid.created, await messagesOf(paid)]).toEqual([
    1,
    [
      'must not begin with PM-, which is for new payments',
      'The payment of $5.01 exceeds the open amount of the bills for 4 ($5.00).',
    ],
  ])
  const home = (await plumbline.get('/api/ext/homes', caller)).body.data[0]
  const vendor = (await vendorsOf(caller))[0]
  const next = await plumbline.post(
    '/api/ext/purchase-orders',
    {
      homeId: home.id,
      vendorId: vendor.id,
      scope: 'Framing',
      lines: [{ description: 'A', quantity: 1, unitPrice: 1 }],
    },
    caller,
  )
  expect([next.status, next.body.number, next.body.migrated]).toEqual([201, 'PO-0014-01', false])
})

test('the numbers and dates in an Excel workbook are imported', async () => {
  const caller = await plumbline.newBuilder()
  const done = await importAll(
    caller,
    workbook([
      ['Company', 'Limit'],
      ['Brazos', 1234.5],
    ]),
    { fileName: 'list.xlsx' },
  )
  expect(done).toMatchObject({ format: 'xlsx', sheet: 'Vendors', encoding: null, created: 1 })
  expect(await vendorsOf(caller)).toMatchObject([{ companyName: 'Brazos', poLimit: 1234.5 }])
})

test('a workbook that is too large when it is decompressed is rejected', async () => {
  const caller = await plumbline.newBuilder()
  const bomb = zipSync({ '[Content_Types].xml': new Uint8Array(60_000_000) })
  expect(bomb.length).toBeLessThan(100_000)
  const refused = await upload(caller, Buffer.from(bomb), { fileName: 'bomb.xlsx' })
  expect(refused).toMatchObject({ status: 422, body: { code: 'validation_failed' } })
})

test('a file that contains no table is rejected', async () => {
  const caller = await plumbline.newBuilder()
  for (const content of ['', 'PK', 'PK\u0003\u0004rubbish', '<xml/>', 'Company\n', '\u0000\u0001'])
    expect([content, (await upload(caller, content || ' ')).status]).toEqual([content, 422])
})

test('an imported Microsoft Project schedule adds tasks to the selected home', async () => {
  const caller = await plumbline.newBuilder()
  await importAll(caller, 'Community\nCedar Bend\n', { kind: 'community' })
  await importAll(caller, 'Community,Lot\nCedar Bend,15\n', { kind: 'home' })
  const { body } = await upload(caller, PROJECT, { kind: 'task', fileName: 'schedule.xml' })
  expect(body).toMatchObject({ format: 'project_xml', rowCount: 3, questions: [{ code: 'required_field' }] })
  const named = await plumbline.patch(
    `${IMPORTS}/${body.id}`,
    { fixedValues: [{ field: 'homeId', text: 'Lot 15' }] },
    caller,
  )
  expect(named.body.questions).toEqual([])
  await start(caller, body.id, true)
  const done = await start(caller, body.id, false)
  expect([done.created, await rowsOf(caller, done, '?status=failed')]).toEqual([3, []])
  const tasks = (await plumbline.get('/api/ext/tasks?sort=createdAt', caller)).body.data
  expect(tasks.map(({ name, phase, durationDays, taskKind }: Body) => [name, phase, durationDays, taskKind])).toEqual([
    ['Slab', 'Foundation', 5, 'work'],
    ['Framing', 'Foundation', 10, 'work'],
    ['Dried in', 'Foundation', expect.any(Number), 'milestone'],
  ])
  expect(tasks[1].predecessors).toMatchObject([{ taskId: tasks[0].id, type: 'FS', lagDays: 1 }])
  expect(tasks[2].predecessors).toMatchObject([{ taskId: tasks[1].id, lagDays: 2, lagUnit: 'calendar_days' }])
  const [{ homeId }] = tasks
  const response = await fetch(`${plumbline.url}/api/ext/homes/${homeId}/schedule.xml`, {
    headers: { authorization: `Bearer ${caller.key}` },
  })
  const exported = await response.text()
  expect([response.status, exported]).toEqual([200, expect.stringContaining('<Name>Foundation</Name><Summary>1')])
  const again = await upload(caller, exported, { kind: 'task', fileName: 'schedule.xml' })
  await plumbline.patch(`${IMPORTS}/${again.body.id}`, { fixedValues: [{ field: 'homeId', text: homeId }] }, caller)
  expect(await start(caller, again.body.id, true)).toMatchObject({ created: 0, updated: 0, unchanged: 3, failed: 0 })
})

test('an import requires the write permission for its records', async () => {
  const caller = await plumbline.newBuilder()
  const reader = { ...caller, key: await plumbline.newKey(['vendors:read'], caller.organizationId) }
  expect((await upload(reader, 'Company\nA\n')).body).toMatchObject({ permission: 'vendors:write' })
})

test('a caller without permission for the records sees no imports', async () => {
  const caller = await plumbline.newBuilder()
  const reader = { ...caller, key: await plumbline.newKey(['vendors:read'], caller.organizationId) }
  const { body } = await upload(caller, 'Company\nA\n')
  expect((await plumbline.get(`${IMPORTS}/${body.id}`, reader)).status).toBe(403)
  expect((await plumbline.get(IMPORTS, reader)).body.data).toEqual([])
  expect((await plumbline.get(IMPORTS, caller)).body.data).toEqual([body])
  expect((await plumbline.get('/api/ext/import-kinds', reader)).body.kinds).toEqual([])
  expect((await plumbline.get('/api/ext/import-kinds', caller)).body.kinds).toHaveLength(21)
})

test("a builder cannot see another builder's imports", async () => {
  const caller = await plumbline.newBuilder()
  const { body } = await upload(caller, 'Company\nA\n')
  const other = await plumbline.newBuilder()
  expect((await plumbline.get(`${IMPORTS}/${body.id}`, other)).status).toBe(404)
})

function workbook(rows: (string | number)[][]): Buffer {
  const cells = rows.map((row, r) => {
    const inner = row.map((cell, c) => {
      const at = `${'AB'[c]}${r + 1}`
      return typeof cell === 'number'
        ? `<c r="${at}"><v>${cell}</v></c>`
        : `<c r="${at}" t="inlineStr"><is><t>${cell}</t></is></c>`
    })
    return `<row r="${r + 1}">${inner.join('')}</row>`
  })
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
  const rel = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
  const files: Record<string, string> = {
    '[Content_Types].xml':
      '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>',
    '_rels/.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${rel}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${rel}"><sheets><sheet name="Vendors" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${rel}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    'xl/worksheets/sheet1.xml': `<worksheet xmlns="${main}"><sheetData>${cells.join('')}</sheetData></worksheet>`,
  }
  const encoder = new TextEncoder()
  return Buffer.from(
    zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, encoder.encode(text)]))),
  )
}

const PROJECT = `<?xml version="1.0" encoding="UTF-8"?>
<Project xmlns="http://schemas.microsoft.com/project"><Tasks>
<Task><UID>0</UID><Name>Lot 15</Name><Summary>1</Summary></Task>
<Task><UID>1</UID><Name>Foundation</Name><Summary>1</Summary></Task>
<Task><UID>3</UID><Name>Framing</Name><Duration>PT80H0M0S</Duration><Start>2026-12-08T08:00:00</Start>
<PredecessorLink><PredecessorUID>2</PredecessorUID><Type>1</Type><LinkLag>4800</LinkLag></PredecessorLink></Task>
<Task><UID>2</UID><Name>Slab</Name><Duration>PT40H0M0S</Duration><Start>2026-12-01T08:00:00</Start></Task>
<Task><UID>4</UID><Name>Dried in</Name><Milestone>1</Milestone><Duration>PT0H0M0S</Duration>
<PredecessorLink><PredecessorUID>3</PredecessorUID><Type>1</Type><LinkLag>28800</LinkLag><LagFormat>8</LagFormat></PredecessorLink></Task>
</Tasks></Project>`
