import { recordOperatorAction } from '../../../platform/audit/record-audit-entries.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { Identity } from '../../../platform/keys/identity.ts'
import { conflict, notFound } from '../../../platform/problems/problem.ts'
import type { Clock } from '../../../platform/runtime/clock.ts'

/**
 * Creates a sign-in link that works once. If there is no mail server, an operator can give this link to the user.
 * Throws `not_found` if the user is unknown, and `conflict` if the user is deactivated or belongs to the example data
 * of a sandbox.
 */
export async function createSignInLink(
  { database, clock, identity }: { database: Database; clock: Clock; identity: Identity },
  id: string,
  lifeMs: number,
) {
  const user = await database.statements
    .selectFrom('users')
    .select(['organizationId', 'email', 'status', 'isExample'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (user === undefined) throw notFound()
  const { organizationId, email, status, isExample } = user
  if (status === 'disabled')
    throw conflict('user_disabled', 'Cannot create a sign-in link: the user is deactivated. Reactivate the user first.')
  if (isExample)
    throw conflict('not_available', 'Cannot create a sign-in link: the user is part of the sample data of a sandbox.')
  const link = await identity.makeLink(email, lifeMs)
  const act = { organizationId, at: clock.now(), action: 'user.sign_in_link_made', resourceId: id }
  await recordOperatorAction(database.statements, act)
  return { userId: id, email, ...link }
}
