import type { PortalAttachment, PortalBid, PortalBidInvitation } from '../../../../client/contract.gen.ts'
import { lineTotal } from '../../../platform/values/money.ts'
import { field, note, text } from './html.ts'
import { framed, type Place } from './place.ts'
import { amountIn, type Faults, type LineFields, type PriceForm } from './price-form.ts'
import { leftOf, titleOf } from './request.ts'
import { steps } from './steps.ts'

export interface PriceView {
  invitation: PortalBidInvitation
  bid: PortalBid
  form: PriceForm
  faults: Faults
  /** The files that the vendor has uploaded. */
  files: readonly PortalAttachment[]
  /** The confirmation to show; null if the page was only opened. */
  done: 'saved' | null
}

/** Renders the form in which a vendor enters its price: one for everything, or one per line. */
export function pricePage(place: Place, view: PriceView): string {
  const { reader, root } = place
  const { invitation, bid, form, faults, files, done } = view
  const words = reader.words.bid
  const { id, request } = invitation
  const content = [
    steps(place, 1),
    `<div><h1>${text(words.yourPrice)}</h1><p class="lead">${text(words.dueIn(titleOf(invitation), reader.shortDate(request.deadline), leftOf(place, request)))}</p></div>`,
    faults.size === 0 ? '' : faultNote(place, view),
    done === 'saved' ? note('ok', words.saved) : '',
    `<form method="post" id="price" enctype="multipart/form-data" action="${text(`${root}/${id}/price`)}"><input type="hidden" name="by" value="${form.by}">`,
    form.by === 'sum' ? sumField(place, view) : linesFields(place, view),
    otherWay(place, view),
    rest(place, view),
    ownFiles(files),
    `<p class="in"><button class="btn" name="do" value="totals">${text(words.totals)}</button></p></form>`,
  ]
  const total = bid.review?.total ?? (bid.draft === null && bid.bid !== null ? bid.bid.amount : null)
  const sum = reader.money(total ?? 0, bid.currency)
  const bar = `<div class="sum"><span>${text(words.totalSoFar)}</span><strong>${text(sum)}</strong></div><div class="two"><button class="btn" form="price" name="do" value="save">${text(words.save)}</button><button class="btn go" form="price" name="do" value="review">${text(words.review)}</button></div>`
  return framed(place, words.yourPrice, content.join('\n'), bar)
}

function faultNote({ reader }: Place, { faults, invitation }: PriceView): string {
  const { bid } = reader.words
  const names: Record<string, string> = {
    amount: bid.lumpSumFor,
    leadTimeDays: bid.canStart,
    durationDays: bid.takes,
    validUntil: bid.validUntil,
  }
  const links = [...faults.keys()].map((name) => {
    const line = name.startsWith('p') ? invitation.request.lines[Number(name.slice(1))]?.description : undefined
    return `<a href="#${name}">${text(line ?? names[name] ?? name)}</a>`
  })
  return note('bad', `${bid.unread(faults.size)} ${bid.nothingSaved}`, links.join(', '))
}

function sumField({ reader }: Place, { bid, form, faults }: PriceView): string {
  const { lumpSumFor } = reader.words.bid
  return `<section class="sheet"><div class="in">${field('amount', lumpSumFor, money({ reader }, 'amount', form.amount, bid.currency, '', faults))}</div></section>`
}

function linesFields(place: Place, { invitation, bid, form, faults }: PriceView): string {
  const { reader } = place
  const words = reader.words.bid
  const items = invitation.request.lines.map(({ description, quantity, unit, required }, i) => {
    const line = form.lines[i] ?? { price: '', offer: '', note: '' }
    const small = `${reader.number(quantity)} ${unit}${required ? '' : `, ${words.optional}`}`
    const isLump = unit === 'LS' && quantity === 1
    const label = isLump ? words.lumpSum : words.priceFor(unit)
    const name = `p${i}`
    return `<fieldset class="line"><legend class="q">${text(description)}<small>${text(small)}</small></legend><div class="f wide"><label for="${name}">${text(label)}</label>${money(place, name, line.price, bid.currency, isLump ? '' : words.perUnit(unit), faults)}</div>${offerOf(place, i, line)}<strong>${text(amountOf(place, quantity, line, bid.currency))}</strong><input class="wide" name="n${i}" aria-label="${text(words.note)}" placeholder="${text(words.note)}" maxlength="1000" value="${text(line.note)}"></fieldset>`
  })
  return `<div class="sheet">${items.join('\n')}</div>`
}

