import type { PortalTask, TaskConfirmation } from '../../../../client/contract.gen.ts'
import { escapeHtml, renderFacts, renderField, toAddressLines, toFact } from './html.ts'
import { getTypedValue, isSentWithButton, type PageContext, renderPortalPage } from './page-context.ts'
import type { PageLocale } from './words/page-locale.ts'

/** Renders a task for the vendor, with forms to confirm or decline its date. */
export function renderTaskPage(place: PageContext, task: PortalTask): string {
  const { reader, builder } = place
  const words = reader.words.task
  const { home, community, confirmation, scope, spanishScope } = task
  const name = reader.taskName(task)
  const where = [community.name, community.city, community.state].filter((part) => part !== null).join(', ')
  const content = [
    `<div><p class="lead">${escapeHtml(words.expects(builder))}</p><h1>${escapeHtml(name)}</h1></div>`,
    `<p class="state">${escapeHtml(describeConfirmation(reader, confirmation))}</p>`,
    renderFacts([
      toFact(words.firstDay, reader.longDate(task.plannedStart)),
      toFact(words.lastDay, reader.longDate(task.plannedEnd)),
      toFact(reader.words.request.trade, scope === null ? null : reader.tradeName({ scope, spanishScope }), {
        wide: true,
      }),
      toFact(reader.words.request.home, [home.name, ...toAddressLines(home.address)].join(', '), {
        wide: true,
        more: where,
      }),
      toFact(words.youWrote, confirmation.note, { wide: true }),
    ]),
    mapLink(place, [...toAddressLines(home.address)]),
    task.canAnswer ? renderOtherAnswers(place, confirmation.status) : '',
  ]
  const come = `<form method="post"><button class="btn go" name="answer" value="confirmed">${escapeHtml(words.weCome)}</button></form>`
  const canCome = task.canAnswer && confirmation.status !== 'confirmed'
  return renderPortalPage(place, `${name} · ${home.name}`, content.join('\n'), canCome ? come : undefined)
}

/**
 * Renders a link to a map of the home; empty if the home has no address. The map service does not receive the portal
 * link.
 */
function mapLink({ reader }: PageContext, address: readonly string[]): string {
  if (address.length === 0) return ''
  const url = `https://www.google.com/maps/search/?api=1&query=${encodeURIComponent(address.join(', '))}`
  return `<p><a href="${escapeHtml(url)}" rel="noreferrer noopener">${escapeHtml(reader.words.task.map)}</a></p>`
}

function renderOtherAnswers(place: PageContext, status: TaskConfirmation['status']): string {
  const { words } = place.reader
  const { another, otherDate, note, propose, cannot } = words.task
  const open = (answer: string) => (isSentWithButton(place, 'answer', answer) ? ' open' : '')
  const remark = (id: string, answer: string) => {
    const value = isSentWithButton(place, 'answer', answer) ? getTypedValue(place, 'note') : ''
    return renderField(id, note, `<input id="${id}" name="note" maxlength="1000" value="${value}">`, words.bid.optional)
  }
  const later = `<details class="sheet"${open('reschedule_requested')}><summary>${escapeHtml(another)}</summary><form class="in" method="post">${renderField('proposedStart', otherDate, `<input id="proposedStart" name="proposedStart" type="date" value="${getTypedValue(place, 'proposedStart')}" required>`)}${remark('later', 'reschedule_requested')}<button class="btn" name="answer" value="reschedule_requested">${escapeHtml(propose)}</button></form></details>`
  if (status === 'declined') return later
  return `${later}\n<details class="sheet"${open('declined')}><summary>${escapeHtml(cannot)}</summary><form class="in" method="post">${remark('why', 'declined')}<button class="btn no" name="answer" value="declined">${escapeHtml(cannot)}</button></form></details>`
}

function describeConfirmation({ words, longDate }: PageLocale, { status, proposedStart }: TaskConfirmation): string {
  if (status === 'confirmed') return words.task.confirmed
  if (status === 'declined') return words.task.declined
  return proposedStart === null ? words.task.asked : words.task.proposed(longDate(proposedStart))
}
