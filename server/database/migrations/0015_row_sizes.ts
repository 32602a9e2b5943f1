import { type Kysely, sql } from 'kysely'

// About how many bytes the long columns of a row are as JSON. A page has to know that before it reads them, because to
// read them is most of what a large page costs. An id is 67 bytes with its quotes, the name of a trade at most 64 in ASCII.
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
  // The lines of an order are rows of their own, so whoever writes them says how many bytes they are.
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
