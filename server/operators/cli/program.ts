import { Command, CommanderError } from 'commander'
import { distributionCommands } from '../../platform/database/distribution.ts'
import { rotateEncryptionKey } from '../encryption-key/encryption-key-rotation.ts'
import { addArchiveVerbs } from './archives.ts'
import { addBackupVerbs } from './backup.ts'
import { addDoctorVerb } from './doctor.ts'
import { addKeyVerbs } from './keys.ts'
import { addLeadVerbs } from './leads.ts'
import { addMoveVerb } from './move.ts'
import { addOrganizationVerbs } from './organizations.ts'
import { fail } from './refusals.ts'
import { addSaleVerbs } from './sales.ts'
import { addUserVerbs } from './users.ts'
import { addVendorVerbs } from './vendors.ts'
import { verb } from './verb.ts'

/**
 * The operators' commands: `npm run --silent cli -- <command>`. Each works on the database from the environment, and
 * prints JSON: its result on stdout, or `{ "error": { code, detail } }` on stderr with exit code 1.
 *
 * The embedded database belongs to one process. A server that runs on it carries out the commands of
 * `operators/verbs.ts` itself, through a socket in its data folder. All other commands require it to be stopped.
 */
const program = new Command('plumbline').description('Operate a Plumbline service.')
addOrganizationVerbs(program)
addUserVerbs(program)
addKeyVerbs(program)
addVendorVerbs(program)
addLeadVerbs(program)
addSaleVerbs(program)
addArchiveVerbs(program)
addBackupVerbs(program)
addMoveVerb(program)
addDoctorVerb(program)
program
  .command('encryption-key')
  .description('Manage the key that secrets are encrypted with.')
  .command('rotate')
  .description(
    'Encrypt all secrets with a new key. Safe to interrupt and run again. Keep the old key until none remain.',
  )
  .action(verb(({ database, given }) => rotateEncryptionKey(database, given)))
program
  .command('migrate')
  .description('Update the database schema. The service also does this when it starts.')
  .action(verb(async (_workplace, _options, migrations) => ({ migrations })))
program
  .command('distribution')
  .description('Print the statements that distribute the tables by organization, for PostgreSQL with Citus.')
  .action(verb(async ({ database }) => ({ commands: await distributionCommands(database.statements) })))
program
  .command('demo')
  .description('Create a demo builder with communities, homes, vendors, bids, and orders.')
  .action(
    verb(async ({ database, config }) => {
      // Loaded here, because it needs the whole service, which the other commands should not load.
      const { makeDemo } = await import('../demo/demo.ts')
      return makeDemo(database, config)
    }),
  )

function silence(command: Command): void {
  // Commander would write text to stderr; `fail` writes it as JSON instead.
  command.exitOverride().configureOutput({ writeErr: () => {} })
  for (const inner of command.commands) silence(inner)
}

silence(program)
/** Runs a command line. Errors are printed, and set the exit code. */
export async function obey(argv: readonly string[]): Promise<void> {
  await program.parseAsync(argv).catch((error: unknown) => {
    if (!(error instanceof CommanderError && error.exitCode === 0)) fail(error)
  })
}
