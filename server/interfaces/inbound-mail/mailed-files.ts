import { type StoredFile, storeFile } from '../../domain/attachments/attach-file.ts'
import { cleanFileName } from '../../domain/attachments/file-name.ts'
import type { Call } from '../../platform/calls/call.ts'
import type { ReceivedFile } from '../../platform/calls/upload.ts'
import type { Files } from '../../platform/files/files.ts'
import { Problem } from '../../platform/problems/problem.ts'
import { truncateText } from '../../platform/values/placeholders.ts'
import { MAX_FILE_BYTES } from '../portal/forms/form-body.ts'
import type { InboundFile } from './inbound-mail.ts'

/** A file from an email. `received` is null if the file is empty or too large. */
export type RefusalReason = 'empty' | 'too_large' | 'too_many' | 'type' | 'infected' | 'no_storage'

/** A file of an email. The file is not received if it is empty or too large. */
export type MailedFile = { fileName: string } & (
  | { received: ReceivedFile; refusal: null }
  | { received: null; refusal: RefusalReason }
)

/** A file of an email that was stored or refused. */
export type StoredMailedFile = { fileName: string } & (
  | { stored: StoredFile; refusal: null }
  | { stored: null; refusal: RefusalReason }
)

const MAX_NAME = 200
const RETRY_SECONDS = 300

/** Writes the files to temporary paths and calls the function. Afterward, deletes the files that were not stored. */
export async function runWithMailedFiles<Result>(
  files: Files,
  attached: readonly InboundFile[],
  work: (mailed: readonly MailedFile[]) => Promise<Result>,
): Promise<Result> {
  const mailed: MailedFile[] = []
  try {
    for (const { fileName, content } of attached) mailed.push(await receiveFile(files, fileName, content))
    return await work(mailed)
  } finally {
    for (const { received } of mailed) await received?.discard()
  }
}

async function receiveFile(files: Files, provided: string, content: string): Promise<MailedFile> {
  const fileName = truncateText(cleanFileName(provided), MAX_NAME)
  const bytes = Buffer.from(content, 'base64')
  if (bytes.length === 0) return { fileName, received: null, refusal: 'empty' }
  if (bytes.length > MAX_FILE_BYTES) return { fileName, received: null, refusal: 'too_large' }
  return { fileName, received: await files.receive(bytes), refusal: null }
}

/**
 * Stores up to `max` files. Call this function before the transaction that attaches the files. Rejects further files
 * and files whose type is not accepted. Throws `unavailable` if the virus scanner is down, so that the mail provider
 * tries again.
 */
export async function storeMailedFiles(
  call: Call,
  files: readonly MailedFile[],
  max: number,
): Promise<StoredMailedFile[]> {
  const all: StoredMailedFile[] = []
  let left = max
  for (const { fileName, received, refusal } of files) {
    if (received === null) all.push({ fileName, stored: null, refusal })
    else if (left === 0) all.push({ fileName, stored: null, refusal: 'too_many' })
    else {
      const file = await storeUnlessRefused(call, fileName, received)
      if (file.stored !== null) left--
      all.push(file)
    }
  }
  return all
}

async function storeUnlessRefused(call: Call, fileName: string, received: ReceivedFile): Promise<StoredMailedFile> {
  try {
    return { fileName, stored: await storeFile(call, { fileName }, received), refusal: null }
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500 || error.status === 429) throw error
    if (error.extras.errors?.some(({ code }) => code === 'notScanned') === true)
      throw new Problem(
        'unavailable',
        `The virus scanner is not working. Try again in ${RETRY_SECONDS} seconds.`,
        {},
        { 'Retry-After': String(RETRY_SECONDS) },
      )
    return { fileName, stored: null, refusal: findRefusal(error) }
  }
}

function findRefusal({ code, extras }: Problem): RefusalReason {
  if (extras.errors?.some((each) => each.code === 'notClean') === true) return 'infected'
  return code === 'validation_failed' ? 'type' : 'no_storage'
}
