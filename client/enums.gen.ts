import type * as contract from './contract.gen.ts'

/** The values of the contract's enums, in its order. Written by `npm run generate`. */
export const vendorStatusValues = [
  'prospective',
  'active',
  'on_hold',
  'inactive',
] as const satisfies readonly contract.VendorStatus[]

export const complianceStatusValues = [
  'compliant',
  'expiring',
  'expired',
  'missing',
  'exempt',
] as const satisfies readonly contract.ComplianceStatus[]

export const reportingBoxValues = [
  'nec_1',
  'misc_1',
  'misc_3',
  'misc_6',
  'misc_10',
  'none',
] as const satisfies readonly contract.ReportingBox[]

export const backupWithholdingReasonValues = [
  'no_tin',
  'irs_notice',
] as const satisfies readonly contract.BackupWithholdingReason[]

export const vendorLanguageValues = [
  'en',
  'es',
] as const satisfies readonly contract.VendorLanguage[]

export const actorSourceValues = [
  'portal_copied_link',
] as const satisfies readonly contract.ActorSource[]

export const problemCodeValues = [
  'malformed_json',
  'missing_key',
  'invalid_key',
  'expired_key',
  'revoked_key',
  'permission_denied',
  'tier_required',
  'beta_full',
  'not_found',
  'unknown_path',
  'skill_not_found',
  'method_not_allowed',
  'invalid_transition',
  'conflict',
  'idempotency_in_progress',
  'precondition_failed',
  'payload_too_large',
  'unsupported_media_type',
  'validation_failed',
  'invalid_cursor',
  'idempotency_key_reused',
  'unknown_reference',
  'rate_limited',
  'quota_exceeded',
  'internal',
  'unavailable',
  'malformed_request',
  'request_timeout',
  'expectation_failed',
  'headers_too_large',
  'answer_not_kept',
  'too_much_work',
  'too_many_concurrent_requests',
  'timed_out',
  'address_not_allowed',
  'too_many_attempts',
  'expired_token',
  'revoked_token',
  'too_many_answers',
  'range_not_satisfiable',
  'ambiguous_reference',
  'not_signed_in',
  'cross_site',
  'link_spent',
  'passkey_refused',
  'fresh_sign_in_required',
] as const satisfies readonly contract.ProblemCode[]

export const conflictReasonValues = [
  'value_taken',
  'archived',
  'wrong_status',
  'fixed',
  'in_use',
  'limit_reached',
  'already_done',
  'missing_data',
  'not_available',
  'not_suitable',
  'too_large',
  'not_enough_left',
  'period_taken',
  'period_closed',
  'open_work',
  'under_way',
  'needs_override',
  'deadline_passed',
  'changed_meanwhile',
  'no_recipient',
  'wrong_caller',
  'vendor_archived',
  'vendor_on_hold',
  'vendor_inactive',
  'vendor_restricted',
  'compliance_expired',
  'not_invited',
  'bid_request_not_open',
  'bids_sealed',
  'already_bid',
  'already_answered',
  'bid_expired',
  'already_awarded',
  'already_ordered',
  'budget_locked',
  'budget_not_locked',
  'home_not_open',
  'contract_not_active',
  'po_limit_exceeded',
  'key_revoked',
  'key_expired',
  'user_disabled',
  'last_owner',
  'subscription_disabled',
] as const satisfies readonly contract.ConflictReason[]

export const syncModeValues = [
  'all_or_nothing',
  'best_effort',
] as const satisfies readonly contract.SyncMode[]

export const matchByValues = [
  'accountingId',
  'externalId',
  'id',
] as const satisfies readonly contract.MatchBy[]

export const complianceDocumentTypeValues = [
  'general_liability',
  'workers_comp',
  'auto',
  'umbrella',
  'license',
  'w9',
  'agreement',
  'other',
] as const satisfies readonly contract.ComplianceDocumentType[]

export const complianceDocumentStatusValues = [
  'pending_review',
  'valid',
  'rejected',
  'expired',
  'waived',
] as const satisfies readonly contract.ComplianceDocumentStatus[]

