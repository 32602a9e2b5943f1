import { sql } from 'kysely'
import { createUser, updateUser } from '../../domain/office/users/users.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Role } from '../../platform/keys/roles.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import { readRows, toNumberOrNull } from './data-files.ts'
import { BUILDER } from './demo-world.ts'
import { NamedIds } from './timeline.ts'

/**
 * Adds the builder's other users and returns all users by email address. Does not change existing users. Nobody can
 * sign in as an added user, because every sandbox has the same email addresses, and signing in with an address gives
 * access to all organizations in which it is used.
 */
export async function addColleagues(
  database: Database,
  clock: Clock,
  organizationId: string,
): Promise<NamedIds<string>> {
  const people = new NamedIds<string>()
  const known = await database.statements
    .selectFrom('users')
    .select(['id', 'email'])
    .where('organizationId', '=', organizationId)
    .where('email', 'in', listAddresses())
    .execute()
  for (const { id, email } of known) people.set(email, id)
  for (const { email, name, phone, role, poApprovalLimit, status } of readRows('people')) {
    if (email === BUILDER.owner.email || people.has(email)) continue
    const limit = { poApprovalLimit: toNumberOrNull(poApprovalLimit) }
    const { id } = await createUser(database, clock, {
      ...{ organizationId, email, name, phone, role: role as Role, ...limit, isExample: true },
    })
    if (status === 'disabled') await updateUser(database, clock, id, { status })
    people.set(email, id)
  }
  return people
}

/** Deletes the users that were added since then, except those who have an API key or have connected an app. */
export async function removeColleagues(database: Database, organizationId: string, since: Date): Promise<void> {
  await sql`
    delete from "users" u where u."organizationId" = ${organizationId} and u."email" = any(${listAddresses()}::text[])
      and u."createdAt" >= ${since.toISOString()}::timestamptz
      and not exists (select from "apiKeys" k where k."organizationId" = u."organizationId" and k."createdByUserId" = u."id")
      and not exists (select from "oauthGrants" g where g."organizationId" = u."organizationId" and g."userId" = u."id")`.execute(
    database.statements,
  )
}

function listAddresses(): string[] {
  return readRows('people').flatMap(({ email }) => (email === BUILDER.owner.email ? [] : [email]))
}
