import type { Services, WriteCall } from '../../../platform/calls/call.ts'
import { createSystemCall } from '../../../platform/keys/principals.ts'
import { toLocalDate } from '../../../platform/values/calendar.ts'
import { postFundedDraws } from '../../building/loans/post-funded-draws.ts'
import { postBudget } from '../../costs/budgets/post-budget.ts'
import * as homes from '../../land/homes/queries.ts'
import { checkLedgers, type LedgerDifference } from '../../ledger/check-ledgers.ts'
import type { Measure } from '../../ledger/posting.ts'
import { postContractAmount } from '../../selling/sales/post-contract-amount.ts'
import { postOwnerAmounts } from '../../selling/sales/post-owner-amounts.ts'
import * as sales from '../../selling/sales/queries.ts'

const NOTE = 'The daily check of the ledger found a missing posting.'

type Correction = (call: WriteCall, recordId: string) => Promise<void>

const correctOwnerAmounts: Correction = async (call, saleId) => {
  await sales.lock(call, saleId)
  await postOwnerAmounts(call, saleId, toLocalDate(call.timeZone, call.now), NOTE)
}

/**
 * The measures that are the amounts of a single record, which each change of the record posts as a difference. The check
 * does the same. Differences of other measures remain, because they can have several causes.
 */
const CORRECTIONS: Partial<Record<Measure, Correction>> = {
  async budget(call, homeId) {
    await postBudget(call, await homes.lock(call, homeId), NOTE)
  },
  async contract(call, saleId) {
    await sales.lock(call, saleId)
    await postContractAmount(call, saleId, NOTE)
  },
  ownerBilled: correctOwnerAmounts,
  ownerRetainage: correctOwnerAmounts,
  ownerReceived: correctOwnerAmounts,
  ownerDeposit: correctOwnerAmounts,
  async loan(call, homeId) {
    await homes.lock(call, homeId)
    await postFundedDraws(call, homeId, toLocalDate(call.timeZone, call.now), NOTE)
  },
}

/** Compares the ledgers with their records, and posts the differences that a change of the record would also post. */
export async function checkAndCorrectLedgers(services: Services): Promise<void> {
  await checkLedgers(services, (organizationId, differences) =>
    correctDifferences(services, organizationId, differences),
  )
}

async function correctDifferences(
  services: Services,
  organizationId: string,
  differences: readonly LedgerDifference[],
): Promise<boolean> {
  const found = differences.flatMap(({ recordId, measure }) => {
    const correct = CORRECTIONS[measure]
    return correct === undefined ? [] : [{ recordId, correct }]
  })
  if (found.length === 0) return false
  const call = await createSystemCall(services, organizationId)
  // Each record has a transaction of its own, so that none is locked for long.
  for (const { recordId, correct } of found) await call.write((call) => correct(call, recordId))
  return true
}
