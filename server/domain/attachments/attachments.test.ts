import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import path from 'node:path'
import { deflateRawSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPdf, downloadFile, sendBytes, sha256, uploadFile } from '../../../test/support/files.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { exportFiles } from '../../operators/builder-data/export-files.ts'
import { deleteRemovableFiles } from './storage-jobs.ts'

const FILES = '/api/ext/attachments'
const MINUTE_MS = 60_000

let plumbline: TestPlumbline
/** One record of each kind, and the entity of its permissions. */
const records: Record<string, { id: string; entity: string }> = {}

beforeAll(async () => {
  plumbline = await startTestPlumbline({ MAX_FILE_MEBIBYTES_PER_ORGANIZATION: '60' })
  const created = async (address: string, body: object) => {
    const answer = await plumbline.post(`/api/ext/${address}`, body)
    expect([address, answer.status, answer.body.errors]).toEqual([address, 201, undefined])
    return answer.body
  }
  const community = await created('communities', { name: 'Juniper Ridge', status: 'active' })
  const vendor = await created('vendors', {
    companyName: 'Lone Star Framing',
    email: 'f@example.com',
    scopes: ['framing'],
  })
  const home = await created('homes', { name: 'Lot 1', communityId: community.id })
  const request = await created('bids/request', {
    ...{ vendorIds: [vendor.id], scope: 'framing', deadline: '2030-12-04', communityId: community.id },
  })
  const bid = await created('bids', { bidRequestId: request.id, vendorId: vendor.id, amount: 100, source: 'phone' })
  const document = await created(`vendors/${vendor.id}/compliance-documents`, { type: 'w9' })
  const line = { description: 'Frame the house', quantity: 1, unit: 'EA', unitPrice: 100 }
  const order = await created('purchase-orders', {
    homeId: home.id,
    vendorId: vendor.id,
    scope: 'framing',
    lines: [line],
  })
  const task = await created('tasks', { homeId: home.id, name: 'Walls' })
  const selection = await created(`homes/${home.id}/selections`, { customDescription: 'A shelf', unitPrice: 10 })
  const plan = await created('plans', { name: 'Alder', code: 'A1' })
  const message = await created('messages', { body: 'See the drawing.', recipientRoles: ['owner'] })
  Object.assign(records, {
    bid_request: { id: request.id, entity: 'bids' },
    invitation: { id: request.invitations[0].id, entity: 'bids' },
    bid: { id: bid.id, entity: 'bids' },
    compliance_document: { id: document.id, entity: 'vendors' },
    purchase_order: { id: order.id, entity: 'pos' },
    task: { id: task.id, entity: 'tasks' },
    selection: { id: selection.id, entity: 'options' },
    message: { id: message.id, entity: 'messages' },
    home: { id: home.id, entity: 'homes' },
    plan: { id: plan.id, entity: 'options' },
  })
})
afterAll(() => plumbline.stop())

const idOf = (type: string) => records[type]?.id ?? ''

/** Returns the names of all files in the store, except files that are still being uploaded. */
function stored(): string[] {
  const folder = path.join(plumbline.config.dataDir, 'files')
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.startsWith('org_') && name.includes('att_'))
    .map((name) => path.basename(name))
}

function arriving(): string[] {
  const folder = path.join(plumbline.config.dataDir, 'files', 'arriving')
  return existsSync(folder) ? readdirSync(folder) : []
}

test('a file of 25 MiB can be uploaded and downloaded', async () => {
  const bytes = createPdf(25 * 1024 * 1024)
  const { status, body, headers } = await uploadFile(plumbline, bytes, { recordId: idOf('purchase_order') })
  expect([status, body.size, body.sha256]).toEqual([201, bytes.length, sha256(bytes)])
  expect(headers.get('location')).toBe(`${FILES}/${body.id}`)
  expect((await plumbline.get(`${FILES}/${body.id}`)).body).toEqual(body)
  expect(body).toMatchObject({ recordType: 'purchase_order', contentType: 'application/pdf', fileName: 'Plan.pdf' })
  const whole = await downloadFile(plumbline, body.id)
  expect([whole.status, whole.bytes.equals(bytes), arriving()]).toEqual([200, true, []])
})

