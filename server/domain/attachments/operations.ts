import type { Handlers } from '../../platform/calls/operation.ts'
import { attach } from './attach.ts'
import { downloadOf } from './download.ts'
import * as attachments from './queries.ts'
import { permitFiles, readableTypes } from './record.ts'
import { assertOpen } from './sealed.ts'
import { share } from './share.ts'

/**
 * A copy of the store that begins after a database dump must have every file in the dump, so deleted files are kept
 * this long.
 */
const KEPT_DELETED_MS = 24 * 60 * 60 * 1000

export const attachmentOperations = {
  async listAttachments({ query }, call) {
    const readable = readableTypes(call)
    const { recordType } = query
    if (recordType !== undefined && readable?.includes(recordType) === false)
      return { status: 200, body: { data: [], nextCursor: null } }
    return { status: 200, body: await attachments.list(call, { ...query, ...(readable && { recordTypes: readable }) }) }
  },

  async uploadAttachment({ query, body }, call) {
    return { status: 201, body: await attach(call, query, body) }
  },

  async getAttachment({ path }, call) {
    const attachment = await attachments.find(call, path.attachmentId)
    permitFiles(call, attachment.recordType, 'read')
    return { status: 200, body: attachment }
  },

  async updateAttachment({ path, body, ifMatch }, call) {
    const attachment = await call.write(async (call) => {
      const before = await attachments.lock(call, path.attachmentId)
      permitFiles(call, before.recordType, 'write')
      return share(call, before, body.shared ?? before.shared, ifMatch)
    })
    return { status: 200, body: attachment }
  },

  async deleteAttachment({ path, ifMatch }, call) {
    await call.write(async (call) => {
      const attachment = await attachments.lock(call, path.attachmentId)
      permitFiles(call, attachment.recordType, 'write')
      const { archivedAt, size, id } = attachment
      await attachments.archive(call, attachment, ifMatch)
      if (archivedAt !== null) return
      await attachments.addUsedBytes(call, -size)
      await attachments.removeContent(call, id)
      await attachments.setLoose(call, id, new Date(call.now.getTime() + KEPT_DELETED_MS))
    })
    return { status: 204 }
  },

  async downloadAttachment({ path }, call) {
    const attachment = await attachments.find(call, path.attachmentId)
    permitFiles(call, attachment.recordType, 'read')
    await assertOpen(call, attachment)
    return { status: 200, body: await downloadOf(call, attachment) }
  },
} satisfies Partial<Handlers>
