import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { PGlite } from '@electric-sql/pglite'
import { pino } from 'pino'
import { createDemo } from '../server/operators/demo/create-demo.ts'
import { readConfig } from '../server/platform/config/config.ts'
import { createEmbeddedDatabase, type Database } from '../server/platform/database/database.ts'
import { migrate } from '../server/platform/database/migrate.ts'
import { resolveEncryptionKey } from '../server/platform/encryption/encryption-key.ts'
import { type Plumbline, startPlumbline } from '../server/plumbline.ts'
import { readDelay } from './preference.ts'

/**
 * The stateful mock: the service itself with an in-memory database that contains the demo builder. A server in front of
 * the service can reset the data (`POST /mock/reset`) and delay responses (`Prefer: delay=…`). A reset does not delete
 * attached files, which remain in a temporary folder until the mock stops.
 */
export interface StatefulMock {
  readonly url: string
  /** The demo builder's API key, which stays the same after a reset. */
  readonly key: string
  stop(): Promise<void>
}

export interface StatefulOptions {
  host: string
  port: number
  /** Called after each response. */
  onAnswer?: (method: string, url: string, status: number) => void
}

export async function startStateful({ host, port, onAnswer }: StatefulOptions): Promise<StatefulMock> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'plumbline-mock-'))
  let service: Promise<Plumbline>
  const front = createServer((req, res) => {
    response(req, res).catch((error: unknown) => res.destroy(error instanceof Error ? error : undefined))
    res.once('finish', () => onAnswer?.(req.method ?? '', req.url ?? '', res.statusCode))
  })
  await new Promise<void>((done, fail) => front.once('error', fail).listen(port, host, done))
  const { port: taken } = front.address() as AddressInfo
  const url = `http://${host}:${taken}`
  const config = readConfig({
    ...{ HOST: '127.0.0.1', PORT: '0', PUBLIC_URL: url, DATA_DIR: dataDir },
    ...{ ENCRYPTION_KEY: randomBytes(32).toString('base64'), CORS_ORIGINS: '*' },
    ...{ WEBHOOK_ALLOW_PRIVATE: 'true', LOG_LEVEL: 'error', COMPILE_AHEAD: 'false' },
  })
  const log = pino({ level: config.logLevel, base: null })

  const { key, start } = await world()
  service = start()
  await service

  return {
    ...{ url, key },
    async stop() {
      front.close()
      front.closeAllConnections()
      await (await service).stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }

  /** Creates the demo builder once. Each later start uses a copy of that database. */
  async function world(): Promise<{ key: string; start(): Promise<Plumbline> }> {
    const lite = await PGlite.create()
    const created = await createEmbeddedDatabase(lite)
    await migrate(created)
    const { config: settled } = await resolveEncryptionKey(config, created)
    const demo = await createDemo(created, settled)
    const copy = await lite.dumpDataDir('none')
    let unused: Database | null = created
    return {
      key: demo.key,
      async start() {
        const database = unused ?? (await createEmbeddedDatabase(await PGlite.create({ loadDataDir: copy })))
        unused = null
        return startPlumbline({ config, log, database })
      },
    }
  }

  async function response(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (req.method === 'POST' && req.url === '/mock/reset') {
      const before = service
      // Requests that arrive during the reset wait for the new service.
      service = before.then(async (old) => {
        await old.stop()
        return start()
      })
      await service
      res.writeHead(204).end()
      return
    }
    const delay = readDelay(req)
    if (delay > 0) await setTimeout(delay)
    const { url: inner } = await service
    const passed = request(new URL(req.url ?? '/', inner), { method: req.method, headers: req.headers, agent: false })
    passed.once('response', (provided) => {
      res.writeHead(provided.statusCode ?? 502, provided.headers)
      provided.pipe(res)
    })
    passed.once('error', (error) => res.destroy(error))
    res.once('close', () => passed.destroy())
    req.pipe(passed)
  }
}
