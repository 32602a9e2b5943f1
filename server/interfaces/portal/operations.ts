import { recordVisit } from '../../platform/audit/record.ts'
import type { Handlers } from '../../platform/calls/operation.ts'
import { fileOf, handIn, listFiles, listOrderFiles, orderFileOf } from './attachments.ts'
import { discardDraft, readBid, saveDraft, submitDraft, takeBack } from './bid.ts'
import { handInDocument, handInFile } from './compliance-document.ts'
import { lookAround, readInvitation, replyTo } from './invitation.ts'
import { readWaiver, signWaiver } from './lien-waiver.ts'
import { answerMessage, readMessage } from './message.ts'
import { answerOrder, pdfOf, readOrder } from './order.ts'
import * as dealings from './order-queries.ts'
import * as portal from './queries.ts'
import { answerTask, readTask } from './task.ts'

export const portalOperations = {
  async openPortal({ body }, call) {
    const visit = await lookAround(call, body ?? {})
    await recordVisit(call)
    return { status: 200, body: visit }
  },

  async listPortalInvitations({ query }, call) {
    return { status: 200, body: await portal.list(call, { ...query, sort: '-createdAt' }) }
  },

  async getPortalInvitation({ path }, call) {
    return { status: 200, body: await readInvitation(call, path.invitationId) }
  },

  async answerPortalInvitation({ path, body }, call) {
    return { status: 200, body: await replyTo(call, path.invitationId, body) }
  },

  async getPortalBid({ path }, call) {
    return { status: 200, body: await readBid(call, path.invitationId) }
  },

  async savePortalBidDraft({ path, body }, call) {
    return { status: 200, body: await saveDraft(call, path.invitationId, body) }
  },

  async discardPortalBidDraft({ path }, call) {
    return { status: 200, body: await discardDraft(call, path.invitationId) }
  },

  async submitPortalBid({ path, body }, call) {
    return { status: 200, body: await submitDraft(call, path.invitationId, body.version) }
  },

  async withdrawPortalBid({ path, body }, call) {
    return { status: 200, body: await takeBack(call, path.invitationId, body.reason ?? null) }
  },

  async listPortalAttachments({ path, query }, call) {
    return { status: 200, body: await listFiles(call, path.invitationId, query) }
  },

  async uploadPortalAttachment({ path, query, body }, call) {
    return { status: 200, body: await handIn(call, { ...path, ...query }, body) }
  },

  async downloadPortalAttachment({ path }, call) {
    return { status: 200, body: await fileOf(call, path.invitationId, path.attachmentId) }
  },

  async listPortalTasks({ query }, call) {
    const within = portal.visibleTo(call.principal)
    return { status: 200, body: await portal.listTasks(call, { ...query, sort: 'plannedStart' }, within) }
  },

  async getPortalTask({ path }, call) {
    return { status: 200, body: await readTask(call, path.taskId) }
  },

  async answerPortalTask({ path, body }, call) {
    return { status: 200, body: await answerTask(call, path.taskId, body) }
  },

  async listPortalOrders({ query }, call) {
    const within = portal.wholeOf(call.principal)
    return { status: 200, body: await dealings.listOrders(call, { ...query, sort: '-createdAt' }, within) }
  },

  async getPortalOrder({ path }, call) {
    return { status: 200, body: await readOrder(call, path.purchaseOrderId) }
  },

  async getPortalOrderPdf({ path }, call) {
    return { status: 200, body: await pdfOf(call, path.purchaseOrderId) }
  },

  async listPortalOrderAttachments({ path, query }, call) {
    return { status: 200, body: await listOrderFiles(call, path.purchaseOrderId, query) }
  },

  async downloadPortalOrderAttachment({ path }, call) {
    return { status: 200, body: await orderFileOf(call, path.purchaseOrderId, path.attachmentId) }
  },

  async answerPortalOrder({ path, body }, call) {
    return { status: 200, body: await answerOrder(call, path.purchaseOrderId, body) }
  },

  async listPortalComplianceDocuments({ query }, call) {
    const within = portal.wholeOf(call.principal)
    return { status: 200, body: await dealings.listDocuments(call, { ...query, sort: '-createdAt' }, within) }
  },

  async submitPortalComplianceDocument({ body }, call) {
    return { status: 200, body: await handInDocument(call, body) }
  },

  async uploadPortalComplianceFile({ path, query, body }, call) {
    return { status: 200, body: await handInFile(call, { ...path, ...query }, body) }
  },

  async listPortalPayments({ query }, call) {
    const within = portal.wholeOf(call.principal)
    return { status: 200, body: await dealings.listPayments(call, { ...query, sort: '-createdAt' }, within) }
  },

  async listPortalLienWaivers({ query }, call) {
    const within = portal.visibleTo(call.principal)
    return { status: 200, body: await portal.listWaivers(call, { ...query, sort: '-createdAt' }, within) }
  },

  async getPortalLienWaiver({ path }, call) {
    return { status: 200, body: await readWaiver(call, path.lienWaiverId) }
  },

  async signPortalLienWaiver({ path, body }, call) {
    return { status: 200, body: await signWaiver(call, path.lienWaiverId, body) }
  },

  async listPortalMessages({ query }, call) {
    const within = portal.boxOf(call.principal)
    return { status: 200, body: await portal.listMessages(call, { ...query, sort: '-createdAt' }, within) }
  },

  async getPortalMessage({ path }, call) {
    return { status: 200, body: await readMessage(call, path.messageId) }
  },

  async replyToPortalMessage({ path, body }, call) {
    return { status: 200, body: await answerMessage(call, path.messageId, body.body) }
  },
} satisfies Partial<Handlers>
