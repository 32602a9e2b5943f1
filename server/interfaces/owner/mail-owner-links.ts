import { sql } from 'kysely'
import { issueRequestedLink } from '../../domain/land/home-owners/owner-link.ts'
import { queueRequestedLink } from '../../domain/land/home-owners/request-owner-link.ts'
import type { Services } from '../../platform/calls/call.ts'
import { createSystemCall } from '../../platform/keys/principals.ts'
import { consumeOneTimeToken, createOneTimeToken, readOneTimeToken } from '../portal/link-list/one-time-tokens.ts'

const TOKEN_CONTEXT = 'owner link'

/** An owner has few homes. */
const MAX_HOMES = 10

/**
 * Emails a one-time link for each home whose owner's page was opened to this address. The previous link of the owner
 * stays valid until the owner confirms, so that a stranger who enters the address ends nobody's access.
 */
export async function mailOwnerLinks(services: Services, email: string): Promise<void> {
  const found = await findOwners(services, email)
  if (found.length === 0 || !(await services.limits.takeLinkListMail(email.toLowerCase()))) return
  for (const { organizationId, id } of found) {
    const call = await createSystemCall(services, organizationId)
    await call.write(async (call) => {
      const token = await createOneTimeToken(call, TOKEN_CONTEXT, id)
      await queueRequestedLink(call, id, `${services.config.publicUrl}/owner/new/${token}`)
    })
  }
}

/**
 * Returns the owners with this address, of all builders. Owners without a link, archived owners, and addresses that the
 * builder did not approve are omitted.
 *
 * The query has no organization, because the link is emailed to the address, and nothing is shown.
 */
async function findOwners(
  { database }: Pick<Services, 'database'>,
  email: string,
): Promise<{ organizationId: string; id: string }[]> {
  const { rows } = await sql<{ organizationId: string; id: string }>`
    select o."organizationId", o."id" from "homeOwners" as o
    where lower(o."email") = lower(${email}::text) and lower(o."approvedEmail") = lower(o."email")
      and o."archivedAt" is null and o."invitedAt" is not null
      and not exists (select from "sandboxes" as s where s."organizationId" = o."organizationId")
    order by o."organizationId", o."id" limit ${MAX_HOMES}`.execute(database.statements)
  return rows
}

/** Returns whether the token of an emailed link is still valid. Does not use the token up. */
export function isRequestToken(services: Services, token: string): boolean {
  return readOneTimeToken(services, TOKEN_CONTEXT, token) !== null
}

/** Uses the token up and returns the URL of a new link; null if the token or the owner's access has ended. */
export async function openRequestedLink(services: Services, token: string): Promise<string | null> {
  const content = await consumeOneTimeToken(services, TOKEN_CONTEXT, token)
  if (content === null) return null
  const call = await createSystemCall(services, content.organizationId)
  return call.write((call) => issueRequestedLink(call, content.subject))
}
