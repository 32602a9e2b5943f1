import type { Command } from 'commander'
import { assertEnvironment } from './assert-environment.ts'
import { createPlainCommand } from './command.ts'
import { createProgressReporter } from './line-writer.ts'

export function addMoveCommand(program: Command): void {
  program
    .command('move')
    .description('Copy the embedded database to an empty PostgreSQL database. Stop the service first.')
    .requiredOption('--to <url>', 'URL of the PostgreSQL database, such as postgres://user:password@host:5432/name')
    .action(
      createPlainCommand(async ({ to }: { to: string }) => {
        assertEnvironment(process.env)
        const { moveDatabase } = await import('../move/move-database.ts')
        return moveDatabase(process.env, to, createProgressReporter())
      }),
    )
}
