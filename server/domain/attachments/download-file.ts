import { Readable } from 'node:stream'
import type { Attachment } from '../../../client/contract.gen.ts'
import type { Call } from '../../platform/calls/call.ts'
import { type ByteRange, FileResponse } from '../../platform/calls/file-response.ts'
import { notFound } from '../../platform/problems/problem.ts'
import * as attachments from './queries.ts'

/** Returns a download of the file. Throws `not_found` if the file is deleted. */
export async function createDownload(
  call: Call,
  { id, fileName, size, sha256, archivedAt }: Attachment,
): Promise<FileResponse> {
  if (archivedAt !== null) throw notFound()
  const open = await createContentOpener(call, id)
  return new FileResponse({ fileName, size, sha256, contentType: 'application/octet-stream', open })
}

/** Returns a function that opens the content of a file, or a range of its bytes. */
export async function createContentOpener(
  call: Call,
  id: string,
): Promise<(range: ByteRange | null) => Promise<Readable>> {
  // Read the database first: if the content is no longer there, it is already in the store.
  const content = await attachments.findContent(call, id)
  const { store } = call.services.files
  return async (range) => {
    if (content === undefined) return store.open(attachments.toStorageKey(call.organizationId, id), range)
    const bytes = Buffer.from(content, 'base64')
    return Readable.from([range === null ? bytes : bytes.subarray(range.first, range.last + 1)])
  }
}
