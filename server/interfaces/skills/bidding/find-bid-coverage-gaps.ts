import type { FindBidCoverageGapsResult } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { createReportFooter, truncateRows } from '../frame/report.ts'
import { findTradeCoverage } from './coverage.ts'

const MAX_READ = 10_000
const MAX_LISTED = 500

export async function findBidCoverageGaps(
  { minimumBids, ...where }: Checked['FindBidCoverageGapsInput'],
  call: Call,
): Promise<FindBidCoverageGapsResult> {
  const read = truncateRows(await findTradeCoverage(call, { ...where, onlyUnbought: true }, MAX_READ), MAX_READ)
  const gaps = read.rows.filter(({ bids, hasContract }) => !hasContract && bids < minimumBids)
  const { rows, truncated } = truncateRows(gaps, MAX_LISTED)
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
    ...createReportFooter(call, {
      truncated: truncated || read.truncated,
      unknown: ['Homes without a budget are excluded, because the trades that they need are not known.'],
    }),
  }
}
