import type { PortalAttachment, PortalBid, PortalBidInvitation } from '../../../../client/contract.gen.ts'
import { computeLineTotal } from '../../../platform/values/money.ts'
import { renderBidSteps } from './bid-steps.ts'
import { escapeHtml, renderField, renderNote } from './html.ts'
import { type PageContext, renderPortalPage } from './page-context.ts'
import { type FormErrors, type LineFields, type PriceForm, parseAmount } from './price-form.ts'
import { formatRequestTitle, formatTimeLeft } from './request-page.ts'

export interface PriceView {
  invitation: PortalBidInvitation
  bid: PortalBid
  form: PriceForm
  faults: FormErrors
  /** The files that the vendor has uploaded. */
  files: readonly PortalAttachment[]
  /** The confirmation to show; null if the page was only opened. */
  done: 'saved' | null
}

/** Renders the form in which a vendor enters its price: one for everything, or one per line. */
export function renderPricePage(place: PageContext, view: PriceView): string {
  const { reader, root } = place
  const { invitation, bid, form, faults, files, done } = view
  const words = reader.words.bid
  const { id, request } = invitation
  const content = [
    renderBidSteps(place, 1),
    `<div><h1>${escapeHtml(words.yourPrice)}</h1><p class="lead">${escapeHtml(words.dueIn(formatRequestTitle(invitation), reader.shortDate(request.deadline), formatTimeLeft(place, request)))}</p></div>`,
    faults.size === 0 ? '' : renderErrorNote(place, view),
    done === 'saved' ? renderNote('ok', words.saved) : '',
    `<form method="post" id="price" enctype="multipart/form-data" action="${escapeHtml(`${root}/${id}/price`)}"><input type="hidden" name="by" value="${form.by}">`,
    form.by === 'sum' ? renderTotalField(place, view) : renderLineFields(place, view),
    renderPricingSwitch(place, view),
    renderOtherFields(place, view),
    renderOwnFiles(files),
    `<p class="in"><button class="btn" name="do" value="totals">${escapeHtml(words.totals)}</button></p></form>`,
  ]
  const total = bid.review?.total ?? (bid.draft === null && bid.bid !== null ? bid.bid.amount : null)
  const sum = reader.money(total ?? 0, bid.currency)
  const bar = `<div class="sum"><span>${escapeHtml(words.totalSoFar)}</span><strong>${escapeHtml(sum)}</strong></div><div class="two"><button class="btn" form="price" name="do" value="save">${escapeHtml(words.save)}</button><button class="btn go" form="price" name="do" value="review">${escapeHtml(words.review)}</button></div>`
  return renderPortalPage(place, words.yourPrice, content.join('\n'), bar)
}

function renderErrorNote({ reader }: PageContext, { faults, invitation }: PriceView): string {
  const { bid } = reader.words
  const names: Record<string, string> = {
    amount: bid.lumpSumFor,
    leadTimeDays: bid.canStart,
    durationDays: bid.takes,
    validUntil: bid.validUntil,
  }
  const links = [...faults.keys()].map((name) => {
    const line = name.startsWith('p') ? invitation.request.lines[Number(name.slice(1))]?.description : undefined
    return `<a href="#${name}">${escapeHtml(line ?? names[name] ?? name)}</a>`
  })
  return renderNote('bad', `${bid.unread(faults.size)} ${bid.nothingSaved}`, links.join(', '))
}

function renderTotalField({ reader }: PageContext, { bid, form, faults }: PriceView): string {
  const { lumpSumFor } = reader.words.bid
  return `<section class="sheet"><div class="in">${renderField('amount', lumpSumFor, renderMoneyField({ reader }, 'amount', form.amount, bid.currency, '', faults))}</div></section>`
}

function renderLineFields(place: PageContext, { invitation, bid, form, faults }: PriceView): string {
  const { reader } = place
  const words = reader.words.bid
  const items = invitation.request.lines.map(({ description, quantity, unit, required }, i) => {
    const line = form.lines[i] ?? { price: '', offer: '', note: '' }
    const small = `${reader.number(quantity)} ${unit}${required ? '' : `, ${words.optional}`}`
    const isLump = unit === 'LS' && quantity === 1
    const label = isLump ? words.lumpSum : words.priceFor(unit)
    const name = `p${i}`
    return `<fieldset class="line"><legend class="q">${escapeHtml(description)}<small>${escapeHtml(small)}</small></legend><div class="f wide"><label for="${name}">${escapeHtml(label)}</label>${renderMoneyField(place, name, line.price, bid.currency, isLump ? '' : words.perUnit(unit), faults)}</div>${renderOfferChoice(place, i, line)}<strong>${escapeHtml(formatLineAmount(place, quantity, line, bid.currency))}</strong><input class="wide" name="n${i}" aria-label="${escapeHtml(words.note)}" placeholder="${escapeHtml(words.note)}" maxlength="1000" value="${escapeHtml(line.note)}"></fieldset>`
  })
  return `<div class="sheet">${items.join('\n')}</div>`
}

