import type {
  BidRequest,
  BidRequestLine,
  BidRequestStatus,
  FieldError,
  InvitationStatus,
  Part,
} from '../../../../client/contract.gen.ts'
import { listSealedRequestIds, type SealState } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { describeStatus } from '../../../platform/values/format.ts'

/**
 * The allowed status changes of a bid request. A sent request is closed at its deadline, can be sent again, and is
 * finally awarded or canceled. A draft can be canceled without notifying vendors.
 */
export const BID_REQUEST_MOVES: Readonly<Record<BidRequestStatus, readonly BidRequestStatus[]>> = {
  draft: ['sent', 'cancelled'],
  sent: ['closed', 'awarded', 'cancelled'],
  closed: ['sent', 'awarded', 'cancelled'],
  awarded: [],
  cancelled: [],
}

/**
 * The statuses in which a vendor can still respond to an invitation. When the bid request closes, invitations with
 * these statuses become `no_response`.
 */
export const OPEN_INVITATION_STATUSES: readonly InvitationStatus[] = ['sent', 'viewed', 'will_bid']

/**
 * Returns whether all responses and events omit the bid amounts. The result depends on the stored status instead of the
 * deadline, because the content of a version must not change over time. Otherwise, its ETag would become invalid.
 */
export function hasSealedAmounts(request: Pick<BidRequest, 'blind' | 'status'>): boolean {
  return request.blind && request.status === 'sent'
}

/**
 * Returns whether the response to this call omits the amounts. If the call can be rolled back, the response also omits
 * amounts that the call itself reveals by closing the request.
 */
export function isAmountHidden(hiding: SealState, request: Pick<BidRequest, 'id' | 'blind' | 'status'>): boolean {
  return hasSealedAmounts(request) || listSealedRequestIds(hiding).includes(request.id)
}

/** Error messages for a blind bid request whose amounts are sealed, including the remedy. */
export const SEALED_MESSAGES = {
  level: (number: string) =>
    `Cannot level the bids of ${number}: the bid amounts are hidden until the request is closed. If a batch or a skill closes the request, level the bids in a separate request.`,
  award: (number: string) =>
    `Cannot award ${number}: the bid amounts are hidden until the bid request is closed. If a batch or a skill closes the bid request, award it in a separate request.`,
  openFile:
    'Cannot open a file of a blind bid request: the bids are hidden until the bid request is closed. If a batch or a skill closes the bid request, open the file in a separate request.',
} as const

/** Returns whether a vendor's bid is accepted at the time `now`. */
export function isAcceptingBids(request: Pick<BidRequest, 'status' | 'deadlineAt' | 'acceptLate'>, now: Date): boolean {
  if (request.status === 'sent') return request.acceptLate || !isPastDeadline(request, now)
  return request.status === 'closed' && request.acceptLate
}

/** Returns whether the deadline has passed and the request must be closed. */
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
 * The fields that can be updated in each status; null means all fields. After a request is sent, updates must not make
 * its bids incomparable.
 */
const EDITABLE_FIELDS: Readonly<Record<BidRequestStatus, readonly EditableField[] | null>> = {
  draft: null,
  sent: ['title', 'message', 'deadline', 'acceptLate', 'inclusions', 'exclusions', 'externalId'],
  closed: ['title', 'acceptLate', 'externalId'],
  awarded: ['externalId'],
  cancelled: ['externalId'],
}

/** Returns an error for each of the given fields that cannot be updated in this status. */
export function listFixedRequestFieldErrors(status: BidRequestStatus, fields: readonly string[]): FieldError[] {
  const editable: readonly string[] | null = EDITABLE_FIELDS[status]
  if (editable === null) return []
  return fields
    .filter((field) => !editable.includes(field))
    .map((field) => ({
      pointer: `/${field}`,
      code: 'fixed',
      message: `cannot be changed: the bid request is ${describeStatus(status)}`,
    }))
}

/** Returns the lines in the form in which they are stored, each with a name, a quantity, and a unit. */
export function toStoredRequestLines(lines: readonly Checked['BidRequestLineInput'][]): BidRequestLine[] {
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

/** Returns the errors in the bid form as a whole, including fields that the request omits. */
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
