import type { BudgetLine, BudgetTransfer, BudgetTransferCreate } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import { conflict, unknownReference, validationFailed } from '../../../platform/problems/problem.ts'
import * as homes from '../../land/homes/queries.ts'
import { recordBudgetLineEvents } from '../budgets/line-events.ts'
import { lockHomeForBudget } from '../budgets/lock-home-for-budget.ts'
import { postBudget } from '../budgets/post-budget.ts'
import * as budgetLines from '../budgets/queries.ts'
import { findTransferLineErrors, planTransfer } from './budget-transfer.ts'
import * as transfers from './queries.ts'

export const budgetTransferOperations = {
  async listBudgetTransfers({ path, query }, call) {
    const { from, to, ...rest } = query
    if (from !== undefined && to !== undefined && to < from)
      throw validationFailed([{ pointer: 'to', code: 'minimum', message: 'must not be before from' }])
    await homes.find(call, path.homeId)
    const days = {
      ...(from !== undefined && { from: transfers.toZonedDay(call, from) }),
      ...(to !== undefined && { to: transfers.toZonedDay(call, to) }),
    }
    return { status: 200, body: await transfers.list(call, { ...rest, ...days }, { homeId: path.homeId }) }
  },

  async transferBudget({ path, body }, call) {
    return { status: 200, body: await call.write((call) => transferBudget(call, path.homeId, body)) }
  },
} satisfies Partial<Handlers>

async function transferBudget(call: WriteCall, homeId: string, body: BudgetTransferCreate): Promise<BudgetTransfer> {
  const { fromLineId, toLineId, amount } = body
  const home = await lockHomeForBudget(call, homeId)
  if (fromLineId === toLineId)
    throw validationFailed([{ pointer: '/toLineId', code: 'itself', message: 'must differ from fromLineId' }])
  const { from, to } = await lockLines(call, body)
  const errors = [
    ...findTransferLineErrors(from, home.id, '/fromLineId'),
    ...findTransferLineErrors(to, home.id, '/toLineId'),
  ]
  if (errors.length > 0) throw validationFailed(errors)
  if (home.budgetLockedAt === null) {
    throw conflict(
      'budget_not_locked',
      `Cannot transfer budget: the budget of ${home.name} is not locked. Change its lines with updateBudgetLine instead.`,
    )
  }
  const changes = planTransfer(from, to, amount, call.currency)
  const created = await transfers.insert(call, {
    ...body,
    homeId: home.id,
    fromBudgetedBefore: from.budgeted,
    toBudgetedBefore: to.budgeted,
  })
  await budgetLines.update(call, from, changes.from)
  await budgetLines.update(call, to, changes.to)
  await recordBudgetLineEvents(call, [from, to])
  await postBudget(call, home)
  return created
}

/** Locks both lines in the order of their IDs, so that two transfers in opposite directions cannot deadlock. */
async function lockLines(
  call: WriteCall,
  { fromLineId, toLineId }: BudgetTransferCreate,
): Promise<{ from: BudgetLine; to: BudgetLine }> {
  const known = new Set((await budgetLines.findAll(call, [fromLineId, toLineId])).map(({ id }) => id))
  const unknown = [...(known.has(fromLineId) ? [] : ['/fromLineId']), ...(known.has(toLineId) ? [] : ['/toLineId'])]
  if (unknown.length > 0) throw unknownReference(unknown)
  const isInOrder = fromLineId < toLineId
  const first = await budgetLines.lock(call, isInOrder ? fromLineId : toLineId)
  const second = await budgetLines.lock(call, isInOrder ? toLineId : fromLineId)
  return isInOrder ? { from: first, to: second } : { from: second, to: first }
}
