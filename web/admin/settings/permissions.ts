import type { Permission } from '../../../client/contract.gen.ts'
import { permissionLabels } from './permissions.gen.ts'

export type Entity = Permission extends `${infer Name}:${string}` ? Name : never

/** The labels of the kinds of records to which permissions apply. */
export const ENTITIES: Readonly<Record<Entity, string>> = permissionLabels

export const ENTITY_NAMES = Object.keys(ENTITIES) as Entity[]

/** Portal links can be read but not written. */
export const isWritableEntity = (entity: Entity): entity is Exclude<Entity, 'portal_links'> => entity !== 'portal_links'

const readPermissions = (...entities: Entity[]): Permission[] => entities.map((entity): Permission => `${entity}:read`)
const writePermissions = (...entities: Exclude<Entity, 'portal_links'>[]): Permission[] =>
  entities.map((entity): Permission => `${entity}:write`)

/** The permissions that typical programs need. */
export const PRESETS: readonly { name: string; permissions: readonly Permission[] }[] = [
  {
    name: 'Voice agent',
    permissions: [
      ...readPermissions('vendors', 'bids', 'homes', 'communities', 'tasks', 'leads', 'messages', 'events', 'skills'),
      ...writePermissions('bids', 'tasks', 'leads', 'messages', 'skills'),
    ],
  },
  {
    name: 'Accounting',
    permissions: [
      ...readPermissions(
        'vendors',
        'homes',
        'communities',
        'pos',
        'payments',
        'budgets',
        'parts',
        'timesheets',
        'sales',
        'events',
      ),
      ...writePermissions('vendors', 'payments'),
    ],
  },
  {
    name: 'Purchasing',
    permissions: [
      ...readPermissions(
        'vendors',
        'bids',
        'contracts',
        'pos',
        'budgets',
        'homes',
        'communities',
        'options',
        'parts',
        'events',
        'skills',
      ),
      ...writePermissions('vendors', 'bids', 'contracts', 'pos', 'skills'),
    ],
  },
  // Anyone who has a portal link can act for the vendor, so no preset includes the permission to read links.
  { name: 'Read all', permissions: readPermissions(...ENTITY_NAMES.filter(isWritableEntity)) },
]

/** Returns the name of the preset that has exactly these permissions. */
export function findPermissionPreset(permissions: Iterable<string>): string | undefined {
  const held = new Set(permissions)
  return PRESETS.find(
    (preset) => preset.permissions.length === held.size && preset.permissions.every((one) => held.has(one)),
  )?.name
}
