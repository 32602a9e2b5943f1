import { Readable } from 'node:stream'
import type { Attachment } from '../../../client/contract.gen.ts'
import type { Call } from '../../platform/calls/call.ts'
import { FileResponse } from '../../platform/calls/file-response.ts'
import { notFound } from '../../platform/problems/problem.ts'
import * as attachments from './queries.ts'

/** Returns the content of a file that was not deleted. */
export async function createDownload(
  call: Call,
  { id, fileName, size, sha256, archivedAt }: Attachment,
): Promise<FileResponse> {
  if (archivedAt !== null) throw notFound()
  // Read the database first: content that is no longer there is in the store.
  const content = await attachments.findContent(call, id)
  const { store } = call.services.files
  return new FileResponse({
    ...{ fileName, size, sha256, contentType: 'application/octet-stream' },
    async open(range) {
      if (content === undefined) return store.open(attachments.toStorageKey(call.organizationId, id), range)
      const bytes = Buffer.from(content, 'base64')
      return Readable.from([range === null ? bytes : bytes.subarray(range.first, range.last + 1)])
    },
  })
}
