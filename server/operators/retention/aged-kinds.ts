import type { Config } from '../../platform/config/config.ts'
import { EXPORT_KINDS, type ExportKind } from '../builder-data/export-kinds.ts'

/** A kind whose old rows are deleted, in the order in which they were created. */
export interface AgedKind extends ExportKind {
  /** The column with the time of creation. */
  at: string
  /** Returns the retention in days; null means forever. */
  keptDays(config: Pick<Config, 'eventRetentionDays' | 'historyRetentionDays'>): number | null
}

/**
 * The kinds whose old rows are deleted. Messages are not among them: people read and answer old threads, so they are
 * kept like records. No other row refers to one of these.
 */
export const AGED_KINDS: readonly AgedKind[] = [
  // An event without a sequence has not been dispatched yet, and stays. The organization stores the sequence of the
  // last deleted event, so that none is used twice.
  toAgedKind('event', 'occurredAt', ({ eventRetentionDays }) => eventRetentionDays),
  toAgedKind('status_change', 'at', ({ historyRetentionDays }) => historyRetentionDays),
  toAgedKind('vendor_notification', 'createdAt', ({ historyRetentionDays }) => historyRetentionDays),
]

function toAgedKind(name: string, at: string, keptDays: AgedKind['keptDays']): AgedKind {
  const kind = EXPORT_KINDS.find((one) => one.kind === name)
  if (kind === undefined) throw new Error(`Expected a kind of record named ${name}.`)
  return { ...kind, at, keptDays }
}
