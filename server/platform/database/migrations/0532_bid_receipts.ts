import { type Kysely, sql } from 'kysely'
import { typeid } from 'typeid-js'

/** Adds the text of the receipt that a vendor gets by mail after it sent a bid, for existing builders. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ id: string }>`select "id" from "organizations"`.execute(db)
  for (const { id } of rows)
    await sql`
      insert into "messageTemplates" ("organizationId", "id", "kind", "version", "createdBy", "createdAt", "updatedAt")
      values (${id}, ${typeid('mtp').toString()}, 'bid_receipt', 1, '{"type": "system", "id": null}', now(), now())`.execute(
      db,
    )
}
