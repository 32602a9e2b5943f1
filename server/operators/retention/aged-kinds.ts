import type { Config } from '../../platform/config/config.ts'
import { KINDS, type Kind } from '../builder-data/kinds.ts'

/** A kind of which rows are deleted when they have become old, each kind in the order in which its rows were made. */
export interface AgedKind extends Kind {
  /** The column that says when a row was made. */
  at: string
  /** For how many days rows are kept; null is for ever. */
  keptDays(config: Pick<Config, 'eventRetentionDays' | 'historyRetentionDays'>): number | null
}

/**
 * Messages are not among them: people read their threads and answer them however old they are, so they are kept as the
 * records are. No other row refers to one of these.
 */
export const AGED: readonly AgedKind[] = [
  // One that has no sequence has not been dispatched to anybody yet, and stays. The organization keeps the number of the
  // last that was deleted, so none is used twice.
  aged('event', 'occurredAt', ({ eventRetentionDays }) => eventRetentionDays),
  aged('status_change', 'at', ({ historyRetentionDays }) => historyRetentionDays),
  aged('vendor_notification', 'createdAt', ({ historyRetentionDays }) => historyRetentionDays),
]

function aged(name: string, at: string, keptDays: AgedKind['keptDays']): AgedKind {
  const kind = KINDS.find((one) => one.kind === name)
  if (kind === undefined) throw new Error(`Expected a kind of record named ${name}.`)
  return { ...kind, at, keptDays }
}
