import type { Home, Sale, SaleStage, SaleStageMove } from '../../../../client/contract.gen.ts'
import { conflict, invalid } from '../../../platform/problems/problem.ts'
import { instantOf } from '../../../platform/values/calendar.ts'

type Pipeline = Pick<Sale, 'pipeline' | 'stage'>

export function newPipeline(stages: readonly string[]): Pipeline {
  return withNext(stages.map((stage) => ({ stage, status: 'open', completedAt: null, reason: null })))
}

function withNext(pipeline: SaleStage[]): Pipeline {
  return { pipeline, stage: pipeline.find(({ status }) => status === 'open')?.stage ?? null }
}

/** What the records say about a sale, beside its own. */
export interface Facts {
  readonly home: Home | null
  readonly pendingSelections: number
}

const BEFORE_PERMIT: ReadonlySet<string> = new Set(['planning', 'permitting'])
const BUILT: ReadonlySet<string> = new Set(['completed', 'closed', 'warranty', 'archived'])

/** What speaks against a stage being done, by its name; a stage of another name is nobody's to judge but the builder's. */
const OBJECTIONS: Readonly<Record<string, (sale: Sale, facts: Facts) => string | null>> = {
  deposit_received: ({ depositsReceived }) => (depositsReceived > 0 ? null : 'No deposit was received.'),
  financing_approved: ({ financing }) =>
    financing?.status === 'approved' || financing?.type === 'cash' ? null : 'The financing is not approved.',
  contingencies_cleared: ({ openContingencies }) =>
    openContingencies === 0 ? null : 'A contingency is open or has failed.',
  selections_final: (_, { home, pendingSelections }) => {
    if (home === null) return 'There is no home yet for which something could be selected.'
    return pendingSelections === 0 ? null : `A selection of ${home.name} is still pending.`
  },
  permit_ready: (_, { home }) => {
    if (home === null) return 'There is no home yet.'
    const { name, status, statusBeforeHold } = home
    return BEFORE_PERMIT.has(statusBeforeHold ?? status) ? `${name} is ${status.replaceAll('_', ' ')}.` : null
  },
  walkthrough_done: (_, { home }) => {
    if (home === null) return 'There is no home yet.'
    return BUILT.has(home.status) ? null : `${home.name} is not completed.`
  },
}

/** The stages of a sale after the move. */
export function advanced(sale: Sale, move: SaleStageMove & { status: SaleStage['status'] }, facts: Facts, now: Date) {
  const { stage: name, status, completedAt = null, reason = null } = move
  const before = sale.pipeline.find(({ stage }) => stage === name)
  if (before === undefined) {
    const names = sale.pipeline.map(({ stage }) => stage).join(', ')
    throw invalid([{ pointer: '/stage', code: 'unknown', message: `is not a stage of this sale, which has ${names}` }])
  }
  if (status === 'waived' && reason === null)
    throw invalid([{ pointer: '/reason', code: 'required', message: 'is required to waive a stage' }])
  const at = completedAt === null ? now : instantOf(completedAt)
  if (at > now) throw invalid([{ pointer: '/completedAt', code: 'maximum', message: 'must not lie in the future' }])
  const objection = status === 'done' ? (OBJECTIONS[name]?.(sale, facts) ?? null) : null
  if (objection !== null) throw conflict('open_work', `${objection} Waive ${name} if it is not needed.`)
  const after = { stage: name, status, completedAt: status === 'open' ? null : at.toISOString(), reason }
  const next = withNext(sale.pipeline.map((stage) => (stage === before ? after : stage)))
  if (next.stage === null && sale.status === 'pending')
    throw conflict('wrong_status', `${name} is the last open stage; ${sale.number} has to be approved first.`)
  return next
}
