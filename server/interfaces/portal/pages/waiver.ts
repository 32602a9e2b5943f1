import type { PortalLienWaiver } from '../../../../client/contract.gen.ts'
import { cells, fact, field, text } from './html.ts'
import { framed, type Place, sheet } from './place.ts'
import type { Reader } from './reader.ts'

/** Renders a waiver with a form to sign it, or as it was signed. */
export function waiverPage(place: Place, waiver: PortalLienWaiver): string {
  const { reader, builder } = place
  const words = reader.words.waiver
  const title = words.titles[waiver.waiverType]
  const content = [
    `<div><p class="lead">${text(words.asks(builder))}</p><h1>${text(title)}</h1></div>`,
    `<p class="state">${text(sentenceOf(reader, waiver))}</p>`,
    cells([
      fact(words.payment, waiver.paymentNumber),
      fact(words.amount, reader.money(waiver.amount, waiver.currency)),
      fact(words.through, reader.longDate(waiver.throughDate), { wide: true }),
      fact(words.digest, waiver.textSha256, { wide: true }),
    ]),
    sheet(words.text, `<p class="in pre">${text(waiver.text)}</p>`),
    waiver.canSign ? signatureForm(place, waiver) : '',
  ]
  return framed(place, `${title} · ${waiver.paymentNumber}`, content.join('\n'))
}

// The form carries the version that was read, so that a vendor never signs a text other than the one on the page.
function signatureForm({ reader, vendor }: Place, { version }: PortalLienWaiver): string {
  const words = reader.words.waiver
  const name = '<input id="signedBy" name="signedBy" maxlength="200" autocomplete="name" required>'
  return `<form class="sheet" method="post"><h2>${text(words.signTitle)}</h2><div class="in"><input type="hidden" name="version" value="${version}">
${field('signedBy', words.name, name)}
<label class="pick"><input type="checkbox" name="consent" value="yes" required> <span>${text(words.consent(vendor))}</span></label>
<p class="small faint">${text(words.kept)}</p><button class="btn go">${text(words.sign)}</button></div></form>`
}

function sentenceOf({ words, longDate }: Reader, { status, signedBy, signedOn }: PortalLienWaiver): string {
  const { waiver } = words
  if (status === 'requested') return waiver.ask
  if (status === 'void') return waiver.void
  const name = signedBy ?? ''
  const signed = signedOn === null ? waiver.signedBy(name) : waiver.signedOn(name, longDate(signedOn))
  if (status === 'accepted') return `${signed} ${waiver.accepted}`
  return status === 'rejected' ? `${signed} ${waiver.rejected}` : signed
}