export const vendorNotificationKindValues = [
  'advance',
  'reminder',
  'moved_earlier',
  'postponed',
] as const satisfies readonly contract.VendorNotificationKind[]

export const bidTypeValues = [
  'lump_sum',
  'unit_price',
  'both',
] as const satisfies readonly contract.BidType[]

export const awardModeValues = [
  'single',
  'split',
] as const satisfies readonly contract.AwardMode[]

export const bidRequestStatusValues = [
  'draft',
  'sent',
  'closed',
  'awarded',
  'cancelled',
] as const satisfies readonly contract.BidRequestStatus[]

export const invitationStatusValues = [
  'pending',
  'sent',
  'viewed',
  'will_bid',
  'declined',
  'submitted',
  'no_response',
] as const satisfies readonly contract.InvitationStatus[]

export const communityStatusValues = [
  'planning',
  'active',
  'sold_out',
  'closed',
] as const satisfies readonly contract.CommunityStatus[]

export const comparedBidStatusValues = [
  'submitted',
  'accepted',
  'rejected',
] as const satisfies readonly contract.ComparedBidStatus[]

export const bidFlagValues = [
  'vendor_archived',
  'vendor_on_hold',
  'vendor_inactive',
  'compliance_expired',
  'compliance_expiring',
  'compliance_missing',
  'over_budget',
  'lines_missing',
  'lines_excluded',
  'late',
  'validity_past',
] as const satisfies readonly contract.BidFlag[]

export const bidStatusValues = [
  'submitted',
  'accepted',
  'rejected',
  'withdrawn',
  'expired',
] as const satisfies readonly contract.BidStatus[]

export const bidSourceValues = [
  'api',
  'portal',
  'portal_copied_link',
  'phone',
  'email',
] as const satisfies readonly contract.BidSource[]

export const homeTypeValues = [
  'spec',
  'presale',
  'custom',
  'model',
] as const satisfies readonly contract.HomeType[]

export const swingValues = [
  'left',
  'right',
] as const satisfies readonly contract.Swing[]

export const homeSalesStatusValues = [
  'unavailable',
  'available',
  'reserved',
  'under_contract',
  'sold',
] as const satisfies readonly contract.HomeSalesStatus[]

export const homeStatusValues = [
  'planning',
  'permitting',
  'ready_to_start',
  'under_construction',
  'completed',
  'closed',
  'warranty',
  'archived',
  'on_hold',
  'cancelled',
] as const satisfies readonly contract.HomeStatus[]

export const planStatusValues = [
  'draft',
  'released',
  'retired',
] as const satisfies readonly contract.PlanStatus[]

export const bidSourceInputValues = [
  'api',
  'phone',
  'email',
] as const satisfies readonly contract.BidSourceInput[]

export const purchaseOrderTypeValues = [
  'base',
  'option',
  'change',
  'variance',
  'backcharge',
  'service',
] as const satisfies readonly contract.PurchaseOrderType[]

export const purchaseOrderStatusValues = [
  'draft',
  'pending_approval',
  'approved',
  'issued',
  'accepted',
  'declined',
  'partially_completed',
  'completed',
  'closed',
  'void',
] as const satisfies readonly contract.PurchaseOrderStatus[]

export const varianceReasonCodeValues = [
  'estimating_error',
  'design_change',
  'field_error',
  'vendor_error',
  'backcharge',
  'vendor_reassignment',
  'weather',
  'theft',
  'vandalism',
  'site_condition',
  'customer_request',
  'code_requirement',
  'price_increase',
  'punch_list',
  'model_maintenance',
  'other',
] as const satisfies readonly contract.VarianceReasonCode[]

export const varianceResponsibleValues = [
  'builder',
  'customer',
  'vendor',
] as const satisfies readonly contract.VarianceResponsible[]

export const contractStatusValues = [
  'draft',
  'active',
  'expired',
  'terminated',
  'superseded',
] as const satisfies readonly contract.ContractStatus[]

export const contractTypeValues = [
  'turnkey',
  'unit_price',
  'labor_only',
  'material',
] as const satisfies readonly contract.ContractType[]

