import { assertIfMatch } from '../../../platform/calls/etag.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import { validationFailed } from '../../../platform/problems/problem.ts'
import { findWordingErrors, toMessageTemplate } from './message-template.ts'
import { previewMessage } from './preview-message.ts'
import * as templates from './queries.ts'

export const messageTemplateOperations = {
  async listMessageTemplates({ query }, call) {
    const { data, nextCursor } = (await templates.list(call, query)).value
    return { status: 200, body: { data: data.map(toMessageTemplate), nextCursor } }
  },

  async getMessageTemplate({ path }, call) {
    return { status: 200, body: toMessageTemplate(await templates.find(call, path.messageTemplateId)) }
  },

  async replaceMessageTemplate({ path, body, ifMatch }, call) {
    const template = await call.write(async (call) => {
      const before = await templates.lock(call, path.messageTemplateId)
      assertIfMatch(ifMatch, before)
      const { subject = null, spanishSubject = null, spanishBody = null } = body
      const worded = { subject, body: body.body, spanishSubject, spanishBody }
      const errors = findWordingErrors({ kind: before.kind, ...worded })
      if (errors.length > 0) throw validationFailed(errors)
      return templates.update(call, before, worded, ifMatch)
    })
    return { status: 200, body: toMessageTemplate(template) }
  },

  async resetMessageTemplate({ path, ifMatch }, call) {
    await call.write(async (call) => {
      const before = await templates.lock(call, path.messageTemplateId)
      // The row keeps its version, so that a client with an old version number cannot overwrite a later wording.
      await templates.update(
        call,
        before,
        { subject: null, body: null, spanishSubject: null, spanishBody: null },
        ifMatch,
      )
    })
    return { status: 204 }
  },

  async previewMessageTemplate({ path, body }, call) {
    return { status: 200, body: await previewMessage(call, await templates.find(call, path.messageTemplateId), body) }
  },
} satisfies Partial<Handlers>
