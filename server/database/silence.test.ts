import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { CompiledQuery } from 'kysely'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { newPostgresUrl } from '../../test/support/databases.ts'
import { startTestPlumbline, type TestPlumbline } from '../../test/support/plumbline.ts'
import { isDatabaseAway } from '../http/problem.ts'
import { type Db, openDatabase } from './database.ts'

/** A network in front of PostgreSQL, which can forget the connections that there are. */
interface Network {
  url: string
  /** From now on nothing that is said on them arrives, and they stay open. */
  forget(): void
  close(): Promise<void>
}

async function networkTo(url: string): Promise<Network> {
  const { hostname, port } = new URL(url)
  const pairs: Socket[][] = []
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    near.pipe(far).pipe(near)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const)
      one.on('error', () => other.destroy())
    pairs.push([near, far])
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = new URL(url)
  address.port = String((server.address() as AddressInfo).port)
  const forgotten: Socket[] = []
  return {
    url: address.href,
    forget() {
      for (const socket of pairs.splice(0).flat()) {
        socket.unpipe().pause()
        forgotten.push(socket)
      }
    },
    async close() {
      for (const socket of [...pairs.flat(), ...forgotten]) socket.destroy()
      await new Promise((done) => server.close(done))
    },
  }
}

describe.skipIf(inject('postgres') === null)('a database that says nothing any more', () => {
  let plumbline: TestPlumbline
  let network: Network

  beforeAll(async () => {
    network = await networkTo(await newPostgresUrl(inject('postgres') ?? { adminUrl: '', templateName: '' }))
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

  test('is away to whoever asks it meanwhile, and the one that is there then answers the next', async () => {
    const create = async () => {
      const { status, body } = await plumbline.post('/api/ext/vendors', { companyName: 'Brazos Framing' })
      return [status, body.code]
    }
    const ask = (db: Db) => db.executeQuery(CompiledQuery.raw('select 1'))
    expect(await create()).toEqual([201, undefined])
    let creation: unknown
    const transaction = plumbline.database.transaction(async (trx) => {
      await ask(trx)
      network.forget()
      creation = create()
      await ask(trx)
    })
    await expect(transaction).rejects.toSatisfy(isDatabaseAway)
    expect(await creation).toEqual([503, 'unavailable'])
    expect(await create()).toEqual([201, undefined])
    expect((await plumbline.get('/readyz')).status).toBe(200)
  })
})
