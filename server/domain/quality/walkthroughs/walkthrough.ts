import type { PunchItem, Walkthrough, WalkthroughKind } from '../../../../client/contract.gen.ts'
import { formatDate } from '../../../platform/values/format.ts'

export const KIND_NAMES: Readonly<Record<WalkthroughKind, string>> = {
  quality: 'Quality walkthrough',
  orientation: 'Orientation walkthrough',
  final: 'Final walkthrough',
  eleven_month: 'Eleven-month walkthrough',
}

/** Returns whether closing a walkthrough requires the buyer's signature. */
export function isSignatureRequired({ kind }: Pick<Walkthrough, 'kind'>): boolean {
  return kind === 'orientation' || kind === 'final'
}

/** Returns the list of a walkthrough as the text that the buyer reads and signs. */
export function formatWalkthroughList(
  { kind, date }: Pick<Walkthrough, 'kind' | 'date'>,
  homeName: string,
  items: readonly PunchItem[],
): string {
  const lines = items.filter(({ status }) => status !== 'cancelled').map(writeItem)
  return [
    `${KIND_NAMES[kind]} of ${homeName} on ${formatDate(date)}`,
    lines.length === 0 ? 'No items were found.' : lines.join('\n'),
  ].join('\n\n')
}

function writeItem({ number, location, description, status }: PunchItem): string {
  const place = location === null ? '' : ` ${location}:`
  const done = status === 'verified' ? ' (done)' : ''
  return `${number}${place} ${description}${done}`
}
