import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startPostgres } from '../processes/postgres.ts'
import { startReceiver } from '../processes/receiver.ts'
import { createBuilder, createUnlimitedEnvironment, type Service, startService } from '../processes/service.ts'
import { extractVersion, findLastRelease } from './earlier-version.ts'
import type { Check } from './failover.ts'

/**
 * Runs this version, then an earlier version, and then this version again on the same database, which this version has
 * migrated. Each version must number its events without gaps and deliver them.
 *
 * @param to the tag or commit to roll back to, by default the last release
 */
export async function testRollback(check: Check, to = findLastRelease()): Promise<void> {
  const postgres = await startPostgres()
  if (postgres === null) return
  if (to === null) return console.log('  The repository does not have the last release, so there is no version to try.')
  const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-rollback-'))
  const receiver = await startReceiver()
  let service: Service | null = null
  try {
    extractVersion(to, folder)
    const environment = createUnlimitedEnvironment({ DATABASE_URL: await postgres.database(), COMPILE_AHEAD: 'false' })
    const { key } = await createBuilder(environment)
    for (const [i, version] of ['this version', `the earlier version (${to})`, 'this version again'].entries()) {
      service = await startService(environment, i === 1 ? { folder } : {})
      const { url } = service
      const send = async (method: string, path: string, body?: object) => {
        const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
        const response = await fetch(`${url}/api/ext/${path}`, { method, headers, body: body && JSON.stringify(body) })
        return { status: response.status, body: await response.json() }
      }
      if (i === 0) await send('POST', 'webhooks', { url: receiver.url, eventTypes: ['vendor.created'] })
      const names = ['A', 'B', 'C'].map((name) => `${name} ${i}`)
      for (const companyName of names) {
        const { status } = await send('POST', 'vendors', { companyName })
        check(status === 201, `${version} creates ${companyName}: ${status}`)
      }
      const expected = (i + 1) * names.length
      const arrived = await Promise.race([
        receiver.until(expected).then(() => true),
        new Promise<false>((done) => setTimeout(done, MAX_WAITED_MS, false).unref()),
      ])
      check(arrived, `${version} delivered its events: ${receiver.received.length} of ${expected} arrived`)
      const { body } = await send('GET', 'events?type=vendor.created&limit=200')
      const sequences = (body as { data: { sequence: number }[] }).data.map(({ sequence }) => sequence)
      check(new Set(sequences).size === expected, `${version} numbered all ${expected} events: ${sequences.join(', ')}`)
      check((await service.stop()) === 0, `${version} ends without an error`)
    }
  } finally {
    await service?.kill()
    await receiver.close()
    await postgres.stop()
    rmSync(folder, { recursive: true })
  }
}

/**
 * The maximum time to wait for a delivery, in milliseconds. A delivery usually takes milliseconds, but events without a
 * number are never delivered.
 */
const MAX_WAITED_MS = 20_000
