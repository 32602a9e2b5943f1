import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync } from 'node:fs'
import path from 'node:path'

const ROOT = path.resolve(import.meta.dirname, '../..')

/**
 * The version to which the drill rolls back until there is a release. It is the last commit before migration 0330,
 * which changed how events are numbered.
 */
const ROLLBACK_COMMIT = '97d5f1c^'

/** Returns the tag of the last release; null if the repository does not contain the history, as in a shallow clone. */
export function findLastRelease(): string | null {
  const git = (...args: string[]) => spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' })
  const tag = git('describe', '--tags', '--abbrev=0', 'HEAD^')
  const version = tag.status === 0 ? tag.stdout.trim() : ROLLBACK_COMMIT
  return git('cat-file', '-e', `${version}^{commit}`).status === 0 ? version : null
}

/** Extracts another version of the service into a folder. It uses the packages that are installed for this version. */
export function extractVersion(version: string, folder: string): void {
  mkdirSync(folder, { recursive: true })
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'))
  cpSync(path.join(ROOT, 'dist/web'), path.join(folder, 'dist/web'), { recursive: true })
  const archive = execFileSync('git', ['archive', version, 'server', 'package.json'], {
    cwd: ROOT,
    maxBuffer: 2 ** 30,
  })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
}
