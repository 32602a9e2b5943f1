import type { Config } from '../../platform/config/config.ts'
import { EXPORT_KINDS, type ExportKind } from '../builder-data/export-kinds.ts'

/** A kind of rows that are deleted when they are old, in order of creation. */
export interface AgedKind extends ExportKind {
  /** The column with the time of creation. */
  at: string
  /** Returns the retention in days; null means forever. */
  keptDays(config: Pick<Config, 'eventRetentionDays' | 'historyRetentionDays'>): number | null
}

/**
 * The kinds of rows that are deleted when they are old. Messages are excluded. Users read old threads and reply to
 * them, so messages are kept like records. No other row refers to rows of these kinds.
 */
export const AGED_KINDS: readonly AgedKind[] = [
  // An event without a sequence number has not been dispatched yet, and is kept. The organization stores the sequence
  // number of the last deleted event, so that no number is used twice.
  toAgedKind('event', 'occurredAt', ({ eventRetentionDays }) => eventRetentionDays),
  toAgedKind('status_change', 'at', ({ historyRetentionDays }) => historyRetentionDays),
  toAgedKind('vendor_notification', 'createdAt', ({ historyRetentionDays }) => historyRetentionDays),
]

function toAgedKind(name: string, at: string, keptDays: AgedKind['keptDays']): AgedKind {
  const kind = EXPORT_KINDS.find((one) => one.kind === name)
  if (kind === undefined) throw new Error(`Expected a kind of record named ${name}.`)
  return { ...kind, at, keptDays }
}
