import { type Kysely, sql } from 'kysely'

// The approximate size in bytes of the long columns of a row as JSON. The size must be known before the columns are
// read, because reading them is most of the cost of a large page. An ID takes 67 bytes including quotes, and the name
// of a trade at most 64 bytes in ASCII.
const SIZES = {
  vendors: sql`octet_length("contacts"::text) + 64 * cardinality("scopes") + 67 * cardinality("communityIds")`,
  vendorNotifications: sql`coalesce(octet_length("message"), 0) + 257 * cardinality("recipients")`,
  bidRequests: sql`octet_length("lines"::text) + coalesce(octet_length("message"), 0)
    + coalesce(octet_length("inclusions"), 0) + coalesce(octet_length("exclusions"), 0) + 67 * cardinality("homeIds")`,
  bids: sql`octet_length("lines"::text) + coalesce(octet_length("inclusions"), 0)
    + coalesce(octet_length("exclusions"), 0) + 43 * coalesce(cardinality("awardedLineIds"), 0)`,
  purchaseOrders: sql`"linesBytes" + coalesce(octet_length("notes"), 0)`,
  messages: sql`octet_length("body") + octet_length("recipients"::text)`,
}

export async function up(db: Kysely<unknown>): Promise<void> {
  // The lines of an order are separate rows, so the code that writes them stores their size.
  await sql`alter table "purchaseOrders" add column "linesBytes" integer not null default 0`.execute(db)
  await sql`
    update "purchaseOrders" as o set "linesBytes" = l."bytes" from (
      select "organizationId", "purchaseOrderId", sum(400 + octet_length("description")) as "bytes"
      from "purchaseOrderLines" group by 1, 2
    ) as l where l."organizationId" = o."organizationId" and l."purchaseOrderId" = o."id"`.execute(db)
  for (const [table, size] of Object.entries(SIZES)) {
    await sql`alter table ${sql.table(table)} add column "bytes" integer not null generated always as (${size}) stored`.execute(
      db,
    )
  }
}
