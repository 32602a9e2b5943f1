import type { Config } from '../../platform/config/config.ts'
import { EXPORT_KINDS, type ExportKind } from '../builder-data/export-kinds.ts'

/** A kind of rows that are deleted when they are old, oldest first. */
export interface AgedKind extends ExportKind {
  /** The name of the column with the creation time. */
  at: string
  /** Returns for how many days rows are kept; null means forever. */
  keptDays(config: Pick<Config, 'eventRetentionDays' | 'historyRetentionDays'>): number | null
}

/**
 * The kinds of rows that are deleted when they are old. No other rows refer to them. Messages are kept like records,
 * because users read old threads and reply to them.
 */
export const AGED_KINDS: readonly AgedKind[] = [
  // Keeps events without a sequence number, because they have not been dispatched yet. The organization stores the
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
