import { sql } from 'kysely'
import type { CostCode } from '../../../../client/contract.gen.ts'
import type { Tenant, WriteCall } from '../../../platform/calls/call.ts'
import { defineResource } from '../../../platform/resources/resource.ts'
import { MAX_LEVELS } from './cost-code.ts'

export const {
  list,
  find,
  findAll,
  findOptional,
  lock,
  assertExist,
  insert,
  make,
  insertAll,
  updateAll,
  update,
  archive,
} = defineResource({
  schema: 'CostCode',
  filters: {
    parentId: (parent) => `case when ${parent} = 'null' then t."parentId" is null else t."parentId" = ${parent} end`,
    scope: (scope) => `lower(t."scope") = lower(${scope})`,
  },
})

/**
 * Locks the structure of the chart until the transaction ends. Otherwise, two concurrent moves could each place one
 * code below the other, which checks of single rows would not detect.
 */
export async function lockCostCodeTree({ db, organizationId }: WriteCall): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${organizationId}, 74185011))`.execute(db)
}

/** Returns the IDs from this code up to the top level. The first ID is that of the code itself. */
export async function findAncestorPath({ db, organizationId }: Tenant, id: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with recursive up as (
      select c."id", c."parentId", 1 as "step" from "costCodes" c
      where c."organizationId" = ${organizationId} and c."id" = ${id}
      union all
      select c."id", c."parentId", up."step" + 1 from up
      join "costCodes" c on c."organizationId" = ${organizationId} and c."id" = up."parentId"
      where up."step" < ${MAX_LEVELS}
    )
    select "id" from up order by "step"`.execute(db)
  return rows.map((row) => row.id)
}

/** Returns these codes and all codes above them, with the parent of each. */
export async function findAncestors(
  { db, organizationId }: Tenant,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  const { rows } = await sql<{ id: string; parentId: string | null }>`
    with recursive up as (
      select c."id", c."parentId" from "costCodes" c
      where c."organizationId" = ${organizationId} and c."id" = any(${[...ids]}::text[])
      union
      select c."id", c."parentId" from up
      join "costCodes" c on c."organizationId" = ${organizationId} and c."id" = up."parentId"
    )
    select "id", "parentId" from up`.execute(db)
  return new Map(rows.map(({ id, parentId }) => [id, parentId]))
}

/** Returns how many levels the subtree of each code has: 1 for a code without codes below it. */
export async function countLevelsByCode(
  { db, organizationId }: Tenant,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ top: string; levels: number }>`
    with recursive down as (
      select t."id" collate "C" as "top", t."id" collate "C" as "id", 1 as "level" from unnest(${[...ids]}::text[]) as t ("id")
      union all
      select down."top", c."id", down."level" + 1 from down
      join "costCodes" c on c."organizationId" = ${organizationId} and c."parentId" = down."id"
      where down."level" < ${MAX_LEVELS}
    )
    select "top", max("level")::int as "levels" from down group by "top"`.execute(db)
  return new Map(rows.map(({ top, levels }) => [top, levels]))
}

/**
 * Locks the cost codes with these IDs or external IDs, and the active cost codes with these codes, in the order of
 * their IDs.
 */
export async function lockCostCodesByKeys(
  call: WriteCall,
  by: Record<'ids' | 'accountingIds' | 'externalIds' | 'codes', readonly string[]>,
): Promise<CostCode[]> {
  const { organizationId } = call
  const { rows } = await sql<{ id: string }>`
    select "id" from "costCodes"
    where "organizationId" = ${organizationId} and "id" = any(array(
      select unnest(${[...by.ids]}::text[])
      union select "id" from "costCodes"
        where "organizationId" = ${organizationId} and "accountingIdKey" = any(array(select "typedKey"("key") from unnest(${[...by.accountingIds]}::text[]) as k ("key")))
      union select "id" from "costCodes"
        where "organizationId" = ${organizationId} and "externalId" = any(${[...by.externalIds]}::text[])
      union select "id" from "costCodes"
        where "organizationId" = ${organizationId} and "codeKey" = any(array(select "typedKey"("key") from unnest(${[...by.codes]}::text[]) as k ("key"))) and "archivedAt" is null))
    order by "id" for no key update`.execute(call.db)
  return findAll(
    call,
    rows.map(({ id }) => id),
  )
}

/** Returns how many levels the subtree of the code has: 1 for a code without codes below it. */
export async function countLevels({ db, organizationId }: Tenant, id: string): Promise<number> {
  const { rows } = await sql<{ levels: number }>`
    with recursive down as (
      select ${id}::text collate "C" as "id", 1 as "level"
      union all
      select c."id", down."level" + 1 from down
      join "costCodes" c on c."organizationId" = ${organizationId} and c."parentId" = down."id"
      where down."level" < ${MAX_LEVELS}
    )
    select max("level")::int as "levels" from down`.execute(db)
  return rows[0]?.levels ?? 1
}

/**
 * Returns how often the code is used: the number of active codes directly below it, and the number of active trades for
 * which it is the default.
 */
export async function countCostCodeUses(
  { db, organizationId }: Tenant,
  id: string,
): Promise<{ children: number; scopes: number }> {
  const { rows } = await sql<{ children: number; scopes: number }>`
    select
      (select count(*)::int from "costCodes" c
        where c."organizationId" = ${organizationId} and c."parentId" = ${id} and c."archivedAt" is null) as "children",
      (select count(*)::int from "scopes" s
        where s."organizationId" = ${organizationId} and s."defaultCostCodeId" = ${id} and s."archivedAt" is null) as "scopes"`.execute(
    db,
  )
  return rows[0] ?? { children: 0, scopes: 0 }
}
