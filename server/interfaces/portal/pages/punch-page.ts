import type { PortalPhoto, PortalPunchItem, PortalPunchItemSummary } from '../../../../client/contract.gen.ts'
import { escapeHtml, formatFileSize, renderFacts, renderField, toAddressLines, toFact } from './html.ts'
import type { ListRow } from './list-rows.ts'
import { getTypedValue, isSentWithButton, type PageContext, renderPortalPage, renderSheet } from './page-context.ts'

/**
 * Renders a punch item for the vendor, with forms to show the repair in a photo, promise a date, or dispute the item.
 */
export function renderPunchPage(place: PageContext, item: PortalPunchItem): string {
  const { reader, builder } = place
  const words = reader.words.punch
  const { home, community, number, location, description, scope, spanishScope } = item
  const where = [community.name, community.city, community.state].filter((part) => part !== null).join(', ')
  const content = [
    `<div><p class="lead">${escapeHtml(words.asks(builder))}</p><h1>${escapeHtml(`${number} · ${home.name}`)}</h1></div>`,
    `<p class="state">${escapeHtml(describeState(place, item))}</p>`,
    renderFacts([
      toFact(words.work, description, { wide: true, more: location ?? '' }),
      toFact(words.due, item.dueDate === null ? null : reader.longDate(item.dueDate)),
      toFact(reader.words.request.trade, scope === null ? null : reader.tradeName({ scope, spanishScope })),
      toFact(reader.words.request.home, [home.name, ...toAddressLines(home.address)].join(', '), {
        wide: true,
        more: where,
      }),
      toFact(words.reopened, item.reopenReason, { wide: true }),
    ]),
    renderPhotoSheet(place, item.id, item.photos),
    item.canAnswer ? renderAnswers(place, item) : '',
  ]
  return renderPortalPage(place, `${number} · ${home.name}`, content.join('\n'))
}

export function toPunchRow(place: PageContext, item: PortalPunchItemSummary): ListRow {
  const { id, number, location, description, status, home, dueDate } = item
  const { reader } = place
  const due = dueDate === null ? '' : ` · ${reader.words.home.due(reader.shortDate(dueDate))}`
  return {
    id,
    name: [`${number}, ${home.name}`, location].filter((part) => part !== null).join(', '),
    more: `${description}${due}`,
    state: describeShort(place, item),
    tone: status === 'assigned' ? (item.plannedDate === null ? 'now' : undefined) : 'ok',
  }
}

/** Renders the photos of a record; empty if there are none. */
export function renderPhotoSheet(
  { reader, root }: PageContext,
  subject: string,
  photos: readonly PortalPhoto[],
): string {
  if (photos.length === 0) return ''
  const { words } = reader
  const items = photos.map(({ id, fileName, size, stage, from }) => {
    const facts = [
      stage === null ? null : words.punch.stages[stage],
      formatFileSize(size),
      from === 'vendor' ? words.files.fromYou : null,
    ]
    const details = facts.filter((part) => part !== null).join(', ')
    return `<li><div><a href="${escapeHtml(`${root}/${subject}/files/${id}`)}" download>${escapeHtml(fileName)}</a><small>${escapeHtml(details)}</small></div></li>`
  })
  return renderSheet(words.punch.photos, `<ul class="rows">${items.join('\n')}</ul>`)
}

function renderAnswers(place: PageContext, { version, photos }: PortalPunchItem): string {
  const { reader } = place
  const words = reader.words.punch
  const open = (answer: string) => (isSentWithButton(place, 'answer', answer) ? ' open' : '')
  const hidden = `<input type="hidden" name="version" value="${version}">`
  const hasPhoto = photos.some(({ stage }) => stage === 'after')
  const file = `<input id="file" name="file" type="file" accept="image/*"${hasPhoto ? '' : ' required'}>`
  const fixed = `<form class="sheet" method="post" enctype="multipart/form-data"><div class="in">${hidden}${renderField('file', words.photo, file, hasPhoto ? reader.words.bid.optional : words.photoHint)}<button class="btn go" name="answer" value="fixed">${escapeHtml(words.fixed)}</button></div></form>`
  const date = renderField(
    'date',
    words.when,
    `<input id="date" name="date" type="date" value="${getTypedValue(place, 'date')}" required>`,
  )
  const later = `<details class="sheet"${open('will_fix')}><summary>${escapeHtml(words.willFix)}</summary><form class="in" method="post">${hidden}${date}<button class="btn" name="answer" value="will_fix">${escapeHtml(words.sendDate)}</button></form></details>`
  const reason = `<textarea id="reason" name="reason" rows="2" maxlength="1000" required>${getTypedValue(place, 'reason')}</textarea>`
  const disputed = `<details class="sheet"${open('disputed')}><summary>${escapeHtml(words.dispute)}</summary><form class="in" method="post">${hidden}${renderField('reason', words.disputeWhy, reason)}<button class="btn no" name="answer" value="disputed">${escapeHtml(words.sendDispute)}</button></form></details>`
  return [fixed, later, disputed].join('\n')
}

function describeState({ reader }: PageContext, { status, plannedDate }: PortalPunchItem): string {
  const { states } = reader.words.punch
  if (status === 'assigned' && plannedDate !== null) return reader.words.punch.planned(reader.longDate(plannedDate))
  return states[status]
}

function describeShort({ reader }: PageContext, { status, plannedDate }: PortalPunchItemSummary): string {
  const { short, shortPlanned } = reader.words.punch
  return status === 'assigned' && plannedDate !== null ? shortPlanned(reader.shortDate(plannedDate)) : short[status]
}
