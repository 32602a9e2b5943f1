import type {
  BidRequestStatus,
  BidStatus,
  BillMatch,
  BillStatus,
  CommunityStatus,
  ComplianceDocumentStatus,
  ComplianceStatus,
  ContractStatus,
  DailyLogStatus,
  DeliveryStatus,
  ExecutionStatus,
  HomeStatus,
  ImportStatus,
  InspectionOutcome,
  InspectionStatus,
  InvitationStatus,
  LeadStatus,
  LienWaiverStatus,
  MessageRecipient,
  MilestoneStatus,
  PaymentStatus,
  PermitStatus,
  ProposalStatus,
  PunchItemStatus,
  PurchaseOrderStatus,
  SaleStatus,
  SelectionStatus,
  TaskConfirmationStatus,
  TaskStatus,
  TimesheetStatus,
  UserStatus,
  Vendor,
  VendorStatus,
  WarrantyRequestStatus,
  WebhookStatus,
} from '../../client/contract.gen.ts'
import type { ShapeName } from './shape.tsx'

/**
 * The tone of a status shows whether a user must act: calm means no action, flow means in progress, ok means done, warn
 * means act soon, and bad means act now. The shape distinguishes statuses of the same tone, so that color is never the
 * only difference.
 */
export type Tone = 'calm' | 'flow' | 'ok' | 'warn' | 'bad'

export interface Look {
  word: string
  tone: Tone
  shape: ShapeName
}

const toLook = (word: string, tone: Tone, shape: ShapeName): Look => ({ word, tone, shape })

/**
 * The style of each status in the contract. If the contract adds a status, the code does not compile until it is added
 * here.
 */
