import { recordVisit } from '../audit/record.ts'
import type { Handlers } from '../http/operation.ts'
import { lookAround, readInvitation, replyTo } from './invitation.ts'
import * as portal from './queries.ts'

export const portalOperations = {
  async openPortal({ body }, call) {
    const visit = await lookAround(call, body?.invitationId)
    await recordVisit(call)
    return { status: 200, body: visit }
  },

  async listPortalInvitations({ query }, call) {
    return {
      status: 200,
      body: await portal.list(call, { ...query, sort: '-createdAt' }, portal.visibleTo(call.principal)),
    }
  },

  async getPortalInvitation({ path }, call) {
    return { status: 200, body: await readInvitation(call, path.invitationId) }
  },

  async answerPortalInvitation({ path, body }, call) {
    return { status: 200, body: await replyTo(call, path.invitationId, body) }
  },
} satisfies Partial<Handlers>
