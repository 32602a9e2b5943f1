import type { Home, HomeStatusMove } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { conflict, problem, validationFailed } from '../../../platform/problems/problem.ts'
import { formatAmount } from '../../../platform/values/format.ts'
import { explainSaleConflict } from './home.ts'
import * as homes from './queries.ts'

/**
 * Throws if other records do not allow the status change of a locked home.
 *
 * @returns the text for the status history if the change needs an overrideReason; otherwise, null
 */
export async function assertCanChangeHomeStatus(
  call: WriteCall,
  home: Home,
  move: HomeStatusMove,
): Promise<string | null> {
  const { status, overrideReason = null } = move
  if (status !== 'closed' && overrideReason !== null)
    throw validationFailed([
      { pointer: '/overrideReason', code: 'exclusive', message: 'can only be set when status is closed' },
    ])
  if (status === 'under_construction' && home.budgetLockedAt === null)
    throw conflict(
      'budget_not_locked',
      `Cannot start construction of ${home.name}: its budget is not locked. Lock the budget first.`,
    )
  if (status === 'completed') await assertNoOpenWork(call, home)
  if (status === 'cancelled' && home.saleId !== null) throw conflict('in_use', explainSaleConflict(home))
  return status === 'closed' ? assertCanClose(call, home, overrideReason) : null
}

async function assertNoOpenWork(call: WriteCall, { id, name }: Home): Promise<void> {
  const open = await homes.countOpenTasks(call, id)
  if (open === 0) return
  const left = open === 1 ? '1 task is' : `${open} tasks are`
  throw conflict(
    'open_work',
    `Cannot complete ${name}: ${left} still open in its schedule. Complete or skip ${open === 1 ? 'it' : 'them'} first.`,
  )
}

/**
 * Throws unless the sale of the home is settled and its punch list is done. If the caller has the permission to change
 * the records that block the closing, the caller can give a reason instead.
 */
async function assertCanClose(call: WriteCall, home: Home, overrideReason: string | null): Promise<string | null> {
  const reason = await explainNotClosable(call, home)
  const openItems = await homes.countItemsBlockingClosing(call, home.id)
  if (reason === null && openItems === 0) return null
  if (overrideReason === null) {
    if (reason !== null) throw conflict('needs_override', `${reason} To close the home anyway, set overrideReason.`)
    const left = openItems === 1 ? '1 punch item that is' : `${openItems} punch items that are`
    throw conflict(
      'open_work',
      `${home.name} has ${left} due before closing. To close the home anyway, set overrideReason.`,
    )
  }
  if (reason !== null && !call.permissions.has('sales:write'))
    throw problem('permission_denied', 'Closing a home without a complete sale requires sales:write.', {
      permission: 'sales:write',
    })
  if (openItems > 0 && !call.permissions.has('punch:write'))
    throw problem('permission_denied', 'Closing a home with open punch items requires punch:write.', {
      permission: 'punch:write',
    })
  const missing = [
    ...(reason === null ? [] : ['without a complete sale']),
    ...(openItems === 0 ? [] : ['with open punch items']),
  ].join(' and ')
  return `${missing.charAt(0).toUpperCase()}${missing.slice(1)}: ${overrideReason}`
}

async function explainNotClosable(call: WriteCall, { name, saleId }: Home): Promise<string | null> {
  const sale = saleId === null ? undefined : await homes.findSaleProgress(call, saleId)
  if (sale === undefined || sale.status !== 'pipeline_complete') return `${name} has no completed sale.`
  if (sale.openContingencies > 0)
    return `The sale of ${name} has ${sale.openContingencies === 1 ? '1 open contingency' : `${sale.openContingencies} open contingencies`}.`
  if (sale.depositsOutstanding > 0)
    return `The sale of ${name} has ${formatAmount(sale.depositsOutstanding, call.currency)} in outstanding deposits.`
  return null
}
