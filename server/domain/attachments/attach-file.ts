import type { Attachment, AttachmentContent } from '../../../client/contract.gen.ts'
import type { Call, WriteCall } from '../../platform/calls/call.ts'
import type { ReceivedFile } from '../../platform/calls/upload.ts'
import { detectContentType } from '../../platform/files/content-type.ts'
import { conflict, unknownReference, validationFailed } from '../../platform/problems/problem.ts'
import { assertClean } from './assert-clean.ts'
import { cleanFileName } from './file-name.ts'
import * as attachments from './queries.ts'
import { assertAcceptsFiles, assertCanAccessFiles, getRecordType } from './record-types.ts'
import { decideShared } from './share-file.ts'

/** A record with more files is a sign of a program that attaches the same file repeatedly. */
const MAX_FILES_PER_RECORD = 100

/**
 * A request takes a minute at most, and its transaction less. An upload that is not committed within this time never
 * will be.
 */
const UNCOMMITTED_MS = 60 * 60 * 1000

export interface NewAttachmentInput {
  recordId: string
  fileName: string
  /** Whether vendors see the file. Defaults to the usual value for the kind of record. */
  shared?: boolean | undefined
}

/** Attaches a file to a record that the caller may change. Throws `permission_denied` otherwise. */
export async function attachAsCaller(
  call: Call,
  provided: NewAttachmentInput,
  file: AttachmentContent | ReceivedFile,
): Promise<Attachment> {
  const type = getRecordType(provided.recordId)
  if (type === undefined) throw unknownReference(['recordId'])
  assertCanAccessFiles(call, type, 'write')
  return attachFile(call, provided, file)
}

/** Attaches a file without checking the caller's permissions; the caller has done so. */
export async function attachFile(
  call: Call,
  provided: NewAttachmentInput,
  file: AttachmentContent | ReceivedFile,
  max: number = MAX_FILES_PER_RECORD,
): Promise<Attachment> {
  const recordType = getRecordType(provided.recordId)
  if (recordType === undefined) throw unknownReference(['recordId'])
  const shared = decideShared(recordType, provided.shared)
  await assertAcceptsFiles(call, recordType, provided.recordId)
  const arrived = 'path' in file ? file : await call.services.files.receive(decodeContent(file))
  try {
    const { size, sha256 } = arrived
    assertStorageLeft(call, (await attachments.findUsedBytes(call)) + size)
    const fileName = cleanFileName(provided.fileName)
    const contentType = await detectContentType(arrived.path, fileName)
    if (contentType === null)
      throw validationFailed([{ pointer: '', code: 'contentType', message: UNSUPPORTED_TYPE_MESSAGE }])
    await assertClean(call, arrived.path)
    const created = attachments.make(call, {
      recordType,
      recordId: provided.recordId,
      fileName,
      contentType,
      size,
      sha256,
    })
    if ('path' in file) await storeBeforeCommit(call, created.id, file.path)
    await call.write(async (call) => {
      await insertAttachment(call, created, max)
      if (provided.shared !== undefined) await attachments.setShared(call, created.id, provided.shared)
      if ('path' in file) await attachments.markKept(call, created.id)
      else await attachments.insertContent(call, created.id, file.content)
    })
    return { ...created, shared }
  } finally {
    if (arrived !== file) await arrived.discard()
  }
}

const UNSUPPORTED_TYPE_MESSAGE =
  'must be a PDF, image, Word, Excel, PowerPoint, OpenDocument, MP4, CSV or plain text file'

function decodeContent({ content }: AttachmentContent): Buffer {
  if (content.length % 4 !== 0)
    throw validationFailed([{ pointer: '/content', code: 'pattern', message: 'must be base64 with padding' }])
  return Buffer.from(content, 'base64')
}

/**
 * Stores the file before its attachment is committed, so that every attachment has its bytes. The bytes are first
 * recorded as removable, so that they are deleted later if the transaction is rolled back.
 */
async function storeBeforeCommit({ organizationId, now, services }: Call, id: string, path: string): Promise<void> {
  const { database, files } = services
  const tenant = { db: database.statements, organizationId }
  await attachments.markRemovable(tenant, id, new Date(now.getTime() + UNCOMMITTED_MS))
  await files.store.put(attachments.toStorageKey(organizationId, id), path)
}

async function insertAttachment(call: WriteCall, created: Omit<Attachment, 'shared'>, max: number): Promise<void> {
  // The lock on the organization's count makes both limits exact.
  assertStorageLeft(call, await attachments.addUsedBytes(call, created.size))
  if ((await attachments.countFilesOfRecord(call, created.recordId)) >= max)
    throw conflict('limit_reached', `The record already has ${max} files, the maximum. Delete one first.`)
  await attachments.insertAll(call, [created])
}

function assertStorageLeft({ services }: Call, bytes: number): void {
  const { maxFileBytes } = services.config
  if (bytes <= maxFileBytes) return
  const mebibytes = maxFileBytes / 1024 / 1024
  throw conflict(
    'limit_reached',
    `The files of the organization would exceed ${mebibytes} MiB in total. Delete some files first.`,
  )
}
