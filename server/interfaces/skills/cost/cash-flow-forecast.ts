import type { CashFlowForecastResult } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { addDays, countDaysBetween } from '../../../platform/values/calendar.ts'
import { subtract, sum } from '../../../platform/values/money.ts'
import { createReportFooter, getToday, selectSentences } from '../frame/report.ts'
import { type CashFlow, findInflows, findOutflows } from './cash-flow-queries.ts'

const OUTFLOW_KINDS = ['payments', 'payable', 'work', 'retainage'] as const
const INFLOW_KINDS = ['deposits', 'applications', 'draws', 'closings'] as const

/**
 * Forecasts cash flow with the direct method: assigns each payment that is known or can be derived from the schedule to
 * its week. Work is paid when its task has ended and the vendor's payment term has passed. Overdue amounts are in the
 * first week. A closing yields the price minus the amounts received before.
 */
export async function forecastCashFlow(
  { weeks: count, communityId, openingBalance, ...input }: Checked['CashFlowForecastInput'],
  call: Call,
): Promise<CashFlowForecastResult> {
  const from = input.from ?? getToday(call)
  const flows = (await Promise.all([findOutflows(call, communityId), findInflows(call, communityId)])).flat()
  const weekOf = ({ day }: CashFlow) => (day === null ? null : Math.max(Math.floor(countDaysBetween(from, day) / 7), 0))
  let balance = openingBalance
  const weeks = Array.from({ length: count }, (_, week) => {
    const ofWeek = flows.filter((flow) => weekOf(flow) === week)
    const of = (kind: CashFlow['kind']) => sum(ofWeek.filter((flow) => flow.kind === kind).map(({ amount }) => amount))
    const out = sum(OUTFLOW_KINDS.map(of))
    const into = sum(INFLOW_KINDS.map(of))
    balance = subtract(sum([balance, into]), out)
    return {
      from: addDays(from, week * 7),
      ...{ payments: of('payments'), payable: of('payable'), work: of('work'), retainage: of('retainage'), out },
      ...{ deposits: of('deposits'), applications: of('applications'), draws: of('draws'), closings: of('closings') },
      ...{ in: into, balance },
    }
  })
  const undated = flows.filter(({ day }) => day === null)
  return {
    weeks,
    later: netAmount(flows.filter((flow) => (weekOf(flow) ?? -1) >= count)),
    undated: netAmount(undated),
    ...createReportFooter(call, {
      unknown: selectSentences(
        undated.length > 0 &&
          '`undated` contains orders without a task and homes without an expected completion or closing date.',
        'The forecast excludes payroll, overhead, land, loans, and costs that have not been ordered.',
      ),
    }),
    currency: call.currency,
  }
}

function netAmount(flows: readonly CashFlow[]): number {
  return sum(flows.map(({ kind, amount }) => ((INFLOW_KINDS as readonly string[]).includes(kind) ? amount : -amount)))
}
