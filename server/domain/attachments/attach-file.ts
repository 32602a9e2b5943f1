import { createReadStream } from 'node:fs'
import { typeid } from 'typeid-js'
import type { Attachment, AttachmentContent, AttachmentKind, AttachmentStage } from '../../../client/contract.gen.ts'
import type { Call, WriteCall } from '../../platform/calls/call.ts'
import type { ReceivedFile } from '../../platform/calls/upload.ts'
import { detectContentType } from '../../platform/files/content-type.ts'
import { conflict, unknownReference, validationFailed } from '../../platform/problems/problem.ts'
import { assertFileClean } from './assert-file-clean.ts'
import { isImageType, measureImage } from './create-image.ts'
import { cleanFileName } from './file-name.ts'
import * as attachments from './queries.ts'
import { assertCanAccessFiles, assertRecordAcceptsFiles, getRecordType } from './record-types.ts'
import { assertHasHome, assertStageFitsKind, decideSharing } from './share-file.ts'

/** More files indicate a program that attaches the same file repeatedly. */
const MAX_FILES_PER_RECORD = 100

/**
 * A request takes at most one minute, and its transaction is shorter. If an upload has not been committed within this
 * time, it never will be.
 */
const UNCOMMITTED_MS = 60 * 60 * 1000

export interface NewAttachmentInput {
  recordId: string
  fileName: string
  /** Whether vendors can see the file. The default depends on the kind of record. */
  shared?: boolean | undefined
  /** Whether the owners of the home can see the file. */
  sharedWithOwner?: boolean | undefined
  /** The kind of the file. The default depends on its content. */
  kind?: AttachmentKind | undefined
  stage?: AttachmentStage | undefined
  caption?: string | undefined
  takenAt?: string | undefined
}

export interface AttachmentRules {
  /** The maximum number of files of the record. */
  max?: number
  /**
   * Checks another limit before the file is stored. During the check, no other file of the organization can be stored.
   */
  assertAllowed?: (call: WriteCall) => Promise<void>
}

/** Attaches a file to a record. Throws `permission_denied` if the caller may not change the record. */
export async function attachFileAsCaller(
  call: Call,
  provided: NewAttachmentInput,
  file: AttachmentContent | ReceivedFile,
  rules: AttachmentRules = {},
): Promise<Attachment> {
  const type = getRecordType(provided.recordId)
  if (type === undefined) throw unknownReference(['recordId'])
  assertCanAccessFiles(call, type, 'write')
  return attachFile(call, provided, file, rules)
}

/** Attaches a file without checking permissions, which the calling code must check first. */
export async function attachFile(
  call: Call,
  provided: NewAttachmentInput,
  file: AttachmentContent | ReceivedFile,
  rules: AttachmentRules = {},
): Promise<Attachment> {
  const recordType = getRecordType(provided.recordId)
  if (recordType === undefined) throw unknownReference(['recordId'])
  const shared = decideSharing(recordType, provided.shared)
  const homeId = await assertRecordAcceptsFiles(call, recordType, provided.recordId)
  if (provided.sharedWithOwner === true) assertHasHome(homeId)
  const arrived = 'path' in file ? file : await call.services.files.receive(decodeContent(file))
  try {
    const checked = await checkFile(call, provided, arrived)
    const { recordId, stage, caption, takenAt, sharedWithOwner = false } = provided
    const created = attachments.make(call, {
      ...{ ...checked, recordType, recordId, homeId, sharedWithOwner, stage, caption },
      takenAt: takenAt === undefined ? null : new Date(takenAt).toISOString(),
    })
    if ('path' in file) await storeBeforeCommit(call, created.id, file.path)
    await call.write(async (call) => {
      await insertAttachment(call, created, rules)
      if (provided.shared !== undefined) await attachments.setInitialSharing(call, created.id, provided.shared)
      if ('path' in file) await attachments.deleteScheduledRemoval(call, created.id)
      else await attachments.insertContent(call, created.id, file.content)
    })
    return { ...created, shared }
  } finally {
    if (arrived !== file) await arrived.discard()
  }
}

/** A stored file that is not attached to a record yet. */
export interface StoredFile extends CheckedFile {
  /** The ID that the attachment will have. */
  id: string
}

/**
 * Checks and stores a file. Call this function before the transaction that attaches the file with `attachStoredFile`,
 * so that the transaction does not wait for the virus scanner or the store. If the file is never attached, a job
 * deletes it later.
 */
