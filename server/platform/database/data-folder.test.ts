import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { claimDataFolder, DataFolderInUseError, DataFolderUnusableError } from './data-folder.ts'

function newFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-folder-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Claims the folder, prints whether the claim succeeded, and holds the claim until standard input ends. */
const CLAIM = `
  import { claimDataFolder } from ${JSON.stringify(path.join(import.meta.dirname, 'data-folder.ts'))}
  try {
    claimDataFolder(process.argv[1])
    console.log('claimed by ' + process.pid)
    process.stdin.resume()
  } catch (error) {
    console.log(error.message)
  }`

const ISOLATED = ['unshare', '--user', '--map-root-user', '--pid', '--fork', '--kill-child']

/** Starts a process that claims a folder, and resolves to the process and its output. */
async function startClaimant(
  folder: string,
  inside: readonly string[] = [],
): Promise<{ child: ChildProcess; said: string }> {
  const [program = '', ...args] = [...inside, process.execPath, '--input-type=module', '-e', CLAIM, folder]
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  if (child.stdout === null) throw new Error('Expected the process to have an output.')
  const [said] = await once(child.stdout, 'data')
  return { child, said: String(said) }
}

function canIsolate(): boolean {
  try {
    execFileSync(ISOLATED[0] ?? '', [...ISOLATED.slice(1), 'true'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

describe.skipIf(inject('postgres') !== null)('the claim on a data folder', () => {
  test('only one process at a time can lock a data folder', async () => {
    const folder = newFolder()
    const first = await startClaimant(folder)
    expect(first.said).toBe(`claimed by ${first.child.pid}\n`)
    expect((await startClaimant(folder)).said).toContain(`is in use by process ${first.child.pid}`)
    expect(() => claimDataFolder(folder)).toThrow(DataFolderInUseError)
    first.child.kill('SIGKILL')
    await once(first.child, 'exit')
    const claim = claimDataFolder(folder)
    expect(() => claimDataFolder(folder)).toThrow(DataFolderInUseError)
    claim.release()
    claimDataFolder(folder).release()
    expect(existsSync(path.join(folder, 'owner.pid'))).toBe(false)
  })

  test.skipIf(!canIsolate())(
    'a locked data folder cannot be locked by a process with the same ID in another container',
    async () => {
      const folder = newFolder()
      expect((await startClaimant(folder, ISOLATED)).said).toBe('claimed by 1\n')
      expect((await startClaimant(folder, ISOLATED)).said).toContain('is in use by process 1')
    },
  )

  test('an owner.pid file that remains after a crash does not lock a data folder', () => {
    const folder = newFolder()
    writeFileSync(path.join(folder, 'owner.pid'), `${process.ppid}\n`)
    claimDataFolder(folder).release()
  })

  test('the error for an invalid lock file explains the cause', () => {
    const folder = newFolder()
    writeFileSync(path.join(folder, 'owner.lock'), 'something else '.repeat(100))
    expect(() => claimDataFolder(folder)).toThrow(DataFolderUnusableError)
    expect(() => claimDataFolder(folder)).toThrow(/^Cannot lock .*owner\.lock: .*\.$/)
  })

  test('only the owner of a lock file can read and write the file', () => {
    const folder = newFolder()
    claimDataFolder(folder).release()
    expect(statSync(path.join(folder, 'owner.lock')).mode & 0o777).toBe(0o600)
  })
})
