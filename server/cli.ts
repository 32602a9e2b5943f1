import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { Clock } from './clock.ts'
import { type Config, ConfigError, readConfig } from './config.ts'
import { DataFolderInUse, DataFolderUnusable } from './database/data-folder.ts'
import { type Database, openDatabase } from './database/database.ts'
import { migrate } from './database/migrate.ts'
import { DatabaseUnavailable } from './database/reach.ts'
import { withEncryptionKey } from './encryption-key.ts'
import { invalid, toProblem } from './http/problem.ts'
import { createKey, listKeys, revokeKey, rotateKey } from './keys/keys.ts'
import { ALL_PERMISSIONS, ROLES, type Role } from './keys/roles.ts'
import { createOrganization, listOrganizations, TIERS, updateOrganization } from './organizations/organizations.ts'
import { createUser, listUsers, updateUser } from './people/users/users.ts'

/**
 * The operators' verbs: `npm run --silent cli -- <command>`. Each works on the database that the environment names, and
 * prints JSON: its result on stdout, or `{ "error": { code, detail } }` on stderr with exit code 1.
 *
 * On the embedded database a verb can run only while no server does, because that database belongs to one process.
 */
interface Workplace {
  database: Database
  clock: Clock
  config: Config
}

const program = new Command('plumbline').description('Operates a Plumbline service.')

const organizations = program.command('organizations').description('The builders that use the service.')
organizations
  .command('create')
  .description('Add a builder and its owner.')
  .requiredOption('--name <name>', 'what the builder is called', text(200))
  .option('--owner-email <email>', "the owner's e-mail address", email, 'owner@example.com')
  .option('--owner-name <name>', "the owner's name", text(200), 'Owner')
  .addOption(new Option('--tier <tier>', 'the interface is open to pro_plus').choices(TIERS).default('pro_plus'))
  .option('--currency <code>', 'ISO 4217', currency, 'USD')
  .option('--time-zone <zone>', 'IANA time zone', timeZone, 'America/Chicago')
  .action(
    verb(
      (
        { database, clock, config },
        options: Record<'name' | 'ownerEmail' | 'ownerName' | 'tier' | 'currency' | 'timeZone', string>,
      ) => createOrganization(database, clock, { ...options, most: config.betaMaxOrganizations }),
    ),
  )
organizations
  .command('list')
  .description('List the builders.')
  .action(verb(async ({ database }) => ({ data: await listOrganizations(database) })))
organizations
  .command('update')
  .description('Change a builder.')
  .argument('<organizationId>')
  .option('--name <name>', 'what the builder is called', text(200))
  .addOption(new Option('--tier <tier>', 'the interface is open to pro_plus').choices(TIERS))
  .option('--time-zone <zone>', 'IANA time zone', timeZone)
  .action((id: string, options: { name?: string; tier?: string; timeZone?: string }) =>
    verb(({ database, clock }) => updateOrganization(database, clock, id, options))(),
  )

const users = program.command('users').description("A builder's people; their role bounds the keys that they create.")
users
  .command('create')
  .description('Add somebody.')
  .requiredOption('--organization <organizationId>')
  .requiredOption('--email <email>', 'e-mail address', email)
  .requiredOption('--name <name>', 'name', text(200))
  .addOption(new Option('--role <role>', 'what they may do').choices(ROLES).makeOptionMandatory())
  .option(
    '--po-approval-limit <amount>',
    'the largest purchase order that they may approve, or "none" for any',
    limit,
    0,
  )
  .action(
    verb(
      (
        { database, clock },
        {
          organization,
          ...wanted
        }: { organization: string; email: string; name: string; role: Role; poApprovalLimit: Limit },
      ) =>
        createUser(database, clock, {
          ...wanted,
          organizationId: organization,
          poApprovalLimit: amount(wanted.poApprovalLimit),
        }),
    ),
  )
users
  .command('list')
  .description("List a builder's people.")
  .requiredOption('--organization <organizationId>')
  .action(
    verb(async ({ database }, { organization }: { organization: string }) => ({
      data: await listUsers(database, organization),
    })),
  )
