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
  // Uses the organization's spelling, so that the index on the trade applies.
  filters: {
    scope: (scope) =>
      `t."scope" = (select s."name" from "scopes" as s where s."organizationId" = $1 and lower(s."name") = lower(${scope}) and s."archivedAt" is null)`,
  },
})

/** Returns whether the part has, or has ever had, a price. */
export async function hasPricesOfPart({ db, organizationId }: Tenant, partId: string): Promise<boolean> {
  const { rows } = await sql`
    select from "prices" where "organizationId" = ${organizationId} and "partId" = ${partId} limit 1`.execute(db)
  return rows.length > 0
}

/** Returns the IDs, out of the given IDs, of parts that have, or have ever had, a price. */
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
 * Makes concurrent syncs of parts run one after the other. Otherwise, two syncs that create the same parts would wait
 * for each other, or the later sync would fail instead of finding the parts unchanged.
 */
export async function lockPartSync({ db, organizationId }: WriteCall): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${organizationId}, 74185025))`.execute(db)
}

/**
 * Locks the parts with one of the IDs or external IDs, and the active parts with one of the SKUs. Locks are taken in
 * the order of the IDs.
 */
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
