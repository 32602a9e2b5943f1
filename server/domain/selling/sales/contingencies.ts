import type {
  Sale,
  SaleContingency,
  SaleContingencyInput,
  SaleContingencyRecord,
  SaleContingencyStatus,
} from '../../../../client/contract.gen.ts'
import { assertTransition, conflict, validationFailed } from '../../../platform/problems/problem.ts'

/** The maximum number of contingencies of a sale. */
export const MAX_CONTINGENCIES = 20

const CONTINGENCY_MOVES: Readonly<Record<SaleContingencyStatus, readonly SaleContingencyStatus[]>> = {
  // While a contingency is open, its date can change.
  open: ['open', 'cleared', 'waived', 'failed'],
  // After a contingency fails, the parties can still agree, for example on a lower price.
  failed: ['cleared', 'waived'],
  cleared: [],
  waived: [],
}

/** Returns the contingencies and the number of those that still block the sale. */
export function toContingencyFields(
  contingencies: SaleContingency[],
): Pick<Sale, 'contingencies' | 'openContingencies'> {
  const open = contingencies.filter(({ status }) => status === 'open' || status === 'failed')
  return { contingencies, openContingencies: open.length }
}

export function toContingencies(provided: readonly SaleContingencyInput[]): SaleContingency[] {
  return provided.map(({ type, dueDate = null, notes = null }, i) => ({
    ...{ contingencyId: `C${i + 1}`, type, dueDate, status: 'open', decidedDate: null, notes },
  }))
}

/**
 * Returns the contingencies after adding a contingency or changing one. `today` is the current date in the community's
 * time zone.
 */
export function applyContingencyRecord(
  contingencies: readonly SaleContingency[],
  record: SaleContingencyRecord,
  today: string,
): SaleContingency[] {
  const { contingencyId = null, status, type, dueDate, date = null, notes } = record
  if (date !== null && date > today)
    throw validationFailed([{ pointer: '/date', code: 'maximum', message: 'must not be in the future' }])
  const decidedDate = status === 'open' ? null : (date ?? today)
  if (contingencyId === null) {
    if (type === undefined)
      throw validationFailed([
        { pointer: '/type', code: 'required', message: 'is required unless contingencyId is set' },
      ])
    if (contingencies.length >= MAX_CONTINGENCIES)
      throw conflict(
        'limit_reached',
        `Cannot add a contingency: the sale already has ${MAX_CONTINGENCIES} contingencies, the maximum.`,
      )
    const id = `C${contingencies.length + 1}`
    const added = { contingencyId: id, type, dueDate: dueDate ?? null, status, decidedDate, notes: notes ?? null }
    return [...contingencies, added]
  }
  const before = contingencies.find((contingency) => contingency.contingencyId === contingencyId)
  if (before === undefined)
    throw validationFailed([
      { pointer: '/contingencyId', code: 'unknown', message: 'is not a contingency of this sale' },
    ])
  assertTransition(CONTINGENCY_MOVES, before.status, status)
  if (type !== undefined && type !== before.type)
    throw validationFailed([
      { pointer: '/type', code: 'fixed', message: 'cannot be changed after the contingency is added' },
    ])
  if (dueDate !== undefined && before.status !== 'open')
    throw validationFailed([
      { pointer: '/dueDate', code: 'fixed', message: 'cannot be changed: the contingency has been decided' },
    ])
  const provided = { ...(dueDate !== undefined && { dueDate }), ...(notes !== undefined && { notes }) }
  const after = { ...before, ...provided, status, decidedDate }
  return contingencies.map((contingency) => (contingency === before ? after : contingency))
}
