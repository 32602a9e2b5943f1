import type {
  WarrantyRequest,
  WarrantyRequestAssignment,
  WarrantyRequestDecision,
  WarrantyRequestStatusChange,
} from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { assertIfMatch } from '../../../platform/calls/etag.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { conflict, invalidTransition, unknownReference, validationFailed } from '../../../platform/problems/problem.ts'
import { toLocalDate } from '../../../platform/values/calendar.ts'
import { describeStatus, formatDate } from '../../../platform/values/format.ts'
import { createSignature } from '../../../platform/values/signature.ts'
import * as parts from '../../costs/parts/queries.ts'
import * as communities from '../../land/communities/queries.ts'
import * as scopes from '../../vendors/scopes/queries.ts'
import * as vendors from '../../vendors/vendors/queries.ts'
import { findEngagementObstacle } from '../../vendors/vendors/vendor.ts'
import { assertAssigneesExist } from '../punch-items/assignees.ts'
import { lockOpenHome } from '../punch-items/punch-home.ts'
import { findWarrantyCoverage } from '../warranty-terms/queries.ts'
import {
  changeWarrantyRequestStatus,
  completeRequest,
  scheduleNextAction,
  storeRequestChanges,
} from './change-request.ts'
import * as requests from './queries.ts'
import { computeTargets, WARRANTY_REQUEST_MOVES } from './warranty-request.ts'

export const warrantyRequestOperations = {
  async listWarrantyRequests({ query }, call) {
    return { status: 200, body: await requests.list(call, query) }
  },

  async createWarrantyRequest({ query, body }, call) {
    return { status: 201, body: await call.write((call) => addRequest(call, body, query.createScopes)) }
  },

  async getWarrantyRequest({ path }, call) {
    return { status: 200, body: await requests.find(call, path.warrantyRequestId) }
  },

  async updateWarrantyRequest({ path, query, body, ifMatch }, call) {
    const request = await call.write(async (call) => {
      const before = await requests.lock(call, path.warrantyRequestId)
      assertIfMatch(ifMatch, before)
      const { externalId: _, ...changes } = body
      const isSettled = before.status === 'closed' || before.status === 'cancelled'
      if (isSettled && Object.keys(changes).length > 0)
        throw conflict('wrong_status', `Cannot change ${before.number}: it is ${describeStatus(before.status)}.`)
      await assertReferencesExist(call, before.homeId, { ...body, ownId: before.id })
      const { severity } = body
      return storeRequestChanges(call, before, {
        ...body,
        scope: body.scope == null ? body.scope : await scopes.requireTrade(call, body.scope, query.createScopes),
        ...(severity !== undefined && severity !== before.severity && computeTargets(severity, before.createdAt)),
      })
    })
    return { status: 200, body: request }
  },

  async decideWarrantyRequest({ path, body }, call) {
    const request = await call.write(async (call) => {
      const before = await requests.lock(call, path.warrantyRequestId)
      return decide(call, before, body)
    })
    return { status: 200, body: request }
  },

  async assignWarrantyRequest({ path, body }, call) {
    const request = await call.write(async (call) => {
      const before = await requests.lock(call, path.warrantyRequestId)
      return assign(call, before, body)
    })
    return { status: 200, body: request }
  },

  async changeWarrantyRequestStatus({ path, body }, call) {
    const request = await call.write(async (call) => {
      const before = await requests.lock(call, path.warrantyRequestId)
      return changeStatus(call, before, body)
    })
    return { status: 200, body: request }
  },
} satisfies Partial<Handlers>

async function addRequest(
  call: WriteCall,
  body: Checked['WarrantyRequestCreate'],
  createScopes: boolean | undefined,
): Promise<WarrantyRequest> {
  const home = await lockOpenHome(call, body.homeId, 'add a warranty request')
  await assertReferencesExist(call, home.id, body)
  const created = await requests.insert(call, {
    ...body,
    ...{ number: await requests.takeNextNumber(call), communityId: home.communityId, planId: home.planId },
    scope: body.scope == null ? null : await scopes.requireTrade(call, body.scope, createScopes),
    ...{ status: 'new', isOverdue: false, ...computeTargets(body.severity, call.now.toISOString()) },
  })
  await scheduleNextAction(call, created)
  await recordStatusChange(call, { id: created.id, from: null, to: created.status })
  await recordEvent(call, 'warranty_request.created', created)
  return created
}

interface References {
  partId?: string | null | undefined
  responsibleVendorId?: string | null | undefined
  repeatOfId?: string | null | undefined
  /** The ID of the request that is being changed; undefined for a new request. */
  ownId?: string | undefined
}

