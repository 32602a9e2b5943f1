import { type Kysely, sql } from 'kysely'
import { typeid } from 'typeid-js'

/** For existing builders, adds the text of the email that confirms the receipt of a bid to its vendor. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ id: string }>`select "id" from "organizations"`.execute(db)
  for (const { id } of rows)
    await sql`
      insert into "messageTemplates" ("organizationId", "id", "kind", "version", "createdBy", "createdAt", "updatedAt")
      values (${id}, ${typeid('mtp').toString()}, 'bid_receipt', 1, '{"type": "system", "id": null}', now(), now())`.execute(
      db,
    )
}
