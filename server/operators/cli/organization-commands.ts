import path from 'node:path'
import { type Command, Option } from 'commander'
import { createOrganization, TIERS, updateOrganization } from '../../domain/office/organizations/organizations.ts'
import { setSandboxMode } from '../../domain/office/organizations/sandboxes.ts'
import { formatCount } from '../../platform/values/format.ts'
import {
  createHoursParser,
  createTextParser,
  type LimitValue,
  parseCurrency,
  parseEmail,
  parseMultiplier,
  parseStages,
  parseTimeZone,
  parseWeekday,
  readTermsFile,
  toAmount,
} from './arguments.ts'
import { createDatabaseCommand, createSharedCommand } from './command.ts'
import { createProgressReporter, runWithLineWriter } from './line-writer.ts'

type CreateOptions = Record<'name' | 'ownerEmail' | 'ownerName' | 'tier' | 'currency' | 'timeZone', string> & {
  sandbox?: boolean
}

interface UpdateOptions {
  sandbox?: boolean
  name?: string
  tier?: string
  timeZone?: string
  weekStartsOn?: number
  overtimeAfterWeeklyHours?: LimitValue
  overtimeAfterDailyHours?: LimitValue
  overtimeMultiplier?: number
  salePipelineStages?: string[]
  poTerms?: string
  lienWaivers?: 'required' | 'optional'
}

/** The exit code of an export or import that is complete except for missing files. */
const EXIT_INCOMPLETE = 3

