import type { LevelBidsResult } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { selectSentences, withReportFooter } from '../frame/report.ts'
import { levelComparison } from './leveling.ts'

export async function levelBids(
  { bidRequestId, plugAmounts }: Checked['LevelBidsInput'],
  call: Call,
): Promise<LevelBidsResult> {
  const comparison = await call.operation('compareBids', { bidRequestId })
  const bids = levelComparison(comparison, new Map(plugAmounts.map(({ lineId, amount }) => [lineId, amount])))
  return {
    ...{ bidRequestId, bidRequest: `${comparison.number} ${comparison.scope}`, bids },
    ...withReportFooter(call, {
      unknown: selectSentences(
        bids.some(({ isComplete }) => !isComplete) && 'Some lines have no price in any bid. Set plug amounts for them.',
        bids.some(({ plugs }) => plugs.length > 0) && 'Work that a bid excludes only in its notes is not filled in.',
      ),
    }),
    currency: comparison.currency,
  }
}
