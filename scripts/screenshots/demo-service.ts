import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pino } from 'pino'
import { createDemoOnFirstStart, createFirstSignInLink } from '../../server/first-start.ts'
import { readConfig } from '../../server/platform/config/config.ts'
import { openDatabase } from '../../server/platform/database/database.ts'
import { startPlumbline } from '../../server/plumbline.ts'
import { buildPages } from '../../web/build.ts'

/** A service, and the session of a user who is signed in. */
export interface SignedInService {
  url: string
  /** The cookie of the user's session, as `name=value`. */
  cookie: string
  stop(): Promise<void>
}

/** Starts a service with the demo builder and signs in its owner. Builds the pages again if they are stale. */
export async function startDemoService(): Promise<SignedInService> {
  await buildPages()
  const dataDir = mkdtempSync(path.join(tmpdir(), 'plumbline-screenshots-'))
  const config = readConfig({ PORT: '0', DATA_DIR: dataDir, LOG_LEVEL: 'silent', USER_LIMIT_PER_MINUTE: '100000' })
  const database = await openDatabase(config)
  const demo = await createDemoOnFirstStart(database, config)
  if (demo === null) throw new Error('The demo builder was not made.')
  const plumbline = await startPlumbline({ config, database, log: pino({ level: 'silent' }) })
  return {
    url: plumbline.url,
    cookie: await signIn(plumbline.url, await createFirstSignInLink(plumbline, demo)),
    async stop() {
      await plumbline.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** Uses a sign-in link in the same way as its page, and returns the session cookie. */
async function signIn(url: string, link: string): Promise<string> {
  const answer = await fetch(`${url}/api/admin/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ token: link.split('#token=')[1], device: 'The photographer' }),
  })
  const [cookie = ''] = answer.headers.getSetCookie()[0]?.split(';') ?? []
  if (cookie === '') throw new Error(`The sign-in returned ${answer.status}.`)
  return cookie
}
