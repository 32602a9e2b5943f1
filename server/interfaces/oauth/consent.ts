import type { Permission } from '../../../client/contract.gen.ts'
import * as grants from '../../domain/administration/oauth-grants/queries.ts'
import type { Call } from '../../platform/calls/call.ts'
import { vault } from '../../platform/encryption/vault.ts'
import { type SignedIn, signedIn } from '../../platform/keys/principals.ts'
import { ALL_PERMISSIONS } from '../../platform/keys/roles.ts'
import type { AuthorizationRequest } from './authorization-request.ts'
import { placeOf } from './redirects.ts'
import { issueCode } from './tokens.ts'

/** The offer that the consent page showed the user, carried by its form. */
export interface Ticket {
  readonly clientId: string
  readonly redirectUri: string
  readonly state: string | null
  readonly challenge: string
  readonly organizationId: string
  /** The permissions that the page offered. */
  readonly offered: readonly Permission[]
  readonly expires: number
}

/** Long enough to ask a colleague. */
const TICKET_MS = 30 * 60_000

/** Returns the permissions that the app requests and the user can grant. */
export function offeredTo({ permissions }: AuthorizationRequest, principal: SignedIn): Permission[] {
  return permissions.filter((permission) => principal.permissions.has(permission))
}

/**
 * Seals what the user was shown into the form. It is sealed for one session, so that nobody can trick another user into
 * agreeing to something they did not see.
 */
export function sealTicket(
  encryptionKey: Buffer,
  { client, redirectUri, state, challenge }: AuthorizationRequest,
  { session, organization }: SignedIn,
  { offered, nowMs }: { offered: readonly Permission[]; nowMs: number },
): string {
  const ticket: Ticket = {
    ...{ clientId: client.id, redirectUri, state, challenge, organizationId: organization.id, offered },
    expires: nowMs + TICKET_MS,
  }
  return vault(encryptionKey).seal(JSON.stringify(ticket), placeOfTicket(session.id))
}

/** Opens a ticket; returns null if it was not sealed for this session or has expired. */
export function openTicket(encryptionKey: Buffer, sealed: string, sessionId: string, nowMs: number): Ticket | null {
  try {
    const ticket = JSON.parse(vault(encryptionKey).open(sealed, placeOfTicket(sessionId))) as Ticket
    return ticket.expires > nowMs ? ticket : null
  } catch {
    return null
  }
}

function placeOfTicket(sessionId: string): string {
  return `consent in ${sessionId}`
}

const YEAR_MS = 365 * 24 * 3_600_000

interface Agreed {
  readonly clientName: string
  readonly permissions: readonly Permission[]
  readonly proposeOnly: boolean
}

/** Lets the app act for the caller, replacing the app's earlier grant. Returns the authorization code. */
export async function grant(
  call: Call,
  ticket: Ticket,
  { clientName, permissions, proposeOnly }: Agreed,
): Promise<string> {
  const { clientId, redirectUri, challenge } = ticket
  const userId = signedIn(call).id
  return call.write(async (call) => {
    const before = await grants.standing(call, userId, clientId)
    for (const { id } of before) await grants.revoke(call, id)
    const { id } = await grants.insert(call, {
      ...{ userId, clientId, clientName, redirectHost: placeOf(redirectUri), proposeOnly },
      permissions: ALL_PERMISSIONS.filter((permission) => permissions.includes(permission)),
      audience: call.surroundings.config.publicUrl,
      expiresAt: new Date(call.now.getTime() + YEAR_MS).toISOString(),
    })
    return issueCode(call, id, { redirectUri, challenge })
  })
}
