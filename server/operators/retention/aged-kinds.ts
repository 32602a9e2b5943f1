import type { Config } from '../../platform/config/config.ts'
import { KINDS, type Kind } from '../builder-data/kinds.ts'

/** A kind whose old rows are deleted, in the order in which they were created. */
export interface AgedKind extends Kind {
  /** The column with the time of creation. */
  at: string
  /** Returns the retention in days; null means forever. */
  keptDays(config: Pick<Config, 'eventRetentionDays' | 'historyRetentionDays'>): number | null
}

/**
 * The kinds whose old rows are deleted. Messages are not among them: people read and answer old threads, so they are
 * kept like records. No other row refers to one of these.
 */
export const AGED: readonly AgedKind[] = [
  // An event without a sequence has not been dispatched yet, and stays. The organization stores the sequence of the
  // last deleted event, so that none is used twice.
  aged('event', 'occurredAt', ({ eventRetentionDays }) => eventRetentionDays),
  aged('status_change', 'at', ({ historyRetentionDays }) => historyRetentionDays),
  aged('vendor_notification', 'createdAt', ({ historyRetentionDays }) => historyRetentionDays),
]

function aged(name: string, at: string, keptDays: AgedKind['keptDays']): AgedKind {
  const kind = KINDS.find((one) => one.kind === name)
  if (kind === undefined) throw new Error(`Expected a kind of record named ${name}.`)
  return { ...kind, at, keptDays }
}
