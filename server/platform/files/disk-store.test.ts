import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startTestPlumbline } from '../../../test/support/test-plumbline.ts'
import { StoreUnusableError } from './file-store.ts'
import { createIncomingFiles, createPrivateFolder } from './incoming-files.ts'

function newFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-disk-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('startup fails with an explanation if the file folder is not writable', async () => {
  const dataDir = newFolder()
  writeFileSync(path.join(dataDir, 'files'), '')
  const starting = startTestPlumbline({ DATA_DIR: dataDir })
  await expect(starting).rejects.toThrow(StoreUnusableError)
  await expect(starting).rejects.toThrow(/^Cannot use the data folder: .* Set DATA_DIR to .*\.$/)
})

test('a process is not ready while it cannot write to its file folder', async () => {
  const dataDir = newFolder()
  const files = path.join(dataDir, 'files')
  const plumbline = await startTestPlumbline({ DATA_DIR: dataDir })
  onTestFinished(() => plumbline.stop())
  expect((await plumbline.get('/readyz')).body).toEqual({ status: 'ready', files: 'available' })
  expect(readdirSync(files)).toEqual([])
  rmSync(files, { recursive: true })
  writeFileSync(files, '')
  const { body } = await plumbline.until('/readyz', ({ status }) => status === 503)
  expect(body).toEqual({ status: 'unavailable', reason: 'unavailable' })
  rmSync(files)
  await plumbline.until('/readyz', ({ status }) => status === 200)
})

test('each process receives uploads in its own folder, which no other user can read', async () => {
  const parent = newFolder()
  const [one, other] = [
    createIncomingFiles(createPrivateFolder(parent)),
    createIncomingFiles(createPrivateFolder(parent)),
  ]
  const [first, second, third] = [
    await one.receive(Buffer.from('1')),
    await one.receive(Buffer.from('2')),
    await other.receive(Buffer.from('3')),
  ]
  const folderOf = ({ path: file }: { path: string }) => path.dirname(file)
  expect(folderOf(second)).toBe(folderOf(first))
  expect(folderOf(third)).not.toBe(folderOf(first))
  for (const arrived of [first, third]) expect(statSync(folderOf(arrived)).mode & 0o777).toBe(0o700)
  // The folder of a process that has ended is deleted after some time. The folder of a running process is not deleted.
  const threeHoursAgo = new Date(Date.now() - 3 * 3_600_000)
  for (const arrived of [first, third]) utimesSync(folderOf(arrived), threeHoursAgo, threeHoursAgo)
  await one.tidy(Date.now())
  expect(readdirSync(parent)).toEqual([path.basename(folderOf(first))])
  // The operating system may delete a temporary folder that is in use.
  rmSync(folderOf(first), { recursive: true })
  expect((await one.receive(Buffer.from('4'))).size).toBe(1)
})