export const STATUS_LOOKS = {
  vendor: {
    prospective: toLook('Prospective', 'flow', 'dash'),
    active: toLook('Active', 'ok', 'dot'),
    on_hold: toLook('On hold', 'warn', 'pause'),
    inactive: toLook('Inactive', 'calm', 'slash'),
  } satisfies Record<VendorStatus, Look>,
  portal: {
    not_invited: toLook('Not invited', 'calm', 'dash'),
    invited: toLook('Invited', 'flow', 'arrow'),
    joined: toLook('Joined', 'ok', 'check'),
  } satisfies Record<Vendor['portalStatus'], Look>,
  compliance: {
    compliant: toLook('Compliant', 'ok', 'checked'),
    expiring: toLook('Expiring', 'warn', 'tri'),
    expired: toLook('Expired', 'bad', 'x'),
    missing: toLook('Missing', 'bad', 'dash'),
    exempt: toLook('Exempt', 'calm', 'dot'),
  } satisfies Record<ComplianceStatus, Look>,
  paper: {
    pending_review: toLook('Pending review', 'flow', 'half'),
    valid: toLook('Valid', 'ok', 'checked'),
    rejected: toLook('Rejected', 'bad', 'slash'),
    expired: toLook('Expired', 'bad', 'x'),
    waived: toLook('Waived', 'calm', 'dot'),
  } satisfies Record<ComplianceDocumentStatus, Look>,
  community: {
    planning: toLook('Planning', 'calm', 'dash'),
    active: toLook('Active', 'ok', 'dot'),
    sold_out: toLook('Sold out', 'flow', 'most'),
    closed: toLook('Closed', 'calm', 'square'),
  } satisfies Record<CommunityStatus, Look>,
  home: {
    planning: toLook('Planning', 'calm', 'dash'),
    permitting: toLook('Permitting', 'flow', 'quarter'),
    ready_to_start: toLook('Ready to start', 'flow', 'arrow'),
    under_construction: toLook('Under construction', 'flow', 'half'),
    completed: toLook('Completed', 'ok', 'check'),
    closed: toLook('Closed', 'ok', 'square'),
    warranty: toLook('Warranty', 'calm', 'diamond'),
    archived: toLook('Archived', 'calm', 'box'),
    on_hold: toLook('On hold', 'warn', 'pause'),
    cancelled: toLook('Canceled', 'calm', 'slash'),
  } satisfies Record<HomeStatus, Look>,
  import: {
    ready: toLook('Not checked', 'calm', 'dash'),
    checking: toLook('Checking', 'flow', 'half'),
    checked: toLook('Checked', 'flow', 'eye'),
    importing: toLook('Importing', 'flow', 'half'),
    imported: toLook('Imported', 'ok', 'check'),
    undoing: toLook('Undoing', 'flow', 'back'),
    undone: toLook('Undone', 'calm', 'back'),
  } satisfies Record<ImportStatus, Look>,
  bidRequest: {
    draft: toLook('Draft', 'calm', 'dash'),
    sent: toLook('Sent', 'flow', 'arrow'),
    closed: toLook('Closed, not awarded', 'warn', 'square'),
    awarded: toLook('Awarded', 'ok', 'star'),
    cancelled: toLook('Canceled', 'calm', 'slash'),
  } satisfies Record<BidRequestStatus, Look>,
  invitation: {
    pending: toLook('Pending', 'calm', 'dash'),
    sent: toLook('Sent', 'flow', 'arrow'),
    viewed: toLook('Viewed', 'flow', 'eye'),
    will_bid: toLook('Will bid', 'flow', 'half'),
    submitted: toLook('Submitted', 'ok', 'check'),
    declined: toLook('Declined', 'calm', 'x'),
    no_response: toLook('No response', 'warn', 'bang'),
  } satisfies Record<InvitationStatus, Look>,
  bid: {
    submitted: toLook('Submitted', 'flow', 'arrow'),
    accepted: toLook('Accepted', 'ok', 'star'),
    rejected: toLook('Rejected', 'calm', 'x'),
    withdrawn: toLook('Withdrawn', 'calm', 'back'),
    expired: toLook('Expired', 'warn', 'clock'),
  } satisfies Record<BidStatus, Look>,
  order: {
    draft: toLook('Draft', 'calm', 'dash'),
    pending_approval: toLook('Pending approval', 'warn', 'person'),
    approved: toLook('Approved', 'flow', 'check'),
    issued: toLook('Issued', 'flow', 'arrow'),
    accepted: toLook('Accepted', 'flow', 'checked'),
    declined: toLook('Declined', 'bad', 'x'),
    partially_completed: toLook('Partially completed', 'flow', 'half'),
    completed: toLook('Completed', 'ok', 'dot'),
    closed: toLook('Closed', 'calm', 'square'),
    void: toLook('Void', 'calm', 'slash'),
  } satisfies Record<PurchaseOrderStatus, Look>,
  bill: {
    draft: toLook('Draft', 'calm', 'dash'),
    received: toLook('To approve', 'warn', 'person'),
    approved: toLook('Approved', 'flow', 'check'),
    rejected: toLook('Rejected', 'bad', 'x'),
    partially_paid: toLook('Partially paid', 'flow', 'half'),
    paid: toLook('Paid', 'ok', 'dot'),
    void: toLook('Void', 'calm', 'slash'),
  } satisfies Record<BillStatus, Look>,
  billMatch: {
    matched: toLook('Matched', 'ok', 'check'),
    ahead_of_work: toLook('Ahead of work', 'warn', 'tri'),
    no_order: toLook('No order', 'calm', 'dash'),
  } satisfies Record<BillMatch, Look>,
  payment: {
    pending: toLook('Pending', 'warn', 'person'),
    approved: toLook('Approved', 'flow', 'check'),
    paid: toLook('Paid', 'ok', 'dot'),
    rejected: toLook('Rejected', 'bad', 'x'),
    voided: toLook('Voided', 'calm', 'slash'),
  } satisfies Record<PaymentStatus, Look>,
  waiver: {
    requested: toLook('Requested', 'flow', 'arrow'),
    signed: toLook('Signed', 'flow', 'half'),
    accepted: toLook('Accepted', 'ok', 'check'),
    rejected: toLook('Rejected', 'bad', 'x'),
    void: toLook('Void', 'calm', 'slash'),
  } satisfies Record<LienWaiverStatus, Look>,
  contract: {
    draft: toLook('Draft', 'calm', 'dash'),
    active: toLook('Active', 'ok', 'dot'),
    expired: toLook('Expired', 'bad', 'x'),
    terminated: toLook('Terminated', 'calm', 'slash'),
    superseded: toLook('Superseded', 'calm', 'back'),
  } satisfies Record<ContractStatus, Look>,
  selection: {
    pending: toLook('Pending', 'warn', 'person'),
    approved: toLook('Approved', 'flow', 'check'),
    declined: toLook('Declined', 'calm', 'x'),
    ordered: toLook('Ordered', 'flow', 'arrow'),
    installed: toLook('Installed', 'ok', 'dot'),
    cancelled: toLook('Canceled', 'calm', 'slash'),
  } satisfies Record<SelectionStatus, Look>,
  permit: {
    applied: toLook('Applied', 'flow', 'arrow'),
    issued: toLook('Issued', 'ok', 'check'),
    finaled: toLook('Finaled', 'ok', 'square'),
    expired: toLook('Expired', 'bad', 'x'),
    void: toLook('Void', 'calm', 'slash'),
  } satisfies Record<PermitStatus, Look>,
  inspection: {
    requested: toLook('Requested', 'warn', 'person'),
    scheduled: toLook('Scheduled', 'flow', 'clock'),
    completed: toLook('Completed', 'ok', 'dot'),
    cancelled: toLook('Canceled', 'calm', 'slash'),
  } satisfies Record<InspectionStatus, Look>,
  inspectionResult: {
    passed: toLook('Passed', 'ok', 'check'),
    partial: toLook('Partly passed', 'warn', 'half'),
    failed: toLook('Failed', 'bad', 'x'),
  } satisfies Record<InspectionOutcome, Look>,
  dailyLog: {
    draft: toLook('Draft', 'warn', 'person'),
    submitted: toLook('Submitted', 'ok', 'check'),
    locked: toLook('Locked', 'calm', 'lock'),
  } satisfies Record<DailyLogStatus, Look>,
  punchItem: {
    open: toLook('Open', 'warn', 'person'),
    assigned: toLook('Assigned', 'flow', 'arrow'),
    fixed: toLook('Fixed', 'warn', 'half'),
    verified: toLook('Verified', 'ok', 'dot'),
    cancelled: toLook('Canceled', 'calm', 'slash'),
  } satisfies Record<PunchItemStatus, Look>,
  warrantyRequest: {
    new: toLook('New', 'warn', 'person'),
    accepted: toLook('Accepted', 'flow', 'check'),
    not_covered: toLook('Not covered', 'calm', 'x'),
    assigned: toLook('Assigned', 'flow', 'arrow'),
    scheduled: toLook('Scheduled', 'flow', 'half'),
    completed: toLook('Completed', 'ok', 'dot'),
    closed: toLook('Closed', 'calm', 'dot'),
    cancelled: toLook('Canceled', 'calm', 'slash'),
  } satisfies Record<WarrantyRequestStatus, Look>,
  task: {
    not_started: toLook('Not started', 'calm', 'ring'),
    in_progress: toLook('In progress', 'flow', 'half'),
    on_hold: toLook('On hold', 'warn', 'pause'),
    completed: toLook('Completed', 'ok', 'dot'),
    skipped: toLook('Skipped', 'calm', 'slash'),
  } satisfies Record<TaskStatus, Look>,
  confirmation: {
    none: toLook('Not requested', 'calm', 'ring'),
    requested: toLook('Requested', 'flow', 'arrow'),
    confirmed: toLook('Confirmed', 'ok', 'check'),
    declined: toLook('Declined', 'bad', 'x'),
    reschedule_requested: toLook('Other date proposed', 'warn', 'back'),
  } satisfies Record<TaskConfirmationStatus, Look>,
  milestone: {
    pending: toLook('Pending', 'calm', 'diamond'),
    completed: toLook('Completed', 'ok', 'star'),
  } satisfies Record<MilestoneStatus, Look>,
  timesheet: {
    open: toLook('Open', 'calm', 'dash'),
    submitted: toLook('Submitted', 'flow', 'arrow'),
    approved: toLook('Approved', 'ok', 'check'),
    rejected: toLook('Rejected', 'bad', 'x'),
    exported: toLook('Exported', 'calm', 'lock'),
  } satisfies Record<TimesheetStatus, Look>,
  lead: {
    new: toLook('New', 'flow', 'ring'),
    contacted: toLook('Contacted', 'flow', 'quarter'),
    qualified: toLook('Qualified', 'flow', 'half'),
    appointment: toLook('Appointment', 'flow', 'clock'),
    proposal: toLook('Proposal', 'flow', 'most'),
    converted: toLook('Converted', 'ok', 'star'),
    lost: toLook('Lost', 'calm', 'x'),
  } satisfies Record<LeadStatus, Look>,
  sale: {
    pending: toLook('Pending', 'warn', 'person'),
    approved: toLook('Approved', 'flow', 'check'),
    pipeline_complete: toLook('Pipeline complete', 'ok', 'star'),
    cancelled: toLook('Canceled', 'calm', 'slash'),
  } satisfies Record<SaleStatus, Look>,
  proposal: {
    proposed: toLook('Pending', 'warn', 'person'),
    approved: toLook('Approved', 'ok', 'check'),
    refused: toLook('Rejected', 'calm', 'x'),
    expired: toLook('Expired', 'calm', 'clock'),
  } satisfies Record<ProposalStatus, Look>,
  run: {
    done: toLook('Done', 'ok', 'check'),
    refused: toLook('Denied', 'warn', 'slash'),
    failed: toLook('Failed', 'bad', 'x'),
  } satisfies Record<ExecutionStatus, Look>,
  message: {
    queued: toLook('Queued', 'calm', 'clock'),
    sent: toLook('Sent', 'flow', 'arrow'),
    delivered: toLook('Delivered', 'ok', 'check'),
    failed: toLook('Failed', 'bad', 'x'),
  } satisfies Record<MessageRecipient['deliveryStatus'], Look>,
  webhook: {
    active: toLook('Active', 'ok', 'dot'),
    disabled: toLook('Disabled', 'bad', 'slash'),
  } satisfies Record<WebhookStatus, Look>,
  delivery: {
    pending: toLook('Retrying', 'flow', 'clock'),
    held: toLook('Held', 'warn', 'pause'),
    succeeded: toLook('Succeeded', 'ok', 'check'),
    exhausted: toLook('Failed', 'bad', 'x'),
    cancelled: toLook('Canceled', 'calm', 'slash'),
  } satisfies Record<DeliveryStatus, Look>,
  user: {
    invited: toLook('Invited', 'flow', 'arrow'),
    active: toLook('Active', 'ok', 'dot'),
    disabled: toLook('Disabled', 'calm', 'slash'),
  } satisfies Record<UserStatus, Look>,
  key: {
    active: toLook('Active', 'ok', 'dot'),
    rotating: toLook('Rotating', 'flow', 'half'),
    expiring: toLook('Expiring', 'warn', 'tri'),
    expired: toLook('Expired', 'bad', 'x'),
    revoked: toLook('Revoked', 'calm', 'slash'),
  },
} as const

export type LookOf<Kind extends keyof typeof STATUS_LOOKS> = keyof (typeof STATUS_LOOKS)[Kind]