export const costCategoryValues = [
  'labor',
  'material',
  'subcontract',
  'equipment',
  'other',
  'overhead',
] as const satisfies readonly contract.CostCategory[]

export const priceSourceValues = [
  'plan',
  'community',
  'default',
] as const satisfies readonly contract.PriceSource[]

export const priceIssueValues = [
  'no_price',
  'expired',
  'not_yet_effective',
  'elsewhere',
  'below_minimum',
  'vendor_not_active',
] as const satisfies readonly contract.PriceIssue[]

export const optionStatusValues = [
  'draft',
  'active',
  'retired',
] as const satisfies readonly contract.OptionStatus[]

export const optionTypeValues = [
  'structural',
  'design',
  'upgrade',
  'credit',
  'allowance',
] as const satisfies readonly contract.OptionType[]

export const costBasisValues = [
  'computed',
  'fixed',
] as const satisfies readonly contract.CostBasis[]

export const takeoffSourceValues = [
  'plan',
  'elevation',
  'option',
] as const satisfies readonly contract.TakeoffSource[]

export const selectionStatusValues = [
  'pending',
  'approved',
  'declined',
  'ordered',
  'installed',
  'cancelled',
] as const satisfies readonly contract.SelectionStatus[]

export const selectionBasisValues = [
  'option',
  'given',
] as const satisfies readonly contract.SelectionBasis[]

export const budgetLineSourceValues = [
  'base',
  'option',
  'allowance',
  'manual',
] as const satisfies readonly contract.BudgetLineSource[]

export const purchaseOrderSimilarityValues = [
  'same_lines',
  'same_scope',
] as const satisfies readonly contract.PurchaseOrderSimilarity[]

export const paymentStatusValues = [
  'pending',
  'approved',
  'paid',
  'rejected',
  'voided',
] as const satisfies readonly contract.PaymentStatus[]

export const paymentTypeValues = [
  'progress',
  'final',
  'retainage_release',
  'deposit',
  'adjustment',
] as const satisfies readonly contract.PaymentType[]

export const paymentMethodValues = [
  'check',
  'ach',
  'card',
  'other',
] as const satisfies readonly contract.PaymentMethod[]

export const lienWaiverTypeValues = [
  'conditional_progress',
  'unconditional_progress',
  'conditional_final',
  'unconditional_final',
] as const satisfies readonly contract.LienWaiverType[]

export const lienWaiverStatusValues = [
  'requested',
  'signed',
  'accepted',
  'rejected',
  'void',
] as const satisfies readonly contract.LienWaiverStatus[]

export const measureValues = [
  'commitment',
  'cost',
  'unbilled',
  'payable',
  'retainage',
  'paid',
  'discount',
  'withheldTax',
  'payroll',
  'other',
  'budget',
  'contract',
  'ownerBilled',
  'ownerRetainage',
  'ownerReceived',
  'loan',
] as const satisfies readonly contract.Measure[]

export const postingBasisValues = [
  'recorded',
  'migrated',
] as const satisfies readonly contract.PostingBasis[]

export const ledgerGroupValues = [
  'total',
  'home',
  'vendor',
  'costCode',
  'scope',
  'po',
] as const satisfies readonly contract.LedgerGroup[]

export const journalTypeValues = [
  'journal',
  'transfer',
  'reversal',
] as const satisfies readonly contract.JournalType[]

export const periodCloseStatusValues = [
  'closed',
  'reopened',
] as const satisfies readonly contract.PeriodCloseStatus[]

export const taskStatusValues = [
  'not_started',
  'in_progress',
  'on_hold',
  'completed',
  'skipped',
] as const satisfies readonly contract.TaskStatus[]

export const taskKindValues = [
  'work',
  'inspection',
  'delivery',
  'milestone',
  'memo',
] as const satisfies readonly contract.TaskKind[]

export const taskConfirmationStatusValues = [
  'none',
  'requested',
  'confirmed',
  'declined',
  'reschedule_requested',
] as const satisfies readonly contract.TaskConfirmationStatus[]

