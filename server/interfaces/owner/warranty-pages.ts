import type { Visit, WarrantyRequest, WarrantySeverity } from '../../../client/contract.gen.ts'
import { escapeHtml, renderFacts, renderField, toFact } from '../portal/pages/html.ts'
import { getTypedValue, isSentWithButton, renderSheet } from '../portal/pages/page-context.ts'
import { renderSignature } from './decision-pages.ts'
import { renderThumbnails } from './overview-page.ts'
import type { SharedFile } from './own-records.ts'
import { type OwnerPage, renderOwnerPage } from './owner-page.ts'

const SEVERITIES: readonly WarrantySeverity[] = ['routine', 'urgent', 'emergency']

/** Renders the form to report a problem, below instructions for emergencies. */
export function renderReportPage(place: OwnerPage): string {
  const { words } = place
  const chosen = getTypedValue(place, 'severity', 'routine')
  const severities = SEVERITIES.map(
    (severity) =>
      `<label class="pick"><input type="radio" name="severity" value="${severity}"${severity === chosen ? ' checked' : ''}> <span>${escapeHtml(words.warranty.severities[severity])}</span></label>`,
  )
  const what = `<textarea id="description" name="description" rows="4" maxlength="4000" required>${getTypedValue(place, 'description')}</textarea>`
  const room = `<input id="location" name="location" maxlength="100" value="${getTypedValue(place, 'location')}">`
  const content = `<h1>${escapeHtml(words.warranty.title)}</h1>
<div class="note warn"><p>${escapeHtml(words.warranty.emergency)}</p></div>
<form class="sheet in" method="post" enctype="multipart/form-data">${renderField('description', words.warranty.what, what)}
${renderField('location', words.warranty.room, room, place.reader.words.bid.optional)}
<fieldset><legend class="q">${escapeHtml(words.warranty.howUrgent)}</legend>${severities.join('\n')}</fieldset>
${renderPhotoField(place)}<button class="btn go">${escapeHtml(words.warranty.send)}</button></form>`
  return renderOwnerPage(place, words.warranty.title, content)
}

/** Renders a warranty request with its visit and photos, and with forms to confirm the repair and to add a photo. */
export function renderRequestPage(
  place: OwnerPage,
  request: WarrantyRequest,
  { visit, photos }: { visit: Visit | null; photos: readonly SharedFile[] },
): string {
  const { words, reader, timeZone, now } = place
  const { number, location, description, severity, status, decisionReason, respondBy } = request
  const title = [number, location].filter((part) => part !== null).join(', ')
  const window = visit === null ? '' : words.warranty.windows[visit.window]
  const content = [
    `<div><p class="lead">${escapeHtml(words.warranty.states[status])}</p><h1>${escapeHtml(title)}</h1></div>`,
    renderFacts([
      toFact(words.warranty.what, description, { wide: true }),
      toFact(words.warranty.howUrgent, words.warranty.severities[severity], { wide: true }),
      toFact(words.warranty.decision, decisionReason, { wide: true }),
      toFact(words.warranty.visit, visit === null ? null : reader.longDate(visit.date), {
        wide: true,
        more: visit === null ? '' : [window, words.warranty.visits[visit.status]].filter(Boolean).join(', '),
      }),
    ]),
    status === 'new' && new Date(respondBy) > now
      ? `<p class="faint">${escapeHtml(words.warranty.answerBy(reader.dayOf(respondBy, timeZone)))}</p>`
      : '',
    photos.length === 0 ? '' : renderSheet(words.overview.photos, renderThumbnails(place, photos)),
    status === 'completed' ? renderConfirmation(place, request) : '',
    status === 'closed' || status === 'cancelled' ? '' : renderPhotoForm(place),
  ]
  return renderOwnerPage(place, title, content.join('\n'))
}

function renderConfirmation(place: OwnerPage, { version }: WarrantyRequest): string {
  const { words } = place
  const open = isSentWithButton(place, 'answer', 'not_fixed') ? ' open' : ''
  const reason = `<textarea id="reason" name="reason" rows="2" maxlength="1000" required>${getTypedValue(place, 'reason')}</textarea>`
  return `<p class="state">${escapeHtml(words.warranty.fixedAsk)}</p>
${renderSignature(place, { version }, words.warranty.fixed)}
<details class="sheet"${open}><summary>${escapeHtml(words.warranty.notFixed)}</summary><form class="in" method="post"><input type="hidden" name="version" value="${version}">${renderField('reason', words.warranty.stillWrong, reason)}<button class="btn no" name="answer" value="not_fixed">${escapeHtml(words.warranty.sendBack)}</button></form></details>`
}

function renderPhotoField({ words }: OwnerPage, isRequired = false): string {
  const file = `<input id="file" name="file" type="file" accept="image/jpeg,image/png,image/webp"${isRequired ? ' required' : ''}>`
  return renderField('file', words.warranty.photo, file, isRequired ? '' : words.warranty.photoHint)
}

function renderPhotoForm(place: OwnerPage): string {
  const { words } = place
  return `<details class="sheet"><summary>${escapeHtml(words.warranty.addPhoto)}</summary><form class="in" method="post" enctype="multipart/form-data">${renderPhotoField(place, true)}<button class="btn" name="answer" value="photo">${escapeHtml(words.warranty.addPhoto)}</button></form></details>`
}
