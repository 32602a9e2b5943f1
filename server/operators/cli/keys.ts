import { type Command, Option } from 'commander'
import { invalid } from '../../platform/problems/problem.ts'
import { Clock } from '../../platform/runtime/clock.ts'
import { addresses, instant, permissions, text, whole } from './arguments.ts'
import { sharedVerb } from './verb.ts'

export function addKeyVerbs(program: Command): void {
  const keys = program.command('keys').description('API keys. A secret is printed once and kept nowhere.')
  withLife(keys.command('create'))
    .description('Make a key. It ends in a year unless something else is said.')
    .requiredOption('--organization <organizationId>')
    .option('--name <name>', 'what the key is for', text(200), 'API key')
    .option(
      '--permissions <list>',
      'separated by commas; all that the role of its creator has when left out',
      permissions,
    )
    .option('--allow-from <list>', 'addresses and ranges, separated by commas; anywhere when left out', addresses)
    .option('--propose-only', 'what it would change becomes a proposal that somebody else approves')
    .option('--created-by <userId>', 'whose power bounds the key; the first owner when left out')
    .action(
      sharedVerb(
        'keys create',
        (
          options: Life & {
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
          expiresAt: endOf(options),
          allowedAddresses: options.allowFrom,
        }),
      ),
    )
  keys
    .command('list')
    .description("List a builder's keys, without their secrets.")
    .requiredOption('--organization <organizationId>')
    .action(sharedVerb('keys list', ({ organization }: { organization: string }) => ({ organizationId: organization })))
  withLife(keys.command('update'))
    .description('Change a key; what is left out stays.')
    .argument('<keyId>')
    .option('--name <name>', 'what the key is for', text(200))
    .option('--allow-from <list>', 'addresses and ranges, separated by commas', addresses)
    .addOption(new Option('--allow-from-anywhere', 'from any address again').conflicts('allowFrom'))
    .action((id: string, options: Life & { name?: string; allowFrom?: string[]; allowFromAnywhere?: true }) =>
      sharedVerb('keys update', () => ({
        id,
        name: options.name,
        expiresAt: endOf(options),
        allowedAddresses: options.allowFromAnywhere ? null : options.allowFrom,
      }))({}),
    )
  keys
    .command('rotate')
    .description('Make a new secret for a key.')
    .argument('<keyId>')
    .option('--overlap-days <days>', 'how long the old secret lives on, 0 to 7', whole(0, 7), 0)
    .action((id: string, { overlapDays }: { overlapDays: number }) =>
      sharedVerb('keys rotate', () => ({ id, overlapMs: overlapDays * DAY_MS }))({}),
    )
  keys
    .command('revoke')
    .description('End a key now.')
    .argument('<keyId>')
    .action((id: string) => sharedVerb('keys revoke', () => ({ id }))({}))
}

const DAY_MS = 86_400_000

interface Life {
  expiresAt?: Date
  expiresInDays?: number
  neverExpires?: true
}

function withLife(command: Command): Command {
  return command
    .addOption(
      new Option('--expires-at <instant>', 'RFC 3339').argParser(instant).conflicts(['expiresInDays', 'neverExpires']),
    )
    .addOption(new Option('--expires-in-days <days>', 'from now').argParser(whole(1, 36_500)).conflicts('neverExpires'))
    .option('--never-expires', 'until it is revoked')
}

/** When the key expires; null for never, undefined if no option was given. */
function endOf({ expiresAt, expiresInDays, neverExpires }: Life): string | null | undefined {
  const now = new Clock().now()
  if (neverExpires) return null
  if (expiresInDays !== undefined) return new Date(now.getTime() + expiresInDays * DAY_MS).toISOString()
  if (expiresAt !== undefined && expiresAt <= now)
    throw invalid([{ pointer: '--expires-at', code: 'past', message: 'lies in the past' }])
  return expiresAt?.toISOString()
}
