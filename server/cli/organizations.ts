import { type Command, Option } from 'commander'
import { createOrganization, listOrganizations, TIERS, updateOrganization } from '../organizations/organizations.ts'
import { currency, email, text, timeZone } from './arguments.ts'
import { progressOnStderr, writingLines } from './lines.ts'
import { verb } from './verb.ts'

export function addOrganizationVerbs(program: Command): void {
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
  organizations
    .command('export')
    .description('Write everything of a builder as lines of JSON, without secrets.')
    .argument('<organizationId>')
    .option('--out <file>', 'a new file; stdout when left out')
    .action((id: string, { out }: { out?: string }) =>
      verb(async ({ database, config }) => {
        const { exportOrganization } = await import('../builder-data/export.ts')
        const say = progressOnStderr()
        const about = await writingLines(out, (write) =>
          exportOrganization({ database, config }, id, write, ({ kind, written, of }) =>
            say(() => `${kind}: ${written} of ${of}`),
          ),
        )
        return out === undefined ? undefined : { file: out, ...about }
      })(),
    )
  organizations
    .command('erase')
    .description('Remove a builder and everything of it, for good.')
    .argument('<organizationId>')
    .requiredOption('--confirm <name>', "the builder's name, to be sure")
    .action((id: string, { confirm }: { confirm: string }) =>
      verb(async ({ database, clock }) => {
        const { eraseOrganization } = await import('../builder-data/erase-organization.ts')
        const say = progressOnStderr()
        return eraseOrganization({ database, clock }, id, confirm, (table, removed) =>
          say(() => `${table}: ${removed}`),
        )
      })(),
    )
}