users
  .command('update')
  .description('Change somebody; what is left out stays.')
  .argument('<userId>')
  .option('--email <email>', 'e-mail address', email)
  .option('--name <name>', 'name', text(200))
  .addOption(new Option('--role <role>', 'what they may do').choices(ROLES))
  .addOption(
    new Option('--status <status>', 'a disabled user and their keys can do nothing').choices(['active', 'disabled']),
  )
  .option('--po-approval-limit <amount>', 'the largest purchase order that they may approve, or "none" for any', limit)
  .action((id: string, { poApprovalLimit, ...changes }: { role?: Role; poApprovalLimit?: Limit }) =>
    verb(({ database, clock }) =>
      updateUser(database, clock, id, {
        ...changes,
        ...(poApprovalLimit !== undefined && { poApprovalLimit: amount(poApprovalLimit) }),
      }),
    )(),
  )

const keys = program.command('keys').description('API keys. A secret is printed once and kept nowhere.')
keys
  .command('create')
  .description('Make a key.')
  .requiredOption('--organization <organizationId>')
  .option('--name <name>', 'what the key is for', text(200), 'API key')
  .option(
    '--permissions <list>',
    'separated by commas; all that the role of its creator has when left out',
    permissions,
  )
  .addOption(
    new Option('--expires-at <instant>', 'RFC 3339; never when left out').argParser(instant).conflicts('expiresInDays'),
  )
  .addOption(new Option('--expires-in-days <days>', 'from now').argParser(whole(1, 36_500)))
  .option('--created-by <userId>', 'whose power bounds the key; the first owner when left out')
  .action(
    verb(
      (
        { database, clock },
        options: {
          organization: string
          name: string
          permissions?: string[]
          expiresAt?: Date
          expiresInDays?: number
          createdBy?: string
        },
      ) => {
        const { organization, name, expiresInDays, createdBy } = options
        const expiresAt =
          expiresInDays === undefined ? options.expiresAt : new Date(clock.nowMs() + expiresInDays * DAY_MS)
        if (expiresAt !== undefined && expiresAt <= clock.now()) {
          throw invalid([{ pointer: '--expires-at', code: 'past', message: 'lies in the past' }])
        }
        return createKey(database, clock, {
          organizationId: organization,
          userId: createdBy,
          name,
          permissions: options.permissions,
          expiresAt: expiresAt ?? null,
        })
      },
    ),
  )
keys
  .command('list')
  .description("List a builder's keys, without their secrets.")
  .requiredOption('--organization <organizationId>')
  .action(
    verb(async ({ database }, { organization }: { organization: string }) => ({
      data: await listKeys(database, organization),
    })),
  )
keys
  .command('rotate')
  .description('Make a new secret for a key.')
  .argument('<keyId>')
  .option('--overlap-days <days>', 'how long the old secret lives on, 0 to 7', whole(0, 7), 0)
  .action((id: string, { overlapDays }: { overlapDays: number }) =>
    verb(({ database, clock }) => rotateKey(database, clock, id, overlapDays * DAY_MS))(),
  )
keys
  .command('revoke')
  .description('End a key now.')
  .argument('<keyId>')
  .action((id: string) => verb(({ database, clock }) => revokeKey(database, clock, id))())

program
  .command('migrate')
  .description('Bring the database up to date, as every start does.')
  .action(verb(async (_workplace, _options, migrations) => ({ migrations })))
program
  .command('demo')
  .description('Make a builder with communities, homes, vendors, bids and orders to try the service on.')
  .action(
    verb(async ({ database, config }) => {
      // It needs the whole service, which the other verbs need not wait for.
      const { makeDemo } = await import('./demo/demo.ts')
      return makeDemo(database, config)
    }),
  )

const DAY_MS = 86_400_000

// Somebody waits for the answer, or a script that can ask again.
const DATABASE_PATIENCE_MS = 5000

