/** Converts a status to text. For example, `under_construction` becomes "under construction". */
export function describeStatus(status: string): string {
  // The contract uses the British spelling of this value.
  return status === 'cancelled' ? 'canceled' : status.replaceAll('_', ' ')
}
