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
 * The operators' verbs: `npm run --silent cli -- <command>`. Each works on the database named by the environment, and
 * prints JSON: its result on stdout, or `{ "error": { code, detail } }` on stderr with exit code 1.
 *
 * The embedded database belongs to one process. While a server runs on it, it carries out the verbs of
 * `operators/verbs.ts` itself, over a socket in its data folder; any other verb needs it stopped.
 */
const program = new Command('plumbline').description('Operates a Plumbline service.')
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
  .description('The key that secrets are kept encrypted with.')
  .command('rotate')
  .description(
    'Seal everything with another key. Safe to interrupt and to run again; until nothing remains, keep the old key.',
  )
  .action(verb(({ database, given }) => rotateEncryptionKey(database, given)))
program
  .command('migrate')
  .description('Bring the database up to date, as every start does.')
  .action(verb(async (_workplace, _options, migrations) => ({ migrations })))
program
  .command('distribution')
  .description('The statements that put the tables on several machines by organization, for PostgreSQL with Citus.')
  .action(verb(async ({ database }) => ({ commands: await distributionCommands(database.statements) })))
program
  .command('demo')
  .description('Make a builder with communities, homes, vendors, bids and orders to try the service on.')
  .action(
    verb(async ({ database, config }) => {
      // It needs the whole service, which the other verbs should not have to load.
      const { makeDemo } = await import('../demo/demo.ts')
      return makeDemo(database, config)
    }),
  )

function silence(command: Command): void {
  // Commander would write prose to stderr; `fail` writes it as JSON instead.
  command.exitOverride().configureOutput({ writeErr: () => {} })
  for (const inner of command.commands) silence(inner)
}

silence(program)
/** Carries out what a command line says; what goes wrong is printed, and becomes the exit code. */
export async function obey(argv: readonly string[]): Promise<void> {
  await program.parseAsync(argv).catch((error: unknown) => {
    if (!(error instanceof CommanderError && error.exitCode === 0)) fail(error)
  })
}
