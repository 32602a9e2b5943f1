import type { Permission } from '../../../client/contract.gen.ts'
import * as grants from '../../domain/administration/oauth-grants/queries.ts'
import type { Call } from '../../platform/calls/call.ts'
import { createVault } from '../../platform/encryption/vault.ts'
import { requireSignedIn, type SignedIn } from '../../platform/keys/principals.ts'
import { ALL_PERMISSIONS } from '../../platform/keys/roles.ts'
import type { AuthorizationRequest } from './authorization-request.ts'
import { issueAuthorizationCode } from './oauth-tokens.ts'
import { formatHost } from './redirect-uris.ts'

/** The offer that the consent page showed to the user. The form on the page returns it to the service. */
export interface ConsentTicket {
  readonly clientId: string
  readonly redirectUri: string
  readonly state: string | null
  readonly challenge: string
  readonly organizationId: string
  /** The permissions that the page offered. */
  readonly offered: readonly Permission[]
  readonly expires: number
}

/** The offer remains valid for this time, which is long enough for a user to ask a colleague. */
const TICKET_MS = 30 * 60_000

/** Returns the requested permissions that the user is able to grant to the app. */
export function listOfferedPermissions({ permissions }: AuthorizationRequest, principal: SignedIn): Permission[] {
  return permissions.filter((permission) => principal.permissions.has(permission))
}

/**
 * Seals the offer that the user saw, for use in the form. The ticket is valid only in the session of that user, so that
 * nobody can trick another user into accepting an offer that this user did not see.
 */
export function sealTicket(
  encryptionKey: Buffer,
  { client, redirectUri, state, challenge }: AuthorizationRequest,
  { session, organization }: SignedIn,
  { offered, nowMs }: { offered: readonly Permission[]; nowMs: number },
): string {
  const ticket: ConsentTicket = {
    ...{ clientId: client.id, redirectUri, state, challenge, organizationId: organization.id, offered },
    expires: nowMs + TICKET_MS,
  }
  return createVault(encryptionKey).seal(JSON.stringify(ticket), ticketSealContext(session.id))
}

/** Opens a ticket; returns null if the ticket was sealed for another session or has expired. */
export function unsealTicket(
  encryptionKey: Buffer,
  sealed: string,
  sessionId: string,
  nowMs: number,
): ConsentTicket | null {
  try {
    const ticket = JSON.parse(createVault(encryptionKey).open(sealed, ticketSealContext(sessionId))) as ConsentTicket
    return ticket.expires > nowMs ? ticket : null
  } catch {
    return null
  }
}

function ticketSealContext(sessionId: string): string {
  return `consent in ${sessionId}`
}

const YEAR_MS = 365 * 24 * 3_600_000

interface ConsentDecision {
  readonly clientName: string
  readonly permissions: readonly Permission[]
  readonly proposeOnly: boolean
}

/**
 * Grants the app access on behalf of the caller, and replaces the app's earlier grant. Returns the authorization code.
 */
export async function grantAccess(
  call: Call,
  ticket: ConsentTicket,
  { clientName, permissions, proposeOnly }: ConsentDecision,
): Promise<string> {
  const { clientId, redirectUri, challenge } = ticket
  const userId = requireSignedIn(call).id
  return call.write(async (call) => {
    const before = await grants.findActiveGrant(call, userId, clientId)
    for (const { id } of before) await grants.revokeGrant(call, id)
    const { id } = await grants.insert(call, {
      ...{ userId, clientId, clientName, redirectHost: formatHost(redirectUri), proposeOnly },
      permissions: ALL_PERMISSIONS.filter((permission) => permissions.includes(permission)),
      audience: call.services.config.publicUrl,
      expiresAt: new Date(call.now.getTime() + YEAR_MS).toISOString(),
    })
    return issueAuthorizationCode(call, id, { redirectUri, challenge })
  })
}
