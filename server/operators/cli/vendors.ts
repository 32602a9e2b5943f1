import { type Command, Option } from 'commander'
import { collected, email, text } from './arguments.ts'
import { verb } from './verb.ts'

export function addVendorVerbs(program: Command): void {
  const vendors = program.command('vendors').description('The subcontractors and suppliers of the builders.')
  vendors
    .command('erase-contact')
    .description('Replace what tells who somebody at a vendor is by a neutral text, wherever it lies.')
    .argument('<vendorId>')
    .addOption(new Option('--email <email>', 'whose e-mail address this is').argParser(email).conflicts('name'))
    .addOption(new Option('--name <name>', 'who bears this name').argParser(text(200)))
    .option('--also <text>', 'a former name, another address or number; may be given again', collected, [])
    .action((id: string, options: { email?: string; name?: string; also: string[] }) =>
      verb(async ({ database, clock, config }) => {
        const { eraseContact } = await import('../builder-data/erase-person.ts')
        return eraseContact({ database, clock, config }, id, options)
      })(),
    )
}
