import type { PortalTask, TaskConfirmation } from '../../../../client/contract.gen.ts'
import { toWords } from '../../../platform/values/format.ts'
import { addressLines, cells, fact, field, text } from './html.ts'
import { framed, type Place } from './place.ts'
import type { Reader } from './reader.ts'

/** Renders a task of the vendor, with forms to confirm or decline the date. */
export function taskPage(place: Place, task: PortalTask): string {
  const { reader, builder } = place
  const words = reader.words.task
  const { home, community, confirmation } = task
  const where = [community.name, community.city, community.state].filter((part) => part !== null).join(', ')
  const content = [
    `<div><p class="lead">${text(words.expects(builder))}</p><h1>${text(task.name)}</h1></div>`,
    `<p class="state">${text(sentenceOf(reader, confirmation))}</p>`,
    cells([
      fact(words.firstDay, reader.longDate(task.plannedStart)),
      fact(words.lastDay, reader.longDate(task.plannedEnd)),
      fact(reader.words.request.trade, task.scope === null ? null : toWords(task.scope), { wide: true }),
      fact(reader.words.request.home, [home.name, ...addressLines(home.address)].join(', '), {
        wide: true,
        more: where,
      }),
      fact(words.youWrote, confirmation.note, { wide: true }),
    ]),
    task.canAnswer ? otherAnswers(reader, confirmation.status) : '',
  ]
  const come = `<form method="post"><button class="btn go" name="answer" value="confirmed">${text(words.weCome)}</button></form>`
  const canCome = task.canAnswer && confirmation.status !== 'confirmed'
  return framed(place, `${task.name} · ${home.name}`, content.join('\n'), canCome ? come : undefined)
}

function otherAnswers({ words }: Reader, status: TaskConfirmation['status']): string {
  const { another, otherDate, note, propose, cannot } = words.task
  const remark = (id: string) => field(id, note, `<input id="${id}" name="note" maxlength="1000">`, words.bid.optional)
  const later = `<details class="sheet"><summary>${text(another)}</summary><form class="in" method="post">${field('proposedStart', otherDate, '<input id="proposedStart" name="proposedStart" type="date" required>')}${remark('later')}<button class="btn" name="answer" value="reschedule_requested">${text(propose)}</button></form></details>`
  if (status === 'declined') return later
  return `${later}\n<details class="sheet"><summary>${text(cannot)}</summary><form class="in" method="post">${remark('why')}<button class="btn no" name="answer" value="declined">${text(cannot)}</button></form></details>`
}

function sentenceOf({ words, longDate }: Reader, { status, proposedStart }: TaskConfirmation): string {
  if (status === 'confirmed') return words.task.confirmed
  if (status === 'declined') return words.task.declined
  return proposedStart === null ? words.task.asked : words.task.proposed(longDate(proposedStart))
}
