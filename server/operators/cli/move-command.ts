import type { Command } from 'commander'
import { assertEnvironment } from './assert-environment.ts'
import { plainCommand } from './command.ts'
import { createProgressReporter } from './write-lines.ts'

export function addMoveCommand(program: Command): void {
  program
    .command('move')
    .description('Copy the embedded database to an empty PostgreSQL database. Stop the service first.')
    .requiredOption('--to <url>', 'URL of the PostgreSQL database, such as postgres://user:password@host:5432/name')
    .action(
      plainCommand(async ({ to }: { to: string }) => {
        assertEnvironment(process.env)
        const { moveDatabase } = await import('../move/move-database.ts')
        return moveDatabase(process.env, to, createProgressReporter())
      }),
    )
}
