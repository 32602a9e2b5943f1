import { createHash } from 'node:crypto'
import type {
  FieldError,
  LienWaiver,
  LienWaiverMove,
  LienWaiverStatus,
  LienWaiverType,
  Payment,
} from '../../../../client/contract.gen.ts'
import { formatAddress } from '../../../platform/values/address.ts'
import { formatAmount, formatDate, formatNumber } from '../../../platform/values/format.ts'
import { subtract, sum } from '../../../platform/values/money.ts'
import { fillPlaceholders, type PlaceholderValues } from '../../../platform/values/placeholders.ts'
import { isDiscountAvailable } from '../bill-records/terms.ts'
import type { NamedOrder } from './queries.ts'

/**
 * The allowed status changes of a lien waiver. To correct a rejected lien waiver, the builder requests a new one,
 * because signed text must not change.
 */
export const LIEN_WAIVER_MOVES: Readonly<Record<LienWaiverStatus, readonly LienWaiverStatus[]>> = {
  requested: ['signed', 'void'],
  signed: ['accepted', 'rejected', 'void'],
  accepted: ['void'],
  rejected: [],
  void: [],
}

/** The title of each type of lien waiver in documents. */
export const WAIVER_TITLES: Readonly<Record<LienWaiverType, string>> = {
  conditional_progress: 'Conditional lien waiver, progress payment',
  unconditional_progress: 'Unconditional lien waiver, progress payment',
  conditional_final: 'Conditional lien waiver, final payment',
  unconditional_final: 'Unconditional lien waiver, final payment',
}

/**
 * Returns the lien waiver type for a payment. The type is unconditional only after the payment is made, so that a
 * vendor does not give up a right before receiving the money.
 */
export function chooseWaiverType({
  status,
  paymentType,
  retainageWithheld,
}: Pick<Payment, 'status' | 'paymentType' | 'retainageWithheld'>): LienWaiverType {
  const isLast = paymentType === 'retainage_release' || (paymentType === 'final' && retainageWithheld === 0)
  if (status === 'paid') return isLast ? 'unconditional_final' : 'unconditional_progress'
  return isLast ? 'conditional_final' : 'conditional_progress'
}

/** Returns the amount that is paid or will be paid, after deducting a discount that has not expired. */
export function computeAmountToPay(
  { status, amount, allocations }: Pick<Payment, 'status' | 'amount' | 'allocations'>,
  today: string,
): number {
  if (status === 'paid') return amount
  const discounts = allocations.filter((allocation) => isDiscountAvailable(allocation, today))
  return subtract(amount, sum(discounts.map(({ discountAmount }) => discountAmount)))
}

interface WaiverFacts {
  vendor: string
  builder: string
  payment: Pick<Payment, 'number' | 'amount' | 'currency'>
  named: readonly NamedOrder[]
  throughDate: string
  exceptions: string | null
}

/** Lower than the maximum of the API contract, because the signature is appended to the text later. */
const MAX_CHARACTERS = 99_000

/**
 * Fills in the placeholders of the wording. Returns errors if the text is too long, because a text that somebody signs
 * must not be truncated.
 */
export function fillWaiverTemplate(wording: string, facts: WaiverFacts): string | FieldError[] {
  const text = fillPlaceholders(wording, toValues(facts), MAX_CHARACTERS + 1)
  if (text.length <= MAX_CHARACTERS) return text
  const message = `must not exceed ${formatNumber(MAX_CHARACTERS)} characters after its placeholders are replaced`
  return [{ pointer: '/text', code: 'maxLength', message }]
}

function toValues({ vendor, builder, payment, named, throughDate, exceptions }: WaiverFacts): PlaceholderValues {
  const each = (of: (one: NamedOrder) => string) => [...new Set(named.map(of))].join('; ')
  return {
    'vendor.companyName': vendor,
    'builder.name': builder,
    'home.address': each(({ address, homeName }) => formatAddress(address) ?? homeName),
    'home.lotNumber': each(({ lotNumber }) => lotNumber ?? 'none'),
    'community.name': each(({ community }) => community),
    'order.number': each(({ number }) => number),
    'payment.amount': formatAmount(payment.amount, payment.currency),
    'payment.number': payment.number,
    'waiver.throughDate': formatDate(throughDate),
    'waiver.exceptions': exceptions ?? 'none',
  }
}

type WaiverSignature = Pick<LienWaiver, 'signedBy' | 'signedVia'> & { signedOn: string }

/**
 * Returns the signed text of the lien waiver, the signature, and the hash that later proves which text was signed.
 * `linkCopiedBy` is the user who copied the portal link through which the vendor signed. `linkCopiedBy` is null if the
 * vendor used its own link or signed on paper.
 */
export function applySignature(
  { text }: Pick<LienWaiver, 'text'>,
  { signedBy, signedOn, signedVia }: WaiverSignature,
  linkCopiedBy: string | null,
) {
  const link = linkCopiedBy === null ? '' : `, through a portal link that ${linkCopiedBy} copied`
  const how = signedVia === 'paper' ? '' : `, electronically and with consent to signing electronically${link}`
  const whole = `${text}\n\nSigned by ${signedBy} on ${formatDate(signedOn)}${how}.`
  return { signedBy, signedOn, signedVia, text: whole, textSha256: createHash('sha256').update(whole).digest('hex') }
}

/**
 * Returns the reason why the vendor cannot sign the lien waiver, as a text for the vendor; null if the vendor can sign.
 */
export function explainWhyWaiverCannotBeSigned({ status, signedBy, signedOn }: LienWaiver): string | null {
  if (status === 'requested') return null
  if (status === 'void') return 'This lien waiver is void and can no longer be signed.'
  return `${signedBy} already signed this lien waiver${signedOn === null ? '' : ` on ${formatDate(signedOn)}`}.`
}

/** Returns the errors in a status change, except that the status itself is not allowed. */
export function findStatusChangeErrors(
  { status, signedBy, signedOn, reason = null }: LienWaiverMove,
  today: string,
): FieldError[] {
  if (status === 'signed') {
    if (signedBy === undefined)
      return [{ pointer: '/signedBy', code: 'required', message: 'is required when status is signed' }]
    if (signedOn === undefined || signedOn <= today) return []
    return [{ pointer: '/signedOn', code: 'maximum', message: `must not be after today (${today})` }]
  }
  const errors = Object.entries({ signedBy, signedOn })
    .filter(([, value]) => value !== undefined)
    .map(([field]) => ({ pointer: `/${field}`, code: 'exclusive', message: 'can only be set when status is signed' }))
  if (errors.length > 0 || status === 'accepted' || reason !== null) return errors
  return [{ pointer: '/reason', code: 'required', message: `is required when status is ${status}` }]
}
