import { type Kysely, sql } from 'kysely'

/** The tables with accounting IDs, and the type of their records in accounting states. */
const TYPES = {
  vendors: 'vendor',
  communities: 'community',
  homes: 'home',
  costCodes: 'cost_code',
  contracts: 'contract',
  purchaseOrders: 'po',
  payments: 'payment',
} as const

/**
 * Makes accounting IDs unique for each type of record. If several records have the same ID, the oldest record keeps it.
 * For contracts, the active revision keeps the ID, because new revisions used to copy it. The other records lose the
 * ID. In the accounting queue, each of them is shown as failed, with its former ID and the record that has kept the ID,
 * so that a user can decide.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const [table, type] of Object.entries(TYPES)) {
    const first = table === 'contracts' ? sql`("status" = 'active') desc, "id"` : sql`"id"`
    await sql`
      with ranked as (
        select "organizationId", "id", "accountingId",
          first_value("id") over (partition by "organizationId", "accountingId" order by ${first}) as "keeperId"
        from ${sql.table(table)} where "accountingId" is not null
      ), freed as (
        update ${sql.table(table)} as t set "accountingId" = null, "version" = t."version" + 1, "updatedAt" = now()
        from ranked as r
        where r."keeperId" <> r."id" and t."organizationId" = r."organizationId" and t."id" = r."id"
        returning t."organizationId", t."id", t."version", r."accountingId", r."keeperId"
      )
      insert into "ledgerStates" as s
        ("organizationId", "recordId", "type", "failedVersion", "error", "attempts", "retryAt")
      select "organizationId", "id", ${type}, "version",
        'It had the accountingId ' || "accountingId" || ', which ' || "keeperId" || ' has, too. That one keeps it.', 1, now()
      from freed
      on conflict ("organizationId", "recordId") do update set "failedVersion" = excluded."failedVersion",
        "error" = excluded."error", "attempts" = excluded."attempts", "retryAt" = excluded."retryAt"`.execute(db)
    await sql`drop index ${sql.id(`${table}_accountingId`)}`.execute(db)
    await sql`
      create unique index ${sql.id(`${table}_accountingId_key`)} on ${sql.table(table)} ("organizationId", "accountingId")
      where "accountingId" is not null`.execute(db)
  }
}
