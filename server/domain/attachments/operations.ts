import type { Handlers } from '../../platform/calls/operation.ts'
import { assertNotSealed } from './assert-not-sealed.ts'
import { attachAsCaller } from './attach-file.ts'
import { createDownload } from './download-file.ts'
import * as attachments from './queries.ts'
import { assertCanAccessFiles, listReadableTypes } from './record-types.ts'
import { shareFile } from './share-file.ts'

/**
 * A copy of the store that begins after a database dump must have every file in the dump, so deleted files are kept
 * this long.
 */
const DELETED_RETENTION_MS = 24 * 60 * 60 * 1000

export const attachmentOperations = {
  async listAttachments({ query }, call) {
    const readable = listReadableTypes(call)
    const { recordType } = query
    if (recordType !== undefined && readable?.includes(recordType) === false)
      return { status: 200, body: { data: [], nextCursor: null } }
    return { status: 200, body: await attachments.list(call, { ...query, ...(readable && { recordTypes: readable }) }) }
  },

  async uploadAttachment({ query, body }, call) {
    return { status: 201, body: await attachAsCaller(call, query, body) }
  },

  async getAttachment({ path }, call) {
    const attachment = await attachments.find(call, path.attachmentId)
    assertCanAccessFiles(call, attachment.recordType, 'read')
    return { status: 200, body: attachment }
  },

  async updateAttachment({ path, body, ifMatch }, call) {
    const attachment = await call.write(async (call) => {
      const before = await attachments.lock(call, path.attachmentId)
      assertCanAccessFiles(call, before.recordType, 'write')
      return shareFile(call, before, body.shared ?? before.shared, ifMatch)
    })
    return { status: 200, body: attachment }
  },

  async deleteAttachment({ path, ifMatch }, call) {
    await call.write(async (call) => {
      const attachment = await attachments.lock(call, path.attachmentId)
      assertCanAccessFiles(call, attachment.recordType, 'write')
      const { archivedAt, size, id } = attachment
      await attachments.archive(call, attachment, ifMatch)
      if (archivedAt !== null) return
      await attachments.addUsedBytes(call, -size)
      await attachments.deleteContent(call, id)
      await attachments.markRemovable(call, id, new Date(call.now.getTime() + DELETED_RETENTION_MS))
    })
    return { status: 204 }
  },

  async downloadAttachment({ path }, call) {
    const attachment = await attachments.find(call, path.attachmentId)
    assertCanAccessFiles(call, attachment.recordType, 'read')
    await assertNotSealed(call, attachment)
    return { status: 200, body: await createDownload(call, attachment) }
  },
} satisfies Partial<Handlers>
