import type { Application, ApplicationLineInput, Sale, ScheduleOfValues } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { assertIfMatch } from '../../../platform/calls/etag.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { assertTransition, conflict, notFound, validationFailed } from '../../../platform/problems/problem.ts'
import { describeStatus, formatAmount } from '../../../platform/values/format.ts'
import { subtract, sum } from '../../../platform/values/money.ts'
import { findScheduleErrors, numberScheduleLines, sumScheduledValues } from '../price-changes/schedule-of-values.ts'
import { findScheduleOfSale, schedules } from '../price-changes/schedules.ts'
import { findTodayInCommunity } from '../sales/change-sale.ts'
import { postOwnerAmounts } from '../sales/post-owner-amounts.ts'
import * as sales from '../sales/queries.ts'
import {
  APPLICATION_MOVES,
  type ApplicationBasis,
  applyReceipts,
  calculateApplication,
  findApplicationLineErrors,
  getApplicationProgress,
  isCertified,
  MAX_APPLICATIONS,
  MAX_RECEIPTS,
} from './application.ts'
import * as applications from './queries.ts'

export const ownerBillingOperations = {
  async getScheduleOfValues({ path }, call) {
    await sales.find(call, path.saleId)
    const schedule = await findScheduleOfSale(call, path.saleId)
    if (schedule === undefined) throw notFound()
    return { status: 200, body: schedule }
  },

  async updateScheduleOfValues({ path, body, ifMatch }, call) {
    const schedule = await call.write(async (call) => {
      const sale = await lockBillableSale(call, path.saleId)
      const before = await findScheduleOfSale(call, sale.id)
      if (before !== undefined) assertIfMatch(ifMatch, before)
      if (before === undefined && body.lines === undefined)
        throw validationFailed([{ pointer: '/lines', code: 'required', message: 'is required for a new schedule' }])
      const lines = numberScheduleLines(before?.lines ?? [], body.lines ?? before?.lines ?? [])
      const billed = await billedByLine(call, sale.id)
      const errors = body.lines === undefined ? [] : findScheduleErrors(lines, sale, billed)
      if (errors.length > 0) throw validationFailed(errors)
      const retainagePercent = body.retainagePercent ?? before?.retainagePercent ?? 0
      const values = { lines, retainagePercent, scheduledTotal: sumScheduledValues(lines) }
      return before === undefined
        ? schedules.insert(call, { ...values, saleId: sale.id, currency: sale.currency })
        : schedules.update(call, before, values)
    })
    return { status: 200, body: schedule }
  },

  async listApplications({ path, query }, call) {
    await sales.find(call, path.saleId)
    return { status: 200, body: await applications.list(call, query, { saleId: path.saleId }) }
  },

  async createApplication({ path, body }, call) {
    const application = await call.write(async (call) => {
      const sale = await lockBillableSale(call, path.saleId)
      const standing = await applications.findActiveApplications(call, sale.id)
      assertNextIsDue(standing, body.periodTo)
      const { schedule, basis } = await readBasis(call, sale, standing)
      const retainagePercent = body.retainagePercent ?? schedule.retainagePercent
      const created = await applications.insert(call, {
        ...{
          saleId: sale.id,
          homeId: sale.homeId,
          number: (await applications.findLastApplicationNumber(call, sale.id)) + 1,
        },
        ...{ periodTo: body.periodTo, status: 'draft' as const, currency: sale.currency },
        ...calculateChecked(basis, body.lines, retainagePercent),
        ...{ receipts: [], receivedAmount: 0, openAmount: 0 },
        ...{ notes: body.notes, externalId: body.externalId },
      })
      await recordStatusChange(call, { id: created.id, from: null, to: created.status })
      return created
    })
    return { status: 201, body: application }
  },

  async getApplication({ path }, call) {
    return { status: 200, body: await applications.find(call, path.applicationId) }
  },

  async updateApplication({ path, body, ifMatch }, call) {
    const application = await call.write(async (call) => {
      const { sale, before, standing } = await lockApplication(call, path.applicationId)
      assertIfMatch(ifMatch, before)
      const { periodTo, lines, retainagePercent, ...rest } = body
      const isRecalculated = periodTo !== undefined || lines !== undefined || retainagePercent !== undefined
      if (!isRecalculated) return applications.update(call, before, rest)
      if (before.status !== 'draft')
        throw conflict(
          'wrong_status',
          `Cannot change the figures of application ${before.number}: it is ${describeStatus(before.status)}.`,
        )
      const earlier = standing.filter(({ id }) => id !== before.id)
      assertNextIsDue(earlier, periodTo ?? before.periodTo)
      const { basis } = await readBasis(call, sale, earlier)
      const progress = lines ?? getApplicationProgress(before, basis.schedule)
      const sums = calculateChecked(basis, progress, retainagePercent ?? before.retainagePercent)
      return applications.update(call, before, { ...rest, ...sums, periodTo })
    })
    return { status: 200, body: application }
  },

  async changeApplicationStatus({ path, body }, call) {
    const application = await call.write(async (call) => {
      const { sale, before, standing } = await lockApplication(call, path.applicationId)
      assertTransition(APPLICATION_MOVES, before.status, body.status)
      const { reason = null } = body
      if (body.status === 'void') assertNewest(before, standing)
      if (reason === null && (body.status === 'rejected' || body.status === 'void'))
        throw validationFailed([
          { pointer: '/reason', code: 'required', message: `is required when status is ${body.status}` },
        ])
      if (body.status !== 'certified') assertOnlyOfCertificate(body)
      const after = await applications.update(call, before, {
        ...{ status: body.status, reason },
        ...(body.status === 'submitted' && (await recalculate(call, sale, before, standing))),
        ...(body.status === 'certified' && (await certify(call, sale, before, standing, body))),
        ...(body.status === 'void' && { openAmount: 0 }),
      })
      await recordStatusChange(call, { id: after.id, from: before.status, to: after.status, reason })
      if (isCertified(after) !== isCertified(before)) {
        // A void is posted on the day of the void, so that the figures of closed months do not change.
        const on = isCertified(after) ? after.periodTo : await findTodayInCommunity(call, sale)
        await postOwnerAmounts(call, sale.id, on)
      }
      return after
    })
    return { status: 200, body: application }
  },

  async recordApplicationReceipt({ path, body }, call) {
    const application = await call.write(async (call) => {
      const { sale, before } = await lockApplication(call, path.applicationId)
      const { certifiedAmount, receivedAmount, receipts, currency } = before
      if (!isCertified(before) || certifiedAmount === null)
        throw conflict(
          'wrong_status',
          `Cannot record a receipt for application ${before.number}: it is ${describeStatus(before.status)}.`,
        )
      const today = await findTodayInCommunity(call, sale)
      const { amount, date = today, reference = null } = body
      if (date > today)
        throw validationFailed([{ pointer: '/date', code: 'maximum', message: `must not be after today (${today})` }])
      if (amount === 0) throw validationFailed([{ pointer: '/amount', code: 'minimum', message: 'must not be 0' }])
      if (receipts.length >= MAX_RECEIPTS)
        throw conflict(
          'limit_reached',
          `Cannot record a receipt: application ${before.number} already has ${MAX_RECEIPTS} receipts, the maximum.`,
        )
      const total = sum([receivedAmount, amount])
      if (total > certifiedAmount) {
        const left = formatAmount(subtract(certifiedAmount, receivedAmount), currency)
        throw conflict(
          'not_enough_left',
          `Cannot record a receipt of ${formatAmount(amount, currency)}: only ${left} is open.`,
        )
      }
      if (total < 0) {
        const received = formatAmount(receivedAmount, currency)
        throw conflict(
          'not_enough_left',
          `Cannot reverse ${formatAmount(-amount, currency)}: only ${received} was received.`,
        )
      }
      const changes = applyReceipts(certifiedAmount, [...receipts, { amount, date, reference }])
      const after = await applications.update(call, before, changes)
      if (after.status !== before.status)
        await recordStatusChange(call, { id: after.id, from: before.status, to: after.status })
      await postOwnerAmounts(call, sale.id, date)
      return after
    })
    return { status: 200, body: application }
  },
} satisfies Partial<Handlers>

