import type { PortalBidAlternate } from '../../../../client/contract.gen.ts'
import { escapeHtml } from './html.ts'
import { type PageContext, renderSheet } from './page-context.ts'

/** Renders the alternates that accompany a bid; empty if there are none. */
export function renderAlternateList(
  { reader }: PageContext,
  alternates: readonly PortalBidAlternate[],
  currency: string,
): string {
  if (alternates.length === 0) return ''
  const words = reader.words.bid
  const rows = alternates.map(({ description, amount, note }) => {
    const small = note === null ? '' : `<small>${escapeHtml(note)}</small>`
    const money = amount === null ? '' : reader.money(Math.abs(amount), currency)
    const change = amount === null ? '' : amount < 0 ? words.deductAmount(money) : words.addAmount(money)
    return `<tr><th scope="row">${escapeHtml(description ?? '')}${small}</th><td class="num">${escapeHtml(change)}</td></tr>`
  })
  const hint = `<p class="in small faint">${escapeHtml(words.alternatesHint)}</p>`
  return renderSheet(words.alternates, `<table><tbody>${rows.join('\n')}</tbody></table>${hint}`)
}
