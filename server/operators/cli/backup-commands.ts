import type { Command } from 'commander'
import { assertEnvironment } from './assert-environment.ts'
import { createPlainCommand } from './command.ts'

// Adds the commands for backup and restore. They load the code for archives of the embedded database only when they
// run.
export function addBackupCommands(program: Command): void {
  program
    .command('backup')
    .description('Back up the embedded database to a file. Stop the service first.')
    .requiredOption('--out <file>', 'file to create, such as plumbline.tar.gz')
    .option('--with-key', 'include the encryption key, so that you can restore the backup with this file alone', false)
    .action(
      createPlainCommand(async (options: { out: string; withKey: boolean }) => {
        assertEnvironment(process.env)
        const { createBackup } = await import('../backup/create-backup.ts')
        return createBackup(process.env, options)
      }),
    )
  program
    .command('restore')
    .description('Restore a backup to DATA_DIR, which must be empty.')
    .argument('<file>')
    .action((file: string) =>
      createPlainCommand(async () => {
        assertEnvironment(process.env)
        const { restoreBackup } = await import('../backup/restore-backup.ts')
        return restoreBackup(process.env, file)
      })({}),
    )
}
