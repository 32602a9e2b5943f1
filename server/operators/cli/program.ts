import { Command, CommanderError } from 'commander'
import { listDistributionCommands } from '../../platform/database/distribution.ts'
import { rotateEncryptionKey } from '../encryption-key/rotate-encryption-key.ts'
import { addArchiveCommands } from './archive-commands.ts'
import { addBackupCommands } from './backup-commands.ts'
import { databaseCommand } from './command.ts'
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
 * The operators' commands: `npm run --silent cli -- <command>`. Each works on the database from the environment, and
 * prints JSON: its result on stdout, or `{ "error": { code, detail } }` on stderr with exit code 1.
 *
 * The embedded database belongs to one process. A server that runs on it carries out the commands of
 * `operators/operator-commands.ts` itself, through a socket in its data folder. All other commands require it to be stopped.
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
  .description('Manage the key that secrets are encrypted with.')
  .command('rotate')
  .description(
    'Encrypt all secrets with a new key. Safe to interrupt and run again. Keep the old key until none remain.',
  )
  .action(databaseCommand(({ database, given }) => rotateEncryptionKey(database, given)))
program
  .command('migrate')
  .description('Update the database schema. The service also does this when it starts.')
  .action(databaseCommand(async (_workplace, _options, migrations) => ({ migrations })))
program
  .command('distribution')
  .description('Print the statements that distribute the tables by organization, for PostgreSQL with Citus.')
  .action(databaseCommand(async ({ database }) => ({ commands: await listDistributionCommands(database.statements) })))
program
  .command('demo')
  .description('Create a demo builder with communities, homes, vendors, bids, and orders.')
  .action(
    databaseCommand(async ({ database, config }) => {
      // Loaded here, because it needs the whole service, which the other commands should not load.
      const { createDemo } = await import('../demo/create-demo.ts')
      return createDemo(database, config)
    }),
  )

function silenceOutput(command: Command): void {
  // Commander would write text to stderr; `fail` writes it as JSON instead.
  command.exitOverride().configureOutput({ writeErr: () => {} })
  for (const inner of command.commands) silenceOutput(inner)
}

silenceOutput(program)
/** Runs a command line. Errors are printed, and set the exit code. */
export async function runCli(argv: readonly string[]): Promise<void> {
  await program.parseAsync(argv).catch((error: unknown) => {
    if (!(error instanceof CommanderError && error.exitCode === 0)) reportError(error)
  })
}
