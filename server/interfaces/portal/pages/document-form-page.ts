import type { ComplianceDocumentType } from '../../../../client/contract.gen.ts'
import { parseTypedNumber } from '../../../platform/values/typed-number.ts'
import { escapeHtml, renderField } from './html.ts'
import { getTypedValue, type PageContext, renderPortalPage } from './page-context.ts'
import { describeFieldError } from './price-page.ts'

/** Renders the form for an insurance certificate, a license, or another document. */
export function renderDocumentFormPage(place: PageContext): string {
  const words = place.reader.words.document
  const { fileHint, optional } = place.reader.words.bid
  const types = Object.entries(words.types) as [ComplianceDocumentType, string][]
  const options = types.map(
    ([type, name]) =>
      `<option value="${type}"${type === getTypedValue(place, 'type') ? ' selected' : ''}>${escapeHtml(name)}</option>`,
  )
  const input = (id: string, rest: string) =>
    `<input id="${id}" name="${id}" value="${getTypedValue(place, id)}" ${rest}>`
  const limit = parseTypedNumber(place.returned?.fields.limitAmount ?? '', { decimals: 2, isNegativeAllowed: false })
  const [invalid, message] =
    limit.error !== null
      ? [
          'aria-invalid="true" aria-describedby="limitAmount-e" autofocus',
          `<p class="err" id="limitAmount-e">${escapeHtml(describeFieldError(place.reader, limit.error))}</p>`,
        ]
      : ['', '']
  const content = `<h1>${escapeHtml(place.reader.words.home.handIn)}</h1>
<form class="sheet" method="post" enctype="multipart/form-data"><div class="in">
${renderField('type', words.type, `<select id="type" name="type">${options.join('')}</select>`)}
${renderField('carrier', words.carrier, input('carrier', 'maxlength="200"'), optional)}
${renderField('policyNumber', words.policyNumber, input('policyNumber', 'maxlength="100"'), optional)}
<div class="two">${renderField('effectiveDate', words.effective, input('effectiveDate', 'type="date"'), optional)}
${renderField('expirationDate', words.expiration, input('expirationDate', 'type="date"'), optional)}</div>
${renderField('limitAmount', words.limit, input('limitAmount', `class="r" inputmode="decimal" maxlength="40" ${invalid}`) + message, optional)}
${renderField('file', words.file, '<input id="file" name="file" type="file" required>', fileHint)}
<button class="btn go">${escapeHtml(words.handIn)}</button></div></form>`
  return renderPortalPage(place, place.reader.words.home.handIn, content)
}
