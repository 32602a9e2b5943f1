import type { PortalBill, PortalOrder } from '../../../../client/contract.gen.ts'
import { toLocalDate } from '../../../platform/values/calendar.ts'
import { subtract } from '../../../platform/values/money.ts'
import { isMoreThanLeft, readBillAmount, readBillForm } from '../forms/bill-form.ts'
import { escapeHtml, renderFacts, renderField, toFact } from './html.ts'
import type { ListRow } from './list-rows.ts'
import { getTypedValue, isSentWithButton, type PageContext, renderPortalPage, renderSheet } from './page-context.ts'
import { describeFieldError } from './price-page.ts'

/** Renders the form with which a vendor bills an order. */
export function renderBillFormPage(place: PageContext, order: PortalOrder, { timeZone }: { timeZone: string }): string {
  const { reader, now, root } = place
  const words = reader.words.bill
  const { currency, number, home, total, leftToBill } = order
  const money = (amount: number) => reader.money(amount, currency)
  const today = toLocalDate(timeZone, now)
  const input = (id: string, rest: string, defaults = '') =>
    `<input id="${id}" name="${id}" value="${getTypedValue(place, id, defaults)}" ${rest}>`
  const { amountField, confirmation } = renderAmount(place, order)
  const content = `<div><h1>${escapeHtml(words.newTitle)}</h1><p class="lead">${escapeHtml(`${reader.words.order.title(number)} · ${reader.tradeName(order)}, ${home.name}`)}</p></div>
${renderFacts([toFact(reader.words.order.total, money(total), { isAmount: true }), toFact(words.left, money(leftToBill), { isAmount: true })])}
<form class="sheet" method="post" enctype="multipart/form-data" action="${escapeHtml(`${root}/${order.id}/bill`)}"><div class="in">
${renderField('invoiceNumber', words.invoiceNumber, input('invoiceNumber', 'maxlength="100" autocomplete="off" required'))}
${renderField('amount', words.amount, amountField, words.amountHint)}
${renderField('invoiceDate', words.invoiceDate, input('invoiceDate', `type="date" max="${today}" required`, today))}
${renderField('description', words.description, input('description', 'maxlength="500"'), reader.words.bid.optional)}
${renderField('file', words.file, '<input id="file" name="file" type="file">', `${reader.words.bid.optional}, ${reader.words.bid.fileHint}`)}
${confirmation}<button class="btn go">${escapeHtml(words.send)}</button></div></form>`
  return renderPortalPage(place, `${words.newTitle} · ${number}`, content)
}

/** Renders the amount, with its error, and the confirmation of an amount that exceeds what is left to bill. */
function renderAmount(place: PageContext, order: PortalOrder): { amountField: string; confirmation: string } {
  const { reader, returned } = place
  const words = reader.words.bill
  const { currency, leftToBill } = order
  const { value, error } = readBillAmount(readBillForm(returned?.fields ?? {}), order)
  const isWrong = returned !== null && error !== null
  const invalid = isWrong ? ' aria-invalid="true" aria-describedby="amount-e" autofocus' : ''
  const said = error === null || error === 'missing' ? words.noAmount : describeFieldError(reader, error)
  const message = isWrong ? `<p class="err" id="amount-e">${escapeHtml(said)}</p>` : ''
  const amountField = `<div class="money"><span class="faint">${escapeHtml(reader.sign(currency))}</span><input class="r" id="amount" name="amount" inputmode="decimal" maxlength="40" value="${getTypedValue(place, 'amount')}" required${invalid}></div>${message}`
  if (value === null || !isMoreThanLeft(value, order)) return { amountField, confirmation: '' }
  const excess = reader.money(subtract(value, leftToBill), currency)
  const confirmation = `<label class="pick"><input type="checkbox" name="sure" value="yes" required> <span>${escapeHtml(words.sure(reader.money(value, currency), excess))}</span></label>\n`
  return { amountField, confirmation }
}

