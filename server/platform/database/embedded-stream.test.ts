import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { putMigratedDatabase } from '../../../test/support/migrated-database.ts'
import { EmbeddedStream } from './embedded-stream.ts'

describe.skipIf(inject('postgres') !== null)('a connection to the embedded database', () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'plumbline-stream-'))
  let lite: PGlite
  beforeAll(async () => {
    putMigratedDatabase(dataDir)
    lite = await PGlite.create(path.join(dataDir, 'database'))
  })
  afterAll(async () => {
    await lite.close()
    rmSync(dataDir, { recursive: true, force: true })
  })

  async function connected(): Promise<pg.Client> {
    const client = new pg.Client({ stream: () => new EmbeddedStream(lite), ssl: false })
    await client.connect()
    return client
  }

  test('a connection to the embedded database can be used after a statement fails', async () => {
    const client = await connected()
    const divided = (by: number) =>
      client.query({ name: 'divided', text: 'select 1 / $1::int as "share"', values: [by] })
    await expect(divided(0)).rejects.toThrow('division by zero')
    await client.query('begin')
    await expect(divided(0)).rejects.toThrow('division by zero')
    await expect(divided(1)).rejects.toThrow('current transaction is aborted')
    await client.query('rollback')
    expect((await divided(1)).rows).toEqual([{ share: 1 }])
    await client.end()
  })

  test('a connection to the embedded database returns responses of any length unchanged', async () => {
    const client = await connected()
    const text = '界'.repeat(1_000_000)
    const { rows } = await client.query('select $1::text as "text" from generate_series(1, 3)', [text])
    expect(rows.map((row) => row.text === text)).toEqual([true, true, true])
    await client.end()
  })

  test('a new connection to the embedded database has no state from the previous connection', async () => {
    const before = await connected()
    const query = (text: string) => ({ name: 'query', text, values: [1] })
    expect((await before.query(query('select $1::int as "first"'))).rows).toEqual([{ first: 1 }])
    await before.query('begin')
    await before.query('create table "half" ()')
    await before.end()
    const after = await connected()
    expect((await after.query(query('select $1::int as "second"'))).rows).toEqual([{ second: 1 }])
    expect((await after.query(`select to_regclass('half') as "half"`)).rows).toEqual([{ half: null }])
    await after.end()
  })
})
