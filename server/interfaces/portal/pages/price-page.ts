import type { PortalAttachment, PortalBid, PortalBidInvitation } from '../../../../client/contract.gen.ts'
import { computeLineTotal } from '../../../platform/values/money.ts'
import { findMatchingLines, MAX_SEARCH_LENGTH, MIN_LINES_TO_SEARCH } from '../forms/find-lines.ts'
import {
  type FieldError,
  type FormErrors,
  isEmptyAlternate,
  type LineFields,
  type PriceForm,
  parseUnitPrice,
} from '../forms/price-form.ts'
import { renderBidSteps } from './bid-steps.ts'
import { escapeHtml, renderField, renderNote } from './html.ts'
import { type PageContext, renderPortalPage } from './page-context.ts'
import { formatRequestTitle, formatTimeLeft } from './request-page.ts'
import type { PageLocale } from './words/page-locale.ts'

export interface PriceView {
  invitation: PortalBidInvitation
  bid: PortalBid
  form: PriceForm
  errors: FormErrors
  /** The files that the vendor has attached. */
  files: readonly PortalAttachment[]
  /** The confirmation to show; null if the vendor has not submitted the form. */
  done: 'saved' | null
  /** The entries that another user has changed since the form was opened, as names and values. */
  changes: readonly (readonly [name: string, value: string])[]
  /** The words to find in the lines; empty if the user is not searching. */
  search: string
}

/** Renders the form for prices: one price for the whole work, or one price for each line. */
export function renderPricePage(place: PageContext, view: PriceView): string {
  const { reader, root } = place
  const { invitation, bid, form, errors, done, changes } = view
  const words = reader.words.bid
  const { id, request } = invitation
  // This button comes first, because the Enter key presses the first button of a form.
  const defaultButton = `<button class="sr" name="do" value="totals" tabindex="-1" aria-hidden="true">${escapeHtml(words.totals)}</button>`
  const content = [
    renderBidSteps(place, 1),
    `<div><h1>${escapeHtml(words.yourPrice)}</h1><p class="lead">${escapeHtml(words.dueIn(formatRequestTitle(place, invitation), reader.shortDate(request.deadline), formatTimeLeft(place, request)))}</p></div>`,
    errors.size === 0 ? '' : renderErrorNote(place, view),
    changes.length === 0 ? '' : changesNote(place, changes),
    done === 'saved' ? renderNote('ok', words.saved) : '',
    `<form method="post" id="price" enctype="multipart/form-data" action="${escapeHtml(`${root}/${id}/price`)}"><input type="hidden" name="by" value="${form.by}"><input type="hidden" name="version" value="${bid.draft?.version ?? 0}">${defaultButton}`,
    form.by === 'sum' ? '' : renderLineSearch(place, view),
    form.by === 'sum' ? '' : renderLineFields(place, view),
    form.by === 'sum' || request.bidType === 'both' ? renderTotalField(place, view) : '',
    renderPricingSwitch(place, view),
    renderAlternates(place, view),
    renderOtherFields(place, view),
    renderOwnFiles(place, view),
    `<p class="in"><button class="btn" name="do" value="totals">${escapeHtml(words.totals)}</button></p></form>`,
  ]
  const total = bid.review?.total ?? (bid.draft === null && bid.bid !== null ? bid.bid.amount : null)
  const sum = reader.money(total ?? 0, bid.currency)
  const bar = `<div class="sum"><span>${escapeHtml(words.totalSoFar)}${renderUnpricedLink(place, form)}</span><strong>${escapeHtml(sum)}</strong></div><div class="two"><button class="btn" form="price" name="do" value="save">${escapeHtml(words.save)}</button><button class="btn go" form="price" name="do" value="review">${escapeHtml(words.review)}</button></div>`
  return renderPortalPage(place, words.yourPrice, content.join('\n'), bar)
}

