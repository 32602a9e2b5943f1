import type { Handlers } from '../../platform/calls/operation.ts'
import { assertFileNotSealed } from './assert-file-not-sealed.ts'
import { attachFileAsCaller } from './attach-file.ts'
import { createImage } from './create-image.ts'
import { deleteFile } from './delete-file.ts'
import { createDownload } from './download-file.ts'
import * as attachments from './queries.ts'
import { assertCanAccessFiles, listReadableRecordTypes } from './record-types.ts'
import { changeFile } from './share-file.ts'

export const attachmentOperations = {
  async listAttachments({ query }, call) {
    const readable = listReadableRecordTypes(call)
    const { recordType } = query
    if (recordType !== undefined && readable?.includes(recordType) === false)
      return { status: 200, body: { data: [], nextCursor: null } }
    return { status: 200, body: await attachments.list(call, { ...query, ...(readable && { recordTypes: readable }) }) }
  },

  async uploadAttachment({ query, body }, call) {
    return { status: 201, body: await attachFileAsCaller(call, query, body) }
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
      return changeFile(call, before, body, ifMatch)
    })
    return { status: 200, body: attachment }
  },

  async deleteAttachment({ path, ifMatch }, call) {
    await call.write(async (call) => {
      const attachment = await attachments.lock(call, path.attachmentId)
      assertCanAccessFiles(call, attachment.recordType, 'write')
      await deleteFile(call, attachment, ifMatch)
    })
    return { status: 204 }
  },

  async downloadAttachment({ path }, call) {
    const attachment = await attachments.find(call, path.attachmentId)
    assertCanAccessFiles(call, attachment.recordType, 'read')
    await assertFileNotSealed(call, attachment)
    return { status: 200, body: await createDownload(call, attachment) }
  },

  async getAttachmentImage({ path, query }, call) {
    const attachment = await attachments.find(call, path.attachmentId)
    assertCanAccessFiles(call, attachment.recordType, 'read')
    await assertFileNotSealed(call, attachment)
    return { status: 200, body: await createImage(call, attachment, query.size) }
  },
} satisfies Partial<Handlers>
