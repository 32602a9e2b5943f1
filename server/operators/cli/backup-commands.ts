import type { Command } from 'commander'
import { assertEnvironment } from './assert-environment.ts'
import { plainCommand } from './command.ts'

// Both commands load the code for archives of the embedded database only when they run.
export function addBackupCommands(program: Command): void {
  program
    .command('backup')
    .description('Back up the embedded database to a file. Stop the service first.')
    .requiredOption('--out <file>', 'file to create, such as plumbline.tar.gz')
    .option('--with-key', 'include the encryption key, so that the file is enough for a restore', false)
    .action(
      plainCommand(async (options: { out: string; withKey: boolean }) => {
        assertEnvironment(process.env)
        const { backUp } = await import('../backup/backup.ts')
        return backUp(process.env, options)
      }),
    )
  program
    .command('restore')
    .description('Restore a backup to DATA_DIR, which must be empty.')
    .argument('<file>')
    .action((file: string) =>
      plainCommand(async () => {
        assertEnvironment(process.env)
        const { restore } = await import('../backup/restore.ts')
        return restore(process.env, file)
      })({}),
    )
}
