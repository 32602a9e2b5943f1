import { isDeepStrictEqual } from 'node:util'
import type { BidRequest } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { conflict } from '../../../platform/problems/problem.ts'
import { describeStatus, formatList } from '../../../platform/values/format.ts'
import * as scopes from '../../vendors/scopes/queries.ts'
import { listFixedRequestFieldErrors, toStoredRequestLines } from './bid-request.ts'
import { recordRequestUpdate } from './change-bid-request.ts'
import { checkBidRequest } from './check-bid-request.ts'
import * as invitations from './invitation-queries.ts'
import * as requests from './queries.ts'

/** Updates a locked request as far as its status allows. If no field changes, stores nothing and records no event. */
export async function updateBidRequest(
  call: WriteCall,
  before: requests.BidRequestRow,
  body: Checked['BidRequestUpdate'],
  createScopes: boolean | undefined,
): Promise<BidRequest> {
  const { vendorIds, lines, ...rest } = body
  const invited = before.invitations.map((invitation) => invitation.vendorId)
  const added = vendorIds?.filter((id) => !invited.includes(id)) ?? []
  const removed = vendorIds === undefined ? [] : invited.filter((id) => !vendorIds.includes(id))
  const whole: Partial<requests.BidRequestRow> = {
    ...omitUndefined(rest),
    ...(lines !== undefined && { lines: toStoredRequestLines(lines) }),
  }
  const changed = (Object.keys(whole) as (keyof typeof whole)[]).filter(
    (field) => !isDeepStrictEqual(whole[field], before[field]),
  )
  const fixed = listFixedRequestFieldErrors(before.status, [
    ...changed,
    ...(added.length + removed.length > 0 ? ['vendorIds'] : []),
  ])
  if (fixed.length > 0) {
    const names = formatList(fixed.map(({ pointer }) => pointer.slice(1)))
    throw conflict('fixed', `Cannot change ${names}: ${before.number} is ${describeStatus(before.status)}.`, {
      errors: fixed,
    })
  }

  const next = { ...before, ...whole }
  const moves = changed.some((field) => field === 'deadline' || field === 'communityId' || field === 'homeIds')
  const isReformed = (['lines', 'bidType', 'effectiveFrom', 'effectiveTo'] as const).some((field) =>
    changed.includes(field),
  )
  if (moves || added.length > 0 || isReformed) {
    const newDeadline = changed.includes('deadline')
    const { deadlineAt } = await checkBidRequest(call, {
      ...next,
      vendorIds: vendorIds ?? [],
      checkedIds: added,
      newDeadline,
      sendNow: false,
    })
    whole.deadlineAt = deadlineAt
  }
  if (changed.includes('scope')) whole.scope = await scopes.requireTrade(call, next.scope, createScopes)
  if (removed.length > 0) await invitations.deleteInvitations(call, before.id, removed)
  if (added.length > 0)
    await invitations.insertInvitations(call, invitations.buildInvitations(call, before.id, added, 'pending'))
  const { figures: _, invitations: __, ...changes } = whole
  const updated = await requests.update(call, before, changes)
  const touched = updated.version === before.version && added.length + removed.length > 0
  return recordRequestUpdate(call, before, touched ? await requests.bumpVersion(call, before.id) : updated)
}

/** Removes undefined fields. Keeps null, which clears a field. */
function omitUndefined<T extends object>(fields: T): { [Field in keyof T]: Exclude<T[Field], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never
}
