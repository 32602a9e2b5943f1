import { type Command, Option } from 'commander'
import { collected, email, text } from './arguments.ts'
import { verb } from './verb.ts'

export function addSaleVerbs(program: Command): void {
  const sales = program.command('sales').description('The sales of the builders.')
  sales
    .command('erase-buyer')
    .description('Replace what tells who a buyer is by a neutral text, wherever it lies.')
    .argument('<saleId>')
    .addOption(new Option('--email <email>', 'whose e-mail address this is').argParser(email).conflicts('name'))
    .addOption(new Option('--name <name>', 'who bears this name').argParser(text(200)))
    .option('--also <text>', 'a former name, another address or number; may be given again', collected, [])
    .action((id: string, options: { email?: string; name?: string; also: string[] }) =>
      verb(async ({ database, clock, config }) => {
        const { eraseBuyer } = await import('../builder-data/erase-person.ts')
        return eraseBuyer({ database, clock, config }, id, options)
      })(),
    )
}
