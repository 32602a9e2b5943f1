import { type Command, Option } from 'commander'
import { collectValues, createTextParser, parseEmail } from './arguments.ts'
import { createDatabaseCommand } from './command.ts'

export function addVendorCommands(program: Command): void {
  const vendors = program.command('vendors').description('Manage vendors.')
  vendors
    .command('erase-contact')
    .description('Erase the personal data of a contact of a vendor everywhere.')
    .argument('<vendorId>')
    .addOption(new Option('--email <email>', 'email address of the contact').argParser(parseEmail).conflicts('name'))
    .addOption(new Option('--name <name>', 'name of the contact').argParser(createTextParser(200)))
    .option(
      '--also <text>',
      'another name, email address, or phone number of this person; can be repeated',
      collectValues,
      [],
    )
    .action((id: string, options: { email?: string; name?: string; also: string[] }) =>
      createDatabaseCommand(async ({ database, clock, config }) => {
        const { eraseContact } = await import('../builder-data/erase-person.ts')
        return eraseContact({ database, clock, config }, id, options)
      })(),
    )
}
