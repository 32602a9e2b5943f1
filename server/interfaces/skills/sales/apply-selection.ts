import { sql } from 'kysely'
import type { ApplySelectionResult } from '../../../../client/contract.gen.ts'
import * as budgetLines from '../../../domain/costs/budgets/queries.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'

const MAX_LINES = 500

export async function applySelection(
  { homeId, optionId, quantity, overrideReason }: Checked['ApplySelectionInput'],
  call: Call,
): Promise<ApplySelectionResult> {
  const before = await call.operation('getHome', { homeId })
  const override = overrideReason === undefined ? {} : { overrideReason }
  const pendingId = await findPendingSelection(call, homeId, optionId)
  const { id: selectionId } =
    pendingId === null
      ? await call.operation('addSelection', { homeId, optionId, quantity, ...override })
      : await call.operation('updateSelection', { selectionId: pendingId, quantity, ...override })
  const selection = await call.operation('changeSelectionStatus', { selectionId, status: 'approved', ...override })
  const after = await call.operation('getHome', { homeId })
  return {
    ...{ selection, budgetLines: await findSelectionLines(call, homeId, selectionId) },
    ...{ priceBefore: before.price, priceAfter: after.price, currency: call.currency },
  }
}

/** Returns the home's selection of this option that awaits approval. */
async function findPendingSelection(
  { db, organizationId }: Call,
  homeId: string,
  optionId: string,
): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    select "id" from "selections"
    where "organizationId" = ${organizationId} and "homeId" = ${homeId} and "optionId" = ${optionId}
      and "status" = 'pending' order by "id" limit 1`.execute(db)
  return rows[0]?.id ?? null
}

async function findSelectionLines(call: Call, homeId: string, selectionId: string) {
  const { rows } = await sql<{ id: string }>`
    select "id" from "budgetLines"
    where "organizationId" = ${call.organizationId} and "homeId" = ${homeId} and "optionSelectionId" = ${selectionId}
      and "archivedAt" is null
    order by "id" limit ${MAX_LINES}`.execute(call.db)
  return budgetLines.findAll(
    call,
    rows.map(({ id }) => id),
  )
}
