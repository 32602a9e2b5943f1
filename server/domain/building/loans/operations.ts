import type {
  Loan,
  LoanDraw,
  LoanDrawStatus,
  LoanDrawStatusChange,
  Milestone,
} from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { assertIfMatch } from '../../../platform/calls/etag.ts'
import type { Handlers } from '../../../platform/calls/operation.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'
import { assertTransition, conflict, unknownReference, validationFailed } from '../../../platform/problems/problem.ts'
import { toLocalDate } from '../../../platform/values/calendar.ts'
import { formatAmount } from '../../../platform/values/format.ts'
import { subtract } from '../../../platform/values/money.ts'
import * as communities from '../../land/communities/queries.ts'
import * as homes from '../../land/homes/queries.ts'
import * as milestones from '../milestones/queries.ts'
import { postFundedDraws } from './post-funded-draws.ts'
import * as loans from './queries.ts'

const DRAW_MOVES: Readonly<Record<LoanDrawStatus, readonly LoanDrawStatus[]>> = {
  requested: ['approved', 'funded', 'rejected'],
  approved: ['funded', 'rejected'],
  funded: ['repaid'],
  rejected: [],
  repaid: [],
}

export const loanOperations = {
  async listLoans({ query }, call) {
    return { status: 200, body: await loans.list(call, query) }
  },

  async createLoan({ body }, call) {
    const loan = await call.write(async (call) => {
      await homes.assertExist(call, [body.homeId], '/homeId')
      const home = await homes.find(call, body.homeId)
      if (home.archivedAt !== null) throw conflict('archived', `Cannot add a loan to ${home.name}: it is archived.`)
      return loans.insert(call, { ...body, communityId: home.communityId, currency: call.currency })
    })
    return { status: 201, body: loan }
  },

  async getLoan({ path }, call) {
    return { status: 200, body: await loans.find(call, path.loanId) }
  },

  async updateLoan({ path, body, ifMatch }, call) {
    const loan = await call.write(async (call) => {
      const before = await loans.lock(call, path.loanId)
      const used = subtract(before.limitAmount, before.availableAmount)
      if (body.limitAmount !== undefined && body.limitAmount < used)
        throw validationFailed([
          {
            pointer: '/limitAmount',
            code: 'minimum',
            message: `must be at least ${formatAmount(used, before.currency)}, the total of the loan's draws`,
          },
        ])
      return loans.update(call, before, body, ifMatch)
    })
    return { status: 200, body: loan }
  },

  async archiveLoan({ path, ifMatch }, call) {
    await call.write(async (call) => {
      const before = await loans.lock(call, path.loanId)
      assertIfMatch(ifMatch, before)
      if (before.archivedAt !== null) return
      if (before.requestedAmount > 0 || before.fundedAmount > 0)
        throw conflict('in_use', `Cannot archive the loan from ${before.lender}: it has draws that are not repaid.`)
      await loans.archive(call, before)
    })
    return { status: 204 }
  },

  async listLoanDraws({ path, query }, call) {
    await loans.find(call, path.loanId)
    return { status: 200, body: await loans.draws.list(call, query, { loanId: path.loanId }) }
  },

  async requestLoanDraw({ path, body }, call) {
    const draw = await call.write(async (call) => {
      const loan = await loans.lock(call, path.loanId)
      if (loan.archivedAt !== null)
        throw conflict('archived', `Cannot add a draw to the loan from ${loan.lender}: it is archived.`)
      const { milestoneId = null, notes, externalId } = body
      const milestone = milestoneId === null ? null : await findMilestone(call, loan, milestoneId)
      const requestedDate = await pastDate(call, loan, body.date)
      const requestedAmount = body.amount ?? getAmount(milestone)
      if (milestone !== null) await assertDrawable(call, milestone)
      if (requestedAmount > loan.availableAmount) {
        const [wanted, left] = [requestedAmount, loan.availableAmount].map((each) => formatAmount(each, loan.currency))
        throw conflict(
          'not_enough_left',
          `Cannot draw ${wanted}: the loan from ${loan.lender} has only ${left} available.`,
        )
      }
      const number = (await loans.findLastDrawNumber(call, loan.id)) + 1
      const created = await loans.draws.insert(call, {
        ...{ loanId: loan.id, homeId: loan.homeId, milestoneId, number, status: 'requested' as const },
        ...{ requestedAmount, requestedDate, currency: loan.currency, notes, externalId },
      })
      await recordStatusChange(call, { id: created.id, from: null, to: created.status })
      return created
    })
    return { status: 201, body: draw }
  },

  async getLoanDraw({ path }, call) {
    return { status: 200, body: await loans.draws.find(call, path.drawId) }
  },

  async changeLoanDrawStatus({ path, body }, call) {
    const draw = await call.write(async (call) => {
      const { loanId, homeId } = await loans.draws.find(call, path.drawId)
      // Lock the home, so that two concurrent draws do not post the same difference.
      await homes.lock(call, homeId)
      const loan = await loans.lock(call, loanId)
      const before = await loans.draws.lock(call, path.drawId)
      assertTransition(DRAW_MOVES, before.status, body.status)
      const after = await loans.draws.update(call, before, await findChanges(call, loan, before, body))
      const { reason = null } = body
      await recordStatusChange(call, { id: after.id, from: before.status, to: after.status, reason })
      await postDraw(call, after)
      return after
    })
    return { status: 200, body: draw }
  },
} satisfies Partial<Handlers>