function renderOfferChoice({ reader }: PageContext, i: number, { offer }: LineFields): string {
  const { offer: label, included, notIncluded, alternate } = reader.words.bid
  const options = (
    [
      ['', included],
      ['excluded', notIncluded],
      ['alternate', alternate],
    ] as const
  ).map(
    ([value, shown]) => `<option value="${value}"${value === offer ? ' selected' : ''}>${escapeHtml(shown)}</option>`,
  )
  return `<select name="s${i}" aria-label="${escapeHtml(label)}">${options.join('')}</select>`
}

function renderMoneyField(
  { reader }: Pick<PageContext, 'reader'>,
  name: string,
  value: string,
  currency: string,
  unit: string,
  errors: FormErrors,
): string {
  const { invalid, message } = renderErrorAt({ reader }, name, errors)
  return `<div class="money"><span class="faint">${escapeHtml(reader.sign(currency))}</span><input class="r" id="${name}" name="${name}" inputmode="decimal" autocomplete="off" maxlength="40" value="${escapeHtml(value)}"${invalid}><span class="faint">${escapeHtml(unit)}</span></div>${message}`
}

function renderErrorAt({ reader }: Pick<PageContext, 'reader'>, name: string, errors: FormErrors) {
  const fault = errors.get(name)
  if (fault === undefined) return { invalid: '', message: '' }
  return {
    invalid: ` aria-invalid="true" aria-describedby="${name}-e"`,
    message: `<p class="err" id="${name}-e">${escapeHtml(reader.words.bid[fault])}</p>`,
  }
}

function formatLineAmount(
  { reader }: PageContext,
  quantity: number,
  { price, offer }: LineFields,
  currency: string,
): string {
  const amount = offer === 'excluded' ? null : parseAmount(price)
  return amount == null ? '' : reader.money(computeLineTotal(quantity, amount, currency), currency)
}

/** Links to the other way of pricing. A lump sum can also be made up of lines, if there are any. */
function renderPricingSwitch({ reader, root }: PageContext, { invitation, form }: PriceView): string {
  const { id, request } = invitation
  if (request.bidType !== 'lump_sum' || request.lines.length === 0) return ''
  const other = form.by === 'sum' ? 'lines' : 'sum'
  return `<p class="in"><a href="${escapeHtml(`${root}/${id}/price?by=${other}`)}">${escapeHtml(reader.words.bid.instead[other])}</a></p>`
}

function renderOtherFields({ reader }: PageContext, { form, faults }: PriceView): string {
  const words = reader.words.bid
  const days = (name: 'leadTimeDays' | 'durationDays', label: string) => {
    const { invalid, message } = renderErrorAt({ reader }, name, faults)
    const control = `<div class="money unit"><input class="r" id="${name}" name="${name}" inputmode="numeric" autocomplete="off" maxlength="4" value="${escapeHtml(form[name])}"${invalid}><span class="faint">${escapeHtml(words.days)}</span></div>${message}`
    return renderField(name, label, control)
  }
  const area = (name: 'inclusions' | 'exclusions' | 'note', label: string) =>
    renderField(
      name,
      label,
      `<textarea id="${name}" name="${name}" rows="2" maxlength="5000">${escapeHtml(form[name])}</textarea>`,
      words.optional,
    )
  const { invalid, message } = renderErrorAt({ reader }, 'validUntil', faults)
  const valid = `<input id="validUntil" name="validUntil" type="date" value="${escapeHtml(form.validUntil)}"${invalid}>${message}`
  return `<section class="sheet"><div class="in"><div class="two">${days('leadTimeDays', words.canStart)}${days('durationDays', words.takes)}</div>
${renderField('validUntil', words.validUntil, valid, words.optional)}
${area('exclusions', words.exclusions)}
${area('inclusions', words.inclusions)}
${area('note', words.remark)}
${renderField('file', words.file, '<input id="file" name="file" type="file">', words.fileHint)}</div></section>`
}

function renderOwnFiles(files: readonly PortalAttachment[]): string {
  if (files.length === 0) return ''
  return `<p class="in small faint">${files.map(({ fileName }) => escapeHtml(fileName)).join(', ')}</p>`
}
