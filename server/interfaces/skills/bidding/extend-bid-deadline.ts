import type { ExtendBidDeadlineResult } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { validationFailed } from '../../../platform/problems/problem.ts'
import { remindVendors } from './remind-vendors.ts'

export async function extendBidDeadline(
  { bidRequestId, deadline, notify }: Checked['ExtendBidDeadlineInput'],
  call: Call,
): Promise<ExtendBidDeadlineResult> {
  const before = await call.operation('getBidRequest', { bidRequestId })
  if (deadline <= before.deadline)
    throw validationFailed([
      { pointer: '/deadline', code: 'minimum', message: `must be after the current deadline ${before.deadline}` },
    ])
  const wasClosed = before.status === 'closed'
  const request = wasClosed
    ? await call.operation('reopenBidRequest', { bidRequestId, deadline })
    : await call.operation('updateBidRequest', { bidRequestId, deadline })
  return {
    ...{ bidRequestId, bidRequest: `${request.number} ${request.title ?? request.scope}` },
    ...{ previousDeadline: before.deadline, deadline: request.deadline, wasClosed },
    told: notify && request.status === 'sent' ? await remindVendors(call, request) : [],
  }
}