export const taskConstraintTypeValues = [
  'none',
  'start_no_earlier_than',
  'must_start_on',
  'hold',
] as const satisfies readonly contract.TaskConstraintType[]

export const taskLinkTypeValues = [
  'FS',
  'SS',
  'FF',
  'SF',
] as const satisfies readonly contract.TaskLinkType[]

export const inspectionResultValues = [
  'passed',
  'failed',
] as const satisfies readonly contract.InspectionResult[]

export const delayReasonValues = [
  'weather',
  'vendor_no_show',
  'vendor_error',
  'poor_workmanship',
  'material_delay',
  'failed_inspection',
  'permit',
  'design_change',
  'late_selection',
  'theft_vandalism',
  'builder',
  'other',
] as const satisfies readonly contract.DelayReason[]

export const delayResponsibleValues = [
  'builder',
  'customer',
  'vendor',
] as const satisfies readonly contract.DelayResponsible[]

export const milestoneStatusValues = [
  'pending',
  'completed',
] as const satisfies readonly contract.MilestoneStatus[]

export const milestoneTypeValues = [
  'permit',
  'foundation',
  'dry_in',
  'rough_complete',
  'drywall',
  'final_inspection',
  'certificate_of_occupancy',
  'closing',
  'draw',
  'custom',
] as const satisfies readonly contract.MilestoneType[]

export const loanDrawStatusValues = [
  'requested',
  'approved',
  'funded',
  'rejected',
  'repaid',
] as const satisfies readonly contract.LoanDrawStatus[]

export const timesheetStatusValues = [
  'open',
  'submitted',
  'approved',
  'rejected',
  'exported',
] as const satisfies readonly contract.TimesheetStatus[]

export const userRoleValues = [
  'owner',
  'admin',
  'estimator',
  'superintendent',
  'salesperson',
  'accountant',
  'viewer',
  'vendor',
] as const satisfies readonly contract.UserRole[]

export const userStatusValues = [
  'invited',
  'active',
  'disabled',
] as const satisfies readonly contract.UserStatus[]

export const payTypeValues = [
  'regular',
  'overtime',
  'double',
  'pto',
] as const satisfies readonly contract.PayType[]

export const homeStartOutcomeValues = [
  'scheduled',
  'has_schedule',
  'not_startable',
  'no_template',
] as const satisfies readonly contract.HomeStartOutcome[]

export const ledgerTypeValues = [
  'vendor',
  'community',
  'home',
  'cost_code',
  'contract',
  'po',
  'payment',
  'journal',
] as const satisfies readonly contract.LedgerType[]

export const ledgerReasonValues = [
  'new',
  'changed',
  'error',
] as const satisfies readonly contract.LedgerReason[]

export const form1099KindValues = [
  '1099-NEC',
  '1099-MISC',
] as const satisfies readonly contract.Form1099Kind[]

export const leadStatusValues = [
  'new',
  'contacted',
  'qualified',
  'appointment',
  'proposal',
  'converted',
  'lost',
] as const satisfies readonly contract.LeadStatus[]

export const leadSourceValues = [
  'website',
  'referral',
  'phone',
  'realtor',
  'model_home_visit',
  'sign',
  'event',
  'portal_listing',
  'other',
] as const satisfies readonly contract.LeadSource[]

export const leadActivityTypeValues = [
  'call',
  'email',
  'text',
  'visit',
  'meeting',
  'note',
] as const satisfies readonly contract.LeadActivityType[]

export const saleRevenueMethodValues = [
  'over_time',
  'at_closing',
] as const satisfies readonly contract.SaleRevenueMethod[]

export const saleContingencyTypeValues = [
  'financing',
  'appraisal',
  'inspection',
  'home_sale',
  'other',
] as const satisfies readonly contract.SaleContingencyType[]

export const saleDepositStatusValues = [
  'due',
  'received',
  'refunded',
  'forfeited',
  'cancelled',
] as const satisfies readonly contract.SaleDepositStatus[]

