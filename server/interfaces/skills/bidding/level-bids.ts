import type { LevelBidsResult } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { createReportFooter, selectSentences } from '../frame/report.ts'
import { levelComparison } from './leveling.ts'

export async function levelBids(
  { bidRequestId, plugAmounts }: Checked['LevelBidsInput'],
  call: Call,
): Promise<LevelBidsResult> {
  const comparison = await call.operation('compareBids', { bidRequestId })
  const bids = levelComparison(comparison, plugAmounts)
  return {
    ...{ bidRequestId, bidRequest: `${comparison.number} ${comparison.scope}`, bids },
    ...createReportFooter(call, {
      unknown: selectSentences(
        bids.some(({ isComplete }) => !isComplete) &&
          'Some bids are not level: a line has no comparable price in any bid, or excluded work has no amount. Set plugAmounts for this work.',
        bids.some(({ flags }) => flags.includes('part_of_homes')) &&
          'Bids for some of the homes are extrapolated to all homes.',
        'No plug amount is added for work that a bid excludes only in its notes.',
      ),
    }),
    currency: comparison.currency,
  }
}
