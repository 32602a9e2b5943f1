import type { PortalBid, PortalBidDraft, PortalBidInvitation } from '../../../../client/contract.gen.ts'
import { roundMoney } from '../../../platform/values/money.ts'
import type { Words } from './words/english.ts'

/** The values in the fields of the price form, as they were typed. */
export interface PriceForm {
  by: 'lines' | 'sum'
  amount: string
  lines: LineFields[]
  leadTimeDays: string
  durationDays: string
  validUntil: string
  inclusions: string
  exclusions: string
  note: string
}

export interface LineFields {
  price: string
  offer: '' | 'excluded' | 'alternate'
  note: string
}

/** The names of the fields that cannot be parsed, each with the key of its error text. */
export type FormErrors = ReadonlyMap<string, keyof Pick<Words['bid'], 'wrongPrice' | 'wrongDays' | 'wrongDate'>>

type Draft = Omit<PortalBidDraft, 'version' | 'updatedAt'>
type Lines = PortalBidInvitation['request']['lines']

/** Returns the form with the values of the draft, or else of the submitted bid. */
export function toPriceForm({ request }: PortalBidInvitation, { draft, bid }: PortalBid, by: unknown): PriceForm {
  const isOpen = bid !== null && bid.status !== 'withdrawn'
  const left = draft ?? (isOpen ? bid : null)
  const named = new Map(left?.lines.map((line) => [line.lineId, line]))
  const number = (value: number | null | undefined) => (value == null ? '' : String(value))
  return {
    by: choosePricing(request, by, left === null ? null : left.lines.length > 0),
    amount: left === null || left.lines.length > 0 ? '' : number(left.amount),
    lines: request.lines.map(({ lineId }) => {
      const line = named.get(lineId)
      const offer = line?.excluded === true ? 'excluded' : line?.alternate === true ? 'alternate' : ''
      return { price: number(line?.unitPrice), offer, note: line?.note ?? '' }
    }),
    leadTimeDays: number(left?.leadTimeDays),
    durationDays: number(left?.durationDays),
    validUntil: left?.validUntil ?? '',
    inclusions: left?.inclusions ?? '',
    exclusions: left?.exclusions ?? '',
    note: left?.note ?? '',
  }
}

/** Returns the form with the values that were submitted. */
export function readPriceForm({ request }: PortalBidInvitation, fields: Readonly<Record<string, string>>): PriceForm {
  const field = (name: string) => (fields[name] ?? '').trim()
  return {
    by: choosePricing(request, fields.by, null),
    amount: field('amount'),
    lines: request.lines.map((_line, i) => {
      const offer = field(`s${i}`)
      return { price: field(`p${i}`), offer: isOffer(offer) ? offer : '', note: field(`n${i}`).slice(0, 1000) }
    }),
    leadTimeDays: field('leadTimeDays'),
    durationDays: field('durationDays'),
    validUntil: field('validUntil'),
    inclusions: field('inclusions').slice(0, MAX_TEXT),
    exclusions: field('exclusions').slice(0, MAX_TEXT),
    note: field('note').slice(0, MAX_TEXT),
  }
}

const MAX_TEXT = 5000

/**
 * Returns the draft that the form describes, and the fields that cannot be parsed. Values that the form does not show
 * stay as they were in the previous draft.
 */
export function toDraft(
  lines: Lines,
  { form, before, currency }: { form: PriceForm; before: Draft | null; currency: string },
): { draft: Draft; faults: FormErrors } {
  const faults = new Map<string, 'wrongPrice' | 'wrongDays' | 'wrongDate'>()
  const price = (name: string, typed: string, min: number): number | null => {
    const amount = parseAmount(typed)
    if (amount === undefined || (amount !== null && amount < min)) faults.set(name, 'wrongPrice')
    return amount ?? null
  }
  const wholePrice = (typed: string): number | null => {
    const amount = price('amount', typed, 0)
    // Unlike a unit price, an amount must not have more decimals than its currency.
    if (amount !== null && roundMoney(amount, currency) !== amount) faults.set('amount', 'wrongPrice')
    return amount
  }
  const days = (name: string, typed: string): number | null => {
    if (typed === '') return null
    if (!/^\d{1,4}$/.test(typed) || Number(typed) > 3650) faults.set(name, 'wrongDays')
    return Number(typed)
  }
  if (form.validUntil !== '' && !isDate(form.validUntil)) faults.set('validUntil', 'wrongDate')
  const shown = new Set(lines.map(({ lineId }) => lineId))
  const others = before?.lines.filter(({ lineId }) => lineId === null || !shown.has(lineId)) ?? []
  const priced = lines.map(({ lineId }, i) => {
    const { price: typed = '', offer = '', note = '' } = form.lines[i] ?? {}
    const excluded = offer === 'excluded'
    return {
      ...{ lineId, description: null, unitPrice: excluded ? null : price(`p${i}`, typed, -MAX_UNIT_PRICE) },
      ...{ excluded, alternate: offer === 'alternate', note: note === '' ? null : note },
    }
  })
  const text = (typed: string) => (typed === '' ? null : typed)
  const draft = {
    amount: form.by === 'sum' ? wholePrice(form.amount) : null,
    lines: form.by === 'sum' ? [] : [...priced, ...others],
    inclusions: text(form.inclusions),
    exclusions: text(form.exclusions),
    note: text(form.note),
    leadTimeDays: days('leadTimeDays', form.leadTimeDays),
    durationDays: days('durationDays', form.durationDays),
    validUntil: text(form.validUntil),
  }
  return { draft, faults }
}

const MAX_UNIT_PRICE = 9_999_999_999

/**
 * Parses an amount as people type it, with a point before the cents. Returns null for an empty field, and undefined if
 * it cannot be parsed.
 */
export function parseAmount(typed: string): number | null | undefined {
  const plain = typed.replaceAll(/[\s$]/g, '')
  if (plain === '') return null
  // Commas only group thousands. "1,70" could be a price or a typing error, and we do not guess.
  if (!/^-?(\d{1,10}|\d{1,3}(,\d{3}){1,3})(\.\d{1,4})?$/.test(plain)) return undefined
  return Number(plain.replaceAll(',', ''))
}

/** Returns how the bid is priced. Without lines only a sum is possible; a lump-sum bid may still be priced by lines. */
function choosePricing({ lines, bidType }: PortalBidInvitation['request'], wish: unknown, isByLines: boolean | null) {
  if (lines.length === 0) return 'sum'
  if (bidType !== 'lump_sum' || wish === 'lines') return 'lines'
  return wish !== 'sum' && isByLines === true ? 'lines' : 'sum'
}

function isOffer(value: string): value is LineFields['offer'] {
  return value === 'excluded' || value === 'alternate'
}

function isDate(typed: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(typed) && !Number.isNaN(Date.parse(typed))
}
