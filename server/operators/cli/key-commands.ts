import { type Command, Option } from 'commander'
import { validationFailed } from '../../platform/problems/problem.ts'
import { Clock } from '../../platform/runtime/clock.ts'
import { createIntegerParser, createTextParser, parseAddresses, parsePermissions, parseTimestamp } from './arguments.ts'
import { createSharedCommand } from './command.ts'

export function addKeyCommands(program: Command): void {
  const keys = program.command('keys').description('Manage API keys. A secret is printed once and is not stored.')
  addLifetimeOptions(keys.command('create'))
    .description('Create a key. By default, the key expires after one year.')
    .requiredOption('--organization <organizationId>')
    .option('--name <name>', 'purpose of the key', createTextParser(200), 'API key')
    .option(
      '--permissions <list>',
      "permissions separated by commas (default: all permissions of the user's role)",
      parsePermissions,
    )
    .option('--allow-from <list>', 'addresses and ranges separated by commas (default: any address)', parseAddresses)
    .option('--propose-only', 'turn each change into a proposal that another user must approve')
    .option('--created-by <userId>', 'user the key acts for (default: first owner)')
    .action(
      createSharedCommand(
        'keys create',
        (
          options: LifetimeOptions & {
            organization: string
            name: string
            permissions?: string[]
            allowFrom?: string[]
            proposeOnly?: true
            createdBy?: string
          },
        ) => ({
          organizationId: options.organization,
          userId: options.createdBy,
          name: options.name,
          permissions: options.permissions,
          proposeOnly: options.proposeOnly,
          expiresAt: readExpiry(options),
          allowedAddresses: options.allowFrom,
        }),
      ),
    )
  keys
    .command('list')
    .description("List a builder's keys without their secrets.")
    .requiredOption('--organization <organizationId>')
    .action(
      createSharedCommand('keys list', ({ organization }: { organization: string }) => ({
        organizationId: organization,
      })),
    )
  addLifetimeOptions(keys.command('update'))
    .description('Update a key. Omitted options keep their value.')
    .argument('<keyId>')
    .option('--name <name>', 'purpose of the key', createTextParser(200))
    .option('--allow-from <list>', 'addresses and ranges separated by commas', parseAddresses)
    .addOption(new Option('--allow-from-anywhere', 'allow any address again').conflicts('allowFrom'))
    .action(
      (id: string, options: LifetimeOptions & { name?: string; allowFrom?: string[]; allowFromAnywhere?: true }) =>
        createSharedCommand('keys update', () => ({
          id,
          name: options.name,
          expiresAt: readExpiry(options),
          allowedAddresses: options.allowFromAnywhere ? null : options.allowFrom,
        }))({}),
    )
  keys
    .command('rotate')
    .description('Create a new secret for a key.')
    .argument('<keyId>')
    .option('--overlap-days <days>', 'days for which the old secret stays valid, 0 to 7', createIntegerParser(0, 7), 0)
    .action((id: string, { overlapDays }: { overlapDays: number }) =>
      createSharedCommand('keys rotate', () => ({ id, overlapMs: overlapDays * DAY_MS }))({}),
    )
  keys
    .command('revoke')
    .description('Revoke a key immediately.')
    .argument('<keyId>')
    .action((id: string) => createSharedCommand('keys revoke', () => ({ id }))({}))
}

const DAY_MS = 86_400_000

interface LifetimeOptions {
  expiresAt?: Date
  expiresInDays?: number
  neverExpires?: true
}

function addLifetimeOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--expires-at <instant>', 'timestamp (RFC 3339) at which the key expires')
        .argParser(parseTimestamp)
        .conflicts(['expiresInDays', 'neverExpires']),
    )
    .addOption(
      new Option('--expires-in-days <days>', 'days until the key expires')
        .argParser(createIntegerParser(1, 36_500))
        .conflicts('neverExpires'),
    )
    .option('--never-expires', 'keep the key valid until it is revoked')
}

/** Returns the time at which the API key expires; null if it never expires, and undefined if no option was given. */
function readExpiry({ expiresAt, expiresInDays, neverExpires }: LifetimeOptions): string | null | undefined {
  const now = new Clock().now()
  if (neverExpires) return null
  if (expiresInDays !== undefined) return new Date(now.getTime() + expiresInDays * DAY_MS).toISOString()
  if (expiresAt !== undefined && expiresAt <= now)
    throw validationFailed([{ pointer: '--expires-at', code: 'past', message: 'must be in the future' }])
  return expiresAt?.toISOString()
}
