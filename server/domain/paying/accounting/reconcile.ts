import type { LedgerDifference, LedgerRow, Reconciled, Reconciliation } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { type Counterpart, findRecordsByAccountingIds, findRecordsWithOtherIds } from './queries.ts'
import { assertCanAccessRecords } from './sync-queue.ts'

/**
 * The maximum number of missing records that are returned, which is more than a person would read. The response also
 * states the total number.
 */
const MAX_MISSING = 1000

/** Returns the differences between the rows of the accounting system and the records in Plumbline. */
export async function reconcileLedger(
  call: Call,
  { type, rows, afterAccountingId, throughAccountingId }: Reconciliation,
): Promise<Reconciled> {
  assertCanAccessRecords(call, type, 'read')
  const byId = Map.groupBy(rows, ({ accountingId }) => accountingId)
  const accountingIds = [...byId.keys()]
  const here = await findRecordsByAccountingIds(call, type, accountingIds)
  const found = rows.flatMap((row) => {
    const record = here.get(row.accountingId)
    return record === undefined ? [] : [{ record, differences: listDifferences(record, row) }]
  })
  const missing = await findRecordsWithOtherIds(call, type, {
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

/**
 * Returns the differences between a record and a row of the accounting system. A void record matches only a void row,
 * regardless of the amounts.
 */
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
