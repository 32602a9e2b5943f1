import { CommanderError } from 'commander'
import { ConfigError } from '../../platform/config/config.ts'
import { DatabaseUnavailableError } from '../../platform/database/connection-errors.ts'
import { DataFolderInUseError, DataFolderUnusableError } from '../../platform/database/data-folder.ts'
import { toProblem } from '../../platform/problems/problem.ts'
import { BackupError } from '../backup/backup-format.ts'
import { ImportError } from '../builder-data/import-error.ts'
import { MoveError } from '../move/move-error.ts'

export function reportError(error: unknown): void {
  process.exitCode = 1
  process.stderr.write(`${JSON.stringify({ error: explainError(error) }, null, 2)}\n`)
}

function explainError(error: unknown): { code: string; detail: string; errors?: unknown } {
  if (error instanceof CommanderError) return { code: 'usage', detail: error.message.replace(/^error: /, '') }
  if (error instanceof ConfigError || error instanceof DataFolderUnusableError)
    return { code: 'configuration', detail: error.message }
  if (error instanceof BackupError) return { code: 'backup_refused', detail: error.message }
  if (error instanceof ImportError) return { code: 'import_refused', detail: error.message }
  if (error instanceof MoveError) return { code: 'move_refused', detail: error.message }
  if (error instanceof DatabaseUnavailableError) return { code: 'database_unavailable', detail: error.message }
  if (error instanceof DataFolderInUseError) {
    return {
      code: 'data_folder_in_use',
      detail: `${error.message} Only one process at a time can use the embedded database.`,
    }
  }
  const { code, message, extras } = toProblem(error)
  // Prints an unexpected error in full, because the operator must find its cause.
  if (code === 'internal')
    return { code, detail: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  return { code, detail: message, ...(extras.errors !== undefined && { errors: extras.errors }) }
}
