import { listOrganizations, requireOrganization } from '../domain/office/organizations/organizations.ts'
import { createSignInLink } from '../domain/office/users/sign-in-link.ts'
import { listUsers } from '../domain/office/users/users.ts'
import type { Config } from '../platform/config/config.ts'
import type { Database } from '../platform/database/database.ts'
import { createIdentityService } from '../platform/keys/identity.ts'
import {
  createKey,
  type KeyChanges,
  listKeys,
  type NewKey,
  revokeKey,
  rotateKey,
  updateKey,
} from '../platform/keys/keys.ts'
import type { Clock } from '../platform/runtime/clock.ts'

/** The dependencies of a command, which runs in a separate process or in the server's process. */
export interface CommandServices {
  readonly database: Database
  readonly clock: Clock
  readonly config: Config
}

/** The input with timestamps as RFC 3339 text, in which form it can be sent over a socket. */
type SocketInput<Input> = Omit<Input, 'expiresAt'> & { expiresAt?: string | null | undefined }

/** The input of each command. */
interface CommandInputs {
  'keys create': SocketInput<NewKey>
  'keys list': { organizationId: string }
  'keys update': SocketInput<KeyChanges> & { id: string }
  'keys rotate': { id: string; overlapMs: number }
  'keys revoke': { id: string }
  'organizations list': object
  'users list': { organizationId: string }
  'users sign-in-link': { id: string; validMs: number }
}

export type OperatorCommand = keyof CommandInputs
export type CommandInput<Verb extends OperatorCommand> = CommandInputs[Verb]

/**
 * The commands that a server on the embedded database runs for the command line, because only one process can use that
 * database. They are short, and operators should not have to stop the service for them.
 */
const operatorCommands: {
  readonly [Verb in OperatorCommand]: (at: CommandServices, input: CommandInputs[Verb]) => Promise<unknown>
} = {
  'keys create': ({ database, clock }, input) =>
    createKey(database, clock, { ...input, expiresAt: toDate(input.expiresAt) }),
  'keys list': async ({ database }, { organizationId }) => {
    await requireOrganization(database.statements, organizationId)
    return { data: await listKeys(database, organizationId) }
  },
  'keys update': ({ database, clock }, { id, ...changes }) =>
    updateKey(database, clock, id, { ...changes, expiresAt: toDate(changes.expiresAt) }),
  'keys rotate': ({ database, clock }, { id, overlapMs }) => rotateKey(database, clock, id, overlapMs),
  'keys revoke': ({ database, clock }, { id }) => revokeKey(database, clock, id),
  'organizations list': async ({ database }) => ({ data: await listOrganizations(database) }),
  'users list': async ({ database }, { organizationId }) => {
    await requireOrganization(database.statements, organizationId)
    return { data: await listUsers(database, organizationId) }
  },
  'users sign-in-link': ({ database, clock, config }, { id, validMs }) =>
    createSignInLink({ database, clock, identity: createIdentityService({ database, clock, config }) }, id, validMs),
}

export function isOperatorCommand(name: unknown): name is OperatorCommand {
  return typeof name === 'string' && Object.hasOwn(operatorCommands, name)
}

/** Runs a command by name. */
export function runOperatorCommand<Verb extends OperatorCommand>(
  command: Verb,
  at: CommandServices,
  input: CommandInputs[Verb],
): Promise<unknown> {
  return operatorCommands[command](at, input)
}

function toDate(timestamp: string | null | undefined): Date | null | undefined {
  return typeof timestamp === 'string' ? new Date(timestamp) : timestamp
}
