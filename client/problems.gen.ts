import type { Problem as AnyProblem } from './contract.gen.ts'

/** What problems of these codes have besides what all have. Written by `npm run generate`. */
export interface ProblemMembers {
  permission_denied: Pick<AnyProblem, 'permission'>
  skill_not_found: Required<Pick<AnyProblem, 'nearest'>>
  invalid_transition: Required<Pick<AnyProblem, 'from' | 'to' | 'allowed'>>
  conflict: Required<Pick<AnyProblem, 'reason'>> & Pick<AnyProblem, 'conflictingId' | 'changed' | 'earliestDate'>
  precondition_failed: Required<Pick<AnyProblem, 'currentVersion'>>
  validation_failed: Required<Pick<AnyProblem, 'errors'>>
  invalid_cursor: Required<Pick<AnyProblem, 'errors'>>
  unknown_reference: Required<Pick<AnyProblem, 'errors'>> & Pick<AnyProblem, 'nearest' | 'didYouMean'>
  ambiguous_reference: Required<Pick<AnyProblem, 'errors' | 'candidates'>>
}

/** Reason for the conflict. Minor versions can add reasons. By name, so that an editor shows what each means. */
export const ConflictReason = {
  /** A value that must be unique is used by another record. */
  value_taken: 'value_taken',
  /** The record, or one that it names, is archived. */
  archived: 'archived',
  /** The status does not allow it. */
  wrong_status: 'wrong_status',
  /** The value cannot be changed, or can no longer be changed. */
  fixed: 'fixed',
  /** Another record depends on it. */
  in_use: 'in_use',
  /** The maximum number is reached. */
  limit_reached: 'limit_reached',
  /** It is already done. */
  already_done: 'already_done',
  /** Required data is missing, such as a plan, a price or an amount. */
  missing_data: 'missing_data',
  /** It is not available here or on that date. */
  not_available: 'not_available',
  /** The named record is of the wrong kind. */
  not_suitable: 'not_suitable',
  /** The result would exceed the maximum. */
  too_large: 'too_large',
  /** The remaining amount is too small. */
  not_enough_left: 'not_enough_left',
  /** Another record is valid for the same period. */
  period_taken: 'period_taken',
  /** The date is in a closed period. */
  period_closed: 'period_closed',
  /** Other work must be finished first. */
  open_work: 'open_work',
  /** It is already in progress. */
  under_way: 'under_way',
  /** It requires an overrideReason. */
  needs_override: 'needs_override',
  /** The deadline has passed. */
  deadline_passed: 'deadline_passed',
  /** A record has changed since it was read or shown; the field changed lists the differences if they are known. */
  changed_meanwhile: 'changed_meanwhile',
  /** There is no recipient. */
  no_recipient: 'no_recipient',
  /** It is for another kind of caller. */
  wrong_caller: 'wrong_caller',
  /** The vendor is archived. */
  vendor_archived: 'vendor_archived',
  /** The vendor is on hold. */
  vendor_on_hold: 'vendor_on_hold',
  /** The vendor is inactive. */
  vendor_inactive: 'vendor_inactive',
  /** The vendor does not work in this community. */
  vendor_restricted: 'vendor_restricted',
  /** The compliance documents of the vendor have expired. */
  compliance_expired: 'compliance_expired',
  /** The vendor is not invited to the bid request. */
  not_invited: 'not_invited',
  /** The bid request does not accept bids now. */
  bid_request_not_open: 'bid_request_not_open',
  /** The bid request is blind and still open. */
  bids_sealed: 'bids_sealed',
  /** The vendor has already bid. */
  already_bid: 'already_bid',
  /** The vendor has already responded. */
  already_answered: 'already_answered',
  /** The bid is no longer valid. */
  bid_expired: 'bid_expired',
  /** The award has already been made. */
  already_awarded: 'already_awarded',
  /** It is already on an order. */
  already_ordered: 'already_ordered',
  /** The budget is locked. */
  budget_locked: 'budget_locked',
  /** The budget is not locked yet. */
  budget_not_locked: 'budget_not_locked',
  /** The home is cancelled or archived. */
  home_not_open: 'home_not_open',
  /** The contract is not active. */
  contract_not_active: 'contract_not_active',
  /** The vendor's poLimit would be exceeded. */
  po_limit_exceeded: 'po_limit_exceeded',
  /** The key is revoked. */
  key_revoked: 'key_revoked',
  /** The key has expired. */
  key_expired: 'key_expired',
  /** The user is disabled. */
  user_disabled: 'user_disabled',
  /** The organization would be left without an owner. */
  last_owner: 'last_owner',
  /** The subscription is disabled. */
  subscription_disabled: 'subscription_disabled',
} as const

export type ConflictReason = (typeof ConflictReason)[keyof typeof ConflictReason]
