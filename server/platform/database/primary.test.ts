import { expect, inject, test } from 'vitest'
import { type PrivatePostgres, startPostgres } from '../../../scripts/processes/postgres.ts'
import { createNetwork } from '../../../test/support/network.ts'
import { startTestPlumbline } from '../../../test/support/test-plumbline.ts'
import { openDatabase } from './database.ts'
import { migrate } from './migrate.ts'

const isWithServers = inject('postgres') !== null
const primary = isWithServers ? await startPostgres() : null
const url = (await primary?.database()) ?? ''
const replica: PrivatePostgres | null = primary === null ? null : await startPostgres({}, primary)

test.skipIf(primary === null || replica === null)(
  'the service waits for the primary server if the database server is a read-only replica',
  async () => {
    const network = await createNetwork(url)
    network.lead(replica?.port ?? 0)
    const reports: string[] = []
    const config = { databaseUrl: network.url, databaseConnections: 24, dataDir: '' }
    const database = await openDatabase(config, {
      report(sentence) {
        reports.push(sentence)
        network.lead(primary?.port ?? 0)
      },
    })
    expect(reports).toEqual([expect.stringContaining('the server is a read-only replica')])
    await migrate(database)
    const plumbline = await startTestPlumbline({}, { database })
    const answers = async () => {
      const { status: written } = await plumbline.post('/api/ext/vendors', { companyName: 'Brazos Framing' })
      return [written, (await plumbline.get('/api/ext/vendors')).status]
    }
    expect(await answers()).toEqual([201, 200])
    network.lead(replica?.port ?? 0)
    network.cut()
    expect(await answers()).toEqual([503, 503])
    network.lead(primary?.port ?? 0)
    await plumbline.until('/readyz', ({ status }) => status === 200)
    expect(await answers()).toEqual([201, 200])
    await plumbline.stop()
    await network.close()
    await replica?.stop()
    await primary?.stop()
  },
)
