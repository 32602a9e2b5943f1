import type { Attachment, AttachmentContent } from '../../../client/contract.gen.ts'
import type { Call, WriteCall } from '../../platform/calls/call.ts'
import type { Arrived } from '../../platform/calls/upload.ts'
import { contentTypeOf } from '../../platform/files/content-type.ts'
import { conflict, invalid, unknownReference } from '../../platform/problems/problem.ts'
import { cleanFileName } from './file-name.ts'
import * as attachments from './queries.ts'
import { assertTakesFiles, permitFiles, recordTypeOf } from './record.ts'
import { assertClean } from './scanned.ts'
import { sharedAs } from './share.ts'

/** A record with more files is a sign of a program that attaches the same file repeatedly. */
const MOST_OF_RECORD = 100

/**
 * A request takes a minute at most, and its transaction less. An upload that is not committed within this time never
 * will be.
 */
const UNCOMMITTED_MS = 60 * 60 * 1000

export interface Attaching {
  recordId: string
  fileName: string
  /** Whether vendors see the file. Defaults to the usual value for the kind of record. */
  shared?: boolean | undefined
}

/** Attaches a file to a record that the caller may change. Throws `permission_denied` otherwise. */
export async function attach(call: Call, given: Attaching, file: AttachmentContent | Arrived): Promise<Attachment> {
  const type = recordTypeOf(given.recordId)
  if (type === undefined) throw unknownReference(['recordId'])
  permitFiles(call, type, 'write')
  return attachFile(call, given, file)
}

/** Attaches a file without checking the caller's permissions; the caller has done so. */
export async function attachFile(
  call: Call,
  given: Attaching,
  file: AttachmentContent | Arrived,
  most: number = MOST_OF_RECORD,
): Promise<Attachment> {
  const recordType = recordTypeOf(given.recordId)
  if (recordType === undefined) throw unknownReference(['recordId'])
  const shared = sharedAs(recordType, given.shared)
  await assertTakesFiles(call, recordType, given.recordId)
  const arrived = 'path' in file ? file : await call.surroundings.files.receive(bytesOf(file))
  try {
    const { size, sha256 } = arrived
    assertRoom(call, (await attachments.usedBytes(call)) + size)
    const fileName = cleanFileName(given.fileName)
    const contentType = await contentTypeOf(arrived.path, fileName)
    if (contentType === null) throw invalid([{ pointer: '', code: 'contentType', message: NOT_TAKEN }])
    await assertClean(call, arrived.path)
    const made = attachments.make(call, { recordType, recordId: given.recordId, fileName, contentType, size, sha256 })
    if ('path' in file) await storeBefore(call, made.id, file.path)
    await call.write(async (call) => {
      await insert(call, made, most)
      if (given.shared !== undefined) await attachments.setShared(call, made.id, given.shared)
      if ('path' in file) await attachments.setFast(call, made.id)
      else await attachments.insertContent(call, made.id, file.content)
    })
    return { ...made, shared }
  } finally {
    if (arrived !== file) await arrived.discard()
  }
}

const NOT_TAKEN = 'must be a PDF, image, Word, Excel, PowerPoint, OpenDocument, MP4, CSV or plain text file'

function bytesOf({ content }: AttachmentContent): Buffer {
  if (content.length % 4 !== 0)
    throw invalid([{ pointer: '/content', code: 'pattern', message: 'must be base64 with padding' }])
  return Buffer.from(content, 'base64')
}

/**
 * Stores the file before its attachment is committed, so that every attachment has its bytes. The bytes are first
 * recorded as removable, so that they are deleted later if the transaction is rolled back.
 */
async function storeBefore({ organizationId, now, surroundings }: Call, id: string, path: string): Promise<void> {
  const { database, files } = surroundings
  const tenant = { db: database.statements, organizationId }
  await attachments.setLoose(tenant, id, new Date(now.getTime() + UNCOMMITTED_MS))
  await files.store.put(attachments.keyOf(organizationId, id), path)
}

async function insert(call: WriteCall, made: Omit<Attachment, 'shared'>, most: number): Promise<void> {
  // The lock on the organization's count makes both limits exact.
  assertRoom(call, await attachments.addUsedBytes(call, made.size))
  if ((await attachments.countOfRecord(call, made.recordId)) >= most)
    throw conflict('limit_reached', `The record already has ${most} files, the maximum. Delete one first.`)
  await attachments.insertAll(call, [made])
}

function assertRoom({ surroundings }: Call, bytes: number): void {
  const { maxFileBytes } = surroundings.config
  if (bytes <= maxFileBytes) return
  const mebibytes = maxFileBytes / 1024 / 1024
  throw conflict(
    'limit_reached',
    `The files of the organization would exceed ${mebibytes} MiB in total. Delete some files first.`,
  )
}
