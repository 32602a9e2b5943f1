/** Returns a status as text. For example, `under_construction` becomes "under construction". */
export function describeStatus(status: string): string {
  // The contract spells this value in the British way.
  return status === 'cancelled' ? 'canceled' : status.replaceAll('_', ' ')
}
