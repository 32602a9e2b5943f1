import type { Problem as AnyProblem } from './contract.gen.ts'

/** What problems of these codes have besides what all have. Written by `npm run generate`. */
export interface ProblemMembers {
  permission_denied: Pick<AnyProblem, 'permission'>
  skill_not_found: Required<Pick<AnyProblem, 'nearest'>>
  invalid_transition: Required<Pick<AnyProblem, 'from' | 'to' | 'allowed'>>
  conflict: Required<Pick<AnyProblem, 'reason'>> & Pick<AnyProblem, 'conflictingId' | 'changed'>
  precondition_failed: Required<Pick<AnyProblem, 'currentVersion'>>
  validation_failed: Required<Pick<AnyProblem, 'errors'>>
  invalid_cursor: Required<Pick<AnyProblem, 'errors'>>
  unknown_reference: Required<Pick<AnyProblem, 'errors'>> & Pick<AnyProblem, 'nearest' | 'didYouMean'>
  ambiguous_reference: Required<Pick<AnyProblem, 'errors' | 'candidates'>>
}

/** Why the present state does not allow it. A minor version may add reasons. By name, so that an editor shows what each means. */
export const ConflictReason = {
  /** A value that has to be unique belongs to another record. */
  value_taken: 'value_taken',
  /** The record, or one that it names, is archived. */
  archived: 'archived',
  /** The status does not allow it. */
  wrong_status: 'wrong_status',
  /** It cannot change, or not any more. */
  fixed: 'fixed',
  /** Something else depends on it. */
  in_use: 'in_use',
  /** There are as many as there may be. */
  limit_reached: 'limit_reached',
  /** It is so already. */
  already_done: 'already_done',
  /** Something that it takes is not there, such as a plan, a price or an amount. */
  missing_data: 'missing_data',
  /** What was asked for cannot be had here or on that date. */
  not_available: 'not_available',
  /** What was named is of a kind that this cannot be done with. */
  not_suitable: 'not_suitable',
  /** It would come to more than can be recorded. */
  too_large: 'too_large',
  /** There is less left than it takes. */
  not_enough_left: 'not_enough_left',
  /** Something else holds for the same time. */
  period_taken: 'period_taken',
  /** Something has to be finished first. */
  open_work: 'open_work',
  /** It is going on at this moment. */
  under_way: 'under_way',
  /** It takes an overrideReason. */
  needs_override: 'needs_override',
  /** It had to be done earlier. */
  deadline_passed: 'deadline_passed',
  /** A record has changed since it was read or shown; the field changed lists the differences if they are known. */
  changed_meanwhile: 'changed_meanwhile',
  /** Nobody could receive it. */
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
  /** The bid request takes no bids now. */
  bid_request_not_open: 'bid_request_not_open',
  /** The bid request is blind and still open. */
  bids_sealed: 'bids_sealed',
  /** The vendor has bid already. */
  already_bid: 'already_bid',
  /** The vendor has answered already. */
  already_answered: 'already_answered',
  /** The bid holds no longer. */
  bid_expired: 'bid_expired',
  /** The award is made. */
  already_awarded: 'already_awarded',
  /** It is on an order already. */
  already_ordered: 'already_ordered',
  /** The budget is locked. */
  budget_locked: 'budget_locked',
  /** The budget is not locked yet. */
  budget_not_locked: 'budget_not_locked',
  /** The home is cancelled or archived. */
  home_not_open: 'home_not_open',
  /** The contract does not hold now. */
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
