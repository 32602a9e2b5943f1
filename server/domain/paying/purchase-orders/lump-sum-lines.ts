import { sql } from 'kysely'
import type { Contract, Home, LumpSum, Selection } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { conflict, validationFailed } from '../../../platform/problems/problem.ts'
import { findLumpSumOfHome } from '../../bidding/contracts/lump-sum.ts'
import { MAX_SELECTIONS } from '../../costs/budgets/selection-queries.ts'

type OrderLineInput = Checked['PurchaseOrderLineInput']

/** The maximum number of lines of an order. The next order can contain the remaining lines. */
const MAX_LINES = 200

/**
 * The subject of a lump sum: the home, or a selection. The name of the subject becomes the ID of the order line, which
 * shows whether the subject has already been ordered.
 */
interface LumpSumItem {
  readonly name: string
  readonly optionSelectionId: string | null
  readonly quantity: number
  readonly lumpSum: LumpSum
}

/**
 * Returns the order lines for the work on the home that a turnkey contract covers: one line for the home, and one line
 * for each approved selection whose option has a lump sum. If the request specifies a selection, returns only its line.
 * Omits lines that are already in an order of any revision of the contract.
 */
export async function createLumpSumLines(
  call: WriteCall,
  contract: Contract,
  home: Home,
  optionSelectionId: string | null,
): Promise<OrderLineInput[]> {
  const house = optionSelectionId === null ? findLumpSumOfHome(contract, home) : undefined
  const owed = [
    ...(house === undefined || home.planId === null
      ? []
      : [{ name: home.planId, optionSelectionId: null, quantity: 1, lumpSum: house }]),
    ...(await listSelectionItems(call, contract, home.id, optionSelectionId)),
  ]
  if (owed.length === 0) {
    const message = `is not covered by a lump sum of ${contract.number}; set lines`
    const pointer = optionSelectionId === null ? '/homeId' : '/optionSelectionId'
    throw validationFailed([{ pointer, code: 'not_covered', message }])
  }
  const ordered = await findOrderedLines(
    call,
    contract,
    home.id,
    owed.map(({ name }) => name),
  )
  const open = owed.filter(({ name }) => !ordered.has(name))
  if (open.length === 0) {
    const numbers = [...new Set(owed.flatMap(({ name }) => ordered.get(name) ?? []))].join(', ')
    throw conflict(
      'already_ordered',
      `Cannot order from ${contract.number}: everything that it covers for ${home.name} is already ordered (${numbers}).`,
    )
  }
  const budgeted = await findBudgetLines(call, contract, home.id)
  return open.slice(0, MAX_LINES).map((each) => {
    const { name, quantity, lumpSum } = each
    const budgetLineId = budgeted.get(each.optionSelectionId) ?? null
    return {
      ...{ lineId: name, budgetLineId, quantity, unit: 'LS', unitPrice: lumpSum.amount, taxPercent: 0 },
      description: lumpSum.description ?? `${contract.scope}, as agreed in ${contract.number}`,
      // Costs must appear at the budget line. Only a line without a budget line has the cost code of the lump sum.
      ...(budgetLineId === null && { costCodeId: lumpSum.costCodeId }),
    }
  })
}

/** Returns the home's approved selections whose options have a lump sum in the contract. */
async function listSelectionItems(
  { db, organizationId }: WriteCall,
  { lumpSums }: Contract,
  homeId: string,
  named: string | null,
): Promise<LumpSumItem[]> {
  const byOption = new Map(lumpSums.map((lumpSum) => [lumpSum.optionId, lumpSum]))
  const optionIds = [...byOption.keys()].filter((id) => id !== null)
  if (optionIds.length === 0) return []
  // A selection that the request specifies may already have the status `ordered`, because its parts can come from
  // several vendors.
  const { rows } = await sql<Pick<Selection, 'id' | 'quantity'> & { optionId: string }>`
    select "id", "optionId", "quantity" from "selections"
    where "organizationId" = ${organizationId} and "homeId" = ${homeId} and "optionId" = any(${optionIds}::text[])
      and (${named}::text is null and "status" = 'approved' or "id" = ${named})
    order by "id" limit ${MAX_SELECTIONS}`.execute(db)
  return rows.flatMap(({ id, optionId, quantity }) => {
    const lumpSum = byOption.get(optionId)
    return lumpSum === undefined ? [] : [{ name: id, optionSelectionId: id, quantity, lumpSum }]
  })
}

/** Returns the lines with these names, and their order numbers, from the contract's orders that are not void. */
async function findOrderedLines(
  { db, organizationId }: WriteCall,
  { number }: Contract,
  homeId: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ lineId: string; number: string }>`
    select l."lineId", o."number" from "purchaseOrders" as o
    join "purchaseOrderLines" as l on l."organizationId" = o."organizationId" and l."purchaseOrderId" = o."id"
    where o."organizationId" = ${organizationId} and o."homeId" = ${homeId} and o."status" <> 'void'
      and l."lineId" = any(${[...names]}::text[]) and o."contractId" in (
        select c."id" from "contracts" as c where c."organizationId" = ${organizationId} and c."number" = ${number})
    order by o."id"`.execute(db)
  return new Map(rows.map(({ lineId, number }) => [lineId, number]))
}

/** Returns the lines of the home's budget that were estimated from lump sums of the trade, by selection. */
async function findBudgetLines(
  { db, organizationId }: WriteCall,
  { scope }: Contract,
  homeId: string,
): Promise<ReadonlyMap<string | null, string>> {
  const { rows } = await sql<{ id: string; optionSelectionId: string | null }>`
    select "id", "optionSelectionId" from "budgetLines"
    where "organizationId" = ${organizationId} and "homeId" = ${homeId} and "contractId" is not null
      and "archivedAt" is null and lower("scope") = lower(${scope})`.execute(db)
  return new Map(rows.map(({ id, optionSelectionId }) => [optionSelectionId, id]))
}
