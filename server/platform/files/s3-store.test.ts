import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import S3rver from 's3rver'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPdf, downloadFile, uploadFile } from '../../../test/support/files.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { deleteRemovableFiles } from '../../domain/attachments/storage-jobs.ts'
import { eraseOrganization } from '../../operators/builder-data/erase-organization.ts'
import { startDeletionWorker } from '../../operators/retention/delete-expired.ts'
import { fetchArchives } from '../archives/fetch-archives.ts'
import { createS3Store } from './s3-store.ts'

/** An S3 server that is independent of the S3 client of the service. */
const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-s3-'))
const s3 = new S3rver({
  address: '127.0.0.1',
  port: 0,
  silent: true,
  directory: folder,
  configureBuckets: [{ name: 'files' }],
})

let plumbline: TestPlumbline
let recordId: string
let port: number
beforeAll(async () => {
  port = (await s3.run()).port
  plumbline = await startTestPlumbline({
    FILES_S3_URL: `http://127.0.0.1:${port}/files`,
    FILES_S3_REGION: 'us-east-1',
    FILES_S3_ACCESS_KEY_ID: 'S3RVER',
    FILES_S3_SECRET_ACCESS_KEY: 'S3RVER',
  })
  recordId = await newRecord(plumbline.key)
})
afterAll(async () => {
  await plumbline.stop()
  await s3.close().catch(() => {})
  rmSync(folder, { recursive: true, force: true })
})

async function newRecord(key: string): Promise<string> {
  return (await plumbline.post('/api/ext/messages', { body: 'Files', recipientRoles: ['owner'] }, { key })).body.id
}

/** Returns the objects in the bucket whose names contain the ID of the attachment. */
const objects = () =>
  new Set(
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).flatMap((name) => /att_[0-9a-z]{26}/.exec(name) ?? []),
  )

test('a file in an S3 bucket can be read and deleted like a file on disk', async () => {
  const bytes = createPdf(9 * 1024 * 1024)
  const { status, body } = await uploadFile(plumbline, bytes, { recordId })
  expect([status, objects().has(body.id)]).toEqual([201, true])
  expect((await downloadFile(plumbline, body.id)).bytes.equals(bytes)).toBe(true)
  const part = await downloadFile(plumbline, body.id, { range: 'bytes=1000-1999' })
  expect([part.status, part.bytes.equals(bytes.subarray(1000, 2000))]).toEqual([206, true])
  await plumbline.delete(`/api/ext/attachments/${body.id}`)
  plumbline.clock.advance(25 * 3_600_000)
  await deleteRemovableFiles(plumbline.app.services)
  expect(objects().has(body.id)).toBe(false)
})

test("erasing a builder deletes only that builder's files from the S3 bucket", async () => {
  const other = await plumbline.newBuilder()
  const theirs = await uploadFile(plumbline, createPdf(), { recordId: await newRecord(other.key), key: other.key })
  const ours = await uploadFile(plumbline, createPdf(), { recordId })
  await eraseOrganization(plumbline, other.organizationId, 'Harrow & Finch Homes')
  expect([objects().has(theirs.body.id), objects().has(ours.body.id)]).toEqual([false, true])
})

/** Deletes old events in the same way as the job, with a clock that is more than two years ahead. */
function forget(): Promise<void> {
  plumbline.clock.advance(800 * 86_400_000)
  const stored = { archives: true, eventRetentionDays: 365, historyRetentionDays: null }
  return startDeletionWorker(plumbline.app.services, stored).run()
}

/** Waits until the events of a record have a sequence, and returns their IDs. */
async function getEvents(id: string): Promise<string[]> {
  const { body } = await plumbline.until(`/api/ext/events?resourceId=${id}`, ({ body }) => body.data.length > 0)
  return body.data.map((event: { id: string }) => event.id)
}