/** Renders the search for a line. Searching saves the draft and then shows links to the lines that were found. */
function renderLineSearch({ reader }: PageContext, { invitation: { request }, search }: PriceView): string {
  if (request.lines.length < MIN_LINES_TO_SEARCH) return ''
  const words = reader.words.request
  const links = findMatchingLines(request, search).map(
    (i) => `<li><a href="#p${i}">${escapeHtml(request.lines[i]?.description ?? '')}</a></li>`,
  )
  const found =
    search === ''
      ? ''
      : links.length === 0
        ? `<p id="found" class="small">${escapeHtml(words.noLineFound)}</p>`
        : `<ul id="found" class="small found">${links.join('')}</ul>`
  return `<section class="sheet"><div class="in"><div class="two"><div class="f"><label for="find">${escapeHtml(words.findLine)}</label><input id="find" name="find" type="search" maxlength="${MAX_SEARCH_LENGTH}" value="${escapeHtml(search)}"></div><button class="btn" name="do" value="find">${escapeHtml(words.find)}</button></div>${found}</div></section>`
}

/** The number of lines that fit on a screen. If there are more, the bar links to the first line without a price. */
const MAX_LINES_IN_VIEW = 5

function renderUnpricedLink({ reader: { words } }: PageContext, { by, lines }: PriceForm): string {
  if (by === 'sum' || lines.length <= MAX_LINES_IN_VIEW) return ''
  const unpriced = lines.flatMap(({ price, offer }, i) => (price === '' && offer !== 'excluded' ? [i] : []))
  if (unpriced.length === 0) return ''
  return ` · <a href="#p${unpriced[0]}">${escapeHtml(words.bid.unpriced(unpriced.length))}</a>`
}

function changesNote({ reader: { words } }: PageContext, changes: PriceView['changes']): string {
  const items = changes.map(([name, value]) => `<li>${escapeHtml(name)}: <strong>${escapeHtml(value)}</strong></li>`)
  return `<div class="note warn" role="alert" tabindex="-1" autofocus><p><strong>${escapeHtml(words.bid.otherChanged)}</strong> ${escapeHtml(words.bid.otherChangedHint)}</p><ul>${items.join('')}</ul></div>`
}

function renderErrorNote({ reader }: PageContext, { errors, invitation }: PriceView): string {
  const { bid } = reader.words
  const names: Record<string, string> = {
    amount: bid.lumpSumFor,
    leadTimeDays: bid.canStart,
    durationDays: bid.takes,
    validUntil: bid.validUntil,
  }
  const links = [...errors.keys()].map((name) => {
    const line = name.startsWith('p') ? invitation.request.lines[Number(name.slice(1))]?.description : undefined
    const alternate = name.startsWith('aa') ? bid.alternateNumber(Number(name.slice(2)) + 1) : undefined
    return `<a href="#${name}">${escapeHtml(line ?? alternate ?? names[name] ?? name)}</a>`
  })
  return renderNote('bad', `${bid.unread(errors.size)} ${bid.nothingSaved}`, links.join(', '))
}

function renderTotalField({ reader }: PageContext, { bid, form, errors }: PriceView): string {
  const { lumpSumFor, sumOfLines, optional } = reader.words.bid
  const isOfLines = form.by === 'lines'
  const [label, hint] = isOfLines ? [sumOfLines, optional] : [lumpSumFor, '']
  return `<section class="sheet"><div class="in">${renderField('amount', label, renderMoneyField({ reader }, 'amount', form.amount, bid.currency, '', errors), hint)}</div></section>`
}

function renderLineFields(place: PageContext, { invitation, bid, form, errors }: PriceView): string {
  const { reader } = place
  const words = reader.words.bid
  const items = invitation.request.lines.map(({ description, quantity, unit, required }, i) => {
    const line = form.lines[i] ?? { price: '', offer: '', note: '' }
    const small = `${reader.number(quantity)} ${unit}${required ? '' : `, ${words.optional}`}`
    const isLump = unit === 'LS' && quantity === 1
    const label = isLump ? words.lumpSum : words.priceFor(unit)
    const name = `p${i}`
    return `<fieldset class="line"><legend class="q">${escapeHtml(description)}<small>${escapeHtml(small)}</small></legend><div class="f wide"><label for="${name}">${escapeHtml(label)}</label>${renderMoneyField(place, name, line.price, bid.currency, isLump ? '' : words.perUnit(unit), errors)}</div>${renderOfferChoice(place, i, line)}<strong>${escapeHtml(formatLineAmount(place, quantity, line, bid.currency))}</strong><input class="wide" name="n${i}" aria-label="${escapeHtml(words.note)}" placeholder="${escapeHtml(words.note)}" maxlength="1000" value="${escapeHtml(line.note)}"></fieldset>`
  })
  return `<div class="sheet">${items.join('\n')}</div>`
}

