import type { Command } from 'commander'
import { progressOnStderr } from './lines.ts'
import { bareVerb } from './verb.ts'
import { assertWorkplace } from './workplace.ts'

export function addMoveVerb(program: Command): void {
  program
    .command('move')
    .description('Copy the embedded database to an empty PostgreSQL database. Stop the service first.')
    .requiredOption('--to <url>', 'URL of the PostgreSQL database, such as postgres://user:password@host:5432/name')
    .action(
      bareVerb(async ({ to }: { to: string }) => {
        assertWorkplace(process.env)
        const { move } = await import('../move/move.ts')
        return move(process.env, to, progressOnStderr())
      }),
    )
}
