import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { makeSignInLink } from './domain/office/users/sign-in-link.ts'
import { makeDemo } from './operators/demo/demo.ts'
import type { GivenConfig } from './platform/config/config.ts'
import { inDataFolder } from './platform/database/data-folder.ts'
import type { Database } from './platform/database/database.ts'
import { migrate } from './platform/database/migrate.ts'
import { withEncryptionKey } from './platform/encryption/encryption-key.ts'
import type { Plumbline } from './plumbline.ts'

export interface Demo {
  organizationId: string
  key: string
}

/**
 * Creates the demo builder on an empty embedded database before the first request can arrive, and writes its key to
 * `demo.json` next to the data, readable only by the owner. In all other cases it does nothing and returns null.
 */
export async function makeDemoOnFirstStart(database: Database, given: GivenConfig): Promise<Demo | null> {
  if (!database.embedded || !given.demo) return null
  await migrate(database)
  const organization = await database.statements.selectFrom('organizations').select('id').limit(1).executeTakeFirst()
  if (organization !== undefined) return null
  const { config } = await withEncryptionKey(given, database)
  const demo = await makeDemo(database, config)
  inDataFolder(() => writeFileSync(demoFile(config), `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 }))
  return demo
}

/** How long the sign-in link that the first start prints is valid. */
const FIRST_LINK_MS = 24 * 3_600_000

/** Creates a link that signs in as the owner of the demo builder. Its URL is known only once the service listens. */
export async function firstSignInLink(
  { app, database, clock }: Pick<Plumbline, 'app' | 'database' | 'clock'>,
  { organizationId }: Demo,
): Promise<string> {
  const owner = await database.statements
    .selectFrom('users')
    .select('id')
    .where('organizationId', '=', organizationId)
    .where('role', '=', 'owner')
    .orderBy('id')
    .limit(1)
    .executeTakeFirstOrThrow()
  const { identity } = app.surroundings
  return (await makeSignInLink({ database, clock, identity }, owner.id, FIRST_LINK_MS)).url
}

/**
 * Returns what a new user needs to see: where the service runs, how to sign in, the API key, and a first request to
 * paste.
 */
export function banner(config: Pick<GivenConfig, 'dataDir' | 'publicUrl'>, demo: Demo, link: string): string {
  const url = config.publicUrl
  const near = path.relative('.', demoFile(config))
  return `
  Plumbline runs at ${url}

  Sign in to the demo builder with this link. It works once, within 24 hours:

    ${link}

  The API key, also stored in ${near.startsWith('..') ? demoFile(config) : near}:

    ${demo.key}

  Send a first request:

    curl -H 'Authorization: Bearer ${demo.key}' '${url}/api/ext/vendors?limit=2'

  Documentation: ${url}/docs
`
}

function demoFile(config: Pick<GivenConfig, 'dataDir'>): string {
  return path.join(config.dataDir, 'demo.json')
}
