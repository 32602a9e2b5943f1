import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { createSignInLink } from './domain/office/users/sign-in-link.ts'
import { createDemo } from './operators/demo/create-demo.ts'
import type { EnvironmentConfig } from './platform/config/config.ts'
import { runWithReadableErrors } from './platform/database/data-folder.ts'
import type { Database } from './platform/database/database.ts'
import { migrate } from './platform/database/migrate.ts'
import { resolveEncryptionKey } from './platform/encryption/encryption-key.ts'
import type { Plumbline } from './plumbline.ts'

export interface Demo {
  organizationId: string
  key: string
}

/**
 * Creates the demo builder if the embedded database is empty, before the first request can arrive. Writes the demo
 * builder's API key to `demo.json` in the data directory. Only the operating system user that runs the service can read
 * this file. Returns null and does nothing if the database is not embedded or not empty.
 */
export async function createDemoOnFirstStart(database: Database, provided: EnvironmentConfig): Promise<Demo | null> {
  if (!database.embedded || !provided.demo) return null
  await migrate(database)
  const organization = await database.statements.selectFrom('organizations').select('id').limit(1).executeTakeFirst()
  if (organization !== undefined) return null
  const { config } = await resolveEncryptionKey(provided, database)
  const demo = await createDemo(database, config)
  runWithReadableErrors(() =>
    writeFileSync(demoFilePath(config), `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 }),
  )
  return demo
}

/** The lifetime of the sign-in link of the first start, in milliseconds. */
const LINK_LIFETIME_MS = 24 * 3_600_000

/**
 * Creates a sign-in link for the owner of the demo builder. Call this function after the service has started to listen,
 * because the link contains the service's URL.
 */
export async function createFirstSignInLink(
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
  const { identity } = app.services
  return (await createSignInLink({ database, clock, identity }, owner.id, LINK_LIFETIME_MS)).url
}

/**
 * Returns the text that greets a new user: the service's URL, how to sign in, the API key, and a first request to
 * paste.
 */
export function renderBanner(
  config: Pick<EnvironmentConfig, 'dataDir' | 'publicUrl'>,
  demo: Demo,
  link: string,
): string {
  const url = config.publicUrl
  const near = path.relative('.', demoFilePath(config))
  return `
  Plumbline runs at ${url}

  Sign in to the demo builder with this link. It works once, within 24 hours:

    ${link}

  The API key, also stored in ${near.startsWith('..') ? demoFilePath(config) : near}:

    ${demo.key}

  Send a first request:

    curl -H 'Authorization: Bearer ${demo.key}' '${url}/api/ext/vendors?limit=2'

  Documentation: ${url}/docs
`
}

function demoFilePath(config: Pick<EnvironmentConfig, 'dataDir'>): string {
  return path.join(config.dataDir, 'demo.json')
}
