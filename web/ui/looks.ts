import type {
  BidRequestStatus,
  BidStatus,
  CommunityStatus,
  ComplianceDocumentStatus,
  ComplianceStatus,
  ContractStatus,
  DeliveryStatus,
  ExecutionStatus,
  HomeStatus,
  InvitationStatus,
  LeadStatus,
  LienWaiverStatus,
  MessageRecipient,
  MilestoneStatus,
  PaymentStatus,
  ProposalStatus,
  PurchaseOrderStatus,
  SaleStatus,
  SelectionStatus,
  TaskConfirmationStatus,
  TaskStatus,
  TimesheetStatus,
  UserStatus,
  Vendor,
  VendorStatus,
  WebhookStatus,
} from '../../client/contract.gen.ts'
import type { ShapeName } from './shape.tsx'

/**
 * A tone shows whether somebody must act: calm for nothing, flow for in progress, ok for done, warn for soon, bad for
 * now. The shape distinguishes states of the same tone, so that color is never the only sign.
 */
export type Tone = 'calm' | 'flow' | 'ok' | 'warn' | 'bad'

export interface Look {
  word: string
  tone: Tone
  shape: ShapeName
}

const look = (word: string, tone: Tone, shape: ShapeName): Look => ({ word, tone, shape })

/** The look of each state of the contract. A state that the contract adds does not compile until it is added here. */
export const LOOKS = {
  vendor: {
    prospective: look('Prospective', 'flow', 'dash'),
    active: look('Active', 'ok', 'dot'),
    on_hold: look('On hold', 'warn', 'pause'),
    inactive: look('Inactive', 'calm', 'slash'),
  } satisfies Record<VendorStatus, Look>,
  portal: {
    not_invited: look('Not invited', 'calm', 'dash'),
    invited: look('Invited', 'flow', 'arrow'),
    joined: look('Joined', 'ok', 'check'),
  } satisfies Record<Vendor['portalStatus'], Look>,
  compliance: {
    compliant: look('Compliant', 'ok', 'checked'),
    expiring: look('Expiring', 'warn', 'tri'),
    expired: look('Expired', 'bad', 'x'),
    missing: look('Missing', 'bad', 'dash'),
    exempt: look('Exempt', 'calm', 'dot'),
  } satisfies Record<ComplianceStatus, Look>,
  paper: {
    pending_review: look('Pending review', 'flow', 'half'),
    valid: look('Valid', 'ok', 'checked'),
    rejected: look('Rejected', 'bad', 'slash'),
    expired: look('Expired', 'bad', 'x'),
    waived: look('Waived', 'calm', 'dot'),
  } satisfies Record<ComplianceDocumentStatus, Look>,
  community: {
    planning: look('Planning', 'calm', 'dash'),
    active: look('Active', 'ok', 'dot'),
    sold_out: look('Sold out', 'flow', 'most'),
    closed: look('Closed', 'calm', 'square'),
  } satisfies Record<CommunityStatus, Look>,
  home: {
    planning: look('Planning', 'calm', 'dash'),
    permitting: look('Permitting', 'flow', 'quarter'),
    ready_to_start: look('Ready to start', 'flow', 'arrow'),
    under_construction: look('Under construction', 'flow', 'half'),
    completed: look('Completed', 'ok', 'check'),
    closed: look('Closed', 'ok', 'square'),
    warranty: look('Warranty', 'calm', 'diamond'),
    archived: look('Archived', 'calm', 'box'),
    on_hold: look('On hold', 'warn', 'pause'),
    cancelled: look('Canceled', 'calm', 'slash'),
  } satisfies Record<HomeStatus, Look>,
  bidRequest: {
    draft: look('Draft', 'calm', 'dash'),
    sent: look('Sent', 'flow', 'arrow'),
    closed: look('Closed, not awarded', 'warn', 'square'),
    awarded: look('Awarded', 'ok', 'star'),
    cancelled: look('Canceled', 'calm', 'slash'),
  } satisfies Record<BidRequestStatus, Look>,
  invitation: {
    pending: look('Pending', 'calm', 'dash'),
    sent: look('Sent', 'flow', 'arrow'),
    viewed: look('Viewed', 'flow', 'eye'),
    will_bid: look('Will bid', 'flow', 'half'),
    submitted: look('Submitted', 'ok', 'check'),
    declined: look('Declined', 'calm', 'x'),
    no_response: look('No response', 'warn', 'bang'),
  } satisfies Record<InvitationStatus, Look>,
  bid: {
    submitted: look('Submitted', 'flow', 'arrow'),
    accepted: look('Accepted', 'ok', 'star'),
    rejected: look('Rejected', 'calm', 'x'),
    withdrawn: look('Withdrawn', 'calm', 'back'),
    expired: look('Expired', 'warn', 'clock'),
  } satisfies Record<BidStatus, Look>,
  order: {
    draft: look('Draft', 'calm', 'dash'),
    pending_approval: look('Pending approval', 'warn', 'person'),
    approved: look('Approved', 'flow', 'check'),
    issued: look('Issued', 'flow', 'arrow'),
    accepted: look('Accepted', 'flow', 'checked'),
    declined: look('Declined', 'bad', 'x'),
    partially_completed: look('Partially completed', 'flow', 'half'),
    completed: look('Completed', 'ok', 'dot'),
    closed: look('Closed', 'calm', 'square'),
    void: look('Void', 'calm', 'slash'),
  } satisfies Record<PurchaseOrderStatus, Look>,
  payment: {
    pending: look('Pending', 'warn', 'person'),
    approved: look('Approved', 'flow', 'check'),
    paid: look('Paid', 'ok', 'dot'),
    rejected: look('Rejected', 'bad', 'x'),
    voided: look('Voided', 'calm', 'slash'),
  } satisfies Record<PaymentStatus, Look>,
  waiver: {
    requested: look('Requested', 'flow', 'arrow'),
    signed: look('Signed', 'flow', 'half'),
    accepted: look('Accepted', 'ok', 'check'),
    rejected: look('Rejected', 'bad', 'x'),
    void: look('Void', 'calm', 'slash'),
  } satisfies Record<LienWaiverStatus, Look>,
  contract: {
    draft: look('Draft', 'calm', 'dash'),
    active: look('Active', 'ok', 'dot'),
    expired: look('Expired', 'bad', 'x'),
    terminated: look('Terminated', 'calm', 'slash'),
    superseded: look('Superseded', 'calm', 'back'),
  } satisfies Record<ContractStatus, Look>,
  selection: {
    pending: look('Pending', 'warn', 'person'),
    approved: look('Approved', 'flow', 'check'),
    declined: look('Declined', 'calm', 'x'),
    ordered: look('Ordered', 'flow', 'arrow'),
    installed: look('Installed', 'ok', 'dot'),
    cancelled: look('Canceled', 'calm', 'slash'),
  } satisfies Record<SelectionStatus, Look>,
  task: {
    not_started: look('Not started', 'calm', 'ring'),
    in_progress: look('In progress', 'flow', 'half'),
    on_hold: look('On hold', 'warn', 'pause'),
    completed: look('Completed', 'ok', 'dot'),
    skipped: look('Skipped', 'calm', 'slash'),
  } satisfies Record<TaskStatus, Look>,
  confirmation: {
    none: look('Not asked', 'calm', 'ring'),
    requested: look('Asked', 'flow', 'arrow'),
    confirmed: look('Confirmed', 'ok', 'check'),
    declined: look('Declined', 'bad', 'x'),
    reschedule_requested: look('Other date proposed', 'warn', 'back'),
  } satisfies Record<TaskConfirmationStatus, Look>,
  milestone: {
    pending: look('Pending', 'calm', 'diamond'),
    completed: look('Completed', 'ok', 'star'),
  } satisfies Record<MilestoneStatus, Look>,
  timesheet: {
    open: look('Open', 'calm', 'dash'),
    submitted: look('Submitted', 'flow', 'arrow'),
    approved: look('Approved', 'ok', 'check'),
    rejected: look('Rejected', 'bad', 'x'),
    exported: look('Exported', 'calm', 'lock'),
  } satisfies Record<TimesheetStatus, Look>,
  lead: {
    new: look('New', 'flow', 'ring'),
    contacted: look('Contacted', 'flow', 'quarter'),
    qualified: look('Qualified', 'flow', 'half'),
    appointment: look('Appointment', 'flow', 'clock'),
    proposal: look('Proposal', 'flow', 'most'),
    converted: look('Converted', 'ok', 'star'),
    lost: look('Lost', 'calm', 'x'),
  } satisfies Record<LeadStatus, Look>,
  sale: {
    pending: look('Pending', 'warn', 'person'),
    approved: look('Approved', 'flow', 'check'),
    pipeline_complete: look('Pipeline complete', 'ok', 'star'),
    cancelled: look('Canceled', 'calm', 'slash'),
  } satisfies Record<SaleStatus, Look>,
  proposal: {
    proposed: look('Pending', 'warn', 'person'),
    approved: look('Approved', 'ok', 'check'),
    refused: look('Rejected', 'calm', 'x'),
    expired: look('Expired', 'calm', 'clock'),
  } satisfies Record<ProposalStatus, Look>,
  run: {
    done: look('Done', 'ok', 'check'),
    refused: look('Denied', 'warn', 'slash'),
    failed: look('Failed', 'bad', 'x'),
  } satisfies Record<ExecutionStatus, Look>,
  message: {
    queued: look('Queued', 'calm', 'clock'),
    sent: look('Sent', 'flow', 'arrow'),
    delivered: look('Delivered', 'ok', 'check'),
    failed: look('Failed', 'bad', 'x'),
  } satisfies Record<MessageRecipient['deliveryStatus'], Look>,
  webhook: {
    active: look('Active', 'ok', 'dot'),
    disabled: look('Disabled', 'bad', 'slash'),
  } satisfies Record<WebhookStatus, Look>,
  delivery: {
    pending: look('Retrying', 'flow', 'clock'),
    held: look('Held', 'warn', 'pause'),
    succeeded: look('Succeeded', 'ok', 'check'),
    exhausted: look('Failed', 'bad', 'x'),
    cancelled: look('Canceled', 'calm', 'slash'),
  } satisfies Record<DeliveryStatus, Look>,
  user: {
    invited: look('Invited', 'flow', 'arrow'),
    active: look('Active', 'ok', 'dot'),
    disabled: look('Disabled', 'calm', 'slash'),
  } satisfies Record<UserStatus, Look>,
  key: {
    active: look('Active', 'ok', 'dot'),
    rotating: look('Rotating', 'flow', 'half'),
    expiring: look('Expiring', 'warn', 'tri'),
    expired: look('Expired', 'bad', 'x'),
    revoked: look('Revoked', 'calm', 'slash'),
  },
} as const

export type LookOf<Kind extends keyof typeof LOOKS> = keyof (typeof LOOKS)[Kind]