function renderOfferChoice({ reader }: PageContext, i: number, { offer }: LineFields): string {
  const { offer: label, included, notIncluded, alternate } = reader.words.bid
  const choices = [
    ['', included],
    ['excluded', notIncluded],
    // Shown only for lines that another program marked as alternates. In the portal, vendors offer alternates next to
    // the base bid.
    ...(offer === 'alternate' ? ([['alternate', alternate]] as const) : []),
  ] as const
  const options = choices.map(
    ([value, shown]) => `<option value="${value}"${value === offer ? ' selected' : ''}>${escapeHtml(shown)}</option>`,
  )
  return `<select name="s${i}" aria-label="${escapeHtml(label)}">${options.join('')}</select>`
}

/** Renders the fields for alternates. They are open if the bid has alternates. */
function renderAlternates(place: PageContext, { bid, form, errors }: PriceView): string {
  const words = place.reader.words.bid
  const items = form.alternates.map(({ description, effect, amount, note }, i) => {
    const option = (value: typeof effect, shown: string) =>
      `<option value="${value}"${value === effect ? ' selected' : ''}>${escapeHtml(shown)}</option>`
    const what = `<input id="ad${i}" name="ad${i}" maxlength="500" value="${escapeHtml(description)}">`
    const choice = `<select name="ae${i}" aria-label="${escapeHtml(words.effect)}">${option('add', words.add)}${option('deduct', words.deduct)}</select>`
    const price = `<div class="f"><label for="aa${i}">${escapeHtml(words.alternateAmount)}</label>${renderMoneyField(place, `aa${i}`, amount, bid.currency, '', errors)}</div>`
    const remark = `<input class="wide" name="an${i}" aria-label="${escapeHtml(words.note)}" placeholder="${escapeHtml(words.note)}" maxlength="1000" value="${escapeHtml(note)}">`
    return `<fieldset class="line"><legend class="q">${escapeHtml(words.alternateNumber(i + 1))}</legend><div class="f wide"><label for="ad${i}">${escapeHtml(words.alternateWhat)}</label>${what}</div>${choice}${price}${remark}</fieldset>`
  })
  const open = form.alternates.some((alternate) => !isEmptyAlternate(alternate)) ? ' open' : ''
  return `<details class="sheet"${open}><summary>${escapeHtml(words.alternates)} <small>${escapeHtml(words.optional)}</small></summary><p class="in small faint">${escapeHtml(words.alternatesHint)}</p>${items.join('\n')}</details>`
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
  return `<div class="money"><span class="faint">${escapeHtml(reader.sign(currency))}</span><input class="r" id="${name}" name="${name}" inputmode="decimal" maxlength="40" value="${escapeHtml(value)}"${invalid}><span class="faint">${escapeHtml(unit)}</span></div>${message}`
}

function renderErrorAt({ reader }: Pick<PageContext, 'reader'>, name: string, errors: FormErrors) {
  const error = errors.get(name)
  if (error === undefined) return { invalid: '', message: '' }
  return {
    invalid: ` aria-invalid="true" aria-describedby="${name}-e"`,
    message: `<p class="err" id="${name}-e">${escapeHtml(describeFieldError(reader, error))}</p>`,
  }
}

/**
 * Describes the error in an entry with a sentence. For a number, the sentence shows how to write the number that the
 * vendor probably meant.
 */
