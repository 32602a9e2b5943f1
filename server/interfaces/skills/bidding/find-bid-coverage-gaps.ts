import type { FindBidCoverageGapsResult } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { listed, reported } from '../frame/report.ts'
import { coverageOf } from './coverage.ts'

const MOST_READ = 10_000
const MOST_LISTED = 500

export async function findBidCoverageGaps(
  { minimumBids, ...where }: Checked['FindBidCoverageGapsInput'],
  call: Call,
): Promise<FindBidCoverageGapsResult> {
  const read = listed(await coverageOf(call, { ...where, onlyUnbought: true }, MOST_READ), MOST_READ)
  const gaps = read.rows.filter(({ bids, hasContract }) => !hasContract && bids < minimumBids)
  const { rows, truncated } = listed(gaps, MOST_LISTED)
  return {
    gaps: rows.map(({ homeId, home, scope, budgeted, bids, requests }) => ({
      homeId,
      home,
      scope,
      budgeted,
      bids,
      requests,
    })),
    homesChecked: new Set(read.rows.map(({ homeId }) => homeId)).size,
    ...reported(call, {
      truncated: truncated || read.truncated,
      unknown: ['Homes without a budget are excluded, because the trades that they need are not known.'],
    }),
  }
}