test('events are archived in the S3 bucket before they are deleted', async () => {
  const sent = await getEvents(await newRecord(plumbline.key))
  await forget()
  expect((await plumbline.get('/api/ext/events')).body.data).toEqual([])
  const fetched = mkdtempSync(path.join(tmpdir(), 'plumbline-fetched-'))
  const to = path.join(fetched, 'archives')
  expect(await fetchArchives(plumbline, plumbline.organizationId, to)).toBeGreaterThan(0)
  const text = readdirSync(to).map((name) => gunzipSync(readFileSync(path.join(to, name))).toString())
  rmSync(fetched, { recursive: true })
  for (const id of sent) expect(text.join('')).toContain(id)
})

test('a download returns unavailable if the file store breaks the connection', async () => {
  const bytes = createPdf(1000)
  const open = new Set<ServerResponse>()
  let isSilent = false
  const broken = createServer((req, res) => {
    req.resume()
    if (req.method !== 'GET') return void req.on('end', () => res.end())
    // The service lists the bucket at startup.
    if (req.url?.includes('list-type')) return void res.end('<ListBucketResult></ListBucketResult>')
    res.writeHead(200, { 'content-length': bytes.length })
    res.write(bytes.subarray(0, 500), () => {
      if (isSilent) open.add(res)
      else res.destroy()
    })
  })
  await new Promise<void>((listening) => broken.listen(0, '127.0.0.1', listening))
  const bucket = {
    url: `http://127.0.0.1:${(broken.address() as AddressInfo).port}/files`,
    ...{ region: 'us-east-1', accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
  }
  const other = await startTestPlumbline({
    FILES_S3_URL: bucket.url,
    FILES_S3_REGION: bucket.region,
    FILES_S3_ACCESS_KEY_ID: bucket.accessKeyId,
    FILES_S3_SECRET_ACCESS_KEY: bucket.secretAccessKey,
  })
  const { body: record } = await other.post('/api/ext/messages', { body: 'Files', recipientRoles: ['owner'] })
  const { body } = await uploadFile(other, bytes, { recordId: record.id })
  const input = { skill: 'downloadAttachment', input: { attachmentId: body.id } }
  const answer = await other.post('/api/ext/execute', input)
  expect([answer.status, answer.body.code, answer.headers.get('retry-after')]).toEqual([503, 'unavailable', '5'])
  await other.stop()
  isSilent = true
  const stream = await createS3Store(bucket, 50).open('org_a/att_b', null)
  await expect(buffer(stream)).rejects.toThrow('did not respond for')
  for (const res of open) res.destroy()
  await new Promise((closed) => broken.close(closed))
})

test('a missing S3 bucket prevents startup with an explanation', async () => {
  const env = { FILES_S3_URL: `http://127.0.0.1:${port}/missing`, FILES_S3_REGION: 'us-east-1' }
  const keys = { FILES_S3_ACCESS_KEY_ID: 'S3RVER', FILES_S3_SECRET_ACCESS_KEY: 'S3RVER' }
  await expect(startTestPlumbline({ ...env, ...keys })).rejects.toThrow(
    `No bucket exists at ${env.FILES_S3_URL}. Create it, or correct FILES_S3_URL.`,
  )
  const wrong = { ...keys, FILES_S3_ACCESS_KEY_ID: 'nobody' }
  await expect(
    startTestPlumbline({ ...env, ...wrong, FILES_S3_URL: `http://127.0.0.1:${port}/files` }),
  ).rejects.toThrow(/rejected FILES_S3_ACCESS_KEY_ID \(status 403\)/)
})

test('while the S3 bucket is unavailable, only file operations are unavailable', async () => {
  const { body } = await uploadFile(plumbline, createPdf(), { recordId })
  const lastId = await newRecord(plumbline.key)
  const sent = await getEvents(lastId)
  await s3.close()
  for (const answer of [
    await downloadFile(plumbline, body.id),
    await uploadFile(plumbline, createPdf(), { recordId }),
  ]) {
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
  }
  expect((await plumbline.get(`/api/ext/attachments/${body.id}`)).status).toBe(200)
  const ready = await plumbline.until('/readyz', ({ body }) => body.files === 'unavailable')
  expect([ready.status, ready.body.status]).toEqual([200, 'ready'])
  // If events cannot be archived, they must not be deleted.
  await expect(forget()).rejects.toThrow('could not be deleted')
  expect(await getEvents(lastId)).toEqual(sent)
})
