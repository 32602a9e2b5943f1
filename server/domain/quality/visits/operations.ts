import type { Visit, VisitCreate, VisitUpdate, WarrantyRequest } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { assertIfMatch } from '../../../platform/calls/etag.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { conflict, unknownReference, validationFailed } from '../../../platform/problems/problem.ts'
import { toLocalDate } from '../../../platform/values/calendar.ts'
import { describeStatus } from '../../../platform/values/format.ts'
import * as communities from '../../land/communities/queries.ts'
import * as homes from '../../land/homes/queries.ts'
import { findRecipients } from '../../messages/find-recipients.ts'
import { sendMessage } from '../../messages/send-message.ts'
import { changeWarrantyRequestStatus, lockVisitRequests } from '../warranty-requests/change-request.ts'
import * as requests from '../warranty-requests/queries.ts'
import { getVendorMessageWords } from '../words/vendor-message-words.ts'
import { changeVisitStatus } from './change-visit.ts'
import * as visits from './queries.ts'

export const visitOperations = {
  async listVisits({ query }, call) {
    return { status: 200, body: await visits.list(call, query) }
  },

  async createVisit({ body }, call) {
    return { status: 201, body: await call.write((call) => proposeVisit(call, body)) }
  },

  async getVisit({ path }, call) {
    return { status: 200, body: await visits.find(call, path.visitId) }
  },

  async updateVisit({ path, body, ifMatch }, call) {
    const visit = await call.write(async (call) => {
      const before = await visits.lock(call, path.visitId)
      assertIfMatch(ifMatch, before)
      return updateVisit(call, before, body)
    })
    return { status: 200, body: visit }
  },

  async changeVisitStatus({ path, body }, call) {
    const visit = await call.write(async (call) => {
      const before = await visits.lock(call, path.visitId)
      return changeVisitStatus(call, before, body.status, {}, body.reason ?? null)
    })
    return { status: 200, body: visit }
  },
} satisfies Partial<Handlers>

async function proposeVisit(call: WriteCall, body: Checked['VisitCreate']): Promise<Visit> {
  const found = new Set((await requests.findAll(call, body.requestIds)).map(({ id }) => id))
  const unknown = body.requestIds.flatMap((id, i) => (found.has(id) ? [] : [`/requestIds/${i}`]))
  if (unknown.length > 0) throw unknownReference(unknown)
  const locked = await lockVisitRequests(call, body)
  const [first] = locked
  if (first === undefined) throw unknownReference(['/requestIds'])
  assertVisitable(locked, first)
  const { homeId, communityId, vendorId, assigneeUserId } = first
  await assertNotPast(call, communityId, body.date)
  const { date, window, notes, externalId, requestIds } = body
  const visit = await visits.insert(call, {
    ...{ homeId, communityId, requestIds, vendorId, assigneeUserId, date, window, status: 'proposed' },
    ...{ notes, externalId },
  })
  await recordStatusChange(call, { id: visit.id, from: null, to: visit.status })
  for (const request of locked) await changeWarrantyRequestStatus(call, request, 'scheduled', { visitId: visit.id })
  await notifyVendor(call, visit, locked)
  return visit
}

/** Throws unless all requests are assigned to the same vendor or user in the same home. */
function assertVisitable(locked: readonly WarrantyRequest[], first: WarrantyRequest): void {
  for (const { number, status, homeId, vendorId, assigneeUserId } of locked) {
    if (status !== 'assigned')
      throw conflict(
        'wrong_status',
        `Cannot schedule ${number}: it is ${describeStatus(status)}. A visit needs assigned requests.`,
      )
    if (homeId !== first.homeId)
      throw conflict('not_suitable', `Cannot schedule ${number} with ${first.number}: they are in different homes.`)
    if (vendorId !== first.vendorId || assigneeUserId !== first.assigneeUserId)
      throw conflict(
        'not_suitable',
        `Cannot schedule ${number} with ${first.number}: they are assigned to different vendors or users.`,
      )
  }
}

async function assertNotPast(call: WriteCall, communityId: string, date: string): Promise<void> {
  const { timeZone } = await communities.find(call, communityId)
  const today = toLocalDate(timeZone, call.now)
  if (date < today)
    throw validationFailed([{ pointer: '/date', code: 'minimum', message: `must not be before today (${today})` }])
}

async function notifyVendor(call: WriteCall, visit: Visit, locked: readonly WarrantyRequest[]): Promise<void> {
  if (visit.vendorId === null) return
  const { found } = await findRecipients(call, [{ type: 'vendor', id: visit.vendorId }])
  const to = found.filter(({ gone }) => gone === null)
  if (to.length === 0) return
  const home = await homes.find(call, visit.homeId)
  const { date: format, visit: words } = getVendorMessageWords(to[0]?.language)
  const date = format(visit.date)
  const lines = locked.map(({ number, location, description }) =>
    `${number}${location === null ? '' : ` ${location}`}: ${description}`.slice(0, 400),
  )
  await sendMessage(call, {
    channel: 'email',
    subject: words.subject(home.name, date),
    body: `${words.body(date, visit.window)}\n\n${lines.join('\n')}`,
    to,
    relatedTo: { type: 'home', id: visit.homeId },
    inReplyTo: null,
  })
}

async function updateVisit(call: WriteCall, before: Visit, body: VisitUpdate): Promise<Visit> {
  const { date = before.date, window = before.window } = body satisfies Partial<VisitCreate>
  const isMoved = date !== before.date || window !== before.window
  if (!isMoved) return visits.update(call, before, body)
  if (before.status !== 'proposed' && before.status !== 'confirmed')
    throw conflict('wrong_status', `Cannot move the visit: it is ${describeStatus(before.status)}.`)
  await assertNotPast(call, before.communityId, date)
  if (before.status === 'confirmed') return changeVisitStatus(call, before, 'proposed', { ...body, vendorNote: null })
  return visits.update(call, before, body)
}
