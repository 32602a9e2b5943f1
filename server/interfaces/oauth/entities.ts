import type { Permission } from '../../../client/contract.gen.ts'
import { type Holders, permissions } from '../../platform/keys/permissions.gen.ts'

type GrantedPermission = Exclude<Permission, 'portal_links:read'>
export type Entity = GrantedPermission extends `${infer Name}:${string}` ? Name : never

/** The permissions that can be granted to an app, with their labels on the consent page. */
export const ENTITIES = Object.fromEntries(
  Object.entries<Holders>(permissions).flatMap(([entity, { label, isDelegable = true }]) =>
    isDelegable ? [[entity, label]] : [],
  ),
) as Readonly<Record<Entity, string>>

export const ENTITY_NAMES = Object.keys(ENTITIES) as Entity[]
