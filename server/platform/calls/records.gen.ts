/** The records of the contract, from the `x-record` of their schemas. Written by `npm run generate`. */
export interface RecordDeclaration {
  /** Its name in exports. Undefined for another form of a record, such as a summary. */
  kind?: string
  /** Its name in the audit trail, if that is another one. */
  auditKind?: string
  /** False if no audit entry is about such a record. */
  audited?: boolean
  /** The prefix of its IDs, without the underscore. */
  prefix: string
  table: string
}

export const records = {
  Vendor: {"kind":"vendor","prefix":"ven","table":"vendors"},
  ComplianceDocument: {"kind":"compliance_document","prefix":"cmp","table":"complianceDocuments"},
  VendorNotification: {"kind":"vendor_notification","prefix":"ntf","table":"vendorNotifications"},
  Scope: {"kind":"scope","prefix":"scp","table":"scopes"},
  Invitation: {"kind":"invitation","prefix":"inv","table":"invitations"},
  Community: {"kind":"community","prefix":"com","table":"communities"},
  BidRequest: {"kind":"bid_request","prefix":"brq","table":"bidRequests"},
  BidRequestSummary: {"prefix":"brq","table":"bidRequests"},
  Plan: {"kind":"plan","prefix":"pln","table":"plans"},
  Home: {"kind":"home","prefix":"hom","table":"homes"},
  Bid: {"kind":"bid","prefix":"bid","table":"bids"},
  Contract: {"kind":"contract","prefix":"ctr","table":"contracts"},
  PurchaseOrder: {"kind":"purchase_order","auditKind":"po","prefix":"po","table":"purchaseOrders"},
  CostCode: {"kind":"cost_code","prefix":"cc","table":"costCodes"},
  Part: {"kind":"part","prefix":"prt","table":"parts"},
  Price: {"kind":"price","prefix":"prc","table":"prices"},
  Option: {"kind":"option","prefix":"opt","table":"options"},
  Selection: {"kind":"selection","prefix":"sel","table":"selections"},
  BudgetLine: {"kind":"budget_line","prefix":"bud","table":"budgetLines"},
  BudgetTransfer: {"kind":"budget_transfer","prefix":"btr","table":"budgetTransfers"},
  Payment: {"kind":"payment","prefix":"pay","table":"payments"},
  LienWaiver: {"kind":"lien_waiver","prefix":"lw","table":"lienWaivers"},
  PaymentRun: {"kind":"payment_run","prefix":"prn","table":"paymentRuns"},
  Journal: {"kind":"journal","prefix":"ent","table":"journals"},
  PeriodClose: {"kind":"period","prefix":"pcl","table":"periodCloses"},
  Task: {"kind":"task","prefix":"tsk","table":"tasks"},
  Milestone: {"kind":"milestone","prefix":"mil","table":"milestones"},
  Loan: {"kind":"loan","prefix":"loan","table":"loans"},
  LoanDraw: {"kind":"loan_draw","prefix":"drw","table":"loanDraws"},
  CalendarFeed: {"kind":"calendar_feed","prefix":"cal","table":"calendarFeeds"},
  User: {"kind":"user","prefix":"usr","table":"users"},
  Timesheet: {"kind":"timesheet","prefix":"ts","table":"timesheets"},
  TimeEntry: {"kind":"time_entry","prefix":"tse","table":"timeEntries"},
  TaskTemplate: {"kind":"task_template","prefix":"ttp","table":"taskTemplates"},
  Form1099Filing: {"kind":"tax_filing","prefix":"tfl","table":"form1099Filings"},
  Lead: {"kind":"lead","prefix":"lead","table":"leads"},
  LeadActivity: {"kind":"lead_activity","prefix":"lac","table":"leadActivities"},
  Sale: {"kind":"sale","prefix":"sale","table":"sales"},
  BuyerChange: {"kind":"buyer_change","prefix":"bco","table":"buyerChanges"},
  ScheduleOfValues: {"kind":"schedule_of_values","prefix":"sov","table":"schedulesOfValues"},
  Application: {"kind":"application","prefix":"app","table":"applications"},
  Message: {"kind":"message","prefix":"msg","table":"messages"},
  MessageTemplate: {"kind":"message_template","prefix":"mtp","table":"messageTemplates"},
  Mail: {"kind":"mail","prefix":"eml","table":"mails"},
  Attachment: {"kind":"attachment","prefix":"att","table":"attachments"},
  Webhook: {"kind":"webhook","prefix":"whk","table":"webhooks"},
  Delivery: {"kind":"delivery","prefix":"dlv","table":"deliveries"},
  Proposal: {"kind":"proposal","prefix":"prp","table":"proposals"},
  ExecutionRecord: {"kind":"execution","prefix":"exe","table":"executions","audited":false},
  ApiKey: {"kind":"key","prefix":"key","table":"apiKeys"},
  OauthGrant: {"kind":"oauth_grant","prefix":"ogr","table":"oauthGrants"},
  OrganizationSettings: {"kind":"organization","prefix":"org","table":"organizations"},
} as const satisfies Record<string, RecordDeclaration>
