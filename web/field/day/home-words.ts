import type { WalkthroughKind } from '../../../client/contract.gen.ts'

/** Converts a status to text. For example, `under_construction` becomes "under construction". */
export function describeStatus(status: string): string {
  // The contract uses the British spelling of this value.
  return status === 'cancelled' ? 'canceled' : status.replaceAll('_', ' ')
}

const WALKTHROUGHS: Readonly<Record<WalkthroughKind, string>> = {
  quality: 'Quality walkthrough',
  orientation: 'Orientation walkthrough',
  final: 'Final walkthrough',
  eleven_month: 'Eleven-month walkthrough',
}

export function describeWalkthrough(kind: WalkthroughKind): string {
  return WALKTHROUGHS[kind]
}
