import type { Home, Sale, SaleStage, SaleStageMove } from '../../../../client/contract.gen.ts'
import { conflict, validationFailed } from '../../../platform/problems/problem.ts'
import { parseTimestamp } from '../../../platform/values/calendar.ts'
import { describeStatus, humanizeValue } from '../../../platform/values/format.ts'

type SalePipeline = Pick<Sale, 'pipeline' | 'stage'>

export function createSalePipeline(stages: readonly string[]): SalePipeline {
  return withCurrentStage(stages.map((stage) => ({ stage, status: 'open', completedAt: null, reason: null })))
}

function withCurrentStage(pipeline: SaleStage[]): SalePipeline {
  return { pipeline, stage: pipeline.find(({ status }) => status === 'open')?.stage ?? null }
}

/** The data of other records that affect the stages of a sale. */
export interface SaleFacts {
  readonly home: Home | null
  readonly pendingSelections: number
}

const BEFORE_PERMIT: ReadonlySet<string> = new Set(['planning', 'permitting'])
const COMPLETED_STATUSES: ReadonlySet<string> = new Set(['completed', 'closed', 'warranty', 'archived'])

/**
 * For each name of a stage, a function that returns the reason why the stage cannot be completed, as a complete
 * sentence. Stages with other names have no conditions.
 */
const STAGE_OBJECTIONS: Readonly<Record<string, (sale: Sale, facts: SaleFacts) => string | null>> = {
  deposit_received: ({ depositsReceived }) => (depositsReceived > 0 ? null : 'No deposit has been received.'),
  financing_approved: ({ financing }) =>
    financing?.status === 'approved' || financing?.type === 'cash' ? null : 'The financing has not been approved.',
  contingencies_cleared: ({ openContingencies }) =>
    openContingencies === 0 ? null : 'A contingency is open or has failed.',
  selections_final: (_, { home, pendingSelections }) => {
    if (home === null) return 'The sale has no home to select options for.'
    return pendingSelections === 0 ? null : `${home.name} has a pending selection.`
  },
  permit_ready: (_, { home }) => {
    if (home === null) return 'The sale has no home.'
    const { name, status, statusBeforeHold } = home
    return BEFORE_PERMIT.has(statusBeforeHold ?? status) ? `${name} is ${describeStatus(status)}.` : null
  },
  walkthrough_done: (_, { home }) => {
    if (home === null) return 'The sale has no home.'
    return COMPLETED_STATUSES.has(home.status) ? null : `${home.name} has not been completed.`
  },
}

/** Returns the stages of a sale after the change. */
export function applyStageMove(
  sale: Sale,
  move: SaleStageMove & { status: SaleStage['status'] },
  facts: SaleFacts,
  now: Date,
) {
  const { stage: name, status, completedAt = null, reason = null } = move
  const before = sale.pipeline.find(({ stage }) => stage === name)
  if (before === undefined) {
    const names = sale.pipeline.map(({ stage }) => stage).join(', ')
    throw validationFailed([{ pointer: '/stage', code: 'unknown', message: `must be a stage of this sale: ${names}` }])
  }
  if (status === 'waived' && reason === null)
    throw validationFailed([{ pointer: '/reason', code: 'required', message: 'is required when status is waived' }])
  const at = completedAt === null ? now : parseTimestamp(completedAt)
  if (at > now)
    throw validationFailed([{ pointer: '/completedAt', code: 'maximum', message: 'must not be in the future' }])
  const objection = status === 'done' ? (STAGE_OBJECTIONS[name]?.(sale, facts) ?? null) : null
  if (objection !== null)
    throw conflict(
      'open_work',
      `Cannot complete ${humanizeValue(name)}. ${objection} If the stage is not needed, waive it.`,
    )
  const after = { stage: name, status, completedAt: status === 'open' ? null : at.toISOString(), reason }
  const next = withCurrentStage(sale.pipeline.map((stage) => (stage === before ? after : stage)))
  if (next.stage === null && sale.status === 'pending')
    throw conflict(
      'wrong_status',
      `Cannot complete the last open stage (${name}): ${sale.number} has not been approved. Approve the sale first.`,
    )
  return next
}
