import type { Walkthrough, WalkthroughKind } from '../../../../client/contract.gen.ts'
import { formatDate } from '../../../platform/values/format.ts'
import { formatListLine } from '../punch-items/punch-item.ts'

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

/** Fields of an item that its walkthrough lists. */
export type ListedItem = Parameters<typeof formatListLine>[0]

/** Returns the list of a walkthrough as the text that the buyer reads and signs. */
export function formatWalkthroughList(
  { kind, date }: Pick<Walkthrough, 'kind' | 'date'>,
  homeName: string,
  items: readonly ListedItem[],
): string {
  const lines = items.map(formatListLine).filter((line) => line !== null)
  return [
    `${KIND_NAMES[kind]} of ${homeName} on ${formatDate(date)}`,
    lines.length === 0 ? 'No items were found.' : lines.join('\n'),
  ].join('\n\n')
}
