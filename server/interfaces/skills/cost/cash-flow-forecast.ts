import type { CashFlowForecastResult } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { addDays, daysBetween } from '../../../platform/values/calendar.ts'
import { minus, sum } from '../../../platform/values/money.ts'
import { reported, sentences, todayOf } from '../frame/report.ts'
import { type Flow, inflows, outflows } from './cash-flow-queries.ts'

const OUT = ['payments', 'payable', 'work', 'retainage'] as const
const IN = ['deposits', 'draws', 'closings'] as const

/**
 * Forecasts cash flow by the direct method: every payment that is known or follows from the schedule, in its week. Work
 * is paid when its task has ended and the vendor's net days have passed; overdue amounts fall into the first week. A
 * closing brings in the price less deposits and draws, which were received or lent before.
 */
export async function cashFlowForecast(
  { weeks: count, communityId, openingBalance, ...input }: Checked['CashFlowForecastInput'],
  call: Call,
): Promise<CashFlowForecastResult> {
  const from = input.from ?? todayOf(call)
  const flows = (await Promise.all([outflows(call, communityId), inflows(call, communityId)])).flat()
  const weekOf = ({ day }: Flow) => (day === null ? null : Math.max(Math.floor(daysBetween(from, day) / 7), 0))
  let balance = openingBalance
  const weeks = Array.from({ length: count }, (_, week) => {
    const ofWeek = flows.filter((flow) => weekOf(flow) === week)
    const of = (kind: Flow['kind']) => sum(ofWeek.filter((flow) => flow.kind === kind).map(({ amount }) => amount))
    const out = sum(OUT.map(of))
    const into = sum(IN.map(of))
    balance = minus(sum([balance, into]), out)
    return {
      from: addDays(from, week * 7),
      ...{ payments: of('payments'), payable: of('payable'), work: of('work'), retainage: of('retainage'), out },
      ...{ deposits: of('deposits'), draws: of('draws'), closings: of('closings'), in: into, balance },
    }
  })
  const undated = flows.filter(({ day }) => day === null)
  return {
    weeks,
    later: net(flows.filter((flow) => (weekOf(flow) ?? -1) >= count)),
    undated: net(undated),
    ...reported(call, {
      unknown: sentences(
        undated.length > 0 &&
          '`undated` contains orders without a task and homes without an expected completion or closing date.',
        'The forecast excludes payroll, overhead, land, loans and costs that have not been ordered.',
      ),
    }),
    currency: call.currency,
  }
}

function net(flows: readonly Flow[]): number {
  return sum(flows.map(({ kind, amount }) => ((IN as readonly string[]).includes(kind) ? amount : -amount)))
}
