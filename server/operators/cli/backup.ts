import type { Command } from 'commander'
import { bareVerb } from './verb.ts'
import { assertWorkplace } from './workplace.ts'

// Both load the embedded database's archive code only on demand.
export function addBackupVerbs(program: Command): void {
  program
    .command('backup')
    .description('Write the embedded database to a file, while no server runs on it.')
    .requiredOption('--out <file>', 'a new file, such as plumbline.tar.gz')
    .option('--with-key', 'put the encryption key into it, so that the file alone is enough to restore', false)
    .action(
      bareVerb(async (options: { out: string; withKey: boolean }) => {
        assertWorkplace(process.env)
        const { backUp } = await import('../backup/backup.ts')
        return backUp(process.env, options)
      }),
    )
  program
    .command('restore')
    .description('Put a backup into DATA_DIR, which has to be empty.')
    .argument('<file>')
    .action((file: string) =>
      bareVerb(async () => {
        assertWorkplace(process.env)
        const { restore } = await import('../backup/restore.ts')
        return restore(process.env, file)
      })({}),
    )
}
