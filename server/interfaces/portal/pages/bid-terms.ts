import type { PortalAttachment, PortalSubmittedBid } from '../../../../client/contract.gen.ts'
import { escapeHtml } from './html.ts'
import type { PageContext } from './page-context.ts'

type Terms = Pick<
  PortalSubmittedBid,
  'leadTimeDays' | 'durationDays' | 'validUntil' | 'exclusions' | 'inclusions' | 'note'
>

/** Renders the data of a bid except its prices. The bid may be a draft or submitted. Empty if there is no such data. */
export function renderBidTerms({ reader }: PageContext, bid: Terms, files: readonly PortalAttachment[]): string {
  const words = reader.words.bid
  const facts = [
    [words.canStart, bid.leadTimeDays === null ? null : words.dayCount(bid.leadTimeDays)],
    [words.takes, bid.durationDays === null ? null : words.dayCount(bid.durationDays)],
    [words.validUntil, bid.validUntil === null ? null : reader.longDate(bid.validUntil)],
    [words.exclusions, bid.exclusions],
    [words.inclusions, bid.inclusions],
    [words.remark, bid.note],
    [words.files, files.length === 0 ? null : files.map(({ fileName }) => fileName).join(', ')],
  ] as const
  const items = facts.flatMap(([name, value]) =>
    value === null ? [] : [`<div><dt>${escapeHtml(name)}</dt><dd class="pre">${escapeHtml(value)}</dd></div>`],
  )
  return items.length === 0 ? '' : `<section class="sheet"><dl class="in">${items.join('')}</dl></section>`
}
