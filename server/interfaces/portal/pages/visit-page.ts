import type { PortalServiceVisit, PortalServiceVisitSummary } from '../../../../client/contract.gen.ts'
import { escapeHtml, renderFacts, renderField, toAddressLines, toFact } from './html.ts'
import type { ListRow } from './list-rows.ts'
import { getTypedValue, isSentWithButton, type PageContext, renderPortalPage, renderSheet } from './page-context.ts'
import { renderPhotoSheet } from './punch-page.ts'

/** Renders a service visit for the vendor, with forms to confirm, decline, or complete the visit. */
export function renderVisitPage(place: PageContext, visit: PortalServiceVisit): string {
  const { reader, builder } = place
  const words = reader.words.visit
  const { home, community, date, window, status } = visit
  const where = [community.name, community.city, community.state].filter((part) => part !== null).join(', ')
  const issues = visit.requests.map(({ number, location, description }) => {
    const title = location === null ? number : `${number}, ${location}`
    return `<li><div>${escapeHtml(title)}<small>${escapeHtml(description)}</small></div></li>`
  })
  const content = [
    `<div><p class="lead">${escapeHtml(words.asks(builder))}</p><h1>${escapeHtml(words.title(home.name))}</h1></div>`,
    `<p class="state">${escapeHtml(words.states[status])}</p>`,
    renderFacts([
      toFact(words.date, reader.longDate(date), { more: words.windows[window] }),
      toFact(reader.words.request.home, [home.name, ...toAddressLines(home.address)].join(', '), {
        wide: true,
        more: where,
      }),
      toFact(reader.words.order.note, visit.notes, { wide: true }),
      toFact(reader.words.task.youWrote, visit.vendorNote, { wide: true }),
    ]),
    renderSheet(words.issues, `<ul class="rows">${issues.join('\n')}</ul>`),
    renderPhotoSheet(place, visit.id, visit.photos),
    visit.canComplete ? renderForms(place, visit) : '',
  ]
  const hidden = `<input type="hidden" name="version" value="${visit.version}">`
  const come = `<form method="post">${hidden}<button class="btn go" name="answer" value="confirmed">${escapeHtml(reader.words.task.weCome)}</button></form>`
  return renderPortalPage(place, words.title(home.name), content.join('\n'), visit.canAnswer ? come : undefined)
}

export function toVisitRow({ reader }: PageContext, visit: PortalServiceVisitSummary): ListRow {
  const { id, date, window, status, home } = visit
  const words = reader.words.visit
  return {
    id,
    name: `${home.name}, ${home.community}`,
    more: [reader.longDate(date), words.windows[window]].filter((part) => part !== '').join(' · '),
    state: words.short[status],
    tone: status === 'proposed' ? 'now' : status === 'cancelled' || status === 'missed' ? undefined : 'ok',
  }
}

function renderForms(place: PageContext, { version, canAnswer, photos }: PortalServiceVisit): string {
  const { visit: words, punch, bid, task } = place.reader.words
  const open = (answer: string) => (isSentWithButton(place, 'answer', answer) ? ' open' : '')
  const hidden = `<input type="hidden" name="version" value="${version}">`
  const hasPhoto = photos.some(({ stage, from }) => stage === 'after' && from === 'vendor')
  const file = `<input id="file" name="file" type="file" accept="image/*"${hasPhoto ? '' : ' required'}>`
  const note = (id: string, answer: string, rest = '') =>
    `<input id="${id}" name="note" maxlength="1000" value="${isSentWithButton(place, 'answer', answer) ? getTypedValue(place, 'note') : ''}"${rest}>`
  const done = `<details class="sheet"${open('done')}><summary>${escapeHtml(words.done)}</summary><form class="in" method="post" enctype="multipart/form-data">${hidden}${renderField('file', punch.photo, file, hasPhoto ? bid.optional : punch.photoHint)}${renderField('remark', task.note, note('remark', 'done'), bid.optional)}<button class="btn go" name="answer" value="done">${escapeHtml(words.done)}</button></form></details>`
  if (!canAnswer) return done
  return `${done}\n<details class="sheet"${open('declined')}><summary>${escapeHtml(task.cannot)}</summary><form class="in" method="post">${hidden}${renderField('why', punch.disputeWhy, note('why', 'declined', ' required'))}<button class="btn no" name="answer" value="declined">${escapeHtml(task.cannot)}</button></form></details>`
}
