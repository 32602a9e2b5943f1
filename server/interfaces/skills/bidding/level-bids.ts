import type { LevelBidsResult } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { reported, sentences } from '../frame/report.ts'
import { leveled } from './leveling.ts'

export async function levelBids(
  { bidRequestId, plugAmounts }: Checked['LevelBidsInput'],
  call: Call,
): Promise<LevelBidsResult> {
  const comparison = await call.operation('compareBids', { bidRequestId })
  const bids = leveled(comparison, new Map(plugAmounts.map(({ lineId, amount }) => [lineId, amount])))
  return {
    ...{ bidRequestId, bidRequest: `${comparison.number} ${comparison.scope}`, bids },
    ...reported(call, {
      unknown: sentences(
        bids.some(({ isComplete }) => !isComplete) && 'Some lines are priced by nobody; give plug amounts for them.',
        bids.some(({ plugs }) => plugs.length > 0) && 'What a bid excludes in words alone is not filled in.',
      ),
    }),
    currency: comparison.currency,
  }
}
