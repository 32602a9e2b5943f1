import type { PortalLienWaiver } from '../../../../client/contract.gen.ts'
import { escapeHtml, renderFacts, renderField, toFact } from './html.ts'
import { getTypedValue, type PageContext, renderPortalPage, renderSheet } from './page-context.ts'
import type { PageLocale } from './words/page-locale.ts'

/** Renders a lien waiver with its signature or, before it is signed, with a form to sign it. */
export function renderWaiverPage(place: PageContext, waiver: PortalLienWaiver): string {
  const { reader, builder } = place
  const words = reader.words.waiver
  const title = words.titles[waiver.waiverType]
  const content = [
    `<div><p class="lead">${escapeHtml(words.asks(builder))}</p><h1>${escapeHtml(title)}</h1></div>`,
    `<p class="state">${escapeHtml(describeSignature(reader, waiver))}</p>`,
    renderFacts([
      toFact(words.payment, waiver.paymentNumber),
      toFact(words.amount, reader.money(waiver.amount, waiver.currency), { isAmount: true }),
      toFact(words.through, reader.longDate(waiver.throughDate), { wide: true }),
      toFact(words.digest, waiver.textSha256, { wide: true }),
    ]),
    renderSheet(
      words.inShort,
      `<p class="in">${escapeHtml(words.summaries[waiver.waiverType])} ${escapeHtml(words.onlyEnglishBinds)}</p>`,
    ),
    renderSheet(words.text, `<p class="in pre">${escapeHtml(waiver.text)}</p>`),
    `<p class="in"><a class="btn" href="${escapeHtml(`${place.root}/${waiver.id}/pdf`)}">${escapeHtml(reader.words.order.pdf)}</a></p>`,
    waiver.canSign ? renderSignatureForm(place, waiver) : '',
  ]
  return renderPortalPage(place, `${title} · ${waiver.paymentNumber}`, content.join('\n'))
}

// The form contains the displayed version, so that a vendor signs only the text on the page.
function renderSignatureForm(place: PageContext, { version }: PortalLienWaiver): string {
  const { reader, vendor } = place
  const words = reader.words.waiver
  const name = `<input id="signedBy" name="signedBy" maxlength="200" autocomplete="name" value="${getTypedValue(place, 'signedBy')}" required>`
  return `<form class="sheet" method="post"><h2>${escapeHtml(words.signTitle)}</h2><div class="in"><input type="hidden" name="version" value="${version}">
${renderField('signedBy', words.name, name)}
<label class="pick"><input type="checkbox" name="consent" value="yes" required> <span>${escapeHtml(words.consent(vendor))}</span></label>
<p class="small faint">${escapeHtml(words.kept)}</p><button class="btn go">${escapeHtml(words.sign)}</button></div></form>`
}

function describeSignature({ words, longDate }: PageLocale, { status, signedBy, signedOn }: PortalLienWaiver): string {
  const { waiver } = words
  if (status === 'requested') return waiver.ask
  if (status === 'void') return waiver.void
  const name = signedBy ?? ''
  const signed = signedOn === null ? waiver.signedBy(name) : waiver.signedOn(name, longDate(signedOn))
  if (status === 'accepted') return `${signed} ${waiver.accepted}`
  return status === 'rejected' ? `${signed} ${waiver.rejected}` : signed
}