export function addOrganizationCommands(program: Command): void {
  const organizations = program.command('organizations').description('Manage the builders that use the service.')
  organizations
    .command('create')
    .description('Create a builder and its owner.')
    .requiredOption('--name <name>', 'name of the builder', createTextParser(200))
    .requiredOption('--owner-email <email>', 'email address with which the owner signs in', parseEmail)
    .option('--owner-name <name>', 'name of the owner', createTextParser(200), 'Owner')
    .addOption(new Option('--tier <tier>', 'tier; the API requires pro_plus').choices(TIERS).default('pro_plus'))
    .option('--currency <code>', 'ISO 4217', parseCurrency, 'USD')
    .option('--time-zone <zone>', 'IANA time zone', parseTimeZone, 'America/Chicago')
    .option('--sandbox', 'make the builder a sandbox, which its owner can fill with sample data and empty again')
    .action(
      createDatabaseCommand(async ({ database, clock, config }, { sandbox = false, ...options }: CreateOptions) => {
        const created = await createOrganization(database, clock, { ...options, most: config.betaMaxOrganizations })
        if (sandbox) await setSandboxMode(database, clock, created.organization.id, true)
        return created
      }),
    )
  organizations
    .command('list')
    .description('List the builders.')
    .action(createSharedCommand('organizations list', () => ({})))
  organizations
    .command('update')
    .description('Update a builder. Omitted options keep their value.')
    .argument('<organizationId>')
    .option('--name <name>', 'name of the builder', createTextParser(200))
    .addOption(new Option('--tier <tier>', 'tier; the API requires pro_plus').choices(TIERS))
    .option('--time-zone <zone>', 'IANA time zone', parseTimeZone)
    .option('--week-starts-on <day>', 'first day of timesheets (monday to sunday)', parseWeekday)
    .option('--overtime-after-weekly-hours <hours>', 'weekly hours before overtime, or "none"', createHoursParser(168))
    .option('--overtime-after-daily-hours <hours>', 'daily hours before overtime, or "none"', createHoursParser(24))
    .option('--overtime-multiplier <factor>', 'multiplier for the overtime rate', parseMultiplier)
    .option('--sale-pipeline-stages <names>', 'stages of new sales in order, separated by commas', parseStages)
    .option(
      '--po-terms <file>',
      'file with the terms at the end of purchase orders (at most 10,000 characters), or "none"',
      readTermsFile,
    )
    .addOption(
      new Option('--lien-waivers <rule>', 'default lien waiver rule for payments').choices(['required', 'optional']),
    )
    .option('--sandbox', 'make the builder a sandbox, which its owner can fill with sample data and empty again')
    .option('--no-sandbox', 'make a sandbox a regular builder again, without deleting its data')
    .action((id: string, { sandbox, overtimeMultiplier, poTerms, lienWaivers, ...options }: UpdateOptions) => {
      const { overtimeAfterWeeklyHours: weekly, overtimeAfterDailyHours: daily, ...others } = options
      const changes = {
        ...others,
        ...(poTerms !== undefined && { poTerms: poTerms === 'none' ? null : poTerms }),
        ...(lienWaivers !== undefined && { lienWaiverRequired: lienWaivers === 'required' }),
      }
      const overtimeRule = {
        ...(weekly !== undefined && { weeklyAfterHours: toAmount(weekly) }),
        ...(daily !== undefined && { dailyAfterHours: toAmount(daily) }),
        ...(overtimeMultiplier !== undefined && { multiplier: overtimeMultiplier }),
      }
      const rule = Object.keys(overtimeRule).length > 0 && { overtimeRule }
      return createDatabaseCommand(async ({ database, clock }) => {
        if (sandbox !== undefined) await setSandboxMode(database, clock, id, sandbox)
        return updateOrganization(database, clock, id, { ...changes, ...rule })
      })()
    })
  organizations
    .command('export')
    .description('Export all data of a builder as JSON lines, without secrets.')
    .argument('<organizationId>')
    .option('--out <file>', 'file to create (default: standard output)')
    .option('--files <folder>', 'folder to create for the attached files, each named by its ID')
    .option('--for-import', 'include the data that "organizations import" requires, such as hidden amounts and tax IDs')
    .action((id: string, { out, files, forImport = false }: { out?: string; files?: string; forImport?: boolean }) =>
      createDatabaseCommand(async ({ database, config }) => {
        const { exportOrganization } = await import('../builder-data/export-organization.ts')
        const say = createProgressReporter()
        const about = await runWithLineWriter(out, (write) =>
          exportOrganization(
            { database, config },
            id,
            write,
            ({ kind, written, of }) => say(() => `${kind}: ${written} of ${of}`),
            { forImport },
          ),
        )
        if (files === undefined) return out === undefined ? undefined : { file: out, ...about }
        const { exportFiles, MISSING_LIST } = await import('../builder-data/export-files.ts')
        const copied = await exportFiles({ database, config }, id, files, (count) =>
          say(() => formatCount(count, 'file')),
        )
        if (copied.missing.length > 0) {
          process.exitCode = EXIT_INCOMPLETE
          process.stderr.write(
            `Files missing from the store: ${copied.missing.length}. ${path.join(files, MISSING_LIST)} lists them.\n`,
          )
        }
        return out === undefined ? undefined : { file: out, ...about, files, ...copied }
      })(),
    )
  organizations
    .command('import')
    .description('Import a builder from an export of another deployment.')
    .argument('<file>', 'file that "organizations export --for-import" wrote')
    .option('--files <folder>', 'folder to which the export wrote the attached files')
    .action((file: string, { files }: { files?: string }) =>
      createDatabaseCommand(async ({ database, clock, config }) => {
        const { importOrganization } = await import('../builder-data/import-organization.ts')
        const say = createProgressReporter()
        const imported = await importOrganization({ database, clock, config }, file, files ?? null, (step, done) =>
          say(() => `${step}: ${done}`),
        )
        if (imported.files.missing.length > 0) {
          process.exitCode = EXIT_INCOMPLETE
          process.stderr.write(`Missing files: ${imported.files.missing.length}. The result lists them.\n`)
        }
        return imported
      })(),
    )
  organizations
    .command('erase')
    .description('Delete a builder and all of its data permanently.')
    .argument('<organizationId>')
    .requiredOption('--confirm <name>', "confirm with the builder's name")
    .action((id: string, { confirm }: { confirm: string }) =>
      createDatabaseCommand(async ({ database, clock, config }) => {
        const { eraseOrganization } = await import('../builder-data/erase-organization.ts')
        const say = createProgressReporter()
        return eraseOrganization({ database, clock, config }, id, confirm, (table, removed) =>
          say(() => `${table}: ${removed}`),
        )
      })(),
    )
}
