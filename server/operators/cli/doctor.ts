import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Command } from 'commander'
import { connectMailServer } from '../../domain/office/mail/mail-server.ts'
import { type EnvironmentConfig, isLocalUrl, readConfig } from '../../platform/config/config.ts'
import { describeClockSkew } from '../../platform/database/clock-skew.ts'
import { DataFolderInUseError } from '../../platform/database/data-folder.ts'
import { type Database, openDatabase } from '../../platform/database/database.ts'
import { listAppliedMigrations, listKnownMigrations } from '../../platform/database/migrate.ts'
import { inspectRowLevelSecurity } from '../../platform/database/row-level-security.ts'
import { openFiles } from '../../platform/files/files.ts'
import { Clock } from '../../platform/runtime/clock.ts'
import { readOwnVersion } from '../../platform/runtime/version.ts'
import { assertEnvironment } from './assert-environment.ts'
import { createPlainCommand } from './command.ts'

export interface Finding {
  check: 'configuration' | 'database' | 'version' | 'wall' | 'clock' | 'storage' | 'mail'
  status: 'ok' | 'warning' | 'failed' | 'skipped'
  /** A sentence that explains the finding to the operator. */
  detail: string
}

type Env = Readonly<Record<string, string | undefined>>
type FindingOutcome = Pick<Finding, 'status' | 'detail'>

const DATABASE_WAIT_MS = 5000

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description(
      'Check the configuration, database, tenant isolation, storage, email, and clock. The exit code is 1 if a check fails.',
    )
    .action(
      createPlainCommand(async () => {
        const checks = await examineDeployment(process.env)
        if (checks.some(({ status }) => status === 'failed')) process.exitCode = 1
        return { version: readOwnVersion(), checks }
      }),
    )
}

/** Checks the requirements for starting the service. Changes nothing, except for a test file that is deleted again. */
async function examineDeployment(env: Env): Promise<Finding[]> {
  let config: EnvironmentConfig
  try {
    assertEnvironment(env)
    // Uses a placeholder for a missing encryption key. Otherwise, reading the configuration of an embedded database
    // would create one.
    config = readConfig(env.DATABASE_URL ? env : { ...env, ENCRYPTION_KEY: env.ENCRYPTION_KEY || PLACEHOLDER_KEY })
  } catch (error) {
    return [{ check: 'configuration', status: 'failed', detail: describeError(error) }]
  }
  return [
    { check: 'configuration', ...checkConfiguration(config) },
    ...(await examineDatabase(config)),
    { check: 'storage', ...(await toOutcome(() => openFiles(config).store.check(), 'Files can be stored.')) },
    { check: 'mail', ...(await examineMail(config)) },
  ]
}

const PLACEHOLDER_KEY = Buffer.alloc(32).toString('base64')

function checkConfiguration({
  isProduction,
  publicUrl,
  databaseUrl,
  encryptionKey,
}: EnvironmentConfig): FindingOutcome {
  if (databaseUrl !== null && encryptionKey === null)
    return toWarning('ENCRYPTION_KEY is not set. The key is stored in the database, next to the data that it encrypts.')
  if (isProduction && isLocalUrl(publicUrl))
    return toWarning(`PUBLIC_URL is ${publicUrl}: links in emails work only on this machine.`)
  return { status: 'ok', detail: 'Every variable is valid.' }
}

async function examineDatabase(config: EnvironmentConfig): Promise<Finding[]> {
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
    database = await openDatabase(config, { ms: DATABASE_WAIT_MS })
  } catch (error) {
    if (!(error instanceof DataFolderInUseError))
      return [{ check: 'database', status: 'failed', detail: describeError(error) }]
    return [
      {
        check: 'database',
        status: 'skipped',
        detail: `${error.message} The schema can be checked only while that process is stopped.`,
      },
    ]
  }
  try {
    const reached = await toOutcome(
      () => database.ping(),
      databaseUrl === null ? 'The embedded database is responding.' : 'The PostgreSQL server is responding.',
    )
    if (reached.status === 'failed') return [{ check: 'database', ...reached }]
    return [
      { check: 'database', ...reached },
      { check: 'version', ...(await runCheck(() => checkSchema(database))) },
      { check: 'wall', ...(await runCheck(() => checkRowLevelSecurity(database))) },
      { check: 'clock', ...(await runCheck(() => checkClock(database))) },
    ]
  } finally {
    await database.close()
  }
}

async function checkSchema(database: Database): Promise<FindingOutcome> {
  const [known, done] = [await listKnownMigrations(), await listAppliedMigrations(database.statements)]
  const pending = known.filter((name) => !done.has(name)).length
  const isNewer = [...done].some((name) => !known.includes(name))
  if (isNewer)
    return toWarning(
      'The schema belongs to a newer version of Plumbline. Upgrade this installation (docs/operating/upgrading.md).',
    )
  if (pending > 0) return toWarning(`The schema needs ${pending} more migrations. Start the service, or run "migrate".`)
  return { status: 'ok', detail: 'The schema matches this version.' }
}

async function checkRowLevelSecurity(database: Database): Promise<FindingOutcome> {
  const { role, isRaised } = await inspectRowLevelSecurity(database)
  if (isRaised) return { status: 'ok', detail: `Requests run with the role ${role}.` }
  return toWarning(`Row-level security is off. Create the role ${role} (docs/operating/install.md#tenant-isolation).`)
}

async function checkClock(database: Database): Promise<FindingOutcome> {
  const skew = await describeClockSkew(database.statements, new Clock())
  if (skew !== null) return toWarning(skew)
  return { status: 'ok', detail: 'The clock matches the clock of the database.' }
}

async function examineMail({ mail }: EnvironmentConfig): Promise<FindingOutcome> {
  if (mail === null) return { status: 'skipped', detail: 'SMTP_URL is not set, so no emails are sent.' }
  const post = connectMailServer(mail)
  try {
    return await toOutcome(() => post.check(), `The mail server ${mail.host}:${mail.port} accepts the sign-in.`)
  } finally {
    post.close()
  }
}

function toWarning(detail: string): FindingOutcome {
  return { status: 'warning', detail }
}

async function runCheck(work: () => Promise<FindingOutcome>): Promise<FindingOutcome> {
  try {
    return await work()
  } catch (error) {
    return { status: 'failed', detail: describeError(error) }
  }
}

function toOutcome(work: () => Promise<unknown>, detail: string): Promise<FindingOutcome> {
  return runCheck(async () => {
    await work()
    return { status: 'ok', detail }
  })
}

function describeError(error: unknown): string {
  const { message, cause } = error instanceof Error ? error : new Error(String(error))
  return cause instanceof Error ? `${message} ${cause.message}` : message
}
