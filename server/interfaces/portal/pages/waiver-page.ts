import type { PortalLienWaiver } from '../../../../client/contract.gen.ts'
import { escapeHtml, renderFacts, renderField, toFact } from './html.ts'
import { type PageContext, renderPortalPage, renderSheet } from './page-context.ts'
import type { Reader } from './reader.ts'

/** Renders a waiver with a form to sign it, or as it was signed. */
export function renderWaiverPage(place: PageContext, waiver: PortalLienWaiver): string {
  const { reader, builder } = place
  const words = reader.words.waiver
  const title = words.titles[waiver.waiverType]
  const content = [
    `<div><p class="lead">${escapeHtml(words.asks(builder))}</p><h1>${escapeHtml(title)}</h1></div>`,
    `<p class="state">${escapeHtml(describeSignature(reader, waiver))}</p>`,
    renderFacts([
      toFact(words.payment, waiver.paymentNumber),
      toFact(words.amount, reader.money(waiver.amount, waiver.currency)),
      toFact(words.through, reader.longDate(waiver.throughDate), { wide: true }),
      toFact(words.digest, waiver.textSha256, { wide: true }),
    ]),
    renderSheet(words.text, `<p class="in pre">${escapeHtml(waiver.text)}</p>`),
    waiver.canSign ? renderSignatureForm(place, waiver) : '',
  ]
  return renderPortalPage(place, `${title} · ${waiver.paymentNumber}`, content.join('\n'))
}

// The form carries the version that was read, so that a vendor never signs a text other than the one on the page.
function renderSignatureForm({ reader, vendor }: PageContext, { version }: PortalLienWaiver): string {
  const words = reader.words.waiver
  const name = '<input id="signedBy" name="signedBy" maxlength="200" autocomplete="name" required>'
  return `<form class="sheet" method="post"><h2>${escapeHtml(words.signTitle)}</h2><div class="in"><input type="hidden" name="version" value="${version}">
${renderField('signedBy', words.name, name)}
<label class="pick"><input type="checkbox" name="consent" value="yes" required> <span>${escapeHtml(words.consent(vendor))}</span></label>
<p class="small faint">${escapeHtml(words.kept)}</p><button class="btn go">${escapeHtml(words.sign)}</button></div></form>`
}

function describeSignature({ words, longDate }: Reader, { status, signedBy, signedOn }: PortalLienWaiver): string {
  const { waiver } = words
  if (status === 'requested') return waiver.ask
  if (status === 'void') return waiver.void
  const name = signedBy ?? ''
  const signed = signedOn === null ? waiver.signedBy(name) : waiver.signedOn(name, longDate(signedOn))
  if (status === 'accepted') return `${signed} ${waiver.accepted}`
  return status === 'rejected' ? `${signed} ${waiver.rejected}` : signed
}
