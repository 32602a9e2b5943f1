import { CompiledQuery } from 'kysely'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createPostgresUrl } from '../../../test/support/databases.ts'
import { createNetwork, type Network } from '../../../test/support/network.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { isDatabaseUnreachable } from '../problems/problem.ts'
import { type Db, openDatabase } from './database.ts'

describe.skipIf(inject('postgres') === null)('a database that no longer responds', () => {
  let plumbline: TestPlumbline
  let network: Network

  beforeAll(async () => {
    network = await createNetwork(await createPostgresUrl(inject('postgres') ?? { adminUrl: '', templateName: '' }))
    const bounds = { databaseConnections: 24, databaseStatementTimeoutMs: 1000 }
    plumbline = await startTestPlumbline(
      {},
      { database: await openDatabase({ ...bounds, databaseUrl: network.url, dataDir: '' }) },
    )
  })

  afterAll(async () => {
    await plumbline.stop()
    await network.close()
  })

  test('a connection with a long-running statement is not treated as lost', async () => {
    const sleep = (seconds: number) => CompiledQuery.raw(`select pg_sleep(${seconds})`)
    // These are the options of the operator commands.
    const unbounded = { databaseUrl: network.url, databaseConnections: 24, databaseStatementTimeoutMs: 0, dataDir: '' }
    const patient = await openDatabase(unbounded)
    await patient.statements.executeQuery(sleep(8))
    await patient.close()
  })

  test('after a database fails, later requests use the replacement database', async () => {
    const create = async (companyName: string) => {
      const { status, body } = await plumbline.post('/api/ext/vendors', { companyName })
      return [status, body.code]
    }
    const ask = (db: Db) => db.executeQuery(CompiledQuery.raw('select 1'))
    let creation: unknown
    const transaction = plumbline.database.transaction(async (trx) => {
      await ask(trx)
      const forgotten = network.forgetAt('Brazos Framing')
      creation = create('Brazos Framing')
      await forgotten
      await ask(trx)
    })
    await expect(transaction).rejects.toSatisfy(isDatabaseUnreachable)
    expect(await creation).toEqual([503, 'unavailable'])
    // For each connection that was idle when the network failed, one more request can fail.
    await expect.poll(() => create('Redrock Carpentry'), { timeout: 60_000 }).toEqual([201, undefined])
    expect((await plumbline.get('/readyz')).status).toBe(200)
  })
})
