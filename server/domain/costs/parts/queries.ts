import { sql } from 'kysely'
import type { Part } from '../../../../client/contract.gen.ts'
import type { Tenant, WriteCall } from '../../../platform/calls/call.ts'
import { defineResource } from '../../../platform/resources/resource.ts'

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
  schema: 'Part',
  // Compare with the organization's spelling, so that the database can use the index on the trade.
  filters: {
    scope: (scope) =>
      `t."scope" = (select s."name" from "scopes" as s where s."organizationId" = $1 and lower(s."name") = lower(${scope}) and s."archivedAt" is null)`,
  },
})

/** Returns whether the part has ever had a price. */
export async function hasPricesOfPart({ db, organizationId }: Tenant, partId: string): Promise<boolean> {
  const { rows } = await sql`
    select from "prices" where "organizationId" = ${organizationId} and "partId" = ${partId} limit 1`.execute(db)
  return rows.length > 0
}

/** Returns the IDs of those given parts that have ever had a price. */
export async function findPartsWithPrices(
  { db, organizationId }: Tenant,
  partIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    select p."id" from unnest(${[...partIds]}::text[]) as p ("id")
    where exists (select from "prices" where "organizationId" = ${organizationId} and "partId" = p."id" collate "C")`.execute(
    db,
  )
  return new Set(rows.map(({ id }) => id))
}

/**
 * Locks parts against other syncs until the transaction ends. Without this lock, two syncs that create the same parts
 * would wait for each other, or the later sync would fail instead of finding the parts unchanged.
 */
export async function lockPartSync({ db, organizationId }: WriteCall): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${organizationId}, 74185025))`.execute(db)
}

/** Locks the parts with these IDs or external IDs, and the active parts with these SKUs, in the order of their IDs. */
export async function lockPartsByKeys(
  call: WriteCall,
  by: { ids?: readonly string[]; externalIds?: readonly string[]; skus: readonly string[] },
): Promise<Part[]> {
  const { ids = [], externalIds = [], skus } = by
  const { organizationId } = call
  const { rows } = await sql<{ id: string }>`
    select "id" from "parts"
    where "organizationId" = ${organizationId} and "id" = any(array(
      select unnest(${[...ids]}::text[])
      union select "id" from "parts"
        where "organizationId" = ${organizationId} and "externalId" = any(${[...externalIds]}::text[])
      union select "id" from "parts"
        where "organizationId" = ${organizationId} and "skuKey" = any(array(select "typedKey"("key") from unnest(${[...skus]}::text[]) as k ("key"))) and "archivedAt" is null))
    order by "id" for no key update`.execute(call.db)
  return findAll(
    call,
    rows.map(({ id }) => id),
  )
}
