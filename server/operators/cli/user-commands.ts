import { type Command, Option } from 'commander'
import { createUser, updateUser } from '../../domain/office/users/users.ts'
import { ROLES, type Role } from '../../platform/keys/roles.ts'
import {
  collectValues,
  createIntegerParser,
  createTextParser,
  type LimitValue,
  parseEmail,
  parseLimit,
  toAmount,
} from './arguments.ts'
import { createDatabaseCommand, createSharedCommand } from './command.ts'

const HOUR_MS = 3_600_000

export function addUserCommands(program: Command): void {
  const users = program
    .command('users')
    .description("Manage a builder's users. A key has at most the permissions of its user's role.")
  users
    .command('create')
    .description('Create a user.')
    .requiredOption('--organization <organizationId>')
    .requiredOption('--email <email>', 'email address', parseEmail)
    .requiredOption('--name <name>', 'name', createTextParser(200))
    .option('--phone <phone>', 'phone number', createTextParser(40))
    .addOption(new Option('--role <role>', 'role of the user').choices(ROLES).makeOptionMandatory())
    .option(
      '--po-approval-limit <amount>',
      'largest purchase order that the user can approve, or "none" for no limit',
      parseLimit,
      0,
    )
    .action(
      createDatabaseCommand(
        (
          { database, clock },
          {
            organization,
            ...wanted
          }: { organization: string; email: string; name: string; role: Role; poApprovalLimit: LimitValue },
        ) =>
          createUser(database, clock, {
            ...wanted,
            organizationId: organization,
            poApprovalLimit: toAmount(wanted.poApprovalLimit),
          }),
      ),
    )
  users
    .command('list')
    .description("List a builder's users.")
    .requiredOption('--organization <organizationId>')
    .action(
      createSharedCommand('users list', ({ organization }: { organization: string }) => ({
        organizationId: organization,
      })),
    )
  users
    .command('update')
    .description('Update a user. Omitted options keep their value.')
    .argument('<userId>')
    .option('--email <email>', 'email address', parseEmail)
    .option('--name <name>', 'name', createTextParser(200))
    .option('--phone <phone>', 'phone number', createTextParser(40))
    .addOption(new Option('--role <role>', 'role of the user').choices(ROLES))
    .addOption(
      new Option(
        '--status <status>',
        "status; a disabled user cannot sign in, and the user's keys stop working",
      ).choices(['active', 'disabled']),
    )
    .option(
      '--po-approval-limit <amount>',
      'largest purchase order that the user can approve, or "none" for no limit',
      parseLimit,
    )
    .action((id: string, { poApprovalLimit, ...changes }: { role?: Role; poApprovalLimit?: LimitValue }) =>
      createDatabaseCommand(({ database, clock }) =>
        updateUser(database, clock, id, {
          ...changes,
          ...(poApprovalLimit !== undefined && { poApprovalLimit: toAmount(poApprovalLimit) }),
        }),
      )(),
    )
  users
    .command('sign-in-link')
    .description('Create a single-use sign-in link for a user. Anyone who has the link can use it.')
    .argument('<userId>')
    .option('--valid-hours <hours>', 'hours for which the link is valid, 1 to 168', createIntegerParser(1, 168), 24)
    .action((id: string, { validHours }: { validHours: number }) =>
      createSharedCommand('users sign-in-link', () => ({ id, validMs: validHours * HOUR_MS }))({}),
    )
  users
    .command('erase')
    .description('Erase the personal data of a user everywhere. IDs and history are kept.')
    .argument('<userId>')
    .requiredOption('--confirm <name>', "confirm with the user's name")
    .option(
      '--also <text>',
      'another name, email address, or phone number of this person; can be repeated',
      collectValues,
      [],
    )
    .action((id: string, options: { confirm: string; also: string[] }) =>
      createDatabaseCommand(async ({ database, clock, config }) => {
        const { eraseUser } = await import('../builder-data/erase-person.ts')
        return eraseUser({ database, clock, config }, id, options)
      })(),
    )
}
