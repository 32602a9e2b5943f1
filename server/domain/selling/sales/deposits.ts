import type {
  Sale,
  SaleDeposit,
  SaleDepositDisposition,
  SaleDepositInput,
  SaleDepositRecord,
  SaleDepositStatus,
} from '../../../../client/contract.gen.ts'
import { assertTransition, conflict, validationFailed } from '../../../platform/problems/problem.ts'
import { sum } from '../../../platform/values/money.ts'

/** The maximum number of deposits of a sale. */
export const MAX_DEPOSITS = 20

const DEPOSIT_MOVES: Readonly<Record<SaleDepositStatus, readonly SaleDepositStatus[]>> = {
  // While a deposit is due, its amount and date can change.
  due: ['due', 'received', 'cancelled'],
  received: ['refunded', 'forfeited'],
  refunded: [],
  forfeited: [],
  cancelled: [],
}

type SaleDeposits = Pick<Sale, 'deposits' | 'depositsReceived' | 'depositsOutstanding'>

/** Returns the deposits and their totals by status. */
export function toDepositFields(deposits: SaleDeposit[]): SaleDeposits {
  const of = (status: SaleDepositStatus) =>
    sum(deposits.filter((deposit) => deposit.status === status).map(({ amount }) => amount))
  return { deposits, depositsReceived: of('received'), depositsOutstanding: of('due') }
}

export function toDeposits(provided: readonly SaleDepositInput[]): SaleDeposit[] {
  return provided.map(({ amount, dueDate = null }, i) => ({
    ...{ depositId: `D${i + 1}`, amount, dueDate, status: 'due' },
    ...{ receivedDate: null, settledDate: null, reason: null },
  }))
}

/**
 * Returns the deposits after adding a deposit or changing one. `today` is the current date in the community's time
 * zone.
 */
export function applyDepositRecord(
  deposits: readonly SaleDeposit[],
  record: SaleDepositRecord,
  today: string,
): SaleDeposit[] {
  const { depositId = null, status, date = null, reason = null } = record
  if (date !== null && date > today)
    throw validationFailed([{ pointer: '/date', code: 'maximum', message: 'must not be in the future' }])
  const at = date ?? today
  if (depositId === null) return [...deposits, addDeposit(deposits, record, at)]
  const before = deposits.find((deposit) => deposit.depositId === depositId)
  if (before === undefined)
    throw validationFailed([{ pointer: '/depositId', code: 'unknown', message: 'is not a deposit of this sale' }])
  assertTransition(DEPOSIT_MOVES, before.status, status)
  if (before.status !== 'due') assertTermsUnchanged(record)
  const after = {
    ...before,
    ...(record.amount !== undefined && { amount: record.amount }),
    ...(record.dueDate !== undefined && { dueDate: record.dueDate }),
    ...(reason !== null && { reason }),
    status,
    ...(status === 'received' ? { receivedDate: at } : status !== 'due' && { settledDate: at }),
  }
  return deposits.map((deposit) => (deposit === before ? after : deposit))
}

function addDeposit(deposits: readonly SaleDeposit[], record: SaleDepositRecord, at: string): SaleDeposit {
  const { amount, dueDate = null, status, reason = null } = record
  if (amount === undefined)
    throw validationFailed([{ pointer: '/amount', code: 'required', message: 'is required unless depositId is set' }])
  if (status !== 'due' && status !== 'received')
    throw validationFailed([
      { pointer: '/status', code: 'enum', message: 'must be due or received unless depositId is set' },
    ])
  if (deposits.length >= MAX_DEPOSITS)
    throw conflict('limit_reached', `Cannot add a deposit: the sale already has ${MAX_DEPOSITS} deposits, the maximum.`)
  const receivedDate = status === 'received' ? at : null
  return { depositId: `D${deposits.length + 1}`, amount, dueDate, status, receivedDate, settledDate: null, reason }
}

function assertTermsUnchanged({ amount, dueDate }: SaleDepositRecord): void {
  const sent = { amount, dueDate }
  const errors = Object.entries(sent).filter(([, value]) => value !== undefined)
  if (errors.length > 0)
    throw validationFailed(
      errors.map(([field]) => ({
        pointer: `/${field}`,
        code: 'fixed',
        message: 'cannot be changed: the deposit has been received',
      })),
    )
}

/** Returns the deposits after their sale is canceled. */
export function settleDeposits(
  deposits: readonly SaleDeposit[],
  { disposition, reason, today }: { disposition: SaleDepositDisposition | null; reason: string; today: string },
): SaleDeposit[] {
  if (disposition === null && deposits.some(({ status }) => status === 'received'))
    throw validationFailed([
      { pointer: '/depositDisposition', code: 'required', message: 'is required because deposits have been received' },
    ])
  return deposits.map((deposit) => {
    if (deposit.status === 'due') return { ...deposit, status: 'cancelled', settledDate: today, reason }
    if (deposit.status !== 'received' || disposition === null) return deposit
    return { ...deposit, status: disposition, settledDate: today, reason }
  })
}