export async function storeFile(
  call: Call,
  provided: Pick<NewAttachmentInput, 'fileName'>,
  file: ReceivedFile,
): Promise<StoredFile> {
  const checked = await checkFile(call, provided, file)
  const id = typeid('att').toString()
  await storeBeforeCommit(call, id, file.path)
  return { ...checked, id }
}

/** Attaches a stored file to a record without checking permissions, which the calling code must check first. */
export async function attachStoredFile(
  call: WriteCall,
  recordId: string,
  { id, ...checked }: StoredFile,
  rules: AttachmentRules = {},
): Promise<void> {
  const recordType = getRecordType(recordId)
  if (recordType === undefined) throw unknownReference(['recordId'])
  const homeId = await assertRecordAcceptsFiles(call, recordType, recordId)
  const made = attachments.make(call, { ...checked, recordType, recordId, homeId, sharedWithOwner: false })
  await insertAttachment(call, { ...made, id }, rules)
  await attachments.deleteScheduledRemoval(call, id)
}

/**
 * Returns whether the organization has enough storage left for a file. Until the transaction ends, no other file can be
 * attached.
 */
export async function hasStorageLeft(call: WriteCall, { size }: StoredFile): Promise<boolean> {
  return (await attachments.addUsedBytes(call, 0)) + size <= call.services.config.maxFileBytes
}

type CheckedFile = Pick<Attachment, 'kind' | 'fileName' | 'contentType' | 'size' | 'sha256' | 'width' | 'height'>

/** Throws unless a file of this type and size can be stored, and the virus scanner finds the file clean. */
async function checkFile(
  call: Call,
  provided: Pick<NewAttachmentInput, 'fileName' | 'kind' | 'stage'>,
  { path, size, sha256 }: ReceivedFile,
): Promise<CheckedFile> {
  assertStorageLeft(call, (await attachments.findUsedBytes(call)) + size)
  const fileName = cleanFileName(provided.fileName)
  const contentType = await detectContentType(path, fileName)
  if (contentType === null)
    throw validationFailed([{ pointer: '', code: 'contentType', message: UNSUPPORTED_TYPE_MESSAGE }])
  const kind = decideKind(provided, contentType)
  await assertFileClean(call, path)
  const dimensions = await measureImage(call, contentType, async () => createReadStream(path))
  return { kind, fileName, contentType, size, sha256, ...dimensions }
}

/** Returns the kind of the file. Throws `validation_failed` if the content or the stage does not match the kind. */
function decideKind({ kind, stage }: Pick<NewAttachmentInput, 'kind' | 'stage'>, contentType: string): AttachmentKind {
  const isImage = isImageType(contentType)
  const decided = kind ?? (isImage ? 'photo' : 'document')
  if (decided !== 'document' && !isImage)
    throw validationFailed([
      { pointer: 'kind', code: 'contentType', message: `must be document for a file of type ${contentType}` },
    ])
  assertStageFitsKind(decided, stage ?? null, 'stage')
  return decided
}

const UNSUPPORTED_TYPE_MESSAGE =
  'must be a PDF, image, Word, Excel, PowerPoint, OpenDocument, MP4, CSV, or plain text file'

function decodeContent({ content }: AttachmentContent): Buffer {
  if (content.length % 4 !== 0)
    throw validationFailed([{ pointer: '/content', code: 'pattern', message: 'must be base64 with padding' }])
  return Buffer.from(content, 'base64')
}

/**
 * Stores the file before its attachment is committed, so that every attachment has its content. First schedules the
 * removal of the file, so that a job deletes it if the transaction is rolled back.
 */
async function storeBeforeCommit({ organizationId, now, services }: Call, id: string, path: string): Promise<void> {
  const { database, files } = services
  const tenant = { db: database.statements, organizationId }
  await attachments.scheduleFileRemoval(tenant, id, new Date(now.getTime() + UNCOMMITTED_MS))
  await files.store.put(attachments.toStorageKey(organizationId, id), path)
}

async function insertAttachment(
  call: WriteCall,
  created: Omit<Attachment, 'shared'>,
  rules: AttachmentRules,
): Promise<void> {
  const { max = MAX_FILES_PER_RECORD, assertAllowed } = rules
  // Locking the storage count of the organization ensures that no limit is exceeded.
  assertStorageLeft(call, await attachments.addUsedBytes(call, created.size))
  if ((await attachments.countFilesOfRecord(call, created.recordId)) >= max)
    throw conflict('limit_reached', `The record already has ${max} files, the maximum. Delete one first.`)
  await assertAllowed?.(call)
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
