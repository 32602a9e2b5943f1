import type { PortalBid, PortalBidDraft, PortalBidInvitation } from '../../../../client/contract.gen.ts'
import { getMinorUnits } from '../../../platform/values/minor-units.ts'
import {
  formatTypedNumber,
  parseTypedNumber,
  type TypedNumber,
  type TypedNumberError,
} from '../../../platform/values/typed-number.ts'

/** The values in the fields of the price form, as the vendor typed them. */
export interface PriceForm {
  by: 'lines' | 'sum'
  amount: string
  lines: LineFields[]
  alternates: AlternateFields[]
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

export interface AlternateFields {
  description: string
  effect: 'add' | 'deduct'
  amount: string
  note: string
}

/** The error in a field. If a number is ambiguous, the error contains the numbers that it could mean. */
export type FieldError = TypedNumberError | { readonly code: 'days' | 'date' }

/** The errors by field name. */
export type FormErrors = ReadonlyMap<string, FieldError>

type Draft = Omit<PortalBidDraft, 'version' | 'updatedAt'>

/** Returns the form with the values of the draft. If there is no draft, uses the values of the submitted bid. */
export function toPriceForm({ request }: PortalBidInvitation, { draft, bid }: PortalBid, by: unknown): PriceForm {
  const isOpen = bid !== null && bid.status !== 'withdrawn'
  const left = draft ?? (isOpen ? bid : null)
  const named = new Map(left?.lines.map((line) => [line.lineId, line]))
  const number = (value: number | null | undefined) => (value == null ? '' : formatTypedNumber(value))
  return {
    by: choosePricing(request, by, left === null ? null : left.lines.length > 0),
    amount:
      left === null || (left.lines.length > 0 && (request.bidType !== 'both' || draft === null))
        ? ''
        : number(left.amount),
    lines: request.lines.map(({ lineId }) => {
      const line = named.get(lineId)
      const offer = line?.excluded === true ? 'excluded' : line?.alternate === true ? 'alternate' : ''
      return { price: number(line?.unitPrice), offer, note: line?.note ?? '' }
    }),
    alternates: withEmptyRows(
      (left?.alternates ?? []).map(({ description, amount, note }) => ({
        ...{ description: description ?? '', note: note ?? '' },
        ...{ effect: amount !== null && amount < 0 ? 'deduct' : 'add' },
        amount: amount === null ? '' : number(Math.abs(amount)),
      })),
    ),
    leadTimeDays: number(left?.leadTimeDays),
    durationDays: number(left?.durationDays),
    validUntil: left?.validUntil ?? '',
    inclusions: left?.inclusions ?? '',
    exclusions: left?.exclusions ?? '',
    note: left?.note ?? '',
  }
}

/** Returns the price form with the submitted values. */
export function readPriceForm({ request }: PortalBidInvitation, fields: Readonly<Record<string, string>>): PriceForm {
  const field = (name: string) => (fields[name] ?? '').trim()
  return {
    by: choosePricing(request, fields.by, null),
    amount: field('amount'),
    lines: request.lines.map((_line, i) => {
      const offer = field(`s${i}`)
      return { price: field(`p${i}`), offer: isOffer(offer) ? offer : '', note: field(`n${i}`).slice(0, 1000) }
    }),
    alternates: withEmptyRows(
      Array.from({ length: MAX_ALTERNATES }, (_each, i) => ({
        description: field(`ad${i}`).slice(0, MAX_ALTERNATE_TEXT),
        effect: field(`ae${i}`) === 'deduct' ? ('deduct' as const) : ('add' as const),
        amount: field(`aa${i}`),
        note: field(`an${i}`).slice(0, 1000),
      })).filter((alternate) => !isEmptyAlternate(alternate)),
    ),
    leadTimeDays: field('leadTimeDays'),
    durationDays: field('durationDays'),
    validUntil: field('validUntil'),
    inclusions: field('inclusions').slice(0, MAX_TEXT),
    exclusions: field('exclusions').slice(0, MAX_TEXT),
    note: field('note').slice(0, MAX_TEXT),
  }
}

const MAX_TEXT = 5000
/** The maximum number of alternates, as for a bid. */
const MAX_ALTERNATES = 20
const MAX_ALTERNATE_TEXT = 500
/** The number of empty rows for alternates. A vendor without scripts saves the draft to get more rows. */
const EMPTY_ROWS = 2

function withEmptyRows(alternates: AlternateFields[]): AlternateFields[] {
  const empty = Array.from({ length: EMPTY_ROWS }, () => ({
    description: '',
    effect: 'add' as const,
    amount: '',
    note: '',
  }))
  return [...alternates, ...empty].slice(0, MAX_ALTERNATES)
}

export function isEmptyAlternate({ description, amount, note }: AlternateFields): boolean {
  return description === '' && amount === '' && note === ''
}

/**
 * Converts the form's values to a draft, and returns the fields that cannot be parsed. Values that the form does not
 * show stay as they were in the previous draft.
 */
export function toDraft(
  { lines, bidType }: Pick<PortalBidInvitation['request'], 'lines' | 'bidType'>,
  { form, before, currency }: { form: PriceForm; before: Draft | null; currency: string },
): { draft: Draft; errors: FormErrors } {
  const errors = new Map<string, FieldError>()
  const keep = (name: string, { value, error }: TypedNumber): number | null => {
    if (error !== null) errors.set(name, error)
    return value
  }
  const unitPrice = (name: string, typed: string) => keep(name, parseUnitPrice(typed, currency))
  // An amount must not have more decimals than its currency allows. A unit price may.
  const decimals = getMinorUnits(currency)
  const money = (name: string, typed: string) =>
    keep(name, parseTypedNumber(typed, { decimals, isNegativeAllowed: false, currency }))
  const days = (name: string, typed: string): number | null => {
    if (typed === '') return null
    if (!/^\d{1,4}$/.test(typed) || Number(typed) > 3650) errors.set(name, { code: 'days' })
    return Number(typed)
  }
  if (form.validUntil !== '' && !isDate(form.validUntil)) errors.set('validUntil', { code: 'date' })
  const shown = new Set(lines.map(({ lineId }) => lineId))
  const others = before?.lines.filter(({ lineId }) => lineId === null || !shown.has(lineId)) ?? []
  const priced = lines.map(({ lineId }, i) => {
    const { price: typed = '', offer = '', note = '' } = form.lines[i] ?? {}
    const excluded = offer === 'excluded'
    return {
      ...{ lineId, description: null, unitPrice: excluded ? null : unitPrice(`p${i}`, typed) },
      ...{ excluded, alternate: offer === 'alternate', note: note === '' ? null : note },
    }
  })
  const text = (typed: string) => (typed === '' ? null : typed)
  const draft = {
    amount: form.by === 'sum' || bidType === 'both' ? money('amount', form.amount) : null,
    lines: form.by === 'sum' ? [] : [...priced, ...others],
    alternates: form.alternates.flatMap((alternate, i) => {
      if (isEmptyAlternate(alternate)) return []
      const amount = money(`aa${i}`, alternate.amount)
      const signed = amount !== null && amount !== 0 && alternate.effect === 'deduct' ? -amount : amount
      return { description: text(alternate.description), amount: signed, note: text(alternate.note) }
    }),
    inclusions: text(form.inclusions),
    exclusions: text(form.exclusions),
    note: text(form.note),
    leadTimeDays: days('leadTimeDays', form.leadTimeDays),
    durationDays: days('durationDays', form.durationDays),
    validUntil: text(form.validUntil),
  }
  return { draft, errors }
}

/** Parses the price of one unit. A negative price is a deduction. */
export function parseUnitPrice(typed: string, currency: string): TypedNumber {
  return parseTypedNumber(typed, { decimals: 4, currency })
}

/**
 * Returns whether the bid has one price for the whole work or a price for each line. Without lines, only one price is
 * possible. A lump-sum bid may also have a price for each line.
 */
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
