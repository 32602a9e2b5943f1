import { type Command, Option } from 'commander'
import { invalid } from '../http/problem.ts'
import { createKey, listKeys, revokeKey, rotateKey } from '../keys/keys.ts'
import { instant, permissions, text, whole } from './arguments.ts'
import { verb } from './verb.ts'

export function addKeyVerbs(program: Command): void {
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
      new Option('--expires-at <instant>', 'RFC 3339; never when left out')
        .argParser(instant)
        .conflicts('expiresInDays'),
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
}

const DAY_MS = 86_400_000
