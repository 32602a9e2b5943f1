import type { ComplianceDocumentType } from '../../../../client/contract.gen.ts'
import { field, text } from './html.ts'
import { framed, type Place } from './place.ts'

/** Renders the form for an insurance certificate, a license or another document. */
export function handInPage(place: Place): string {
  const words = place.reader.words.document
  const { fileHint, optional } = place.reader.words.bid
  const types = Object.entries(words.types) as [ComplianceDocumentType, string][]
  const options = types.map(([type, name]) => `<option value="${type}">${text(name)}</option>`)
  const input = (id: string, rest: string) => `<input id="${id}" name="${id}" ${rest}>`
  const content = `<h1>${text(place.reader.words.home.handIn)}</h1>
<form class="sheet" method="post" enctype="multipart/form-data"><div class="in">
${field('type', words.type, `<select id="type" name="type">${options.join('')}</select>`)}
${field('carrier', words.carrier, input('carrier', 'maxlength="200"'), optional)}
${field('policyNumber', words.policyNumber, input('policyNumber', 'maxlength="100"'), optional)}
<div class="two">${field('effectiveDate', words.effective, input('effectiveDate', 'type="date"'), optional)}
${field('expirationDate', words.expiration, input('expirationDate', 'type="date"'), optional)}</div>
${field('limitAmount', words.limit, input('limitAmount', 'class="r" inputmode="decimal" maxlength="40"'), optional)}
${field('file', words.file, '<input id="file" name="file" type="file" required>', fileHint)}
<button class="btn go">${text(words.handIn)}</button></div></form>`
  return framed(place, place.reader.words.home.handIn, content)
}