export const saleContingencyStatusValues = [
  'open',
  'cleared',
  'waived',
  'failed',
] as const satisfies readonly contract.SaleContingencyStatus[]

export const saleStageStatusValues = [
  'open',
  'done',
  'waived',
] as const satisfies readonly contract.SaleStageStatus[]

export const saleStatusValues = [
  'pending',
  'approved',
  'pipeline_complete',
  'cancelled',
] as const satisfies readonly contract.SaleStatus[]

export const saleDepositDispositionValues = [
  'refunded',
  'forfeited',
] as const satisfies readonly contract.SaleDepositDisposition[]

export const buyerChangeStatusValues = [
  'draft',
  'sent',
  'approved',
  'declined',
  'void',
] as const satisfies readonly contract.BuyerChangeStatus[]

export const buyerChangeSourceValues = [
  'agreed',
  'selection',
] as const satisfies readonly contract.BuyerChangeSource[]

export const applicationStatusValues = [
  'draft',
  'submitted',
  'rejected',
  'certified',
  'partially_paid',
  'paid',
  'void',
] as const satisfies readonly contract.ApplicationStatus[]

export const messageRoleValues = [
  'owner',
  'admin',
  'estimator',
  'superintendent',
  'salesperson',
  'accountant',
  'viewer',
] as const satisfies readonly contract.MessageRole[]

export const messageSubjectTypeValues = [
  'vendor',
  'community',
  'home',
  'bid_request',
  'bid',
  'contract',
  'task',
  'milestone',
  'purchase_order',
  'webhook',
] as const satisfies readonly contract.MessageSubjectType[]

export const messageTemplateKindValues = [
  'message',
  'portal_invitation',
  'bid_invitation',
  'bid_reminder',
  'lien_waiver',
  'advance',
  'reminder',
  'moved_earlier',
  'postponed',
  'lien_waiver_conditional_progress',
  'lien_waiver_unconditional_progress',
  'lien_waiver_conditional_final',
  'lien_waiver_unconditional_final',
] as const satisfies readonly contract.MessageTemplateKind[]

export const mailStatusValues = [
  'queued',
  'sent',
  'failed',
] as const satisfies readonly contract.MailStatus[]

export const mailKindValues = [
  'message',
  'portal_invitation',
  'bid_invitation',
  'bid_reminder',
  'lien_waiver',
  'advance',
  'reminder',
  'moved_earlier',
  'postponed',
  'sign_in',
  'user_invitation',
] as const satisfies readonly contract.MailKind[]

export const searchTypeValues = [
  'vendor',
  'community',
  'home',
  'bid_request',
  'bid',
  'purchase_order',
  'payment',
  'user',
  'lead',
  'sale',
] as const satisfies readonly contract.SearchType[]

export const attachmentRecordTypeValues = [
  'bid_request',
  'invitation',
  'bid',
  'compliance_document',
  'purchase_order',
  'task',
  'selection',
  'message',
] as const satisfies readonly contract.AttachmentRecordType[]

export const webhookStatusValues = [
  'active',
  'disabled',
] as const satisfies readonly contract.WebhookStatus[]

export const eventTypeValues = [
  'vendor.created',
  'vendor.updated',
  'vendor.invited',
  'vendor.portal_link_copied',
  'bid_request.created',
  'bid_request.updated',
  'bid_request.sent',
  'bid.submitted',
  'bid.accepted',
  'bid.rejected',
  'home.created',
  'home.status_changed',
  'task.completed',
  'task.status_changed',
  'milestone.completed',
  'po.created',
  'po.status_changed',
  'payment.created',
  'payment.voided',
  'period.closed',
  'period.reopened',
  'vendor.notification.advance',
  'vendor.notification.reminder',
  'vendor.notification.moved_earlier',
  'vendor.notification.postponed',
  'user.logged_in',
  'message.sent',
  'lead.created',
  'lead.converted',
  'sale.created',
  'sale.approved',
  'sale.pipeline_complete',
  'sale.cancelled',
  'proposal.created',
  'proposal.status_changed',
] as const satisfies readonly contract.EventType[]

