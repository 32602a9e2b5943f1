import type { Permission } from '../../../client/contract.gen.ts'

export type Entity = Exclude<Permission, 'portal_links:read'> extends `${infer Name}:${string}` ? Name : never

/** What an app can be granted, as people call it, in the order of the page. Portal links are never granted to apps. */
export const ENTITIES: Readonly<Record<Entity, string>> = {
  vendors: 'Vendors and their papers',
  bids: 'Bid requests and bids',
  contracts: 'Price agreements',
  pos: 'Purchase orders',
  payments: 'Payments and lien waivers',
  budgets: 'Budgets',
  homes: 'Homes',
  communities: 'Communities',
  options: 'Options and selections',
  parts: 'Parts and prices',
  tasks: 'Schedules',
  milestones: 'Milestones and draws',
  timesheets: 'Timesheets',
  leads: 'Leads',
  sales: 'Sales',
  messages: 'Messages',
  users: 'Users',
  webhooks: 'Webhooks',
  events: 'Events and the audit trail',
  skills: 'What skills have done',
  proposals: 'Proposals of agents',
}
export const ENTITY_NAMES = Object.keys(ENTITIES) as Entity[]
