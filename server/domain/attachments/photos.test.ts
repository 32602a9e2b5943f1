import { sql } from 'kysely'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPdf, sendBytes } from '../../../test/support/files.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { classifyFiles } from './classify-files.ts'

let plumbline: TestPlumbline
let home: string
let task: string
let plan: string

beforeAll(async () => {
  plumbline = await startTestPlumbline()
  const community = (await plumbline.post('/api/ext/communities', { name: 'Juniper Ridge' })).body
  home = (await plumbline.post('/api/ext/homes', { name: 'Lot 1', communityId: community.id })).body.id
  task = (await plumbline.post('/api/ext/tasks', { homeId: home, name: 'Walls' })).body.id
  plan = (await plumbline.post('/api/ext/plans', { name: 'Alder', code: 'A1' })).body.id
})
afterAll(() => plumbline.stop())

const createPhoto = (width = 640, height = 480) =>
  sharp({ create: { width, height, channels: 3, background: '#5577aa' } })

async function upload(bytes: Uint8Array, query: Record<string, string>, key = plumbline.key) {
  const search = new URLSearchParams({ recordId: home, fileName: 'IMG_1.jpg', ...query })
  return sendBytes(`${plumbline.url}/api/ext/attachments?${search}`, bytes, { key })
}

async function getImage(id: string, size?: string, headers: Record<string, string> = {}) {
  const response = await fetch(
    `${plumbline.url}/api/ext/attachments/${id}/image${size === undefined ? '' : `?size=${size}`}`,
    { headers: { authorization: `Bearer ${plumbline.key}`, ...headers } },
  )
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
}

const readProblem = (bytes: Buffer) => JSON.parse(bytes.toString())

test('a photo is stored with its displayed size, its caption, and the home of its record', async () => {
  // Orientation 6 means that the picture is rotated by 90 degrees.
  const bytes = await createPhoto().withMetadata({ orientation: 6 }).jpeg().toBuffer()
  const about = { stage: 'before', caption: 'Crack', takenAt: '2026-11-20T09:02:11-06:00', sharedWithOwner: 'true' }
  const { status, body } = await upload(bytes, { recordId: task, ...about })
  expect([status, body.errors]).toEqual([201, undefined])
  expect(body).toMatchObject({
    ...{ recordType: 'task', homeId: home, kind: 'photo', stage: 'before', caption: 'Crack', sharedWithOwner: true },
    ...{ takenAt: '2026-11-20T15:02:11.000Z', width: 480, height: 640 },
  })
  const { body: read } = await plumbline.get(`/api/ext/attachments/${body.id}`)
  expect(read).toEqual(body)
})

test("files can be filtered by home, including the files of the home's records", async () => {
  const own = (await upload(await createPhoto().png().toBuffer(), {})).body
  const ofTask = (await upload(createPdf(), { recordId: task })).body
  await upload(createPdf(), { recordId: plan })
  const list = async (query: string) =>
    (await plumbline.get(`/api/ext/attachments?homeId=${home}${query}`)).body.data.map(({ id }: { id: string }) => id)
  expect(await list('')).toEqual(expect.arrayContaining([own.id, ofTask.id]))
  expect(await list('&kind=document')).toEqual([ofTask.id])
  expect(await list('&kind=photo')).not.toContain(ofTask.id)
})