export const webhookDisabledReasonValues = [
  'requested',
  'failures',
  'gone',
  'owner_revoked',
] as const satisfies readonly contract.WebhookDisabledReason[]

export const deliveryStatusValues = [
  'pending',
  'held',
  'succeeded',
  'exhausted',
  'cancelled',
] as const satisfies readonly contract.DeliveryStatus[]

export const permissionValues = [
  'vendors:read',
  'vendors:write',
  'bids:read',
  'bids:write',
  'homes:read',
  'homes:write',
  'communities:read',
  'communities:write',
  'tasks:read',
  'tasks:write',
  'milestones:read',
  'milestones:write',
  'pos:read',
  'pos:write',
  'payments:read',
  'payments:write',
  'budgets:read',
  'budgets:write',
  'ledger:read',
  'ledger:write',
  'options:read',
  'options:write',
  'parts:read',
  'parts:write',
  'timesheets:read',
  'timesheets:write',
  'users:read',
  'users:write',
  'messages:read',
  'messages:write',
  'leads:read',
  'leads:write',
  'sales:read',
  'sales:write',
  'billings:read',
  'billings:write',
  'contracts:read',
  'contracts:write',
  'webhooks:read',
  'webhooks:write',
  'events:read',
  'events:write',
  'skills:read',
  'skills:write',
  'proposals:read',
  'proposals:write',
  'portal_links:read',
] as const satisfies readonly contract.Permission[]

export const auditResourceTypeValues = [
  'vendor',
  'compliance_document',
  'vendor_notification',
  'scope',
  'invitation',
  'community',
  'bid_request',
  'plan',
  'home',
  'bid',
  'contract',
  'po',
  'cost_code',
  'part',
  'price',
  'option',
  'selection',
  'budget_line',
  'budget_transfer',
  'payment',
  'lien_waiver',
  'payment_run',
  'journal',
  'period',
  'task',
  'milestone',
  'loan',
  'loan_draw',
  'calendar_feed',
  'user',
  'timesheet',
  'time_entry',
  'task_template',
  'tax_filing',
  'lead',
  'lead_activity',
  'sale',
  'buyer_change',
  'schedule_of_values',
  'application',
  'message',
  'message_template',
  'mail',
  'attachment',
  'webhook',
  'delivery',
  'proposal',
  'key',
  'oauth_grant',
  'organization',
] as const satisfies readonly contract.AuditResourceType[]

export const auditOutcomeValues = [
  'done',
  'refused',
] as const satisfies readonly contract.AuditOutcome[]

export const textWriterValues = [
  'vendor',
  'buyer',
  'anyone',
] as const satisfies readonly contract.TextWriter[]

export const skillKindValues = [
  'operation',
  'composite',
] as const satisfies readonly contract.SkillKind[]

export const proposalStatusValues = [
  'proposed',
  'approved',
  'refused',
  'expired',
] as const satisfies readonly contract.ProposalStatus[]

export const executionStatusValues = [
  'done',
  'refused',
  'failed',
] as const satisfies readonly contract.ExecutionStatus[]

export const portalInvitationStatusValues = [
  'sent',
  'viewed',
  'will_bid',
  'declined',
  'submitted',
  'no_response',
] as const satisfies readonly contract.PortalInvitationStatus[]

export const portalOrderStatusValues = [
  'issued',
  'accepted',
  'declined',
  'partially_completed',
  'completed',
  'closed',
  'void',
] as const satisfies readonly contract.PortalOrderStatus[]

export const portalPaymentStatusValues = [
  'pending',
  'approved',
  'paid',
] as const satisfies readonly contract.PortalPaymentStatus[]

export const portalPaymentObstacleValues = [
  'approval',
  'lien_waiver',
  'compliance',
] as const satisfies readonly contract.PortalPaymentObstacle[]

export const adminPermissionValues = [
  'keys:read',
  'keys:write',
  'settings:read',
  'settings:write',
  'period_reopening:write',
  'sandbox:read',
  'sandbox:write',
] as const satisfies readonly contract.AdminPermission[]

export const weekdayValues = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const satisfies readonly contract.Weekday[]
