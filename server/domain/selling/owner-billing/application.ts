import type {
  Application,
  ApplicationLine,
  ApplicationLineInput,
  ApplicationReceipt,
  ApplicationStatus,
  FieldError,
  ScheduleLine,
} from '../../../../client/contract.gen.ts'
import { computePercentAmount, subtract, sum } from '../../../platform/values/money.ts'
import { exceedsScheduledValue } from '../price-changes/schedule-of-values.ts'

export const APPLICATION_MOVES: Readonly<Record<ApplicationStatus, readonly ApplicationStatus[]>> = {
  draft: ['submitted', 'void'],
  submitted: ['certified', 'rejected', 'void'],
  rejected: ['draft', 'void'],
  certified: ['void'],
  // Only receipts change the status of an application to or from these statuses.
  partially_paid: [],
  paid: [],
  void: [],
}

/** Sales rarely have more than one application per month. */
export const MAX_APPLICATIONS = 200

/**
 * The maximum number of receipts of one application. Receipts come from the buyer and the lender, or are corrections.
 */
export const MAX_RECEIPTS = 50

const CERTIFIED: ReadonlySet<ApplicationStatus> = new Set(['certified', 'partially_paid', 'paid'])

export function isCertified({ status }: Pick<Application, 'status'>): boolean {
  return CERTIFIED.has(status)
}

/** The data from which an application is calculated. */
export interface ApplicationBasis {
  /** The lines of the schedule of values. */
  readonly schedule: readonly ScheduleLine[]
  /** The work completed in earlier applications, by `lineId`. */
  readonly previous: ReadonlyMap<string, number>
  readonly previousCertificates: number
  readonly originalContractSum: number
  readonly contractSum: number
  readonly currency: string
}

type Sums = Pick<
  Application,
  | 'lines'
  | 'retainagePercent'
  | 'originalContractSum'
  | 'netChange'
  | 'contractSum'
  | 'completedAndStored'
  | 'retainage'
  | 'earnedLessRetainage'
  | 'previousCertificates'
  | 'currentPaymentDue'
  | 'balanceToFinish'
>

/** Calculates the amounts of AIA Document G702. Rounds the retainage of each line separately. */
export function calculateApplication(
  basis: ApplicationBasis,
  provided: readonly ApplicationLineInput[],
  retainagePercent: number,
): Sums {
  const progress = new Map(provided.map((line) => [line.lineId, line]))
  const lines = basis.schedule.map(({ lineId, description, scheduledValue }): ApplicationLine => {
    const { periodAmount = 0, storedAmount = 0 } = progress.get(lineId) ?? {}
    const previousAmount = basis.previous.get(lineId) ?? 0
    const completedAndStored = sum([previousAmount, periodAmount, storedAmount])
    const retainage = computePercentAmount(completedAndStored, retainagePercent, basis.currency)
    return {
      lineId,
      description,
      scheduledValue,
      previousAmount,
      periodAmount,
      storedAmount,
      completedAndStored,
      retainage,
    }
  })
  const completedAndStored = sum(lines.map((line) => line.completedAndStored))
  const retainage = sum(lines.map((line) => line.retainage))
  const earnedLessRetainage = subtract(completedAndStored, retainage)
  const { originalContractSum, contractSum, previousCertificates } = basis
  return {
    ...{ lines, retainagePercent, originalContractSum, contractSum },
    ...{ netChange: subtract(contractSum, originalContractSum) },
    ...{ completedAndStored, retainage, earnedLessRetainage, previousCertificates },
    ...{ currentPaymentDue: subtract(earnedLessRetainage, previousCertificates) },
    ...{ balanceToFinish: subtract(contractSum, earnedLessRetainage) },
  }
}

/** Returns the errors in the lines of an application in a request. */
export function findApplicationLineErrors(
  { schedule, previous }: Pick<ApplicationBasis, 'schedule' | 'previous'>,
  provided: readonly ApplicationLineInput[],
): FieldError[] {
  const values = new Map(schedule.map(({ lineId, scheduledValue }) => [lineId, scheduledValue]))
  const seen = new Set<string>()
  return provided.flatMap(({ lineId, periodAmount = 0, storedAmount = 0 }, i): FieldError[] => {
    const scheduledValue = values.get(lineId)
    if (scheduledValue === undefined || seen.has(lineId))
      return [
        {
          pointer: `/lines/${i}/lineId`,
          code: 'unknown',
          message: 'must be a line of the schedule of values, and can be listed only once',
        },
      ]
    seen.add(lineId)
    const before = previous.get(lineId) ?? 0
    if (!exceedsScheduledValue(sum([before, periodAmount, storedAmount]), scheduledValue)) return []
    const message = `must not raise the line above its scheduled value of ${scheduledValue}; ${before} was already completed`
    return [{ pointer: `/lines/${i}/periodAmount`, code: 'maximum', message }]
  })
}

/**
 * Returns the progress of an application's lines in the format of a request. Omits lines without progress that are no
 * longer in the schedule, such as the line of a voided change.
 */
export function getApplicationProgress(
  { lines }: Pick<Application, 'lines'>,
  schedule: readonly Pick<ScheduleLine, 'lineId'>[],
): ApplicationLineInput[] {
  const scheduled = new Set(schedule.map(({ lineId }) => lineId))
  return lines
    .map(({ lineId, periodAmount, storedAmount }) => ({ lineId, periodAmount, storedAmount }))
    .filter((line) => scheduled.has(line.lineId) || line.periodAmount !== 0 || line.storedAmount !== 0)
}

/** Returns the status and the amounts of a certified application after these receipts. */
export function applyReceipts(certifiedAmount: number, receipts: ApplicationReceipt[]) {
  const receivedAmount = sum(receipts.map(({ amount }) => amount))
  const openAmount = subtract(certifiedAmount, receivedAmount)
  const status = openAmount === 0 ? 'paid' : receivedAmount === 0 ? 'certified' : 'partially_paid'
  return { receipts, receivedAmount, openAmount, status } as const
}
