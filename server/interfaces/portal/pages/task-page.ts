import type { PortalTask, TaskConfirmation } from '../../../../client/contract.gen.ts'
import { humanizeValue } from '../../../platform/values/format.ts'
import { escapeHtml, renderFacts, renderField, toAddressLines, toFact } from './html.ts'
import { type PageContext, renderPortalPage } from './page-context.ts'
import type { Reader } from './reader.ts'

/** Renders a task of the vendor, with forms to confirm or decline the date. */
export function renderTaskPage(place: PageContext, task: PortalTask): string {
  const { reader, builder } = place
  const words = reader.words.task
  const { home, community, confirmation } = task
  const where = [community.name, community.city, community.state].filter((part) => part !== null).join(', ')
  const content = [
    `<div><p class="lead">${escapeHtml(words.expects(builder))}</p><h1>${escapeHtml(task.name)}</h1></div>`,
    `<p class="state">${escapeHtml(describeConfirmation(reader, confirmation))}</p>`,
    renderFacts([
      toFact(words.firstDay, reader.longDate(task.plannedStart)),
      toFact(words.lastDay, reader.longDate(task.plannedEnd)),
      toFact(reader.words.request.trade, task.scope === null ? null : humanizeValue(task.scope), { wide: true }),
      toFact(reader.words.request.home, [home.name, ...toAddressLines(home.address)].join(', '), {
        wide: true,
        more: where,
      }),
      toFact(words.youWrote, confirmation.note, { wide: true }),
    ]),
    task.canAnswer ? renderOtherAnswers(reader, confirmation.status) : '',
  ]
  const come = `<form method="post"><button class="btn go" name="answer" value="confirmed">${escapeHtml(words.weCome)}</button></form>`
  const canCome = task.canAnswer && confirmation.status !== 'confirmed'
  return renderPortalPage(place, `${task.name} · ${home.name}`, content.join('\n'), canCome ? come : undefined)
}

function renderOtherAnswers({ words }: Reader, status: TaskConfirmation['status']): string {
  const { another, otherDate, note, propose, cannot } = words.task
  const remark = (id: string) =>
    renderField(id, note, `<input id="${id}" name="note" maxlength="1000">`, words.bid.optional)
  const later = `<details class="sheet"><summary>${escapeHtml(another)}</summary><form class="in" method="post">${renderField('proposedStart', otherDate, '<input id="proposedStart" name="proposedStart" type="date" required>')}${remark('later')}<button class="btn" name="answer" value="reschedule_requested">${escapeHtml(propose)}</button></form></details>`
  if (status === 'declined') return later
  return `${later}\n<details class="sheet"><summary>${escapeHtml(cannot)}</summary><form class="in" method="post">${remark('why')}<button class="btn no" name="answer" value="declined">${escapeHtml(cannot)}</button></form></details>`
}

function describeConfirmation({ words, longDate }: Reader, { status, proposedStart }: TaskConfirmation): string {
  if (status === 'confirmed') return words.task.confirmed
  if (status === 'declined') return words.task.declined
  return proposedStart === null ? words.task.asked : words.task.proposed(longDate(proposedStart))
}
