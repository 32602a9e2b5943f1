import { recordPortalVisit } from '../../platform/audit/record.ts'
import type { Handlers } from '../../platform/calls/operation.ts'
import * as dealings from './order-queries.ts'
import {
  listInvitationFiles,
  listOrderFiles,
  openInvitationFile,
  openOrderFile,
  uploadFile,
} from './portal-attachments.ts'
import { discardDraft, readBid, saveDraft, submitDraft, withdrawPortalBid } from './portal-bid.ts'
import { submitDocument, uploadDocumentFile } from './portal-compliance-document.ts'
import { answerBidInvitation, openPortal, readInvitation } from './portal-invitation.ts'
import { readWaiver, signWaiver } from './portal-lien-waiver.ts'
import { answerMessage, readMessage } from './portal-message.ts'
import { answerOrder, createPortalOrderPdf, readOrder } from './portal-order.ts'
import { answerTask, readTask } from './portal-task.ts'
import * as portal from './queries.ts'

export const portalOperations = {
  async openPortal({ body }, call) {
    const visit = await openPortal(call, body ?? {})
    await recordPortalVisit(call)
    return { status: 200, body: visit }
  },

  async listPortalInvitations({ query }, call) {
    return { status: 200, body: await portal.listVisibleInvitations(call, { ...query, sort: '-createdAt' }) }
  },

  async getPortalInvitation({ path }, call) {
    return { status: 200, body: await readInvitation(call, path.invitationId) }
  },

  async answerPortalInvitation({ path, body }, call) {
    return { status: 200, body: await answerBidInvitation(call, path.invitationId, body) }
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
    return { status: 200, body: await withdrawPortalBid(call, path.invitationId, body.reason ?? null) }
  },

  async listPortalAttachments({ path, query }, call) {
    return { status: 200, body: await listInvitationFiles(call, path.invitationId, query) }
  },

  async uploadPortalAttachment({ path, query, body }, call) {
    return { status: 200, body: await uploadFile(call, { ...path, ...query }, body) }
  },

  async downloadPortalAttachment({ path }, call) {
    return { status: 200, body: await openInvitationFile(call, path.invitationId, path.attachmentId) }
  },

  async listPortalTasks({ query }, call) {
    const within = portal.invitationFilter(call.principal)
    return { status: 200, body: await portal.listTasks(call, { ...query, sort: 'plannedStart' }, within) }
  },

  async getPortalTask({ path }, call) {
    return { status: 200, body: await readTask(call, path.taskId) }
  },

  async answerPortalTask({ path, body }, call) {
    return { status: 200, body: await answerTask(call, path.taskId, body) }
  },

  async listPortalOrders({ query }, call) {
    const within = portal.vendorFilter(call.principal)
    return { status: 200, body: await dealings.listOrders(call, { ...query, sort: '-createdAt' }, within) }
  },

  async getPortalOrder({ path }, call) {
    return { status: 200, body: await readOrder(call, path.purchaseOrderId) }
  },

  async getPortalOrderPdf({ path }, call) {
    return { status: 200, body: await createPortalOrderPdf(call, path.purchaseOrderId) }
  },

  async listPortalOrderAttachments({ path, query }, call) {
    return { status: 200, body: await listOrderFiles(call, path.purchaseOrderId, query) }
  },

  async downloadPortalOrderAttachment({ path }, call) {
    return { status: 200, body: await openOrderFile(call, path.purchaseOrderId, path.attachmentId) }
  },

  async answerPortalOrder({ path, body }, call) {
    return { status: 200, body: await answerOrder(call, path.purchaseOrderId, body) }
  },

  async listPortalComplianceDocuments({ query }, call) {
    const within = portal.vendorFilter(call.principal)
    return { status: 200, body: await dealings.listDocuments(call, { ...query, sort: '-createdAt' }, within) }
  },

  async submitPortalComplianceDocument({ body }, call) {
    return { status: 200, body: await submitDocument(call, body) }
  },

  async uploadPortalComplianceFile({ path, query, body }, call) {
    return { status: 200, body: await uploadDocumentFile(call, { ...path, ...query }, body) }
  },

  async listPortalPayments({ query }, call) {
    const within = portal.vendorFilter(call.principal)
    return { status: 200, body: await dealings.listPayments(call, { ...query, sort: '-createdAt' }, within) }
  },

  async listPortalLienWaivers({ query }, call) {
    const within = portal.invitationFilter(call.principal)
    return { status: 200, body: await portal.listWaivers(call, { ...query, sort: '-createdAt' }, within) }
  },

  async getPortalLienWaiver({ path }, call) {
    return { status: 200, body: await readWaiver(call, path.lienWaiverId) }
  },

  async signPortalLienWaiver({ path, body }, call) {
    return { status: 200, body: await signWaiver(call, path.lienWaiverId, body) }
  },

  async listPortalMessages({ query }, call) {
    const within = portal.messageFilter(call.principal)
    return { status: 200, body: await portal.listMessages(call, { ...query, sort: '-createdAt' }, within) }
  },

  async getPortalMessage({ path }, call) {
    return { status: 200, body: await readMessage(call, path.messageId) }
  },

  async replyToPortalMessage({ path, body }, call) {
    return { status: 200, body: await answerMessage(call, path.messageId, body.body) }
  },
} satisfies Partial<Handlers>