export function describeFieldError(reader: PageLocale, error: FieldError): string {
  const { errors } = reader.words.bid
  if (!('candidates' in error)) return errors[error.code]
  const [first, second] = error.candidates.map((amount) => writeAmount(reader, amount))
  if (error.code === 'point') return errors.point(error.typed, first ?? '', second ?? '')
  return errors[error.code](error.typed, first ?? null)
}

/**
 * Formats an amount as a user would type it: without decimals if the amount is whole, and otherwise with at least two.
 */
function writeAmount(reader: PageLocale, amount: number): string {
  const decimals = String(amount).split('.')[1]?.length ?? 0
  return reader.typedNumber(amount, decimals === 0 ? 0 : decimals === 3 ? 4 : Math.max(decimals, 2))
}

function formatLineAmount(
  { reader }: PageContext,
  quantity: number,
  { price, offer }: LineFields,
  currency: string,
): string {
  const unitPrice = offer === 'excluded' ? null : parseUnitPrice(price, currency).value
  return unitPrice === null ? '' : reader.money(computeLineTotal(quantity, unitPrice, currency), currency)
}

/**
 * Renders the link that switches between one price for the whole work and prices for each line. If there are lines, a
 * lump-sum bid can also have prices for each line.
 */
function renderPricingSwitch({ reader, root }: PageContext, { invitation, form }: PriceView): string {
  const { id, request } = invitation
  if (request.bidType !== 'lump_sum' || request.lines.length === 0) return ''
  const other = form.by === 'sum' ? 'lines' : 'sum'
  return `<p class="in"><a href="${escapeHtml(`${root}/${id}/price?by=${other}`)}">${escapeHtml(reader.words.bid.instead[other])}</a></p>`
}

function renderOtherFields({ reader }: PageContext, { form, errors }: PriceView): string {
  const words = reader.words.bid
  const days = (name: 'leadTimeDays' | 'durationDays', label: string) => {
    const { invalid, message } = renderErrorAt({ reader }, name, errors)
    const control = `<div class="money"><input class="r" id="${name}" name="${name}" inputmode="numeric" maxlength="4" value="${escapeHtml(form[name])}"${invalid}><span class="faint">${escapeHtml(words.days)}</span></div>${message}`
    return renderField(name, label, control)
  }
  const area = (name: 'inclusions' | 'exclusions' | 'note', label: string) =>
    renderField(
      name,
      label,
      `<textarea id="${name}" name="${name}" rows="2" maxlength="5000">${escapeHtml(form[name])}</textarea>`,
      words.optional,
    )
  const { invalid, message } = renderErrorAt({ reader }, 'validUntil', errors)
  const valid = `<input id="validUntil" name="validUntil" type="date" value="${escapeHtml(form.validUntil)}"${invalid}>${message}`
  return `<section class="sheet"><div class="in"><div class="two">${days('leadTimeDays', words.canStart)}${days('durationDays', words.takes)}</div>
${renderField('validUntil', words.validUntil, valid, words.optional)}
${area('exclusions', words.exclusions)}
${area('inclusions', words.inclusions)}
${area('note', words.remark)}
${renderField('file', words.file, '<input id="file" name="file" type="file">', words.fileHint)}</div></section>`
}

/**
 * Renders the vendor's files. Each file that has not been submitted has a button that removes the file and saves the
 * draft.
 */
function renderOwnFiles({ reader }: PageContext, { files, bid }: PriceView): string {
  if (files.length === 0) return ''
  const { remove, sentWithBid } = reader.words.files
  const sentAt = bid.bid?.submittedAt ?? ''
  const items = files.map(({ id, fileName, createdAt }) => {
    const isSent = createdAt <= sentAt
    const button = `<button class="btn small" name="do" value="remove ${escapeHtml(id)}">${escapeHtml(remove)}<span class="sr"> ${escapeHtml(fileName)}</span></button>`
    return `<li><div>${escapeHtml(fileName)}${isSent ? `<small>${escapeHtml(sentWithBid)}</small>` : ''}</div>${isSent ? '' : button}</li>`
  })
  return `<section class="sheet"><h2>${escapeHtml(reader.words.bid.files)}</h2><ul class="rows">${items.join('\n')}</ul></section>`
}
