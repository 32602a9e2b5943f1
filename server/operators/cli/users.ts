import { type Command, Option } from 'commander'
import { createUser, updateUser } from '../../domain/office/users/users.ts'
import { ROLES, type Role } from '../../platform/keys/roles.ts'
import { amount, collected, email, type Limit, limit, text, whole } from './arguments.ts'
import { sharedVerb, verb } from './verb.ts'

const HOUR_MS = 3_600_000

export function addUserVerbs(program: Command): void {
  const users = program.command('users').description("A builder's people; their role bounds the keys that they create.")
  users
    .command('create')
    .description('Add somebody.')
    .requiredOption('--organization <organizationId>')
    .requiredOption('--email <email>', 'e-mail address', email)
    .requiredOption('--name <name>', 'name', text(200))
    .option('--phone <phone>', 'telephone number', text(40))
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
      sharedVerb('users list', ({ organization }: { organization: string }) => ({ organizationId: organization })),
    )
  users
    .command('update')
    .description('Change somebody; what is left out stays.')
    .argument('<userId>')
    .option('--email <email>', 'e-mail address', email)
    .option('--name <name>', 'name', text(200))
    .option('--phone <phone>', 'telephone number', text(40))
    .addOption(new Option('--role <role>', 'what they may do').choices(ROLES))
    .addOption(
      new Option('--status <status>', 'a disabled user and their keys can do nothing').choices(['active', 'disabled']),
    )
    .option(
      '--po-approval-limit <amount>',
      'the largest purchase order that they may approve, or "none" for any',
      limit,
    )
    .action((id: string, { poApprovalLimit, ...changes }: { role?: Role; poApprovalLimit?: Limit }) =>
      verb(({ database, clock }) =>
        updateUser(database, clock, id, {
          ...changes,
          ...(poApprovalLimit !== undefined && { poApprovalLimit: amount(poApprovalLimit) }),
        }),
      )(),
    )
  users
    .command('sign-in-link')
    .description('Make a link that signs a user in once; whoever has it is let in as them.')
    .argument('<userId>')
    .option('--valid-hours <hours>', 'how long it can be used, 1 to 168', whole(1, 168), 24)
    .action((id: string, { validHours }: { validHours: number }) =>
      sharedVerb('users sign-in-link', () => ({ id, validMs: validHours * HOUR_MS }))({}),
    )
  users
    .command('erase')
    .description('Replace what tells who a user is by a neutral text, wherever it lies; ids and history stay.')
    .argument('<userId>')
    .requiredOption('--confirm <name>', "the user's name, to be sure")
    .option('--also <text>', 'a former name, another address or number; may be given again', collected, [])
    .action((id: string, options: { confirm: string; also: string[] }) =>
      verb(async ({ database, clock, config }) => {
        const { eraseUser } = await import('../builder-data/erase-person.ts')
        return eraseUser({ database, clock, config }, id, options)
      })(),
    )
}
