import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'
import { openPGlite } from './open-pglite.ts'

/** Records the names of the files that are flushed from now on. */
function recordFlushes(): string[] {
  const flushed: string[] = []
  const { fsyncSync } = fs
  fs.fsyncSync = (descriptor) => {
    flushed.push(fs.readlinkSync(`/proc/self/fd/${descriptor}`))
    fsyncSync(descriptor)
  }
  syncBuiltinESMExports()
  onTestFinished(() => {
    fs.fsyncSync = fsyncSync
    syncBuiltinESMExports()
  })
  return flushed
}

test.skipIf(inject('postgres') !== null || process.platform !== 'linux')(
  'a commit in the embedded database waits until the database log is flushed',
  async () => {
    const folder = path.join(fs.mkdtempSync(path.join(tmpdir(), 'plumbline-fsync-')), 'database')
    onTestFinished(() => fs.rmSync(path.dirname(folder), { recursive: true, force: true }))
    const flushed = recordFlushes()
    const lite = await openPGlite(folder, { fsync: true })
    expect(flushed).toContain(path.join(folder, 'PG_VERSION'))
    await lite.exec('create table "t" ("n" int)')
    const at = flushed.length
    for (let n = 0; n < 3; n++) await lite.exec(`insert into "t" values (${n})`)
    const ofCommits = flushed.slice(at)
    expect(ofCommits.length).toBeGreaterThanOrEqual(3)
    expect(ofCommits.every((file) => path.dirname(file) === path.join(folder, 'pg_wal'))).toBe(true)
    const { rows } = await lite.query<{ file: string }>(`select pg_relation_filepath('t') as "file"`)
    await lite.exec('checkpoint')
    expect(flushed.slice(at)).toContain(path.join(folder, rows[0]?.file ?? ''))
    await lite.close()
    flushed.length = 0
    const fast = await openPGlite(folder, { fsync: false })
    await fast.exec('insert into "t" values (4)')
    await fast.close()
    expect(flushed).toEqual([])
  },
)
