import type { BuyerChange, OwnerSignature, PunchItem, Selection, Walkthrough } from '../../../client/contract.gen.ts'
import { escapeHtml, renderFacts, renderField, toFact } from '../portal/pages/html.ts'
import { renderRows } from '../portal/pages/list-rows.ts'
import { getTypedValue, isSentWithButton, renderSheet } from '../portal/pages/page-context.ts'
import { toSelectionName } from './overview-page.ts'
import { type OwnerPage, renderOwnerPage } from './owner-page.ts'

/** Renders a selection with a form to choose or decline it before its deadline. */
export function renderChoicePage(place: OwnerPage, selection: Selection): string {
  const { words, reader, currency, today } = place
  const { status, location, color, difference, deadline, option } = selection
  const name = toSelectionName(selection)
  const isLate = deadline !== null && deadline < today
  const isOpen = status === 'pending' && !isLate
  const price =
    difference === null
      ? words.choice.noPrice
      : difference === 0
        ? words.choice.included
        : reader.money(difference, currency)
  const content = [
    `<div><p class="lead">${escapeHtml(isOpen ? words.choice.asks : words.choice.decided[status])}</p><h1>${escapeHtml(name)}</h1></div>`,
    renderFacts([
      toFact(words.choice.price, price, {
        wide: true,
        more: difference === null || difference === 0 ? '' : words.choice.extra,
      }),
      toFact(words.choice.room, location),
      toFact(words.choice.color, color),
      toFact(words.choice.until, deadline === null ? null : reader.longDate(deadline), { wide: true }),
      toFact(words.change.why, option?.description ?? null, { wide: true }),
    ]),
    status === 'pending' && isLate ? `<p class="state">${escapeHtml(words.choice.late)}</p>` : '',
    isOpen && difference !== null
      ? renderSignature(place, { version: selection.version, difference }, words.choice.approve)
      : '',
    isOpen ? renderDecline(place, selection.version, words.choice.decline, words.choice.why) : '',
    renderSignedText(place, selection),
  ]
  return renderOwnerPage(place, name, content.join('\n'))
}

/** Renders a buyer change and its lines with a form to sign or decline it. */
export function renderChangePage(place: OwnerPage, change: BuyerChange): string {
  const { words, reader } = place
  const { number, title, status, lines, price, currency, description, decidedDate } = change
  const name = `${words.change.title(number)}: ${title}`
  const rows = lines.map((line) => ({
    ...{ id: null, name: line.description, more: '' },
    state: line.price === null ? words.choice.noPrice : reader.money(line.price, currency),
  }))
  const isOpen = status === 'sent'
  const state = status === 'draft' ? '' : words.change.states[status]
  const content = [
    `<div><p class="lead">${escapeHtml(isOpen ? words.change.asks : state)}</p><h1>${escapeHtml(name)}</h1></div>`,
    renderFacts([
      toFact(words.change.total, reader.money(price, currency), {
        ...{ wide: true, more: decidedDate === null ? '' : reader.longDate(decidedDate) },
      }),
      toFact(words.change.why, description, { wide: true }),
    ]),
    renderSheet(words.walk.items, renderRows(place, rows)),
    isOpen ? renderSignature(place, { version: change.version }, words.change.approve) : '',
    isOpen ? renderDecline(place, change.version, words.change.decline, words.change.reason) : '',
    renderSignedText(place, change),
  ]
  return renderOwnerPage(place, name, content.join('\n'))
}

/** Renders the punch list of a walkthrough, with a form to sign the list. */
export function renderWalkthroughPage(place: OwnerPage, walkthrough: Walkthrough, items: readonly PunchItem[]): string {
  const { words, reader, timeZone, today } = place
  const { kind, date, status, signature, version } = walkthrough
  const title = words.walk.kinds[kind]
  const rows = items.map(({ number, location, description, status }) => ({
    ...{ id: null, name: [number, location].filter((part) => part !== null).join(', '), more: description },
    ...{ state: words.walk.states[status], tone: status === 'verified' ? ('ok' as const) : undefined },
  }))
  const isOpen = status === 'open' && date <= today
  const state =
    signature === null
      ? status === 'open'
        ? words.walk.open
        : words.overview.done
      : words.walk.signed(signature.signedBy, reader.dayOf(signature.signedAt, timeZone))
  const content = [
    `<div><p class="lead">${escapeHtml(isOpen ? words.walk.asks : state)}</p><h1>${escapeHtml(title)}</h1><p class="faint">${escapeHtml(reader.longDate(date))}</p></div>`,
    renderSheet(
      words.walk.items,
      rows.length === 0 ? `<p class="in">${escapeHtml(words.walk.noItems)}</p>` : renderRows(place, rows),
    ),
    isOpen ? renderSignature(place, { version }, words.walk.sign) : '',
  ]
  return renderOwnerPage(place, title, content.join('\n'))
}

/**
 * Renders a form for a signature. The form contains the displayed version. If the approval computes the price again,
 * the form also contains the displayed price. An owner therefore signs only the text on the page.
 */
export function renderSignature(
  place: OwnerPage,
  shown: { version: number; difference?: number },
  button: string,
): string {
  const { words, vendor: owner } = place
  const hidden = Object.entries(shown).map(([name, value]) => `<input type="hidden" name="${name}" value="${value}">`)
  const name = `<input id="signedBy" name="signedBy" maxlength="200" autocomplete="name" value="${getTypedValue(place, 'signedBy')}" required>`
  return `<form class="sheet" method="post"><h2>${escapeHtml(words.sign.title)}</h2><div class="in">${hidden.join('')}
${renderField('signedBy', words.sign.name, name)}
<label class="pick"><input type="checkbox" name="consent" value="yes" required> <span>${escapeHtml(words.sign.consent(owner))}</span></label>
<p class="small faint">${escapeHtml(words.sign.kept)}</p><button class="btn go" name="answer" value="sign">${escapeHtml(button)}</button></div></form>`
}

/** Renders the text that the owner signed, with a link to its PDF. */
function renderSignedText(
  { words, root }: OwnerPage,
  { id, signature }: { id: string; signature: OwnerSignature | null },
): string {
  if (signature === null) return ''
  const text = `<p class="pre">${escapeHtml(signature.text)}</p>`
  const pdf = `<p><a href="${root}/${id}/signed.pdf">${escapeHtml(words.sign.download)}</a></p>`
  return renderSheet(words.sign.signed, `<div class="in">${text}${pdf}</div>`)
}

/** Renders a collapsed form to decline, with an optional reason. */
function renderDecline(place: OwnerPage, version: number, button: string, label: string): string {
  const { optional } = place.reader.words.bid
  const open = isSentWithButton(place, 'answer', 'decline') ? ' open' : ''
  const reason = `<textarea id="reason" name="reason" rows="2" maxlength="500">${getTypedValue(place, 'reason')}</textarea>`
  return `<details class="sheet"${open}><summary>${escapeHtml(button)}</summary><form class="in" method="post"><input type="hidden" name="version" value="${version}">${renderField('reason', label, reason, optional)}<button class="btn no" name="answer" value="decline">${escapeHtml(button)}</button></form></details>`
}