/** Renders a bill, with forms to add a file and to withdraw the bill while it awaits approval. */
export function renderBillPage(place: PageContext, bill: PortalBill): string {
  const { reader } = place
  const words = reader.words.bill
  const money = (amount: number) => reader.money(amount, bill.currency)
  const title = words.title(bill.invoiceNumber ?? bill.number)
  const lines = bill.lines.map(
    ({ description, amount }) =>
      `<tr><th scope="row">${escapeHtml(description)}</th><td class="num">${escapeHtml(money(amount))}</td></tr>`,
  )
  const files = bill.fileNames.map((name) => `<li><div>${escapeHtml(name)}</div></li>`)
  const content = [
    `<div><h1>${escapeHtml(title)}</h1>${bill.invoiceNumber === null ? '' : `<p class="lead">${escapeHtml(words.builderNumber(bill.number))}</p>`}</div>`,
    `<p class="state">${escapeHtml(words.sentences[bill.status])}</p>`,
    renderFacts([
      toFact(words.billed, money(bill.grossAmount), { isAmount: true }),
      toFact(words.net, money(bill.amount), {
        isAmount: true,
        more: bill.retainageWithheld === 0 ? '' : reader.words.payment.held(money(bill.retainageWithheld)),
      }),
      toFact(words.paid, bill.paidAmount === 0 ? null : money(bill.paidAmount), { isAmount: true }),
      toFact(words.invoiceDate, reader.longDate(bill.invoiceDate)),
      toFact(words.due, isOpen(bill) ? reader.longDate(bill.dueDate) : null),
      toFact(words.rejectedWhy, bill.rejectedReason, { wide: true }),
    ]),
    renderSheet(reader.words.order.lines, `<table><tbody>${lines.join('\n')}</tbody></table>`),
    files.length === 0 ? '' : renderSheet(reader.words.bid.files, `<ul class="rows">${files.join('\n')}</ul>`),
    bill.canWithdraw ? renderForms(place) : '',
  ]
  return renderPortalPage(place, title, content.join('\n'))
}

function isOpen({ status }: PortalBill): boolean {
  return status === 'received' || status === 'approved' || status === 'partially_paid'
}

function renderForms(place: PageContext): string {
  const words = place.reader.words.bill
  const { fileHint, optional } = place.reader.words.bid
  const open = (action: string) => (isSentWithButton(place, 'do', action) ? ' open' : '')
  const file = renderField('file', words.file, '<input id="file" name="file" type="file" required>', fileHint)
  const reason = renderField(
    'reason',
    words.withdrawWhy,
    `<textarea id="reason" name="reason" rows="2" maxlength="400">${getTypedValue(place, 'reason')}</textarea>`,
    optional,
  )
  return `<details class="sheet"${open('file')}><summary>${escapeHtml(words.addFile)}</summary><form class="in" method="post" enctype="multipart/form-data">${file}<button class="btn" name="do" value="file">${escapeHtml(words.addFile)}</button></form></details>
<details class="sheet"${open('withdraw')}><summary>${escapeHtml(words.withdraw)}</summary><form class="in" method="post">${reason}<button class="btn no" name="do" value="withdraw">${escapeHtml(words.withdraw)}</button></form></details>`
}

export function toBillRow({ reader }: PageContext, bill: PortalBill): ListRow {
  const { id, number, status, invoiceNumber, invoiceDate, grossAmount, currency, rejectedReason } = bill
  const words = reader.words.bill
  const [first] = bill.lines
  return {
    id,
    name: `${invoiceNumber ?? number}, ${reader.money(grossAmount, currency)}`,
    more: [reader.shortDate(invoiceDate), first?.description, rejectedReason]
      .filter((part) => part != null)
      .join(' · '),
    state: words.short[status],
    tone: status === 'rejected' ? 'bad' : status === 'received' || status === 'void' ? undefined : 'ok',
  }
}