function offerOf({ reader }: Place, i: number, { offer }: LineFields): string {
  const { offer: label, included, notIncluded, alternate } = reader.words.bid
  const options = (
    [
      ['', included],
      ['excluded', notIncluded],
      ['alternate', alternate],
    ] as const
  ).map(([value, shown]) => `<option value="${value}"${value === offer ? ' selected' : ''}>${text(shown)}</option>`)
  return `<select name="s${i}" aria-label="${text(label)}">${options.join('')}</select>`
}

function money(
  { reader }: Pick<Place, 'reader'>,
  name: string,
  value: string,
  currency: string,
  unit: string,
  faults: Faults,
): string {
  const { invalid, message } = faultAt({ reader }, name, faults)
  return `<div class="money"><span class="faint">${text(reader.sign(currency))}</span><input class="r" id="${name}" name="${name}" inputmode="decimal" autocomplete="off" maxlength="40" value="${text(value)}"${invalid}><span class="faint">${text(unit)}</span></div>${message}`
}

function faultAt({ reader }: Pick<Place, 'reader'>, name: string, faults: Faults) {
  const fault = faults.get(name)
  if (fault === undefined) return { invalid: '', message: '' }
  return {
    invalid: ` aria-invalid="true" aria-describedby="${name}-e"`,
    message: `<p class="err" id="${name}-e">${text(reader.words.bid[fault])}</p>`,
  }
}

function amountOf({ reader }: Place, quantity: number, { price, offer }: LineFields, currency: string): string {
  const amount = offer === 'excluded' ? null : amountIn(price)
  return amount == null ? '' : reader.money(lineTotal(quantity, amount, currency), currency)
}

/** Links to the other way of pricing. A lump sum can also be made up of lines, if there are any. */
function otherWay({ reader, root }: Place, { invitation, form }: PriceView): string {
  const { id, request } = invitation
  if (request.bidType !== 'lump_sum' || request.lines.length === 0) return ''
  const other = form.by === 'sum' ? 'lines' : 'sum'
  return `<p class="in"><a href="${text(`${root}/${id}/price?by=${other}`)}">${text(reader.words.bid.instead[other])}</a></p>`
}

function rest({ reader }: Place, { form, faults }: PriceView): string {
  const words = reader.words.bid
  const days = (name: 'leadTimeDays' | 'durationDays', label: string) => {
    const { invalid, message } = faultAt({ reader }, name, faults)
    const control = `<div class="money unit"><input class="r" id="${name}" name="${name}" inputmode="numeric" autocomplete="off" maxlength="4" value="${text(form[name])}"${invalid}><span class="faint">${text(words.days)}</span></div>${message}`
    return field(name, label, control)
  }
  const area = (name: 'inclusions' | 'exclusions' | 'note', label: string) =>
    field(
      name,
      label,
      `<textarea id="${name}" name="${name}" rows="2" maxlength="5000">${text(form[name])}</textarea>`,
      words.optional,
    )
  const { invalid, message } = faultAt({ reader }, 'validUntil', faults)
  const valid = `<input id="validUntil" name="validUntil" type="date" value="${text(form.validUntil)}"${invalid}>${message}`
  return `<section class="sheet"><div class="in"><div class="two">${days('leadTimeDays', words.canStart)}${days('durationDays', words.takes)}</div>
${field('validUntil', words.validUntil, valid, words.optional)}
${area('exclusions', words.exclusions)}
${area('inclusions', words.inclusions)}
${area('note', words.remark)}
${field('file', words.file, '<input id="file" name="file" type="file">', words.fileHint)}</div></section>`
}

function ownFiles(files: readonly PortalAttachment[]): string {
  if (files.length === 0) return ''
  return `<p class="in small faint">${files.map(({ fileName }) => text(fileName)).join(', ')}</p>`
}
