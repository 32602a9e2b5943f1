import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Command } from 'commander'
import { openPost } from '../../domain/office/mail/post.ts'
import { type GivenConfig, isLocalUrl, readConfig } from '../../platform/config/config.ts'
import { clockSkew } from '../../platform/database/clock-skew.ts'
import { DataFolderInUse } from '../../platform/database/data-folder.ts'
import { type Database, openDatabase } from '../../platform/database/database.ts'
import { knownMigrations, listMigrations } from '../../platform/database/migrate.ts'
import { inspectWall } from '../../platform/database/wall.ts'
import { openFiles } from '../../platform/files/files.ts'
import { Clock } from '../../platform/runtime/clock.ts'
import { ownVersion } from '../../platform/runtime/version.ts'
import { bareVerb } from './verb.ts'
import { assertWorkplace } from './workplace.ts'

export interface Finding {
  check: 'configuration' | 'database' | 'version' | 'wall' | 'clock' | 'storage' | 'mail'
  status: 'ok' | 'warning' | 'failed' | 'skipped'
  /** A sentence for the operator. */
  detail: string
}

type Env = Readonly<Record<string, string | undefined>>
type Outcome = Pick<Finding, 'status' | 'detail'>

const DATABASE_PATIENCE_MS = 5000

export function addDoctorVerb(program: Command): void {
  program
    .command('doctor')
    .description(
      'Check the configuration, database, tenant isolation, storage, email, and clock. The exit code is 1 if a check fails.',
    )
    .action(
      bareVerb(async () => {
        const checks = await examine(process.env)
        if (checks.some(({ status }) => status === 'failed')) process.exitCode = 1
        return { version: ownVersion(), checks }
      }),
    )
}

/** Checks what a start depends on, without changing anything except a file that is deleted again. */
async function examine(env: Env): Promise<Finding[]> {
  let config: GivenConfig
  try {
    assertWorkplace(env)
    // Reading the configuration of an embedded database would create a missing key.
    config = readConfig(env.DATABASE_URL ? env : { ...env, ENCRYPTION_KEY: env.ENCRYPTION_KEY || NO_KEY })
  } catch (error) {
    return [{ check: 'configuration', status: 'failed', detail: sentenceOf(error) }]
  }
  return [
    { check: 'configuration', ...judgeConfiguration(config) },
    ...(await examineDatabase(config)),
    { check: 'storage', ...(await outcomeOf(() => openFiles(config).store.check(), 'Files can be stored.')) },
    { check: 'mail', ...(await examineMail(config)) },
  ]
}

const NO_KEY = Buffer.alloc(32).toString('base64')

function judgeConfiguration({ isProduction, publicUrl, databaseUrl, encryptionKey }: GivenConfig): Outcome {
  if (databaseUrl !== null && encryptionKey === null)
    return warn('ENCRYPTION_KEY is not set. The key is stored in the database, next to the data that it encrypts.')
  if (isProduction && isLocalUrl(publicUrl))
    return warn(`PUBLIC_URL is ${publicUrl}: links in emails work only on this machine.`)
  return { status: 'ok', detail: 'Every variable is valid.' }
}

async function examineDatabase(config: GivenConfig): Promise<Finding[]> {
  const { databaseUrl, dataDir } = config
  if (databaseUrl === null && !existsSync(path.join(dataDir, 'database')))
    return [
      {
        check: 'database',
        status: 'failed',
        detail: `No database exists in ${dataDir} yet. Start the service to create it.`,
      },
    ]
  let database: Database
  try {
    database = await openDatabase(config, { ms: DATABASE_PATIENCE_MS })
  } catch (error) {
    if (!(error instanceof DataFolderInUse)) return [{ check: 'database', status: 'failed', detail: sentenceOf(error) }]
    return [
      {
        check: 'database',
        status: 'skipped',
        detail: `${error.message} The schema can be checked only while that process is stopped.`,
      },
    ]
  }
  try {
    const reached = await outcomeOf(
      () => database.ping(),
      databaseUrl === null ? 'The embedded database is responding.' : 'The PostgreSQL server is responding.',
    )
    if (reached.status === 'failed') return [{ check: 'database', ...reached }]
    return [
      { check: 'database', ...reached },
      { check: 'version', ...(await judge(() => judgeSchema(database))) },
      { check: 'wall', ...(await judge(() => judgeWall(database))) },
      { check: 'clock', ...(await judge(() => judgeClock(database))) },
    ]
  } finally {
    await database.close()
  }
}

async function judgeSchema(database: Database): Promise<Outcome> {
  const [known, done] = [await knownMigrations(), await listMigrations(database.statements)]
  const pending = known.filter((name) => !done.has(name)).length
  const isNewer = [...done].some((name) => !known.includes(name))
  if (isNewer)
    return warn(
      'The schema belongs to a newer version of Plumbline. Upgrade this installation (docs/operating/upgrading.md).',
    )
  if (pending > 0) return warn(`The schema needs ${pending} more migrations. Start the service, or run "migrate".`)
  return { status: 'ok', detail: 'The schema matches this version.' }
}

async function judgeWall(database: Database): Promise<Outcome> {
  const { role, isRaised } = await inspectWall(database)
  if (isRaised) return { status: 'ok', detail: `Requests run as ${role}.` }
  return warn(`Row-level security is off. Create the role ${role} (docs/operating/install.md#tenant-isolation).`)
}

async function judgeClock(database: Database): Promise<Outcome> {
  const skew = await clockSkew(database.statements, new Clock())
  if (skew !== null) return warn(skew)
  return { status: 'ok', detail: 'The clock matches the clock of the database.' }
}

async function examineMail({ mail }: GivenConfig): Promise<Outcome> {
  if (mail === null) return { status: 'skipped', detail: 'SMTP_URL is not set, so no emails are sent.' }
  const post = openPost(mail)
  try {
    return await outcomeOf(() => post.check(), `The mail server ${mail.host}:${mail.port} accepts the sign-in.`)
  } finally {
    post.close()
  }
}

function warn(detail: string): Outcome {
  return { status: 'warning', detail }
}

async function judge(work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await work()
  } catch (error) {
    return { status: 'failed', detail: sentenceOf(error) }
  }
}

function outcomeOf(work: () => Promise<unknown>, detail: string): Promise<Outcome> {
  return judge(async () => {
    await work()
    return { status: 'ok', detail }
  })
}

function sentenceOf(error: unknown): string {
  const { message, cause } = error instanceof Error ? error : new Error(String(error))
  return cause instanceof Error ? `${message} ${cause.message}` : message
}