/**
 * Posts the difference between the funded draws of a locked home and their postings, after a draw was funded or repaid.
 * The difference also includes draws that the previous version of Plumbline funded during an upgrade without posting
 * them.
 */
async function postDraw(call: WriteCall, draw: LoanDraw): Promise<void> {
  const { status, homeId, number, fundedDate, repaidDate } = draw
  const on = status === 'funded' ? fundedDate : status === 'repaid' ? repaidDate : null
  if (on === null) return
  await postFundedDraws(call, homeId, on, `Draw ${number} was ${status}.`)
}

async function findMilestone(call: WriteCall, { homeId }: Loan, id: string): Promise<Milestone> {
  const milestone = await milestones.findOptional(call, id)
  if (milestone === undefined || milestone.homeId !== homeId) throw unknownReference(['/milestoneId'])
  return milestone
}

/** Returns the amount that the builder can currently draw for a milestone. */
function getAmount(milestone: Milestone | null): number {
  const due = milestone?.drawDue ?? 0
  if (due > 0) return due
  const message =
    milestone === null ? 'is required unless milestoneId is set' : 'is required: the milestone has no draw'
  throw validationFailed([{ pointer: '/amount', code: 'required', message }])
}

async function assertDrawable(call: WriteCall, { id, name, status }: Milestone): Promise<void> {
  if (status !== 'completed') throw conflict('open_work', `Cannot draw for ${name}: the milestone is not completed.`)
  const number = await loans.findMilestoneDrawNumber(call, id)
  if (number !== undefined)
    throw conflict('already_done', `Cannot draw for ${name}: the milestone already has draw ${number}.`)
}

async function findChanges(
  call: WriteCall,
  loan: Loan,
  { requestedAmount }: LoanDraw,
  { status, amount, date, reason = null }: LoanDrawStatusChange,
): Promise<Partial<Pick<LoanDraw, 'status' | 'fundedAmount' | 'fundedDate' | 'repaidDate' | 'reason'>>> {
  if (status === 'rejected' && reason === null)
    throw validationFailed([{ pointer: '/reason', code: 'required', message: 'is required when status is rejected' }])
  if (status !== 'funded' && amount !== undefined)
    throw validationFailed([{ pointer: '/amount', code: 'conflict', message: 'can only be set when status is funded' }])
  if (status !== 'funded' && status !== 'repaid' && date !== undefined)
    throw validationFailed([
      { pointer: '/date', code: 'conflict', message: 'can only be set when status is funded or repaid' },
    ])
  if (status === 'rejected') return { status, reason }
  if (status === 'approved') return { status }
  const day = await pastDate(call, loan, date)
  if (status === 'repaid') return { status, repaidDate: day }
  const fundedAmount = amount ?? requestedAmount
  if (fundedAmount > requestedAmount)
    throw validationFailed([
      {
        pointer: '/amount',
        code: 'maximum',
        message: `must not exceed the requested amount (${formatAmount(requestedAmount, loan.currency)})`,
      },
    ])
  return { status, fundedAmount, fundedDate: day }
}

/**
 * Returns the given date, or today's date in the community's time zone if the date is undefined. Throws
 * `validation_failed` if the date is in the future.
 */
async function pastDate(call: WriteCall, { communityId }: Loan, date: string | undefined): Promise<string> {
  const { timeZone } = await communities.find(call, communityId)
  const today = toLocalDate(timeZone, call.now)
  if (date !== undefined && date > today)
    throw validationFailed([{ pointer: '/date', code: 'maximum', message: `must not be after today (${today})` }])
  return date ?? today
}
