import { type Kysely, sql } from 'kysely'

/** All users who could read budgets can read the ledger, because it contains the same amounts by date. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const [table, column] of [
    ['apiKeys', 'permissions'],
    ['oauthGrants', 'permissions'],
    ['oauthTokens', 'permissions'],
    ['webhooks', 'tokenPermissions'],
  ] as const) {
    const held = sql.ref(column)
    await sql`
      update ${sql.table(table)} set ${held} = ${held} || '{ledger:read}'::text[]
      where 'budgets:read' = any(${held}) and 'ledger:read' <> all(${held})`.execute(db)
  }
}
