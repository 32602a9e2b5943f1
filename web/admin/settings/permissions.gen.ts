/** What each permission is about, from the contract's `x-roles`. Written by `npm run generate`. */
export const permissionLabels = {
  vendors: "Vendors and compliance documents",
  bids: "Bid requests and bids",
  homes: "Homes",
  communities: "Communities",
  tasks: "Schedules",
  milestones: "Milestones and draws",
  pos: "Purchase orders",
  payments: "Payments and lien waivers",
  budgets: "Budgets",
  ledger: "Cost ledger and period close",
  options: "Options and selections",
  parts: "Parts and prices",
  timesheets: "Timesheets",
  users: "Users",
  messages: "Messages",
  leads: "Leads",
  sales: "Sales",
  billings: "Owner billing",
  contracts: "Price agreements",
  webhooks: "Webhooks",
  events: "Events and the audit trail",
  skills: "Record of executed skills",
  proposals: "Proposals of agents",
  portal_links: "Portal links",
} as const

export const administrationLabels = {
  keys: "API keys",
  settings: "Settings",
  period_reopening: "Reopening closed periods",
  sandbox: "Sandbox",
} as const
