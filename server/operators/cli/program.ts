import { Command, CommanderError } from 'commander'
import { listDistributionCommands } from '../../platform/database/distribution.ts'
import { rotateEncryptionKey } from '../encryption-key/rotate-encryption-key.ts'
import { addArchiveCommands } from './archive-commands.ts'
import { addBackupCommands } from './backup-commands.ts'
import { createDatabaseCommand } from './command.ts'
import { addDoctorCommand } from './doctor.ts'
import { addKeyCommands } from './key-commands.ts'
import { addLeadCommands } from './lead-commands.ts'
import { addMoveCommand } from './move-command.ts'
import { addOrganizationCommands } from './organization-commands.ts'
import { reportError } from './report-error.ts'
import { addSaleCommands } from './sale-commands.ts'
import { addUserCommands } from './user-commands.ts'
import { addVendorCommands } from './vendor-commands.ts'

/**
 * The operator commands: `npm run --silent cli -- <command>`. Each command uses the database in the environment and
 * prints JSON. It prints the result to stdout. It prints an error, `{ "error": { code, detail } }`, to stderr and exits
 * with 1.
 *
 * Only one process can use the embedded database. If a server is using it, that server runs the commands in
 * `operators/operator-commands.ts`, which it receives through a socket in its data folder. For all other commands, the
 * server must be stopped.
 */
const program = new Command('plumbline').description('Operate a Plumbline service.')
addOrganizationCommands(program)
addUserCommands(program)
addKeyCommands(program)
addVendorCommands(program)
addLeadCommands(program)
addSaleCommands(program)
addArchiveCommands(program)
addBackupCommands(program)
addMoveCommand(program)
addDoctorCommand(program)
program
  .command('encryption-key')
  .description('Manage the key that encrypts secrets.')
  .command('rotate')
  .description(
    'Encrypt all secrets with a new key. You can interrupt the command and run it again. Keep the old key until no secret is encrypted with it.',
  )
  .action(createDatabaseCommand(({ database, given }) => rotateEncryptionKey(database, given)))
program
  .command('migrate')
  .description('Update the database schema. The service also updates the schema when it starts.')
  .action(createDatabaseCommand(async (_workplace, _options, migrations) => ({ migrations })))
program
  .command('distribution')
  .description('Print the statements that distribute the tables by organization, for PostgreSQL with Citus.')
  .action(
    createDatabaseCommand(async ({ database }) => ({ commands: await listDistributionCommands(database.statements) })),
  )
program
  .command('demo')
  .description('Create a demo builder with communities, homes, vendors, bids, and orders.')
  .action(
    createDatabaseCommand(async ({ database, config }) => {
      // The code of the demo is loaded only here, because it needs the whole service, which other commands should not
      // load.
      const { createDemo } = await import('../demo/create-demo.ts')
      return createDemo(database, config)
    }),
  )

function silenceOutput(command: Command): void {
  // Turns off the text that Commander would write to stderr. The function `fail` writes JSON instead.
  command.exitOverride().configureOutput({ writeErr: () => {} })
  for (const inner of command.commands) silenceOutput(inner)
}

silenceOutput(program)
/** Runs a command line. Prints errors and sets the exit code. */
export async function runCli(argv: readonly string[]): Promise<void> {
  await program.parseAsync(argv).catch((error: unknown) => {
    if (!(error instanceof CommanderError && error.exitCode === 0)) reportError(error)
  })
}
