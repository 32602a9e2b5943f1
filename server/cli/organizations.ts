import { type Command, Option } from 'commander'
import { createOrganization, listOrganizations, TIERS, updateOrganization } from '../organizations/organizations.ts'
import { currency, email, text, timeZone } from './arguments.ts'
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
}
