import type { Command } from 'commander'
import { collected } from './arguments.ts'
import { verb } from './verb.ts'

export function addLeadVerbs(program: Command): void {
  const leads = program.command('leads').description('Who may buy a home from the builders.')
  leads
    .command('erase')
    .description('Replace what tells who a lead is by a neutral text, wherever it lies; ids and history stay.')
    .argument('<leadId>')
    .requiredOption('--confirm <name>', "the lead's name, or else its e-mail address or phone number, to be sure")
    .option('--also <text>', 'a former name, another address or number; may be given again', collected, [])
    .action((id: string, options: { confirm: string; also: string[] }) =>
      verb(async ({ database, clock, config }) => {
        const { eraseLead } = await import('../builder-data/erase-lead.ts')
        return eraseLead({ database, clock, config }, id, options)
      })(),
    )
}
