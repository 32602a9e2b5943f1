import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/**
 * The environment, read once into a frozen value. A value that cannot be meant stops the start with a sentence that
 * names the variable; nothing else in the house reads the environment.
 */
export interface Config {
  readonly host: string
  readonly port: number
  /** Where people and links reach this service, without a slash at the end. */
  readonly publicUrl: string
  /** PostgreSQL's address; null means the embedded database in `dataDir`. */
  readonly databaseUrl: string | null
  readonly databasePoolSize: number
  readonly dataDir: string
  readonly logLevel: string
  readonly rateLimitPerMinute: number
  readonly quotaPerDay: number
  readonly betaMaxOrganizations: number
  readonly webhookAllowPrivate: boolean
  /** Seconds between the attempts of one delivery, the first one from its event. */
  readonly webhookRetrySchedule: readonly number[]
  readonly webhookProbeMaxSeconds: number
  /** 32 bytes: webhook secrets are encrypted and portal addresses signed with it. */
  readonly encryptionKey: Buffer
  readonly demo: boolean
  /** A port of its own for /metrics; null means none. */
  readonly metricsPort: number | null
  readonly metricsHost: string
  /** What has to be shown to read /metrics; without a port of its own it is then on the public one. */
  readonly metricsToken: string | null
  /** Check every answer against the contract before it leaves. For tests; costs a tenth of the speed. */
  readonly checkAnswers: boolean
}

/** As the environment gives it: the key may be left to the deployment (encryption-key.ts). */
export type GivenConfig = Omit<Config, 'encryptionKey'> & { readonly encryptionKey: Buffer | null }

export class ConfigError extends Error {}

export function readConfig(env: Readonly<Record<string, string | undefined>>): GivenConfig {
  const databaseUrl = env.DATABASE_URL || null
  const dataDir = path.resolve(env.DATA_DIR || '.data')
  const host = env.HOST || '127.0.0.1'
  const port = integer(env, 'PORT', 3000, 0, 65_535)
  return Object.freeze({
    host,
    port,
    publicUrl: publicUrl(env, host, port),
    databaseUrl,
    databasePoolSize: integer(env, 'DATABASE_POOL_SIZE', 10, 1, 1000),
    dataDir,
    logLevel: oneOf(env, 'LOG_LEVEL', 'info', ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    rateLimitPerMinute: integer(env, 'RATE_LIMIT_PER_MINUTE', 100, 1, 1_000_000_000),
    quotaPerDay: integer(env, 'QUOTA_PER_DAY', 10_000, 1, 1_000_000_000_000),
    betaMaxOrganizations: integer(env, 'BETA_MAX_ORGANIZATIONS', 100, 1, 1_000_000),
    // On the embedded database the service is somebody's own machine, where a receiver on loopback is the first thing tried.
    webhookAllowPrivate: flag(env, 'WEBHOOK_ALLOW_PRIVATE', databaseUrl === null),
    webhookRetrySchedule: seconds(env, 'WEBHOOK_RETRY_SCHEDULE', [0, 5, 300, 1800, 7200, 18_000, 36_000, 36_000]),
    webhookProbeMaxSeconds: integer(env, 'WEBHOOK_PROBE_MAX_SECONDS', 3600, 1, 86_400),
    encryptionKey: encryptionKey(env, databaseUrl, dataDir),
    demo: flag(env, 'DEMO', true),
    metricsPort: env.METRICS_PORT ? integer(env, 'METRICS_PORT', 0, 0, 65_535) : null,
    metricsHost: env.METRICS_HOST || '127.0.0.1',
    metricsToken: token(env, 'METRICS_TOKEN'),
    checkAnswers: flag(env, 'CHECK_ANSWERS', false),
  })
}

type Env = Readonly<Record<string, string | undefined>>

function integer(env: Env, name: string, otherwise: number, least: number, most: number): number {
  const text = env[name]
  if (text === undefined || text === '') return otherwise
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < least || value > most) {
    throw new ConfigError(`${name} has to be a whole number from ${least} to ${most}, not "${text}".`)
  }
  return value
}

function flag(env: Env, name: string, otherwise: boolean): boolean {
  const text = env[name]
  if (text === undefined || text === '') return otherwise
  if (text !== 'true' && text !== 'false') throw new ConfigError(`${name} has to be "true" or "false", not "${text}".`)
  return text === 'true'
}

function oneOf(env: Env, name: string, otherwise: string, values: readonly string[]): string {
  const text = env[name] || otherwise
  if (!values.includes(text)) throw new ConfigError(`${name} has to be one of ${values.join(', ')}, not "${text}".`)
  return text
}

function seconds(env: Env, name: string, otherwise: readonly number[]): readonly number[] {
  const text = env[name]
  if (text === undefined || text === '') return otherwise
  const values = text.split(',').map((part) => Number(part.trim()))
  if (values.length > 100 || values.some((value) => !Number.isFinite(value) || value < 0 || value > 31_536_000)) {
    throw new ConfigError(`${name} has to be seconds separated by commas, such as "0,5,300", not "${text}".`)
  }
  return values
}

/** Shorter ones can be guessed by trying. */
const SHORTEST_TOKEN = 16

function token(env: Env, name: string): string | null {
  const text = env[name]
  if (!text) return null
  if (text.length < SHORTEST_TOKEN || !/^[\x21-\x7e]+$/.test(text)) {
    throw new ConfigError(
      `${name} has to be ${SHORTEST_TOKEN} characters or more, without blanks (openssl rand -hex 32).`,
    )
  }
  return text
}

function publicUrl(env: Env, host: string, port: number): string {
  const text = env.PUBLIC_URL
  if (!text) return `http://${host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host}:${port}`
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new ConfigError(`PUBLIC_URL has to be an http or https address, not "${text}".`)
  }
  return text.replace(/\/+$/, '')
}

// The embedded database belongs to one process, which makes its own key and keeps it beside the data.
function encryptionKey(env: Env, databaseUrl: string | null, dataDir: string): Buffer | null {
  const text = env.ENCRYPTION_KEY
  if (text) {
    const key = Buffer.from(text, 'base64')
    if (key.length !== 32)
      throw new ConfigError('ENCRYPTION_KEY has to be 32 bytes in base64 (openssl rand -base64 32).')
    return key
  }
  if (databaseUrl !== null) return null
  const file = path.join(dataDir, 'encryption-key')
  if (!existsSync(file)) {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    writeFileSync(file, randomBytes(32).toString('base64'), { mode: 0o600, flag: 'wx' })
  }
  return Buffer.from(readFileSync(file, 'utf8'), 'base64')
}
