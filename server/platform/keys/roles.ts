import type { AdminPermission, Permission } from '../../../client/contract.gen.ts'

/** The roles of a builder's own users. A user's role bounds every key they create. */
export const ROLES = ['owner', 'admin', 'estimator', 'superintendent', 'salesperson', 'accountant', 'viewer'] as const
export type Role = (typeof ROLES)[number]

/**
 * Permissions with which the holder could act in the name of somebody else. Only owners and admins have them, and they
 * are never passed on: not to keys that only propose, browser tokens, connected apps or MCP clients.
 */
const PERSONAL = ['portal_links:read'] as const
type Personal = (typeof PERSONAL)[number]

type Entity = Exclude<Permission, Personal> extends `${infer E}:${string}` ? E : never

const EVERYTHING: readonly Entity[] = [
  ...([
    'vendors',
    'bids',
    'homes',
    'communities',
    'tasks',
    'milestones',
    'pos',
    'payments',
    'budgets',
    'options',
  ] as const),
  ...([
    'parts',
    'timesheets',
    'users',
    'messages',
    'leads',
    'sales',
    'contracts',
    'webhooks',
    'events',
    'skills',
    'proposals',
  ] as const),
]

/** What each role may change. Every role may read everything except what only admins manage. */
const WRITES: Record<Role, readonly Entity[]> = {
  owner: EVERYTHING,
  admin: EVERYTHING,
  estimator: ['vendors', 'bids', 'budgets', 'options', 'parts', 'contracts', 'pos', 'messages', 'skills', 'proposals'],
  superintendent: ['homes', 'tasks', 'milestones', 'timesheets', 'pos', 'messages', 'skills', 'proposals'],
  // Selections are options to the permissions, and what buyers select is recorded by whoever sells to them.
  salesperson: ['leads', 'sales', 'options', 'messages', 'skills', 'proposals'],
  accountant: ['vendors', 'pos', 'payments', 'budgets', 'timesheets', 'messages', 'skills', 'proposals'],
  viewer: [],
}

const ADMINISTERED: readonly Entity[] = ['users', 'webhooks']

export function permissionsOf(role: Role): ReadonlySet<Permission> {
  const administers = role === 'owner' || role === 'admin'
  const reads = EVERYTHING.filter((entity) => administers || !ADMINISTERED.includes(entity))
  return new Set([
    ...reads.map((entity): Permission => `${entity}:read`),
    ...WRITES[role].map((entity): Permission => `${entity}:write`),
    ...(administers ? PERSONAL : []),
  ])
}

/** Whether a permission may be passed on to a program that acts under supervision or for somebody else. */
export function isDelegable(permission: string): boolean {
  return !PERSONAL.some((personal) => personal === permission)
}

export const ALL_PERMISSIONS: readonly Permission[] = [...permissionsOf('owner')]

/** What only people do, and whom each role lets do it. */
const ADMINISTRATION: Readonly<Record<AdminPermission, readonly Role[]>> = {
  'keys:read': ['owner', 'admin'],
  'keys:write': ['owner', 'admin'],
  'settings:read': ROLES,
  'settings:write': ['owner', 'admin'],
  'sandbox:read': ['owner', 'admin'],
  'sandbox:write': ['owner'],
}

/** What a role covers of what no key may do. */
export function administrationOf(role: Role): AdminPermission[] {
  return (Object.keys(ADMINISTRATION) as AdminPermission[]).filter((permission) =>
    ADMINISTRATION[permission].includes(role),
  )
}
