/** The roles and what each may do, from the contract's `x-roles`. Written by `npm run generate`. */
export const roles = ["owner","admin","estimator","superintendent","salesperson","accountant","viewer"] as const

/** The roles that may read and write something. */
export interface Holders {
  label: string
  read: readonly string[]
  write: readonly string[]
  /** False if it is never passed on to programs that act for somebody else. */
  isDelegable?: boolean
}

export const permissions = {
  vendors: {"label":"Vendors and compliance documents","read":["owner","admin","estimator","superintendent","salesperson","accountant","viewer"],"write":["owner","admin","estimator","accountant"]},
  bids: {"label":"Bid requests and bids","read":["owner","admin","estimator","superintendent","salesperson","accountant","viewer"],"write":["owner","admin","estimator"]},
  homes: {"label":"Homes","read":["owner","admin","estimator","superintendent","salesperson","accountant","viewer"],"write":["owner","admin","superintendent"]},
  communities: {"label":"Communities","read":["owner","admin","estimator","superintendent","salesperson","accountant","viewer"],"write":["owner","admin"]},
  tasks: {"label":"Schedules","read":["owner","admin","estimator","superintendent","salesperson","accountant","viewer"],"write":["owner","admin","superintendent"]},
  milestones: {"label":"Milestones and draws","read":["owner","admin","estimator","superintendent","salesperson","accountant","viewer"],"write":["owner","admin","superintendent"]},
  pos: {"label":"Purchase orders","read":["owner","admin","estimator","superintendent","salesperson","accountant","viewer"],"write":["owner","admin","estimator","superintendent","accountant"]},
  payments: {"label":"Payments and lien waivers","read":["owner","admin","estimator","superintendent","salesperson","accountant","viewer"],"write":["owner","admin","accountant"]},
  budgets: {"label":"Budgets","read":["owner","admin","estimator","superintendent","salesperson","accountant","viewer"],"write":["owner","admin","estimator","accountant"]},
  ledger: {"label":"Cost ledger and period close","read":["owner","admin","estimator","superintendent","salesperson","accountant","viewer"],"write":["owner","admin","accountant"]},
  options: {"label":"Options and selections","read":["owner","admin","estimator","superintendent","salesperson","accountant","viewer"],"write":["owner","admin","estimator","salesperson"]},
  parts: {"label":"Parts and prices","read":["owner","admin","estimator","superintendent","salesperson","accountant","viewer"],"write":["owner","admin","estimator"]},
  timesheets: {"label":"Timesheets","read":["owner","admin","estimator","superintendent","salesperson","accountant","viewer"],"write":["owner","admin","superintendent","accountant"]},
  users: {"label":"Users","read":["owner","admin"],"write":["owner","admin"]},
  messages: {"label":"Messages","read":["owner","admin","estimator","superintendent","salesperson","accountant","viewer"],"write":["owner","admin","estimator","superintendent","salesperson","accountant"]},
  leads: {"label":"Leads","read":["owner","admin","estimator","superintendent","salesperson","accountant","viewer"],"write":["owner","admin","salesperson"]},
  sales: {"label":"Sales","read":["owner","admin","estimator","superintendent","salesperson","accountant","viewer"],"write":["owner","admin","salesperson"]},
  billings: {"label":"Owner billing","read":["owner","admin","estimator","superintendent","salesperson","accountant","viewer"],"write":["owner","admin","accountant"]},
  contracts: {"label":"Price agreements","read":["owner","admin","estimator","superintendent","salesperson","accountant","viewer"],"write":["owner","admin","estimator"]},
  webhooks: {"label":"Webhooks","read":["owner","admin"],"write":["owner","admin"]},
  events: {"label":"Events and the audit trail","read":["owner","admin","estimator","superintendent","salesperson","accountant","viewer"],"write":["owner","admin"]},
  skills: {"label":"Record of executed skills","read":["owner","admin","estimator","superintendent","salesperson","accountant","viewer"],"write":["owner","admin","estimator","superintendent","salesperson","accountant"]},
  proposals: {"label":"Proposals of agents","read":["owner","admin","estimator","superintendent","salesperson","accountant","viewer"],"write":["owner","admin","estimator","superintendent","salesperson","accountant"]},
  portal_links: {"label":"Portal links","isDelegable":false,"read":["owner","admin"],"write":[]},
} as const satisfies Record<string, Holders>

export const administration = {
  keys: {"label":"API keys","read":["owner","admin"],"write":["owner","admin"]},
  settings: {"label":"Settings","read":["owner","admin","estimator","superintendent","salesperson","accountant","viewer"],"write":["owner","admin"]},
  period_reopening: {"label":"Reopening closed periods","read":[],"write":["owner"]},
  sandbox: {"label":"Sandbox","read":["owner","admin"],"write":["owner"]},
} as const satisfies Record<string, Holders>
