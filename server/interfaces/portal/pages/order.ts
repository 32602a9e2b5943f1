import type { PortalAttachment, PortalOrder } from '../../../../client/contract.gen.ts'
import { toWords } from '../../../platform/values/format.ts'
import { percentOf } from '../../../platform/values/money.ts'
import { fileSheet } from './files.ts'
import { addressLines, cells, fact, text } from './html.ts'
import { framed, type Place, sheet } from './place.ts'

/** Renders an order as it was issued, with buttons to accept or decline it. */
export function orderPage(place: Place, order: PortalOrder, files: readonly PortalAttachment[]): string {
  const { reader } = place
  const words = reader.words.order
  const { home, community, currency, total, retainagePercent } = order
  const held = words.held(reader.money(percentOf(total, retainagePercent, currency), currency))
  const where = [community.name, ...addressLines(home.address)].join(', ')
  const content = [
    `<div><h1>${text(words.title(order.number))}</h1><p class="lead">${text(`${toWords(order.scope)}, ${home.name}`)}</p></div>`,
    `<p class="state">${text(words.sentences[order.status])}</p>`,
    cells([
      fact(words.total, reader.money(total, currency), {
        more: order.paidAmount === 0 ? '' : words.paid(reader.money(order.paidAmount, currency)),
      }),
      fact(words.retainage, `${reader.number(retainagePercent)}%`, { more: retainagePercent === 0 ? '' : held }),
      fact(words.place, home.name, { wide: true, more: where }),
      fact(words.note, order.notes, { wide: true }),
    ]),
    lineTable(place, order),
    `<p><a href="${text(`${place.root}/${order.id}/pdf`)}">${text(words.pdf)}</a></p>`,
    fileSheet(place, files, order.id),
    order.terms === null
      ? ''
      : `<details class="sheet"><summary>${text(words.terms)}</summary><p class="in small pre">${text(order.terms)}</p></details>`,
    order.canAnswer ? declineForm(place, order) : '',
  ]
  const accept = `<form method="post"><input type="hidden" name="version" value="${order.version}"><button class="btn go" name="answer" value="accepted">${text(words.accept)}</button></form>`
  return framed(place, words.title(order.number), content.join('\n'), order.canAnswer ? accept : undefined)
}

function lineTable({ reader }: Place, { lines, subtotal, taxTotal, total, currency }: PortalOrder): string {
  const words = reader.words.order
  const { at } = reader.words.bid
  const amount = (value: number) => text(reader.money(value, currency))
  const rows = lines.map(({ description, quantity, unit, unitPrice, total }) => {
    const small = at(`${reader.number(quantity)} ${unit}`, reader.unitPrice(unitPrice, currency))
    return `<tr><th scope="row">${text(description)}<small>${text(small)}</small></th><td class="num">${amount(total)}</td></tr>`
  })
  const sums: [string, number][] = [
    ...(taxTotal === 0
      ? []
      : ([
          [words.subtotal, subtotal],
          [words.tax, taxTotal],
        ] as [string, number][])),
    [words.total, total],
  ]
  const foot = sums.map(
    ([name, value]) => `<tr><th scope="row">${text(name)}</th><td class="num">${amount(value)}</td></tr>`,
  )
  return sheet(words.lines, `<table><tbody>${rows.join('\n')}</tbody><tfoot>${foot.join('')}</tfoot></table>`)
}

function declineForm({ reader }: Place, { number, version }: PortalOrder): string {
  const words = reader.words.order
  return `<details class="sheet"><summary>${text(words.decline)}</summary><form class="in" method="post"><input type="hidden" name="version" value="${version}"><div class="f"><label for="reason">${text(words.reason)}</label><textarea id="reason" name="reason" rows="2" maxlength="1000" required></textarea></div><button class="btn no" name="answer" value="declined">${text(words.declineNumber(number))}</button></form></details>`
}
