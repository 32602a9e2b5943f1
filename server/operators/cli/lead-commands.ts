import type { Command } from 'commander'
import { collectValues } from './arguments.ts'
import { createDatabaseCommand } from './command.ts'

export function addLeadCommands(program: Command): void {
  const leads = program.command('leads').description('Manage leads.')
  leads
    .command('erase')
    .description('Erase the personal data of a lead everywhere. IDs and history are kept.')
    .argument('<leadId>')
    .requiredOption(
      '--confirm <name>',
      "confirm with the lead's name, or with the email address or phone number if the lead has no name",
    )
    .option(
      '--also <text>',
      'another name, email address, or phone number of this person; can be repeated',
      collectValues,
      [],
    )
    .action((id: string, options: { confirm: string; also: string[] }) =>
      createDatabaseCommand(async ({ database, clock, config }) => {
        const { eraseLead } = await import('../builder-data/erase-lead.ts')
        return eraseLead({ database, clock, config }, id, options)
      })(),
    )
}
