import { type Command, Option } from 'commander'
import { collectValues, createTextParser, parseEmail } from './arguments.ts'
import { createDatabaseCommand } from './command.ts'

export function addSaleCommands(program: Command): void {
  const sales = program.command('sales').description('Manage sales.')
  sales
    .command('erase-buyer')
    .description('Erase the personal data of a buyer everywhere.')
    .argument('<saleId>')
    .addOption(new Option('--email <email>', 'email address of the buyer').argParser(parseEmail).conflicts('name'))
    .addOption(new Option('--name <name>', 'name of the buyer').argParser(createTextParser(200)))
    .option(
      '--also <text>',
      'another name, email address, or phone number of this person; can be repeated',
      collectValues,
      [],
    )
    .action((id: string, options: { email?: string; name?: string; also: string[] }) =>
      createDatabaseCommand(async ({ database, clock, config }) => {
        const { eraseBuyer } = await import('../builder-data/erase-person.ts')
        return eraseBuyer({ database, clock, config }, id, options)
      })(),
    )
}
