import type { BidRequest, Part, Vendor } from '../../../../client/contract.gen.ts'
import type { Call, WriteCall } from '../../../platform/calls/call.ts'
import { unknownReference, validationFailed } from '../../../platform/problems/problem.ts'
import * as costCodes from '../../costs/cost-codes/queries.ts'
import * as parts from '../../costs/parts/queries.ts'
import { findFormErrors } from './bid-request.ts'
import { assertCanInvite, findInviteErrors, lockVendors } from './invite.ts'
import * as requests from './queries.ts'

export interface BidRequestInput {
  communityId: string
  homeIds: readonly string[]
  deadline: string
  /** Whether this call sets the deadline. A new deadline must be in the future. */
  newDeadline: boolean
  lines: BidRequest['lines']
  bidType: BidRequest['bidType']
  effectiveFrom: string | null
  effectiveTo: string | null
  vendorIds: readonly string[]
  /** The IDs of the vendors to check. Defaults to all vendors. */
  checkedIds?: readonly string[]
  sendNow: boolean
}

/**
 * Checks a bid request in three steps: all records to which it refers exist, its fields are consistent, and the current
 * state allows the change. Each step reports all of its errors together.
 */
export async function checkBidRequest(
  call: WriteCall,
  requested: BidRequestInput,
): Promise<{ deadlineAt: string; invited: Vendor[] }> {
  const { vendorIds, homeIds, communityId, checkedIds = vendorIds } = requested
  const place = await requests.findCommunityAndDeadline(call, communityId, requested.deadline)
  const homes = await requests.listHomesByIds(call, homeIds)
  const invited = await lockVendors(call, checkedIds)
  const known = await findKnownReferences(call, requested.lines)

  const unknown = place === undefined ? ['/communityId'] : []
  const homesById = new Map(homes.map((home) => [home.id, home]))
  unknown.push(...homeIds.flatMap((id, i) => (homesById.has(id) ? [] : [`/homeIds/${i}`])))
  unknown.push(...listUnknownVendors(invited, vendorIds, checkedIds))
  unknown.push(...listUnknownReferences(requested.lines, known))
  if (place === undefined || unknown.length > 0) throw unknownReference(unknown)

  const errors = findFormErrors(requested, known.parts)
  if (requested.newDeadline && isDeadlinePast(place.deadlineAt, call)) {
    errors.push({
      pointer: '/deadline',
      code: 'past',
      message: `must not be in the past (time zone ${place.timeZone})`,
    })
  }
  if (requested.sendNow && vendorIds.length === 0) {
    errors.push({
      pointer: '/vendorIds',
      code: 'minItems',
      message: 'must have at least one vendor unless sendNow is false',
    })
  }
  for (const [i, id] of homeIds.entries()) {
    const home = homesById.get(id)
    if (home !== undefined && home.communityId !== communityId) {
      errors.push({
        pointer: `/homeIds/${i}`,
        code: 'community',
        message: `must be a home in ${place.communityName}; ${home.name} is not`,
      })
    }
  }
  if (errors.length > 0) throw validationFailed(errors)

  const obstacles = findInviteErrors(invited, vendorIds, communityId)
  if (place.communityArchived)
    obstacles.push({
      ...{ pointer: '/communityId', code: 'archived', message: 'must not be an archived community' },
      reason: `${place.communityName} is archived.`,
    })
  for (const [i, id] of homeIds.entries()) {
    const home = homesById.get(id)
    if (home?.isArchived)
      obstacles.push({
        ...{ pointer: `/homeIds/${i}`, code: 'archived', message: 'must not be an archived home' },
        reason: `${home.name} is archived.`,
      })
  }
  assertCanInvite(obstacles)
  return { deadlineAt: place.deadlineAt, invited }
}

interface KnownReferences {
  parts: ReadonlyMap<string, Part>
  costCodeIds: ReadonlySet<string>
}

/** Returns the active parts and cost codes to which the lines refer. */
async function findKnownReferences(call: WriteCall, lines: BidRequest['lines']): Promise<KnownReferences> {
  const partIds = [...new Set(lines.flatMap(({ partId }) => partId ?? []))]
  const codeIds = [...new Set(lines.flatMap(({ costCodeId }) => costCodeId ?? []))]
  const found = await parts.findAll(call, partIds)
  const codes = await costCodes.findAll(call, codeIds)
  const isInUse = ({ archivedAt }: { archivedAt: string | null }) => archivedAt === null
  return {
    parts: new Map(found.filter(isInUse).map((part) => [part.id, part])),
    costCodeIds: new Set(codes.filter(isInUse).map(({ id }) => id)),
  }
}

function listUnknownReferences(lines: BidRequest['lines'], known: KnownReferences): string[] {
  return lines.flatMap(({ partId, costCodeId }, i) => [
    ...(partId === null || known.parts.has(partId) ? [] : [`/lines/${i}/partId`]),
    ...(costCodeId === null || known.costCodeIds.has(costCodeId) ? [] : [`/lines/${i}/costCodeId`]),
  ])
}

export function isDeadlinePast(deadlineAt: string, call: Call): boolean {
  return Date.parse(deadlineAt) <= call.now.getTime()
}

export function listUnknownVendors(
  found: readonly Vendor[],
  vendorIds: readonly string[],
  checkedIds = vendorIds,
): string[] {
  const known = new Set(found.map((vendor) => vendor.id))
  return vendorIds.flatMap((id, i) => (checkedIds.includes(id) && !known.has(id) ? [`/vendorIds/${i}`] : []))
}