/** Locks the sale, so that its applications are never created or certified concurrently. */
async function lockBillableSale(call: WriteCall, id: string): Promise<Sale> {
  const sale = await sales.lock(call, id)
  assertBillable(sale)
  return sale
}

function assertBillable({ number, status }: Sale): void {
  if (status === 'pending' || status === 'cancelled')
    throw conflict('wrong_status', `Cannot bill ${number}: the sale is ${describeStatus(status)}.`)
}

async function lockApplication(call: WriteCall, id: string) {
  const { saleId } = await applications.find(call, id)
  const sale = await sales.lock(call, saleId)
  const before = await applications.lock(call, id)
  return { sale, before, standing: await applications.findActiveApplications(call, saleId) }
}

/** Returns the completed and stored amount of each line in applications that are not void. */
async function billedByLine(call: WriteCall, saleId: string): Promise<Map<string, number>> {
  const last = (await applications.findActiveApplications(call, saleId)).at(-1)
  return new Map(last?.lines.map(({ lineId, completedAndStored }) => [lineId, completedAndStored]))
}

/** Throws unless all earlier applications are certified and their periods end before this one. */
function assertNextIsDue(earlier: readonly Application[], periodTo: string): void {
  const last = earlier.at(-1)
  if (last === undefined) return
  if (!isCertified(last))
    throw conflict(
      'open_work',
      `Cannot create another application: application ${last.number} is ${describeStatus(last.status)}. Certify or void it first.`,
    )
  if (periodTo <= last.periodTo)
    throw validationFailed([
      {
        pointer: '/periodTo',
        code: 'minimum',
        message: `must be after ${last.periodTo}, the end of the previous period`,
      },
    ])
  if (earlier.length >= MAX_APPLICATIONS)
    throw conflict(
      'limit_reached',
      `Cannot create another application: the sale already has ${MAX_APPLICATIONS} applications, the maximum.`,
    )
}

