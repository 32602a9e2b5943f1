import type { RequestBidsForHomeResult } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import type { Effort } from '../frame/effort.ts'
import { homeNamed } from '../frame/home.ts'
import { reported } from '../frame/report.ts'
import { type Coverage, coverageOf } from './coverage.ts'
import { suggestVendorsForScope } from './suggest-vendors-for-scope.ts'

const MOST_SCOPES = 200
/** As many requests as one transaction can send while others wait for the locks on their numbers. */
const MOST_REQUESTS = 20

type LeftOut = RequestBidsForHomeResult['skipped'][number]

export async function requestBidsForHome(
  { homeId, scopes, deadline, vendorsEach }: Checked['RequestBidsForHomeInput'],
  call: Call,
  effort: Effort,
): Promise<RequestBidsForHomeResult> {
  const { home, communityId } = await homeNamed(call, homeId)
  const budgeted = await coverageOf(call, { homeId, onlyUnbought: false }, MOST_SCOPES)
  const wanted = scopes?.map((scope) => scope.toLowerCase())
  const looked = budgeted.filter(({ scope }) => wanted === undefined || wanted.includes(scope.toLowerCase()))
  const requests: RequestBidsForHomeResult['requests'] = []
  const skipped: LeftOut[] = (scopes ?? [])
    .filter((scope) => !budgeted.some((row) => row.scope.toLowerCase() === scope.toLowerCase()))
    .map((scope) => ({ scope, reason: 'not_budgeted' }))
  for (const row of looked) {
    const { scope } = row
    const reason = reasonToLeaveOut(row) ?? (requests.length < MOST_REQUESTS ? null : 'too_many')
    if (reason !== null) {
      skipped.push({ scope, reason })
      continue
    }
    const { vendors } = await suggestVendorsForScope({ scope, communityId, count: vendorsEach }, call, effort)
    if (vendors.length === 0) {
      skipped.push({ scope, reason: 'no_vendor' })
      continue
    }
    const vendorIds = vendors.map(({ vendorId }) => vendorId)
    const title = `${scope}, ${home}`.slice(0, 200)
    const ask = { vendorIds, scope, deadline, communityId, homeIds: [homeId], title }
    const { id, number } = await call.operation('createBidRequest', ask)
    requests.push({
      ...{ bidRequestId: id, number, scope },
      vendors: vendors.map(({ vendorId, companyName }) => ({ vendorId, vendor: companyName })),
    })
  }
  return { homeId, home, requests, skipped, ...reported(call) }
}

function reasonToLeaveOut({ committed, pending, isOutForBids, hasContract }: Coverage): LeftOut['reason'] | null {
  if (committed !== 0 || pending !== 0) return 'ordered'
  if (isOutForBids) return 'out_for_bids'
  return hasContract ? 'under_contract' : null
}
