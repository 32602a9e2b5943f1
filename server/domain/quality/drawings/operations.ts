import type { Drawing, DrawingRevisionInput } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import { conflict, unknownReference, validationFailed } from '../../../platform/problems/problem.ts'
import { toLocalDate } from '../../../platform/values/calendar.ts'
import * as attachments from '../../attachments/queries.ts'
import * as drawings from '../../land/drawings/queries.ts'
import * as homes from '../../land/homes/queries.ts'
import * as plans from '../../land/plans/queries.ts'
import * as scopes from '../../vendors/scopes/queries.ts'
import { notifyVendorsOfRevision } from './notify-vendors-of-revision.ts'

/** A drawing contains all of its revisions, so their number is limited. */
const MAX_REVISIONS = 50

export const drawingOperations = {
  async listDrawings({ query }, call) {
    return { status: 200, body: await drawings.list(call, query) }
  },

  async createDrawing({ body }, call) {
    const { planId = null, homeId = null } = body
    if ((planId === null) === (homeId === null))
      throw validationFailed([
        {
          pointer: '/planId',
          code: 'required',
          message: 'is required unless homeId is set, and cannot be combined with homeId',
        },
      ])
    const drawing = await call.write(async (call) => {
      if (planId !== null) await plans.assertExist(call, [planId], '/planId')
      if (homeId !== null) await homes.assertExist(call, [homeId], '/homeId')
      const trades = await scopes.requireTrades(call, body.scopes)
      return drawings.insert(call, { ...body, scopes: trades, currentRevision: null, revisions: [] })
    })
    return { status: 201, body: drawing }
  },

  async getDrawing({ path }, call) {
    return { status: 200, body: await drawings.find(call, path.drawingId) }
  },

  async updateDrawing({ path, body, ifMatch }, call) {
    const drawing = await call.write(async (call) => {
      const before = await drawings.lock(call, path.drawingId)
      const trades = body.scopes === undefined ? undefined : await scopes.requireTrades(call, body.scopes)
      return drawings.update(call, before, { ...body, scopes: trades }, ifMatch)
    })
    return { status: 200, body: drawing }
  },

  async archiveDrawing({ path, ifMatch }, call) {
    await call.write(async (call) => drawings.archive(call, await drawings.lock(call, path.drawingId), ifMatch))
    return { status: 204 }
  },

  async issueDrawingRevision({ path, body }, call) {
    const drawing = await call.write(async (call) => {
      const before = await drawings.lock(call, path.drawingId)
      return issueRevision(call, before, body)
    })
    return { status: 200, body: drawing }
  },

  async listHomeDrawings({ path, query }, call) {
    await homes.find(call, path.homeId)
    const requested = { ...query, ofHome: path.homeId }
    return { status: 200, body: await drawings.list(call, requested) }
  },
} satisfies Partial<Handlers>

async function issueRevision(call: WriteCall, before: Drawing, body: DrawingRevisionInput): Promise<Drawing> {
  const { sheetNumber, revisions, archivedAt } = before
  if (archivedAt !== null) throw conflict('archived', `Cannot revise ${sheetNumber}: it is archived.`)
  if (revisions.length >= MAX_REVISIONS)
    throw conflict('limit_reached', `Cannot revise ${sheetNumber}: it has ${MAX_REVISIONS} revisions, the maximum.`)
  const [attachment] = await attachments.findAll(call, [body.attachmentId])
  if (attachment === undefined || attachment.recordId !== before.id || attachment.archivedAt !== null)
    throw unknownReference(['/attachmentId'])
  const { attachmentId, label, issuedDate = toLocalDate(call.timeZone, call.now), note = null } = body
  const revision = revisions.length + 1
  const supersededAt = call.now.toISOString()
  const after = await drawings.update(call, before, {
    currentRevision: revision,
    revisions: [
      { revision, label, issuedDate, note, attachmentId, supersededAt: null },
      ...revisions.map((earlier) => ({ ...earlier, supersededAt: earlier.supersededAt ?? supersededAt })),
    ],
  })
  await recordEvent(call, 'drawing.revised', after, before)
  if (revision > 1) await notifyVendorsOfRevision(call, after)
  return after
}
