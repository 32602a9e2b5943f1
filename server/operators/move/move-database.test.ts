import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { moveDatabase } from './move-database.ts'

const TO = 'postgres://plumbline@127.0.0.1:1/plumbline'

test('a database move without a source, or to a target other than PostgreSQL, writes nothing', async () => {
  const DATA_DIR = mkdtempSync(path.join(tmpdir(), 'plumbline-move-test-'))
  onTestFinished(() => rmSync(DATA_DIR, { recursive: true, force: true }))
  const moving = (env: NodeJS.ProcessEnv, to: string) => moveDatabase({ DATA_DIR, ...env }, to, () => {})
  await expect(moving({ DATABASE_URL: TO }, TO)).rejects.toThrow('DATABASE_URL is set')
  await expect(moving({}, 'mysql://plumbline@127.0.0.1/plumbline')).rejects.toThrow('--to must be a URL')
  await expect(moving({}, TO)).rejects.toThrow(`No embedded database exists in ${DATA_DIR}.`)
  expect(readdirSync(DATA_DIR)).toEqual([])
})
