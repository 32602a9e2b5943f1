import { isDeepStrictEqual } from 'node:util'
import type { BidRequest } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { conflict } from '../../../platform/problems/problem.ts'
import { describeStatus, formatList } from '../../../platform/values/format.ts'
import * as scopes from '../../vendors/scopes/queries.ts'
import { fixedFields, wholeLines } from './bid-request.ts'
import { recordChange } from './changes.ts'
import { check } from './check.ts'
import * as invitations from './invitation-queries.ts'
import * as requests from './queries.ts'

/** Updates a locked request as its status allows. Without a change, nothing is written and no event recorded. */
export async function update(
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
    ...defined(rest),
    ...(lines !== undefined && { lines: wholeLines(lines) }),
  }
  const changed = (Object.keys(whole) as (keyof typeof whole)[]).filter(
    (field) => !isDeepStrictEqual(whole[field], before[field]),
  )
  const fixed = fixedFields(before.status, [...changed, ...(added.length + removed.length > 0 ? ['vendorIds'] : [])])
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
    const { deadlineAt } = await check(call, {
      ...next,
      vendorIds: vendorIds ?? [],
      checkedIds: added,
      newDeadline,
      sendNow: false,
    })
    whole.deadlineAt = deadlineAt
  }
  if (changed.includes('scope')) whole.scope = await scopes.nameOf(call, next.scope, createScopes)
  if (removed.length > 0) await invitations.removeAll(call, before.id, removed)
  if (added.length > 0) await invitations.insertAll(call, invitations.makeAll(call, before.id, added, 'pending'))
  const { figures: _, invitations: __, ...changes } = whole
  const updated = await requests.update(call, before, changes)
  const touched = updated.version === before.version && added.length + removed.length > 0
  return recordChange(call, before, touched ? await requests.touch(call, before.id) : updated)
}

/** Returns the fields that were sent: drops undefined fields and keeps null, which clears a field. */
function defined<T extends object>(fields: T): { [Field in keyof T]: Exclude<T[Field], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never
}