async function assertReferencesExist(
  call: WriteCall,
  homeId: string,
  { partId, responsibleVendorId, repeatOfId, ownId }: References,
): Promise<void> {
  if (partId != null) await parts.assertExist(call, [partId], '/partId')
  await assertAssigneesExist(call, { responsibleVendorId })
  if (repeatOfId == null) return
  const earlier = repeatOfId === ownId ? undefined : await requests.findOptional(call, repeatOfId)
  if (earlier === undefined || earlier.homeId !== homeId) throw unknownReference(['/repeatOfId'])
}

async function decide(
  call: WriteCall,
  before: WarrantyRequest,
  { decision, reason = null }: WarrantyRequestDecision,
): Promise<WarrantyRequest> {
  if (decision === 'not_covered' && reason === null)
    throw validationFailed([
      { pointer: '/reason', code: 'required', message: 'is required when decision is not_covered' },
    ])
  const status = decision === 'not_covered' ? 'not_covered' : 'accepted'
  const allowed = WARRANTY_REQUEST_MOVES[before.status]
  if (!allowed.includes(status)) throw invalidTransition(before.status, status, allowed)
  const coverageId = decision === 'covered' ? await requireCoverage(call, before) : null
  const respondedAt = before.respondedAt ?? call.now.toISOString()
  return changeWarrantyRequestStatus(
    call,
    before,
    status,
    { decision, decisionReason: reason, coverageId, respondedAt },
    reason,
  )
}

/**
 * Returns the ID of the coverage that applied when the issue was reported. Throws `coverage_ended` if there was none.
 */
async function requireCoverage(call: WriteCall, request: WarrantyRequest): Promise<string> {
  const { timeZone } = await communities.find(call, request.communityId)
  const date = toLocalDate(timeZone, new Date(request.createdAt))
  const coverage = await findWarrantyCoverage(call, request, date)
  if (coverage !== undefined) return coverage.id
  throw conflict(
    'coverage_ended',
    `Cannot accept ${request.number} as covered: no warranty of the home applied on ${formatDate(date)}. Accept it as goodwill instead.`,
  )
}

async function assign(
  call: WriteCall,
  before: WarrantyRequest,
  body: WarrantyRequestAssignment,
): Promise<WarrantyRequest> {
  const { vendorId, assigneeUserId, responsibleVendorId } = body
  if ((vendorId === undefined) === (assigneeUserId === undefined))
    throw validationFailed([
      {
        pointer: '/vendorId',
        code: 'required',
        message: 'is required unless assigneeUserId is set, and cannot be combined with assigneeUserId',
      },
    ])
  await assertAssigneesExist(call, body)
  if (vendorId !== undefined) {
    const obstacle = findEngagementObstacle(await vendors.find(call, vendorId))
    if (obstacle !== null) throw conflict(obstacle.code, `Cannot assign ${before.number}. ${obstacle.message}`)
  }
  const changes = { vendorId: vendorId ?? null, assigneeUserId: assigneeUserId ?? null, responsibleVendorId }
  if (before.status === 'assigned') return storeRequestChanges(call, before, changes)
  if (before.status !== 'accepted')
    throw invalidTransition(before.status, 'assigned', WARRANTY_REQUEST_MOVES[before.status])
  return changeWarrantyRequestStatus(call, before, 'assigned', changes)
}

async function changeStatus(
  call: WriteCall,
  before: WarrantyRequest,
  { status, signedBy, reason = null }: WarrantyRequestStatusChange,
): Promise<WarrantyRequest> {
  if (status !== 'closed' && signedBy !== undefined)
    throw validationFailed([
      { pointer: '/signedBy', code: 'exclusive', message: 'can only be set when status is closed' },
    ])
  const allowed = WARRANTY_REQUEST_MOVES[before.status]
  // The first assignment requires assignWarrantyRequest. If a visit is canceled, its requests become assigned
  // automatically. Therefore, a caller can change only a completed request back to assigned.
  const isForbidden = status === 'assigned' && before.status !== 'completed'
  if (!allowed.includes(status) || isForbidden) throw invalidTransition(before.status, status, allowed)
  if ((status === 'cancelled' || status === 'assigned') && reason === null)
    throw validationFailed([{ pointer: '/reason', code: 'required', message: `is required when status is ${status}` }])
  if (status === 'completed') return completeRequest(call, before)
  if (status === 'assigned')
    return changeWarrantyRequestStatus(call, before, status, { completedAt: null, visitId: null }, reason)
  if (status === 'cancelled') return changeWarrantyRequestStatus(call, before, status, { visitId: null }, reason)
  const closedAt = call.now.toISOString()
  const text = `${before.number}: ${before.description}\n\nThe work is done.`
  const signature =
    signedBy === undefined ? null : createSignature({ text, signedBy, signedAt: closedAt, recordedBy: call.actor })
  return changeWarrantyRequestStatus(call, before, status, { closedAt, signature }, reason)
}
