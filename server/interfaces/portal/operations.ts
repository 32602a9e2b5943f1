import { recordPortalVisit } from '../../platform/audit/record-audit-entries.ts'
import type { Handlers } from '../../platform/calls/operation.ts'
import * as dealings from './order-queries.ts'
import {
  deleteUnsentFile,
  listInvitationFiles,
  listOrderFiles,
  openInvitationFile,
  openOrderFile,
  uploadInvitationFile,
} from './portal-attachments.ts'
import { discardBidDraft, readPortalBid, saveBidDraft, submitBidDraft, withdrawPortalBid } from './portal-bid.ts'
import { createPortalCalendarFeed } from './portal-calendar.ts'
import { submitDocument, uploadDocumentFile } from './portal-compliance-document.ts'
import { listVendorDrawings, openDrawing } from './portal-drawing.ts'
import { openPortal, readInvitation, respondToInvitation } from './portal-invitation.ts'
import { createPortalWaiverPdf, readWaiver, signWaiver } from './portal-lien-waiver.ts'
import { readMessage, replyToMessage, sendPortalMessage } from './portal-message.ts'
import { createPortalOrderPdf, readOrder, respondToOrder } from './portal-order.ts'
import {
  listPunchItems,
  openPunchPhoto,
  readPunchItem,
  respondToPunchItem,
  uploadPunchPhoto,
} from './portal-punch-item.ts'
import { readTask, respondToTask } from './portal-task.ts'
import {
  completeServiceVisit,
  listServiceVisits,
  openVisitPhoto,
  readVisit,
  respondToServiceVisit,
  uploadVisitPhoto,
} from './portal-visit.ts'
import * as portal from './queries.ts'
import { attachBillFile, readBill as readVendorBill, submitBill, withdrawBill } from './vendor-bill.ts'

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
    return { status: 200, body: await respondToInvitation(call, path.invitationId, body) }
  },

  async getPortalBid({ path }, call) {
    return { status: 200, body: await readPortalBid(call, path.invitationId) }
  },

  async savePortalBidDraft({ path, body }, call) {
    return { status: 200, body: await saveBidDraft(call, path.invitationId, body) }
  },

  async discardPortalBidDraft({ path }, call) {
    return { status: 200, body: await discardBidDraft(call, path.invitationId) }
  },

  async submitPortalBid({ path, body }, call) {
    return { status: 200, body: await submitBidDraft(call, path.invitationId, body.version) }
  },

  async withdrawPortalBid({ path, body }, call) {
    return { status: 200, body: await withdrawPortalBid(call, path.invitationId, body.reason ?? null) }
  },

  async listPortalAttachments({ path, query }, call) {
    return { status: 200, body: await listInvitationFiles(call, path.invitationId, query) }
  },

  async uploadPortalAttachment({ path, query, body }, call) {
    return { status: 200, body: await uploadInvitationFile(call, { ...path, ...query }, body) }
  },

  async discardPortalAttachment({ path }, call) {
    return { status: 200, body: await deleteUnsentFile(call, path.invitationId, path.attachmentId) }
  },

  async downloadPortalAttachment({ path }, call) {
    return { status: 200, body: await openInvitationFile(call, path.invitationId, path.attachmentId) }
  },

  async listPortalTasks({ query }, call) {
    const within = portal.getInvitationFilter(call.principal)
    return { status: 200, body: await portal.listTasks(call, { ...query, sort: 'plannedStart' }, within) }
  },

  async getPortalTask({ path }, call) {
    return { status: 200, body: await readTask(call, path.taskId) }
  },

  async answerPortalTask({ path, body }, call) {
    return { status: 200, body: await respondToTask(call, path.taskId, body) }
  },

  async createPortalCalendarFeed(_input, call) {
    return { status: 200, body: await createPortalCalendarFeed(call) }
  },

  async listPortalBills({ query }, call) {
    const within = portal.getVendorFilter(call.principal)
    return { status: 200, body: await dealings.listBills(call, { ...query, sort: '-createdAt' }, within) }
  },

  async submitPortalBill({ body }, call) {
    return { status: 200, body: await submitBill(call, body) }
  },

  async getPortalBill({ path }, call) {
    return { status: 200, body: await readVendorBill(call, path.billId) }
  },

  async uploadPortalBillFile({ path, query, body }, call) {
    return { status: 200, body: await attachBillFile(call, { ...path, ...query }, body) }
  },

  async withdrawPortalBill({ path, body }, call) {
    return { status: 200, body: await withdrawBill(call, path.billId, body.reason ?? null) }
  },

  async listPortalOrders({ query }, call) {
    const within = portal.getVendorFilter(call.principal)
    return { status: 200, body: await dealings.listOrders(call, { ...query, sort: '-createdAt' }, within) }
  },

  async getPortalOrder({ path }, call) {
    return { status: 200, body: await readOrder(call, path.poId) }
  },

  async getPortalOrderPdf({ path }, call) {
    return { status: 200, body: await createPortalOrderPdf(call, path.poId) }
  },

  async listPortalOrderAttachments({ path, query }, call) {
    return { status: 200, body: await listOrderFiles(call, path.poId, query) }
  },

  async downloadPortalOrderAttachment({ path }, call) {
    return { status: 200, body: await openOrderFile(call, path.poId, path.attachmentId) }
  },

  async answerPortalOrder({ path, body }, call) {
    return { status: 200, body: await respondToOrder(call, path.poId, body) }
  },

  async listPortalPunchItems({ query }, call) {
    const within = portal.getVendorFilter(call.principal)
    return { status: 200, body: await listPunchItems(call, { ...query, sort: '-createdAt' }, within) }
  },

  async getPortalPunchItem({ path }, call) {
    return { status: 200, body: await readPunchItem(call, path.punchItemId) }
  },

  async answerPortalPunchItem({ path, body }, call) {
    return { status: 200, body: await respondToPunchItem(call, path.punchItemId, body) }
  },

  async uploadPortalPunchPhoto({ path, query, body }, call) {
    return { status: 200, body: await uploadPunchPhoto(call, { ...path, ...query }, body) }
  },

  async downloadPortalPunchPhoto({ path }, call) {
    return { status: 200, body: await openPunchPhoto(call, path.punchItemId, path.attachmentId) }
  },

  async listPortalVisits({ query }, call) {
    const within = portal.getVendorFilter(call.principal)
    return { status: 200, body: await listServiceVisits(call, { ...query, sort: '-createdAt' }, within) }
  },

  async getPortalVisit({ path }, call) {
    return { status: 200, body: await readVisit(call, path.visitId) }
  },

  async answerPortalVisit({ path, body }, call) {
    return { status: 200, body: await respondToServiceVisit(call, path.visitId, body) }
  },

  async completePortalVisit({ path, body }, call) {
    return { status: 200, body: await completeServiceVisit(call, path.visitId, body) }
  },

  async uploadPortalVisitPhoto({ path, query, body }, call) {
    return { status: 200, body: await uploadVisitPhoto(call, { ...path, ...query }, body) }
  },

  async downloadPortalVisitPhoto({ path }, call) {
    return { status: 200, body: await openVisitPhoto(call, path.visitId, path.attachmentId) }
  },

  async listPortalDrawings({ query }, call) {
    return { status: 200, body: await listVendorDrawings(call, query) }
  },

  async downloadPortalDrawing({ path }, call) {
    return { status: 200, body: await openDrawing(call, path.drawingId) }
  },

  async listPortalComplianceDocuments({ query }, call) {
    const within = portal.getVendorFilter(call.principal)
    return { status: 200, body: await dealings.listDocuments(call, { ...query, sort: '-createdAt' }, within) }
  },

  async submitPortalComplianceDocument({ body }, call) {
    return { status: 200, body: await submitDocument(call, body) }
  },

  async uploadPortalComplianceFile({ path, query, body }, call) {
    return { status: 200, body: await uploadDocumentFile(call, { ...path, ...query }, body) }
  },

  async listPortalPayments({ query }, call) {
    const within = portal.getVendorFilter(call.principal)
    return { status: 200, body: await dealings.listPayments(call, { ...query, sort: '-createdAt' }, within) }
  },

  async listPortalLienWaivers({ query }, call) {
    const within = portal.getInvitationFilter(call.principal)
    return { status: 200, body: await portal.listWaivers(call, { ...query, sort: '-createdAt' }, within) }
  },

  async getPortalLienWaiver({ path }, call) {
    return { status: 200, body: await readWaiver(call, path.lienWaiverId) }
  },

  async getPortalLienWaiverPdf({ path }, call) {
    return { status: 200, body: await createPortalWaiverPdf(call, path.lienWaiverId) }
  },

  async signPortalLienWaiver({ path, body }, call) {
    return { status: 200, body: await signWaiver(call, path.lienWaiverId, body) }
  },

  async listPortalMessages({ query }, call) {
    const within = portal.getMessageFilter(call.principal)
    return { status: 200, body: await portal.listMessages(call, { ...query, sort: '-createdAt' }, within) }
  },

  async getPortalMessage({ path }, call) {
    return { status: 200, body: await readMessage(call, path.messageId) }
  },

  async sendPortalMessage({ body }, call) {
    return { status: 200, body: await sendPortalMessage(call, body) }
  },

  async replyToPortalMessage({ path, body }, call) {
    return { status: 200, body: await replyToMessage(call, path.messageId, body.body) }
  },
} satisfies Partial<Handlers>
