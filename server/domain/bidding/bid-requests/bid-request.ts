import type {
  BidRequest,
  BidRequestLine,
  BidRequestStatus,
  FieldError,
  InvitationStatus,
  Part,
} from '../../../../client/contract.gen.ts'
import { type SealState, sealedRequestIds } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'

/**
 * The status changes of a bid request: drafted, sent, closed by its deadline and perhaps sent again, and finally
 * awarded or canceled. A draft can be canceled too, and no vendor is notified of it.
 */
export const BID_REQUEST_MOVES: Readonly<Record<BidRequestStatus, readonly BidRequestStatus[]>> = {
  draft: ['sent', 'cancelled'],
  sent: ['closed', 'awarded', 'cancelled'],
  closed: ['sent', 'awarded', 'cancelled'],
  awarded: [],
  cancelled: [],
}

/** Statuses of an invitation that can still be answered. On closing, they become `no_response`. */
export const OPEN_INVITATION_STATUSES: readonly InvitationStatus[] = ['sent', 'viewed', 'will_bid']

/**
 * Returns whether bid amounts are left out of every response and event. This depends only on the stored status, not on
 * the deadline: the content of a version must not change with the clock, so that its ETag stays valid.
 */
export function hasSealedAmounts(request: Pick<BidRequest, 'blind' | 'status'>): boolean {
  return request.blind && request.status === 'sent'
}

/**
 * Returns whether this call leaves amounts out. A call that can be undone also does so when only its own change reveals
 * them.
 */
export function isAmountHidden(hiding: SealState, request: Pick<BidRequest, 'id' | 'blind' | 'status'>): boolean {
  return hasSealedAmounts(request) || sealedRequestIds(hiding).includes(request.id)
}

/** The end of a sentence: why a blind request shows no amounts yet, and what to do. */
export const SEALED_MESSAGE =
  'its bids are sealed until it is closed. If a batch or a skill closes it, read the bids in a separate request.'

/** Returns whether a vendor's bid is accepted at the time `now`. */
export function acceptsBids(request: Pick<BidRequest, 'status' | 'deadlineAt' | 'acceptLate'>, now: Date): boolean {
  if (request.status === 'sent') return request.acceptLate || !isPastDeadline(request, now)
  return request.status === 'closed' && request.acceptLate
}

/** Returns whether the deadline has passed, so that the request is due to be closed. */
export function isPastDeadline(request: Pick<BidRequest, 'status' | 'deadlineAt'>, now: Date): boolean {
  return request.status === 'sent' && Date.parse(request.deadlineAt) <= now.getTime()
}

type EditableField = keyof Pick<
  BidRequest,
  | 'vendorIds'
  | 'scope'
  | 'deadline'
  | 'communityId'
  | 'homeIds'
  | 'message'
  | 'title'
  | 'lines'
  | 'bidType'
  | 'blind'
  | 'acceptLate'
  | 'awardMode'
  | 'effectiveFrom'
  | 'effectiveTo'
  | 'inclusions'
  | 'exclusions'
  | 'externalId'
>

/**
 * The fields that stay editable in each status; null means all. Once vendors are pricing, no change may make their bids
 * incomparable.
 */
const EDITABLE_FIELDS: Readonly<Record<BidRequestStatus, readonly EditableField[] | null>> = {
  draft: null,
  sent: ['title', 'message', 'deadline', 'acceptLate', 'inclusions', 'exclusions', 'externalId'],
  closed: ['title', 'acceptLate', 'externalId'],
  awarded: ['externalId'],
  cancelled: ['externalId'],
}

/** Returns an error for each of these fields that cannot change in this status. */
export function findFixedFields(status: BidRequestStatus, fields: readonly string[]): FieldError[] {
  const editable: readonly string[] | null = EDITABLE_FIELDS[status]
  if (editable === null) return []
  return fields
    .filter((field) => !editable.includes(field))
    .map((field) => ({
      pointer: `/${field}`,
      code: 'fixed',
      message: `cannot be changed: the bid request is ${status}`,
    }))
}

/** Returns the lines as stored: each with a name, a quantity, and a unit. */
export function toStoredLines(lines: readonly Checked['BidRequestLineInput'][]): BidRequestLine[] {
  const taken = new Set(lines.map((line) => line.lineId))
  return lines.map(({ lineId, description, quantity, unit, required, partId = null, costCodeId = null }, i) => {
    const name = lineId ?? uniqueLineId(i + 1, taken)
    taken.add(name)
    return { lineId: name, description, quantity, unit, required, partId, costCodeId }
  })
}

function uniqueLineId(place: number, taken: ReadonlySet<string | undefined>): string {
  const name = `line-${place}`
  return taken.has(name) ? uniqueLineId(place + 1, taken) : name
}

/** Validates the bid form as a whole, including the parts that were not sent. */
export function findFormErrors(
  form: Pick<BidRequest, 'lines' | 'bidType' | 'effectiveFrom' | 'effectiveTo'>,
  parts: ReadonlyMap<string, Pick<Part, 'sku' | 'unit'>>,
): FieldError[] {
  const errors: FieldError[] = []
  const { effectiveFrom, effectiveTo } = form
  if (effectiveFrom !== null && effectiveTo !== null && effectiveTo < effectiveFrom)
    errors.push({ pointer: '/effectiveTo', code: 'order', message: 'must not be before effectiveFrom' })
  for (const [i, { partId, unit }] of form.lines.entries()) {
    const part = parts.get(partId ?? '')
    if (part !== undefined && part.unit !== unit) {
      const message = `must be ${part.unit}, the unit of ${part.sku}`
      errors.push({ pointer: `/lines/${i}/unit`, code: 'unit', message })
    }
  }
  const names = form.lines.map((line) => line.lineId)
  for (const [i, name] of names.entries()) {
    if (names.indexOf(name) < i)
      errors.push({
        pointer: `/lines/${i}/lineId`,
        code: 'unique',
        message: `must be unique; another line has the lineId "${name}"`,
      })
  }
  if (form.bidType !== 'lump_sum' && form.lines.length === 0) {
    errors.push({ pointer: '/bidType', code: 'lines', message: `requires lines when it is ${form.bidType}` })
  }
  return errors
}