/** Throws if later applications depend on this application. */
function assertNewest({ id, number }: Application, standing: readonly Application[]): void {
  const last = standing.at(-1)
  if (last !== undefined && last.id !== id)
    throw conflict(
      'in_use',
      `Cannot void application ${number}: application ${last.number} follows it. Void the later application first.`,
    )
}

async function readBasis(
  call: WriteCall,
  sale: Sale,
  earlier: readonly Application[],
): Promise<{ schedule: ScheduleOfValues; basis: ApplicationBasis }> {
  const schedule = await findScheduleOfSale(call, sale.id)
  if (schedule === undefined)
    throw conflict('not_available', `${sale.number} has no schedule of values. Set it with updateScheduleOfValues.`)
  if (schedule.scheduledTotal !== sale.totalPrice) {
    const [scheduled, price] = [schedule.scheduledTotal, sale.totalPrice].map((each) =>
      formatAmount(each, sale.currency),
    )
    throw conflict(
      'changed_meanwhile',
      `The schedule of values totals ${scheduled}, but the price of ${sale.number} is ${price}. Update the schedule first.`,
    )
  }
  const last = earlier.at(-1)
  const completed = last?.lines.map((line): [string, number] => [
    line.lineId,
    sum([line.previousAmount, line.periodAmount]),
  ])
  return {
    schedule,
    basis: {
      schedule: schedule.lines,
      previous: new Map(completed),
      previousCertificates: sum(earlier.map(({ certifiedAmount }) => certifiedAmount ?? 0)),
      originalContractSum: sale.originalPrice ?? sale.totalPrice,
      contractSum: sale.totalPrice,
      currency: sale.currency,
    },
  }
}

function calculateChecked(basis: ApplicationBasis, lines: readonly ApplicationLineInput[], retainagePercent: number) {
  const errors = findApplicationLineErrors(basis, lines)
  if (errors.length > 0) throw validationFailed(errors)
  return calculateApplication(basis, lines, retainagePercent)
}

/** Calculates a submitted application again, so that it matches the current schedule of values and price. */
async function recalculate(call: WriteCall, sale: Sale, before: Application, standing: readonly Application[]) {
  assertBillable(sale)
  const { basis } = await readBasis(
    call,
    sale,
    standing.filter(({ id }) => id !== before.id),
  )
  return calculateChecked(basis, getApplicationProgress(before, basis.schedule), before.retainagePercent)
}

interface Certificate {
  certifiedAmount?: number | undefined
  date?: string | undefined
  reason?: string | null | undefined
}

async function certify(
  call: WriteCall,
  sale: Sale,
  { id, currentPaymentDue, retainage }: Application,
  standing: readonly Application[],
  { certifiedAmount = Math.max(currentPaymentDue, 0), date, reason = null }: Certificate,
) {
  const today = await findTodayInCommunity(call, sale)
  if (date !== undefined && date > today)
    throw validationFailed([{ pointer: '/date', code: 'maximum', message: `must not be after today (${today})` }])
  if (certifiedAmount > Math.max(currentPaymentDue, 0))
    throw validationFailed([
      {
        pointer: '/certifiedAmount',
        code: 'maximum',
        message: `must not exceed the payment due (${formatAmount(Math.max(currentPaymentDue, 0), sale.currency)})`,
      },
    ])
  if (certifiedAmount < currentPaymentDue && reason === null)
    throw validationFailed([
      {
        pointer: '/reason',
        code: 'required',
        message: 'is required when certifiedAmount is less than the payment due',
      },
    ])
  const earlier = standing.filter((each) => each.id !== id)
  const retainedBefore = earlier.at(-1)?.retainage ?? 0
  const billedAmount = sum([certifiedAmount, retainage, -retainedBefore])
  return { certifiedAmount, certifiedDate: date ?? today, billedAmount, openAmount: certifiedAmount }
}

function assertOnlyOfCertificate({ certifiedAmount, date }: Certificate): void {
  const errors = Object.entries({ certifiedAmount, date }).filter(([, value]) => value !== undefined)
  if (errors.length > 0)
    throw validationFailed(
      errors.map(([field]) => ({
        pointer: `/${field}`,
        code: 'conflict',
        message: 'can only be set when status is certified',
      })),
    )
}
