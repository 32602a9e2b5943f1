import type { Sale } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { recordEvent } from '../../../platform/events/record-event.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { lockSaleWithHome } from './change-sale.ts'
import { applyStageMove } from './pipeline.ts'
import * as sales from './queries.ts'
import { assertSaleOpen } from './sale.ts'
import { countPendingSelections } from './selection-queries.ts'

/** Changes the status of a stage of the sale. When the last open stage is completed, also completes the sale. */
export async function advanceSale(call: WriteCall, id: string, move: Checked['SaleStageMove']): Promise<Sale> {
  const { sale, home } = await lockSaleWithHome(call, id)
  assertSaleOpen(sale)
  const pendingSelections = home === null ? 0 : await countPendingSelections(call, home.id)
  const pipeline = applyStageMove(sale, move, { home, pendingSelections }, call.now)
  if (pipeline.stage !== null) return sales.update(call, sale, pipeline)
  const completedAt = call.now.toISOString()
  const after = await sales.update(call, sale, { ...pipeline, status: 'pipeline_complete', completedAt })
  await recordStatusChange(call, { id, from: sale.status, to: after.status, reason: move.reason })
  await recordEvent(call, 'sale.pipeline_complete', after, sale)
  return after
}