/** What a command does, between opening the database (and bringing it up to date) and closing it. */
function verb<Options extends object>(
  run: (workplace: Workplace, options: Options, migrations: string[]) => Promise<unknown>,
): (options?: Options) => Promise<void> {
  return async (options) => {
    const given = readConfig(process.env)
    const database = await openDatabase(given, { ms: DATABASE_PATIENCE_MS })
    try {
      const migrations = await migrate(database)
      const { config } = await withEncryptionKey(given, database)
      const result = await run({ database, clock: new Clock(), config }, options ?? ({} as Options), migrations)
      process.stdout.write(`${JSON.stringify(result, null, 2)}\n`)
    } finally {
      await database.close()
    }
  }
}

function text(most: number): (value: string) => string {
  return (value) => {
    if (value.trim() === '' || value.length > most)
      throw new InvalidArgumentError(`It has to have 1 to ${most} characters.`)
    return value
  }
}

function email(value: string): string {
  if (!/^[^\s@]+@[^\s@]+$/.test(value) || value.length > 254)
    throw new InvalidArgumentError('It has to be an e-mail address.')
  return value
}

function currency(value: string): string {
  if (!/^[A-Z]{3}$/.test(value)) throw new InvalidArgumentError('It has to be an ISO 4217 code, such as USD.')
  return value
}

function timeZone(value: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone && value
  } catch {
    throw new InvalidArgumentError('It has to be an IANA time zone, such as America/Chicago.')
  }
}

function whole(least: number, most: number): (value: string) => number {
  return (value) => {
    const number = Number(value)
    if (!/^\d+$/.test(value) || number < least || number > most) {
      throw new InvalidArgumentError(`It has to be a whole number from ${least} to ${most}.`)
    }
    return number
  }
}

function instant(value: string): Date {
  const date = new Date(value)
  if (Number.isNaN(date.getTime()) || !/^\d{4}-\d\d-\d\d/.test(value)) {
    throw new InvalidArgumentError('It has to be an instant, such as 2027-01-31T00:00:00Z.')
  }
  return date
}

function permissions(value: string): string[] {
  const wanted = [...new Set(value.split(',').map((permission) => permission.trim()))]
  const unknown = wanted.filter((permission) => !(ALL_PERMISSIONS as readonly string[]).includes(permission))
  if (unknown.length > 0) throw new InvalidArgumentError(`There is no permission ${unknown.join(', ')}.`)
  return wanted
}

type Limit = number | 'none'

function limit(value: string): Limit {
  if (value === 'none') return value
  if (!/^\d{1,12}(\.\d{1,2})?$/.test(value)) throw new InvalidArgumentError('It has to be an amount, or "none".')
  return Number(value)
}

function amount(value: Limit): number | null {
  return value === 'none' ? null : value
}

function fail(error: unknown): void {
  process.exitCode = 1
  process.stderr.write(`${JSON.stringify({ error: explain(error) }, null, 2)}\n`)
}

function explain(error: unknown): { code: string; detail: string; errors?: unknown } {
  if (error instanceof CommanderError) return { code: 'usage', detail: error.message.replace(/^error: /, '') }
  if (error instanceof ConfigError || error instanceof DataFolderUnusable)
    return { code: 'configuration', detail: error.message }
  if (error instanceof DatabaseUnavailable) return { code: 'database_unavailable', detail: error.message }
  if (error instanceof DataFolderInUse) {
    return {
      code: 'data_folder_in_use',
      detail: `${error.message} The embedded database belongs to one process at a time.`,
    }
  }
  const { code, message, extras } = toProblem(error)
  // An unexpected error is shown in full, because the operator is the one who has to find its cause.
  if (code === 'internal')
    return { code, detail: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  return { code, detail: message, ...(extras.errors !== undefined && { errors: extras.errors }) }
}

function silence(command: Command): void {
  // What commander would write to stderr in prose is written by `fail` as JSON.
  command.exitOverride().configureOutput({ writeErr: () => {} })
  for (const inner of command.commands) silence(inner)
}

silence(program)
program.parseAsync(process.argv).catch((error: unknown) => {
  if (!(error instanceof CommanderError && error.exitCode === 0)) fail(error)
})
