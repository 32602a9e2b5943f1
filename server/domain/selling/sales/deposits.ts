import type {
  Sale,
  SaleDeposit,
  SaleDepositDisposition,
  SaleDepositInput,
  SaleDepositRecord,
  SaleDepositStatus,
} from '../../../../client/contract.gen.ts'
import { assertMove, conflict, invalid } from '../../../platform/problems/problem.ts'
import { sum } from '../../../platform/values/money.ts'

/** The maximum number of deposits of a sale. */
export const MOST_DEPOSITS = 20

const DEPOSIT_MOVES: Readonly<Record<SaleDepositStatus, readonly SaleDepositStatus[]>> = {
  // A deposit that is due can change its amount or date.
  due: ['due', 'received', 'cancelled'],
  received: ['refunded', 'forfeited'],
  refunded: [],
  forfeited: [],
  cancelled: [],
}

type Deposits = Pick<Sale, 'deposits' | 'depositsReceived' | 'depositsOutstanding'>

/** Returns the deposits with their sums by status. */
export function summedUp(deposits: SaleDeposit[]): Deposits {
  const of = (status: SaleDepositStatus) =>
    sum(deposits.filter((deposit) => deposit.status === status).map(({ amount }) => amount))
  return { deposits, depositsReceived: of('received'), depositsOutstanding: of('due') }
}

export function newDeposits(given: readonly SaleDepositInput[]): SaleDeposit[] {
  return given.map(({ amount, dueDate = null }, i) => ({
    ...{ depositId: `D${i + 1}`, amount, dueDate, status: 'due' },
    ...{ receivedDate: null, settledDate: null, reason: null },
  }))
}

/** Returns the deposits after a record of one of them, or of a new one. `today` is the date in the community. */
export function recorded(deposits: readonly SaleDeposit[], record: SaleDepositRecord, today: string): SaleDeposit[] {
  const { depositId = null, status, date = null, reason = null } = record
  if (date !== null && date > today)
    throw invalid([{ pointer: '/date', code: 'maximum', message: 'must not be in the future' }])
  const at = date ?? today
  if (depositId === null) return [...deposits, added(deposits, record, at)]
  const before = deposits.find((deposit) => deposit.depositId === depositId)
  if (before === undefined)
    throw invalid([{ pointer: '/depositId', code: 'unknown', message: 'is not a deposit of this sale' }])
  assertMove(DEPOSIT_MOVES, before.status, status)
  if (before.status !== 'due') assertLeftAlone(record)
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

function added(deposits: readonly SaleDeposit[], record: SaleDepositRecord, at: string): SaleDeposit {
  const { amount, dueDate = null, status, reason = null } = record
  if (amount === undefined)
    throw invalid([{ pointer: '/amount', code: 'required', message: 'is required unless depositId is set' }])
  if (status !== 'due' && status !== 'received')
    throw invalid([{ pointer: '/status', code: 'enum', message: 'must be due or received unless depositId is set' }])
  if (deposits.length >= MOST_DEPOSITS)
    throw conflict('limit_reached', `A sale can have at most ${MOST_DEPOSITS} deposits.`)
  const receivedDate = status === 'received' ? at : null
  return { depositId: `D${deposits.length + 1}`, amount, dueDate, status, receivedDate, settledDate: null, reason }
}

function assertLeftAlone({ amount, dueDate }: SaleDepositRecord): void {
  const sent = { amount, dueDate }
  const faults = Object.entries(sent).filter(([, value]) => value !== undefined)
  if (faults.length > 0)
    throw invalid(
      faults.map(([field]) => ({
        pointer: `/${field}`,
        code: 'fixed',
        message: 'cannot be changed: the deposit has been received',
      })),
    )
}

/** Returns the deposits of a sale that is being canceled. */
export function settled(
  deposits: readonly SaleDeposit[],
  { disposition, reason, today }: { disposition: SaleDepositDisposition | null; reason: string; today: string },
): SaleDeposit[] {
  if (disposition === null && deposits.some(({ status }) => status === 'received'))
    throw invalid([
      { pointer: '/depositDisposition', code: 'required', message: 'is required because deposits have been received' },
    ])
  return deposits.map((deposit) => {
    if (deposit.status === 'due') return { ...deposit, status: 'cancelled', settledDate: today, reason }
    if (deposit.status !== 'received' || disposition === null) return deposit
    return { ...deposit, status: disposition, settledDate: today, reason }
  })
}
