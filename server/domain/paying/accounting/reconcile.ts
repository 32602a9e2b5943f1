import type { LedgerDifference, LedgerRow, Reconciled, Reconciliation } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { type Counterpart, findByAccountingIds, findWithOtherIds } from './queries.ts'
import { assertCanAccess } from './sync-queue.ts'

/** More than anybody reads. The count says how many there are. */
const MAX_MISSING = 1000

/** Returns the differences between a ledger and the records here. */
export async function reconcileLedger(
  call: Call,
  { type, rows, afterAccountingId, throughAccountingId }: Reconciliation,
): Promise<Reconciled> {
  assertCanAccess(call, type, 'read')
  const byId = Map.groupBy(rows, ({ accountingId }) => accountingId)
  const accountingIds = [...byId.keys()]
  const here = await findByAccountingIds(call, type, accountingIds)
  const found = rows.flatMap((row) => {
    const record = here.get(row.accountingId)
    return record === undefined ? [] : [{ record, differences: listDifferences(record, row) }]
  })
  const missing = await findWithOtherIds(call, type, {
    accountingIds,
    ...{ after: afterAccountingId ?? null, through: throughAccountingId ?? null, most: MAX_MISSING },
  })
  return {
    ...{ asOf: call.now.toISOString(), type },
    matched: found.filter(({ differences }) => differences.length === 0).length,
    differing: found.flatMap(({ differences }) => differences),
    missingHere: accountingIds.filter((id) => !here.has(id)),
    missingThere: missing.first,
    missingThereCount: missing.count,
    repeated: accountingIds.filter((id) => (byId.get(id)?.length ?? 0) > 1),
  }
}

/** Returns the differences of a record and a row. A void record matches only a void row, whatever its amount. */
function listDifferences({ accountingId, id, label, amount, fallen }: Counterpart, row: LedgerRow): LedgerDifference[] {
  const of = { accountingId, id, label }
  const isVoidThere = row.status === 'void'
  if (fallen !== null && isVoidThere) return []
  return [
    ...((fallen !== null) !== isVoidThere
      ? [{ ...of, field: 'status' as const, here: fallen ?? 'active', there: row.status ?? null }]
      : []),
    ...(row.name !== undefined && row.name.trim() !== label
      ? [{ ...of, field: 'name' as const, here: label, there: row.name }]
      : []),
    ...(fallen === null && !isVoidThere && row.amount !== undefined && row.amount !== amount
      ? [{ ...of, field: 'amount' as const, here: amount, there: row.amount }]
      : []),
  ]
}