test('a downloaded file is sent as an attachment that a browser does not open', async () => {
  const { body } = await uploadFile(plumbline, createPdf(), { recordId: idOf('purchase_order') })
  const whole = await downloadFile(plumbline, body.id)
  expect(Object.fromEntries(whole.headers)).toMatchObject({
    etag: `"${body.sha256}"`,
    'content-type': 'application/octet-stream',
    'content-disposition': 'attachment; filename=Plan.pdf',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    'accept-ranges': 'bytes',
  })
})

test('a part of a file can be downloaded', async () => {
  const bytes = createPdf(20_000)
  const { body } = await uploadFile(plumbline, bytes, { recordId: idOf('purchase_order') })
  for (const [range, from, to] of [
    ['bytes=0-99', 0, 100],
    ['bytes=1000-', 1000, bytes.length],
    ['bytes=-5', bytes.length - 5, bytes.length],
    [`bytes=${bytes.length - 1}-${bytes.length + 100}`, bytes.length - 1, bytes.length],
  ] as const) {
    const part = await downloadFile(plumbline, body.id, { range })
    expect([part.status, part.bytes.equals(bytes.subarray(from, to))]).toEqual([206, true])
    expect(part.headers.get('content-range')).toBe(`bytes ${from}-${to - 1}/${bytes.length}`)
  }
  const beyond = await downloadFile(plumbline, body.id, { range: `bytes=${bytes.length}-` })
  expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${bytes.length}`])
  expect((await downloadFile(plumbline, body.id, { range: 'bytes=1-2,4-5' })).status).toBe(422)
  const other = await downloadFile(plumbline, body.id, { range: 'bytes=0-9', 'if-range': '"another"' })
  expect([other.status, other.bytes.length]).toEqual([200, bytes.length])
})

test('a request for an unchanged file returns 304', async () => {
  const { body } = await uploadFile(plumbline, createPdf(), { recordId: idOf('purchase_order') })
  const known = await downloadFile(plumbline, body.id, { range: 'bytes=0-9', 'if-none-match': `"${body.sha256}"` })
  expect([known.status, known.bytes.length]).toEqual([304, 0])
})

test('a HEAD request returns the size of a file', async () => {
  const bytes = createPdf()
  const { body } = await uploadFile(plumbline, bytes, { recordId: idOf('purchase_order') })
  const head = await fetch(`${plumbline.url}${FILES}/${body.id}/content`, {
    ...{ method: 'HEAD', headers: { authorization: `Bearer ${plumbline.key}` } },
  })
  expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes.length)])
})

test('nothing is stored if a file is empty or larger than 25 MiB, or if its upload is interrupted', async () => {
  const before = stored()
  const recordId = idOf('task')
  const max = 25 * 1024 * 1024
  const chunk = new Uint8Array(1024 * 1024)
  let sent = 0
  const endless = new ReadableStream({
    pull: (controller) => (sent++ > 40 ? controller.close() : controller.enqueue(chunk)),
  })
  // The service responds and closes the connection while the client is still sending. Some clients then report an error
  // instead of the response.
  const refused = await uploadFile(plumbline, endless, { recordId }).catch(() => null)
  if (refused !== null) expect([refused.status, refused.body.code]).toEqual([413, 'payload_too_large'])
  const said = await fetch(`${plumbline.url}${FILES}?recordId=${recordId}&fileName=a`, {
    ...{ method: 'POST', body: new Uint8Array(max + 1) },
    headers: { authorization: `Bearer ${plumbline.key}`, 'content-type': 'application/octet-stream' },
  }).catch(() => null)
  if (said !== null) expect(said.status).toBe(413)
  const empty = await uploadFile(plumbline, new ReadableStream({ start: (controller) => controller.close() }), {
    recordId,
  })
  expect([empty.status, empty.body.errors[0].code]).toEqual([422, 'required'])
  const abort = new AbortController()
  const halfway = fetch(`${plumbline.url}${FILES}?recordId=${recordId}&fileName=a`, {
    ...{ method: 'POST', signal: abort.signal, duplex: 'half' },
    headers: { authorization: `Bearer ${plumbline.key}`, 'content-type': 'application/octet-stream' },
    body: new ReadableStream({
      start(controller) {
        controller.enqueue(chunk)
        setImmediate(() => abort.abort())
      },
    }),
  } as RequestInit)
  await expect(halfway).rejects.toThrow()
  await expect.poll(arriving).toEqual([])
  expect(stored()).toEqual(before)
})

test('the content of a file must have a supported type', async () => {
  const recordId = idOf('bid_request')
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )
  for (const [fileName, bytes, contentType] of [
    ['plan.exe', png, 'image/png'],
    ['prices.csv', Buffer.from('part;price\nŁódź;1'), 'text/csv'],
    ['page.html', Buffer.from('<script>alert(1)</script>'), 'text/plain'],
  ] as const) {
    const { status, body } = await uploadFile(plumbline, bytes, { recordId, fileName })
    expect([fileName, status, body.contentType]).toEqual([fileName, 201, contentType])
  }
  for (const [fileName, bytes] of [
    ['plan.pdf', Buffer.from('MZ\x90\x00\x03\x00\x00\x00', 'latin1')],
    ['plan.pdf', Buffer.from('PK\x03\x04\x14\x00\x00\x00\x00\x00', 'latin1')],
    ['plan.svg', Buffer.from('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['plan.txt', Buffer.from([0x50, 0x00, 0x51])],
  ] as const) {
    const { status, body } = await uploadFile(plumbline, bytes, { recordId, fileName })
    expect([fileName, status, body.errors?.[0].code]).toEqual([fileName, 422, 'contentType'])
  }
})

test('a file name is cleaned so that the file can be saved on any system', async () => {
  for (const [given, fileName] of [
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\me\\Plan "A".pdf', 'Plan -A-.pdf'],
    ['invoice\u202efdp.exe', 'invoicefdp.exe'],
    ['Łódź – Süd.pdf', 'Łódź – Süd.pdf'],
    ['...', 'file'],
    [`${'x'.repeat(196)}.pdf`, `${'x'.repeat(196)}.pdf`],
  ] as const) {
    const { body } = await uploadFile(plumbline, createPdf(), { recordId: idOf('task'), fileName: given })
    expect(body.fileName).toBe(fileName)
  }
  const { body } = await uploadFile(plumbline, createPdf(), { recordId: idOf('task'), fileName: 'Łódź.pdf' })
  const { headers } = await downloadFile(plumbline, body.id)
  expect(headers.get('content-disposition')).toContain("filename*=UTF-8''%C5%81%C3%B3d%C5%BA.pdf")
})

test('reading or changing a file requires the same permission as reading or changing its record', async () => {
  const stranger = await plumbline.newBuilder()
  for (const [type, { id: recordId, entity }] of Object.entries(records)) {
    const others = ['bids', 'vendors', 'pos', 'tasks', 'options', 'messages'].filter((each) => each !== entity)
    const [reader, writer] = [await plumbline.newKey([`${entity}:read`]), await plumbline.newKey([`${entity}:write`])]
    const wrong = await plumbline.newKey(others.flatMap((each) => [`${each}:read`, `${each}:write`]))
    for (const key of [reader, wrong]) {
      const refused = await uploadFile(plumbline, createPdf(), { recordId, key })
      expect([type, refused.status, refused.body.permission]).toEqual([type, 403, `${entity}:write`])
    }
    const { status, body } = await uploadFile(plumbline, createPdf(), { recordId, key: writer })
    expect([type, status, body.recordType]).toEqual([type, 201, type])
    const address = `${FILES}/${body.id}`
    for (const below of ['', '/content']) {
      expect((await plumbline.get(address + below, { key: reader })).status).toBe(200)
      expect((await plumbline.get(address + below, { key: wrong })).status).toBe(403)
      expect((await plumbline.get(address + below, { key: stranger.key })).status).toBe(404)
    }
    const listed = async (key: string, query: string) =>
      (await plumbline.get(`${FILES}?${query}`, { key })).body.data.map(({ id }: { id: string }) => id)
    expect(await listed(reader, `recordId=${recordId}`)).toContain(body.id)
    expect(await listed(wrong, `recordId=${recordId}`)).toEqual([])
    expect(await listed(wrong, `recordType=${type}`)).toEqual([])
    expect(await listed(stranger.key, '')).toEqual([])
    expect((await plumbline.delete(address, { key: reader })).status).toBe(403)
    expect((await plumbline.delete(address, { key: stranger.key })).status).toBe(404)
    expect((await plumbline.delete(address, { key: writer })).status).toBe(204)
  }
  const foreign = await uploadFile(plumbline, createPdf(), { recordId: idOf('bid'), key: stranger.key })
  expect([foreign.status, foreign.body.code]).toEqual([422, 'unknown_reference'])
  const none = await uploadFile(plumbline, createPdf(), { recordId: 'hom_01m7y975jzfesvq6zzzzzzzzzz' })
  expect([none.status, none.body.errors[0].pointer]).toEqual([422, 'recordId'])
})

test('the type of the record determines whether a new file is shared with vendors', async () => {
  const defaults: Record<string, boolean | null> = { bid_request: true, invitation: true, purchase_order: false }
  const change = (id: string, shared: boolean, options: object = {}) =>
    plumbline.patch(`${FILES}/${id}`, { shared }, options)
  for (const [type, { id: recordId, entity }] of Object.entries(records)) {
    const { body: file } = await uploadFile(plumbline, createPdf(), { recordId })
    expect([type, file.shared]).toEqual([type, defaults[type] ?? false])
    expect((await plumbline.get(`${FILES}/${file.id}`)).body).toEqual(file)
    const other = !file.shared
    if (defaults[type] === undefined) {
      for (const refused of [
        await change(file.id, true),
        await uploadFile(plumbline, createPdf(), { recordId, shared: true }),
      ])
        expect([type, refused.status, refused.body.reason]).toEqual([type, 409, 'not_suitable'])
      expect((await change(file.id, false)).body).toEqual(file)
      continue
    }
    expect((await uploadFile(plumbline, createPdf(), { recordId, shared: other })).body).toMatchObject({
      shared: other,
      version: 1,
    })
    const { body: changed } = await change(file.id, other)
    expect(changed).toMatchObject({ shared: other, version: 2, sha256: file.sha256 })
    expect((await change(file.id, other)).body).toEqual(changed)
    const { body: listed } = await plumbline.get(`${FILES}?ids=${file.id}`)
    expect(listed.data).toEqual([changed])
    expect((await change(file.id, true, { headers: { 'if-match': '"1"' } })).status).toBe(412)
    const reader = await plumbline.newKey([`${entity}:read`])
    expect((await change(file.id, true, { key: reader })).body.permission).toBe(`${entity}:write`)
    const { body: trail } = await plumbline.get(`/api/ext/audit-entries?resourceId=${file.id}`)
    expect(trail.data[0]).toMatchObject({ action: 'attachment.updated', changed: ['shared'] })
    const unclear = `${plumbline.url}${FILES}?recordId=${recordId}&fileName=Plan.pdf&shared=perhaps`
    expect((await sendBytes(unclear, createPdf(), { key: plumbline.key })).body.errors).toMatchObject([
      { pointer: 'shared' },
    ])
    await plumbline.delete(`${FILES}/${file.id}`)
    expect((await change(file.id, true)).body.reason).toBe('archived')
  }
})

test('repeating an upload with the same Idempotency-Key attaches the file only once', async () => {
  const recordId = idOf('selection')
  const bytes = createPdf()
  const headers = { 'idempotency-key': 'one-upload' }
  const [first, again] = [
    await uploadFile(plumbline, bytes, { recordId, headers }),
    await uploadFile(plumbline, bytes, { recordId, headers }),
  ]
  expect([first.status, again.status, again.body.id]).toEqual([201, 201, first.body.id])
  expect(again.headers.get('idempotent-replayed')).toBe('true')
})

test('a different file with the same Idempotency-Key is rejected', async () => {
  const recordId = idOf('selection')
  const headers = { 'idempotency-key': 'another-upload' }
  await uploadFile(plumbline, createPdf(), { recordId, headers })
  const other = await uploadFile(plumbline, createPdf(), { recordId, headers })
  expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused'])
})

test('a skill can attach a small file as JSON and read it', async () => {
  const content = Buffer.from('Lot 14: the slab is ready.').toString('base64')
  const input = { recordId: idOf('message'), fileName: 'note.txt', content }
  const run = (skill: string, input: object) => plumbline.post('/api/ext/execute', { skill, input })
  const before = stored()
  const { id } = (await run('uploadAttachment', input)).body.result
  // Until the job runs, the content is in the database. Afterward, it is in the store.
  expect((await run('downloadAttachment', { attachmentId: id })).body.result).toBe(content)
  await expect.poll(stored, { timeout: 10_000 }).toEqual(expect.arrayContaining([...before, id]))
  expect((await run('downloadAttachment', { attachmentId: id })).body.result).toBe(content)
  const part = await downloadFile(plumbline, id, { range: 'bytes=0-2' })
  expect(part.bytes.toString()).toBe('Lot')
})

test('a dry run of attaching a file stores nothing', async () => {
  const content = Buffer.from('Lot 14: the slab is ready.').toString('base64')
  const input = { recordId: idOf('message'), fileName: 'note.txt', content }
  const run = (skill: string, input: object, dryRun = false) =>
    plumbline.post('/api/ext/execute', { skill, input, dryRun })
  const before = stored()
  const tried = await run('uploadAttachment', input, true)
  expect(tried.body.result).toMatchObject({ fileName: 'note.txt', contentType: 'text/plain', size: 26 })
  expect((await plumbline.get(`${FILES}/${tried.body.result.id}`)).status).toBe(404)
  const { id } = (await run('uploadAttachment', input)).body.result
  await expect.poll(stored, { timeout: 10_000 }).toEqual(expect.arrayContaining([...before, id]))
  expect(stored()).not.toContain(tried.body.result.id)
})

test('a file that is too large for a JSON response cannot be read with a skill', async () => {
  const large = await uploadFile(plumbline, createPdf(800_000), { recordId: idOf('message') })
  const input = { attachmentId: large.body.id }
  expect((await plumbline.post('/api/ext/execute', { skill: 'downloadAttachment', input })).status).toBe(413)
})

test('file content that is not valid base64 is rejected', async () => {
  const cut = await plumbline.post(`${FILES}?recordId=${idOf('message')}&fileName=a.txt`, { content: 'TG90O' })
  expect([cut.status, cut.body.errors[0].pointer]).toEqual([422, '/content'])
})

test('a deleted file can no longer be downloaded but keeps its record', async () => {
  const { body } = await uploadFile(plumbline, createPdf(), { recordId: idOf('bid') })
  expect(stored()).toContain(body.id)
  expect((await plumbline.delete(`${FILES}/${body.id}`, { headers: { 'if-match': '"9"' } })).status).toBe(412)
  expect((await plumbline.delete(`${FILES}/${body.id}`)).status).toBe(204)
  expect((await plumbline.delete(`${FILES}/${body.id}`)).status).toBe(204)
  expect((await downloadFile(plumbline, body.id)).status).toBe(404)
  expect((await plumbline.get(`${FILES}/${body.id}`)).body).toMatchObject({ version: 2, fileName: 'Plan.pdf' })
  plumbline.clock.advance(25 * 60 * MINUTE_MS)
  await removeLoose()
  expect(stored()).not.toContain(body.id)
})

test('a stored file that was never committed is removed after one hour', async () => {
  const { body: kept } = await uploadFile(plumbline, createPdf(), { recordId: idOf('bid') })
  const archived = (await plumbline.post('/api/ext/communities', { name: 'Gone', status: 'active' })).body
  const before = stored()
  // A record can have 100 files. The 101st file is stored before it is rejected.
  const home = (await plumbline.post('/api/ext/homes', { name: 'Lot 2', communityId: archived.id })).body
  const { body: task } = await plumbline.post('/api/ext/tasks', { homeId: home.id, name: 'Roof' })
  const answers = []
  for (let i = 0; i < 13; i++)
    answers.push(
      ...(await Promise.all(
        Array.from({ length: 8 }, () => uploadFile(plumbline, createPdf(), { recordId: task.id })),
      )),
    )
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(100)
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(4)
  expect(stored()).toHaveLength(before.length + 104)
  plumbline.clock.advance(61 * MINUTE_MS)
  await removeLoose()
  expect(stored()).toHaveLength(before.length + 100)
  expect(stored()).toContain(kept.id)
})

test('the files of an organization cannot exceed its quota', async () => {
  const own = await plumbline.newBuilder()
  const { body: message } = await plumbline.post(
    '/api/ext/messages',
    { body: 'Files', recipientRoles: ['owner'] },
    { key: own.key },
  )
  const max = 60 * 1024 * 1024
  const send = (bytes: number) => uploadFile(plumbline, createPdf(bytes), { recordId: message.id, key: own.key })
  for (let i = 0; i < 2; i++) await send(25 * 1024 * 1024)
  const left = max - 50 * 1024 * 1024
  const both = await Promise.all([send(left), send(left)])
  expect(both.map(({ status }) => status).sort()).toEqual([201, 409])
  expect((await send(9)).body).toMatchObject({
    reason: 'limit_reached',
    detail: 'The files of the organization would exceed 60 MiB in total. Delete some files first.',
  })
})

test('deleting a file frees its share of the quota', async () => {
  const own = await plumbline.newBuilder()
  const { body: message } = await plumbline.post(
    '/api/ext/messages',
    { body: 'Files', recipientRoles: ['owner'] },
    { key: own.key },
  )
  const send = (bytes: number) => uploadFile(plumbline, createPdf(bytes), { recordId: message.id, key: own.key })
  const [first] = [await send(25 * 1024 * 1024), await send(25 * 1024 * 1024)]
  expect((await send(25 * 1024 * 1024)).status).toBe(409)
  await plumbline.delete(`${FILES}/${first.body.id}`, { key: own.key })
  expect((await send(25 * 1024 * 1024)).status).toBe(201)
})

test('an export copies all files that were not deleted from both the database and the file store', async () => {
  const own = await plumbline.newBuilder()
  const options = { key: own.key }
  const { body: message } = await plumbline.post(
    '/api/ext/messages',
    { body: 'Files', recipientRoles: ['owner'] },
    options,
  )
  const [kept, deleted] = [createPdf(), createPdf()]
  const { body: first } = await uploadFile(plumbline, kept, { recordId: message.id, ...options })
  const { body: second } = await uploadFile(plumbline, deleted, { recordId: message.id, ...options })
  await plumbline.delete(`${FILES}/${second.id}`, options)
  const content = Buffer.from('A note.').toString('base64')
  const third = await plumbline.post(`${FILES}?recordId=${message.id}&fileName=note.txt`, { content }, options)
  const folder = path.join(plumbline.config.dataDir, 'exported')
  expect(await exportFiles(plumbline, own.organizationId, folder)).toEqual({ copied: 2, missing: [] })
  expect(readFileSync(path.join(folder, first.id)).equals(kept)).toBe(true)
  expect(readFileSync(path.join(folder, third.body.id), 'utf8')).toBe('A note.')
  await expect(exportFiles(plumbline, own.organizationId, folder)).rejects.toThrow('EEXIST')
})

test('an export copies all available files and lists the files that are missing from the store', async () => {
  const own = await plumbline.newBuilder()
  const options = { key: own.key }
  const noted = { body: 'Files', recipientRoles: ['owner'] }
  const { body: message } = await plumbline.post('/api/ext/messages', noted, options)
  const { body: lost } = await uploadFile(plumbline, createPdf(), { recordId: message.id, ...options })
  const { body: kept } = await uploadFile(plumbline, createPdf(), { recordId: message.id, ...options })
  await plumbline.app.services.files.store.remove(`${own.organizationId}/${lost.id}`)
  const folder = path.join(plumbline.config.dataDir, 'exported-with-gaps')
  const missing = [{ id: lost.id, fileName: lost.fileName, recordId: message.id }]
  expect(await exportFiles(plumbline, own.organizationId, folder)).toEqual({ copied: 1, missing })
  expect(readdirSync(folder).sort()).toEqual([kept.id, 'missing.json'].sort())
  expect(JSON.parse(readFileSync(path.join(folder, 'missing.json'), 'utf8'))).toEqual(missing)
})

async function removeLoose(): Promise<void> {
  for (let i = 0; i < 10; i++) await deleteRemovableFiles(plumbline.app.services)
}

/** Returns a ZIP file with one entry. Its header contains the given size. */
function zip(name: string, content: Buffer, claimedBytes: number): Buffer {
  const header = Buffer.alloc(30)
  header.write('PK\x03\x04', 'latin1')
  header.writeUInt16LE(20, 4)
  header.writeUInt16LE(8, 8)
  header.writeUInt32LE(content.length, 18)
  header.writeUInt32LE(claimedBytes, 22)
  header.writeUInt16LE(name.length, 26)
  return Buffer.concat([header, Buffer.from(name), content])
}

test.each([
  ['states its decompressed size', 256 * 1024 * 1024],
  ['claims to be small', 100],
])('a decompression bomb that %s is rejected', async (_what, claimedBytes) => {
  const bomb = zip('[Content_Types].xml', deflateRawSync(Buffer.alloc(256 * 1024 * 1024)), claimedBytes)
  const { status, body } = await uploadFile(plumbline, bomb, { recordId: idOf('message'), fileName: 'Bid.docx' })
  expect([status, body.errors?.[0].code]).toEqual([422, 'contentType'])
})

test('a stored file that has grown is sent only up to its recorded size', async () => {
  const { body } = await uploadFile(plumbline, createPdf(1000), { recordId: idOf('message') })
  const folder = path.join(plumbline.config.dataDir, 'files', plumbline.organizationId, body.id.slice(-2))
  appendFileSync(path.join(folder, body.id), 'HTTP/1.1 200 OK\r\n\r\n')
  const { hostname, port } = new URL(plumbline.url)
  const answer = await new Promise<string>((done) => {
    const chunks: Buffer[] = []
    const head = `Host: x\r\nConnection: close\r\nAuthorization: Bearer ${plumbline.key}`
    const socket = connect(Number(port), hostname, () =>
      socket.write(`GET ${FILES}/${body.id}/content HTTP/1.1\r\n${head}\r\n\r\n`),
    )
    socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => {})
    socket.on('close', () => done(Buffer.concat(chunks).toString('latin1')))
  })
  expect(answer).not.toContain('HTTP/1.1 200 OK\r\n\r\n')
})
