import type { PortalAttachment, PortalBill, PortalOrder } from '../../../../client/contract.gen.ts'
import { computePercentAmount } from '../../../platform/values/money.ts'
import { toBillRow } from './bill-page.ts'
import { renderFileSheet } from './file-sheet.ts'
import { escapeHtml, renderFacts, toAddressLines, toFact } from './html.ts'
import { renderRows } from './list-rows.ts'
import { getTypedValue, isSentWithButton, type PageContext, renderPortalPage, renderSheet } from './page-context.ts'

/** Renders an issued order, with buttons to accept or decline the order. */
export function renderOrderPage(
  place: PageContext,
  order: PortalOrder,
  { files, bills }: { files: readonly PortalAttachment[]; bills: readonly PortalBill[] },
): string {
  const { reader } = place
  const words = reader.words.order
  const { home, community, currency, total, retainagePercent } = order
  const held = words.held(reader.money(computePercentAmount(total, retainagePercent, currency), currency))
  const where = [community.name, ...toAddressLines(home.address)].join(', ')
  const content = [
    `<div><h1>${escapeHtml(words.title(order.number))}</h1><p class="lead">${escapeHtml(`${reader.tradeName(order)}, ${home.name}`)}</p></div>`,
    `<p class="state">${escapeHtml(words.sentences[order.status])}</p>`,
    renderFacts([
      toFact(words.total, reader.money(total, currency), {
        isAmount: true,
        more: order.paidAmount === 0 ? '' : words.paid(reader.money(order.paidAmount, currency)),
      }),
      toFact(words.retainage, `${reader.number(retainagePercent)}%`, { more: retainagePercent === 0 ? '' : held }),
      toFact(words.place, home.name, { wide: true, more: where }),
      toFact(words.note, order.notes, { wide: true }),
    ]),
    renderLineTable(place, order),
    `<p><a href="${escapeHtml(`${place.root}/${order.id}/pdf`)}">${escapeHtml(words.pdf)}</a></p>`,
    renderFileSheet(place, files, order.id),
    renderBills(place, order, bills),
    order.terms === null
      ? ''
      : `<details class="sheet"><summary>${escapeHtml(words.terms)}</summary><p class="in small pre">${escapeHtml(order.terms)}</p></details>`,
    order.canAnswer ? renderDeclineForm(place, order) : '',
  ]
  const accept = `<form method="post"><input type="hidden" name="version" value="${order.version}"><button class="btn go" name="answer" value="accepted">${escapeHtml(words.accept)}</button></form>`
  return renderPortalPage(place, words.title(order.number), content.join('\n'), order.canAnswer ? accept : undefined)
}

function renderLineTable({ reader }: PageContext, { lines, subtotal, taxTotal, total, currency }: PortalOrder): string {
  const words = reader.words.order
  const { at } = reader.words.bid
  const amount = (value: number) => escapeHtml(reader.money(value, currency))
  const rows = lines.map(({ description, quantity, unit, unitPrice, total }) => {
    const small = at(`${reader.number(quantity)} ${unit}`, reader.unitPrice(unitPrice, currency))
    return `<tr><th scope="row">${escapeHtml(description)}<small>${escapeHtml(small)}</small></th><td class="num">${amount(total)}</td></tr>`
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
    ([name, value]) => `<tr><th scope="row">${escapeHtml(name)}</th><td class="num">${amount(value)}</td></tr>`,
  )
  return renderSheet(words.lines, `<table><tbody>${rows.join('\n')}</tbody><tfoot>${foot.join('')}</tfoot></table>`)
}

/** The statuses of orders on which the page says how the vendor is paid. */
const STATUSES_WITH_WORK: ReadonlySet<string> = new Set(['accepted', 'partially_completed', 'completed'])

/** Lists the bills for the order, with a link to the form for a new bill. */
function renderBills(place: PageContext, { id, status, canBill }: PortalOrder, bills: readonly PortalBill[]): string {
  const { bill, home } = place.reader.words
  const rows =
    bills.length === 0
      ? ''
      : renderRows(
          place,
          bills.map((each) => toBillRow(place, each)),
        )
  const button = `<p class="in"><a class="btn" href="${escapeHtml(`${place.root}/${id}/bill`)}">${escapeHtml(bill.newTitle)}</a></p>`
  const note = STATUSES_WITH_WORK.has(status) ? `<p class="in small">${escapeHtml(bill.notNeeded)}</p>` : ''
  const way = canBill ? button : bills.length === 0 ? note : ''
  return rows === '' && way === '' ? '' : renderSheet(home.bills, rows + way)
}

function renderDeclineForm(place: PageContext, { number, version }: PortalOrder): string {
  const words = place.reader.words.order
  const open = isSentWithButton(place, 'answer', 'declined') ? ' open' : ''
  return `<details class="sheet"${open}><summary>${escapeHtml(words.decline)}</summary><form class="in" method="post"><input type="hidden" name="version" value="${version}"><div class="f"><label for="reason">${escapeHtml(words.reason)}</label><textarea id="reason" name="reason" rows="2" maxlength="1000" required>${getTypedValue(place, 'reason')}</textarea></div><button class="btn no" name="answer" value="declined">${escapeHtml(words.declineNumber(number))}</button></form></details>`
}
