import type { RequestBidsForHomeResult } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { findHomeOverview } from '../frame/home-overview.ts'
import { createReportFooter } from '../frame/report.ts'
import type { WorkLimit } from '../frame/work-limit.ts'
import { findTradeCoverage, type TradeCoverage } from './coverage.ts'
import { suggestVendorsForScope } from './suggest-vendors-for-scope.ts'

const MAX_SCOPES = 200
/**
 * The maximum number of requests that one transaction may send. Other transactions wait for its locks, which assign the
 * numbers of requests.
 */
const MAX_REQUESTS = 20

type SkippedTrade = RequestBidsForHomeResult['skipped'][number]

export async function requestBidsForHome(
  { homeId, scopes, deadline, vendorsEach }: Checked['RequestBidsForHomeInput'],
  call: Call,
  workLimit: WorkLimit,
): Promise<RequestBidsForHomeResult> {
  const { home, communityId } = await findHomeOverview(call, homeId)
  const budgeted = await findTradeCoverage(call, { homeId, onlyUnbought: false }, MAX_SCOPES)
  const requested = scopes?.map((scope) => scope.toLowerCase())
  const looked = budgeted.filter(({ scope }) => requested === undefined || requested.includes(scope.toLowerCase()))
  const requests: RequestBidsForHomeResult['requests'] = []
  const skipped: SkippedTrade[] = (scopes ?? [])
    .filter((scope) => !budgeted.some((row) => row.scope.toLowerCase() === scope.toLowerCase()))
    .map((scope) => ({ scope, reason: 'not_budgeted' }))
  for (const row of looked) {
    const { scope } = row
    const reason = findSkipReason(row) ?? (requests.length < MAX_REQUESTS ? null : 'too_many')
    if (reason !== null) {
      skipped.push({ scope, reason })
      continue
    }
    const { vendors } = await suggestVendorsForScope({ scope, communityId, count: vendorsEach }, call, workLimit)
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
  return { homeId, home, requests, skipped, ...createReportFooter(call) }
}

function findSkipReason({
  committed,
  pending,
  isOutForBids,
  hasContract,
}: TradeCoverage): SkippedTrade['reason'] | null {
  if (committed !== 0 || pending !== 0) return 'ordered'
  if (isOutForBids) return 'out_for_bids'
  return hasContract ? 'under_contract' : null
}