test('an image is converted to the requested size, turned upright, and stripped of metadata', async () => {
  const bytes = await createPhoto(2400, 1200)
    .withExif({ IFD0: { Copyright: 'Secret place' } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer()
  const { body } = await upload(bytes, {})
  for (const [size, width, height] of [
    ['thumb', 160, 320],
    ['screen', 800, 1600],
  ] as const) {
    const image = await getImage(body.id, size)
    expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/webp'])
    expect(image.headers.get('content-disposition')).toBe('inline; filename=IMG_1.webp')
    const metadata = await sharp(image.bytes).metadata()
    expect([metadata.format, metadata.width, metadata.height, metadata.exif]).toEqual([
      'webp',
      width,
      height,
      undefined,
    ])
    const again = await getImage(body.id, size, { 'if-none-match': image.headers.get('etag') ?? '' })
    expect(again.status).toBe(304)
  }
  expect((await getImage(body.id)).bytes).toEqual((await getImage(body.id, 'thumb')).bytes)
})

test('an image request for a file that cannot be displayed is rejected with a reason', async () => {
  const jpeg = await createPhoto().jpeg().toBuffer()
  const heic = Buffer.concat([Buffer.from('0000001866747970686569630000000068656963', 'hex'), Buffer.alloc(200)])
  const files = [
    { bytes: createPdf(), reason: 'not a JPEG' },
    { bytes: heic, reason: 'not a JPEG' },
    { bytes: jpeg.subarray(0, jpeg.length / 2), reason: 'damaged or too large' },
    // The image below has 64 megapixels in a file of a few kilobytes.
    { bytes: await createPhoto(8000, 8000).png().toBuffer(), reason: 'damaged or too large' },
  ]
  for (const { bytes, reason } of files) {
    const { status, body } = await upload(bytes, {})
    expect([status, body.errors]).toEqual([201, undefined])
    const image = await getImage(body.id)
    expect([image.status, readProblem(image.bytes).reason]).toEqual([409, 'not_suitable'])
    expect(readProblem(image.bytes).detail).toContain(reason)
  }
}, 30_000)

test('an image request for a deleted photo returns 404', async () => {
  const { body } = await upload(await createPhoto().jpeg().toBuffer(), {})
  expect((await getImage(body.id)).status).toBe(200)
  await plumbline.delete(`/api/ext/attachments/${body.id}`)
  expect((await getImage(body.id)).status).toBe(404)
})

test('the kind, stage, and owner sharing of a file are rejected if they do not match its content or record', async () => {
  const pdf = createPdf()
  const photo = await createPhoto().jpeg().toBuffer()
  expect((await upload(pdf, { kind: 'photo' })).body.errors[0]).toMatchObject({ pointer: 'kind', code: 'contentType' })
  expect((await upload(pdf, { stage: 'after' })).body.errors[0]).toMatchObject({ pointer: 'stage', code: 'exclusive' })
  expect((await upload(photo, { kind: 'signature', stage: 'after' })).status).toBe(422)
  expect((await upload(photo, { kind: 'document' })).body.kind).toBe('document')
  expect((await upload(pdf, { recordId: plan, sharedWithOwner: 'true' })).body.reason).toBe('not_suitable')

  const { body } = await upload(pdf, { recordId: plan })
  const file = `/api/ext/attachments/${body.id}`
  expect((await plumbline.patch(file, { sharedWithOwner: true })).body.reason).toBe('not_suitable')
  expect((await plumbline.patch(file, { stage: 'before' })).body.errors[0].pointer).toBe('/stage')
})

test('the caption, stage, and owner sharing of a photo can be changed and cleared', async () => {
  const { body } = await upload(await createPhoto().jpeg().toBuffer(), { caption: 'Wall' })
  const file = `/api/ext/attachments/${body.id}`
  const changed = await plumbline.patch(file, { caption: 'North wall', stage: 'after', sharedWithOwner: true })
  expect(changed.body).toMatchObject({ caption: 'North wall', stage: 'after', sharedWithOwner: true, version: 2 })
  const cleared = await plumbline.patch(file, { caption: null, stage: null, sharedWithOwner: false })
  expect(cleared.body).toMatchObject({ caption: null, stage: null, sharedWithOwner: false, version: 3 })
  expect((await plumbline.patch(file, { caption: null })).body.version).toBe(3)
})

test('reading an image requires the permission to read its record', async () => {
  const { body } = await upload(await createPhoto().jpeg().toBuffer(), {})
  const key = await plumbline.newKey(['tasks:read'])
  const { status, body: refused } = await plumbline.get(`/api/ext/attachments/${body.id}/image`, { key })
  expect([status, refused.permission]).toEqual([403, 'homes:read'])
})

test('a file from an earlier version of the service is classified and gets the home of its record', async () => {
  const { body: file } = await upload(await createPhoto().jpeg().toBuffer(), { recordId: task })
  const { statements } = plumbline.database
  await sql`update "attachments" set "isClassified" = false, "kind" = 'document', "homeId" = null where "id" = ${file.id}`.execute(
    statements,
  )
  const read = async () => (await plumbline.get(`/api/ext/attachments/${file.id}`)).body
  expect(await read()).toMatchObject({ kind: 'document', homeId: null })
  expect(await classifyFiles(plumbline.database)).toBe(1)
  expect(await read()).toMatchObject({ kind: 'photo', homeId: home, version: file.version })
  expect(await classifyFiles(plumbline.database)).toBe(0)
})
