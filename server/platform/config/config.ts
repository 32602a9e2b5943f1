import { accessSync, constants } from 'node:fs'
import path from 'node:path'
import { isAddressRange } from '../calls/client-address.ts'
import { isOrigin } from '../calls/cors.ts'
import { runWithReadableErrors } from '../database/data-folder.ts'
import { readOrCreateKeys } from '../database/key-file.ts'
import { DEFAULT_CONNECTIONS, MIN_CONNECTIONS } from '../database/pool-size.ts'
import type { Bucket } from '../files/s3-store.ts'
import { parseScanCommand, type ScanCommand } from '../files/scan-file.ts'
import { isKnownVariable, suggestVariable } from './environment-variables.ts'
import { type PdfFont, parsePdfFont } from './pdf-font.ts'

/**
 * The configuration, which is read once from the environment and frozen. If a value is invalid, the service does not
 * start, and the message contains the name of the variable. No other code reads the environment, except the compilation
 * cache, which must be set up before all modules are loaded.
 */
export interface Config {
  readonly host: string
  readonly port: number
  /**
   * The proxies whose X-Forwarded-For header is trusted: addresses, ranges (10.0.0.0/8), or names of ranges in Express.
   */
  readonly trustedProxies: readonly string[]
  /** The maximum number of connections in total, and from one address that is not a trusted proxy. */
  readonly maxConnections: number
  readonly maxConnectionsPerAddress: number
  /** The number of processes that share the port. */
  readonly workers: number
  /** The maximum time in milliseconds until a request has arrived completely. */
  readonly requestTimeoutMs: number
  /** The maximum time in milliseconds for which a client can stop reading its response. */
  readonly writeTimeoutMs: number
  /** The origins of the pages that can call the API from browsers; `*` allows all origins. */
  readonly corsOrigins: readonly string[]
  /** The public URL of the service, which users and links use, without a trailing slash. */
  readonly publicUrl: string
  /** The URL of PostgreSQL; null for the embedded database in `dataDir`. */
  readonly databaseUrl: string | null
  /** The maximum number of connections from this process to PostgreSQL. */
  readonly databaseConnections: number
  /** The time in milliseconds after which PostgreSQL cancels a statement of a request or a job. */
  readonly databaseStatementTimeoutMs: number
  readonly dataDir: string
  /** Whether commits in the embedded database wait for the disk. */
  readonly embeddedFsync: boolean
  /** The bucket for files; null for the folder `files` in `dataDir`. */
  readonly filesBucket: Bucket | null
  /** The command that scans a file before it is stored; null if files are not scanned. */
  readonly attachmentScan: ScanCommand | null
  readonly attachmentScanMs: number
  /** The maximum total size of an organization's files in bytes. */
  readonly maxFileBytes: number
  readonly logLevel: string
  readonly rateLimitPerMinute: number
  /** The maximum number of failed key lookups per minute from one address. */
  readonly failedKeysPerMinute: number
  readonly quotaPerDay: number
  /** The maximum number of concurrent requests in this process, for each key and for each organization. */
  readonly concurrencyPerKey: number
  readonly concurrencyPerOrganization: number
  /** The maximum number of requests per minute, for each portal link and for each client of the portal. */
  readonly portalLimitPerMinute: number
  readonly portalClientLimitPerMinute: number
  /** The maximum number of requests per minute, for each signed-in user and for each client without one. */
  readonly userLimitPerMinute: number
  readonly signInLimitPerMinute: number
  readonly betaMaxOrganizations: number
  readonly webhookAllowPrivate: boolean
  /** The delays in seconds before each attempt of a delivery. The first delay starts at the event. */
  readonly webhookRetrySchedule: readonly number[]
  readonly webhookProbeMaxSeconds: number
  /** The number of days for which finished deliveries and their attempts are kept. */
  readonly deliveryRetentionDays: number
  /** The number of days for which events are kept; null if they are never deleted. */
  readonly eventRetentionDays: number | null
  /**
   * The number of days for which status histories and vendor notifications are kept; null if they are never deleted.
   */
  readonly historyRetentionDays: number | null
  /** Whether events and histories are archived before they are deleted. */
  readonly archives: boolean
  /** The key (32 bytes) for encrypting webhook secrets and the portal links that will be shown again. */
  readonly encryptionKey: Buffer
  /** The previous key during a rotation of the encryption key; otherwise, null. */
  readonly previousEncryptionKey: Buffer | null
  /**
   * The file with the key in the data folder of an embedded database; null if the operator sets the key, or if the
   * database is PostgreSQL.
   */
  readonly encryptionKeyFile: string | null
  /** The number of days for which audit entries are kept. */
  readonly auditRetentionDays: number
  /** The font for Chinese, Japanese, and Korean in PDF documents; null if there is none. */
  readonly pdfFontCjk: PdfFont | null
  /** The mail server; null if the service does not send email. */
  readonly mail: MailServer | null
  /** The address for replies of vendors; null if replies go directly to the builder. */
  readonly inboundMail: InboundMail | null
  readonly demo: boolean
  /** The separate port for /metrics; null if there is none. */
  readonly metricsPort: number | null
  readonly metricsHost: string
  /**
   * The token that is required to read /metrics. If there is a token but no separate port, /metrics is available on the
   * public port.
   */
  readonly metricsToken: string | null
  /**
   * Whether the service checks every response against the contract before sending it. This is for tests, because it
   * reduces the throughput by 10%.
   */
  readonly checkAnswers: boolean
  /**
   * Whether all validators are compiled soon after startup. Otherwise, each of them is compiled when it is first used.
   */
  readonly compileAhead: boolean
  /**
   * Whether NODE_ENV is `production`. If so, settings that are only suitable for a trial cause a warning or prevent
   * startup.
   */
  readonly isProduction: boolean
  /** Whether `npm start` or `npm run dev` has started the process, so that it must end together with npm. */
  readonly endsWithParent: boolean
}

export interface MailServer {
  readonly host: string
  readonly port: number
  /** Whether the connection uses TLS from the beginning. */
  readonly secure: boolean
  readonly user: string | null
  readonly password: string | null
  /** The sender address of emails. */
  readonly from: string
}

/** The settings for replies of vendors, which a mail provider delivers to the service. */
export interface InboundMail {
  /** The part of the address before the plus sign and the token. */
  readonly localPart: string
  readonly domain: string
  /** The secret that the mail provider sends with each reply. */
  readonly secret: string
}

/** The configuration from the environment, in which the encryption key can be missing (see encryption-key.ts). */
export type EnvironmentConfig = Omit<Config, 'encryptionKey'> & { readonly encryptionKey: Buffer | null }

export class ConfigError extends Error {}

export function readConfig(env: Readonly<Record<string, string | undefined>>): EnvironmentConfig {
  assertKnownVariables(env)
  const databaseUrl = readPostgresUrl(env)
  assertDatabaseIsChosen(env, databaseUrl)
  const dataDir = path.resolve(env.DATA_DIR || '.data')
  const host = env.HOST || '127.0.0.1'
  const port = readInteger(env, 'PORT', 3000, 0, 65_535)
  const workers = readWorkerCount(env, databaseUrl)
  return Object.freeze({
    host,
    port,
    workers,
    trustedProxies: readAddressRanges(env, 'TRUSTED_PROXIES'),
    maxConnections: readInteger(env, 'MAX_CONNECTIONS', 5000, 1, 1_000_000),
    maxConnectionsPerAddress: readInteger(env, 'MAX_CONNECTIONS_PER_ADDRESS', 200, 1, 1_000_000),
    requestTimeoutMs: readInteger(env, 'REQUEST_TIMEOUT_SECONDS', 60, 1, 3600) * 1000,
    writeTimeoutMs: readInteger(env, 'WRITE_TIMEOUT_SECONDS', 30, 1, 3600) * 1000,
    corsOrigins: readOrigins(env, 'CORS_ORIGINS'),
    publicUrl: readPublicUrl(env, host, port),
    databaseUrl,
    databaseConnections: readInteger(env, 'DATABASE_CONNECTIONS', DEFAULT_CONNECTIONS, MIN_CONNECTIONS, 1000),
    databaseStatementTimeoutMs: readInteger(env, 'DATABASE_STATEMENT_TIMEOUT_MS', 10_000, 100, 600_000),
    dataDir,
    embeddedFsync: readFlag(env, 'EMBEDDED_FSYNC', true),
    filesBucket: readFilesBucket(env),
    attachmentScan: readAttachmentScan(env),
    attachmentScanMs: readInteger(env, 'ATTACHMENT_SCAN_SECONDS', 30, 1, 300) * 1000,
    maxFileBytes: readInteger(env, 'MAX_FILE_MEBIBYTES_PER_ORGANIZATION', 10_240, 1, 100_000_000) * 1024 * 1024,
    logLevel: readChoice(env, 'LOG_LEVEL', 'info', ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    rateLimitPerMinute: readInteger(env, 'RATE_LIMIT_PER_MINUTE', 100, 1, 1_000_000_000),
    failedKeysPerMinute: readInteger(env, 'FAILED_KEYS_PER_MINUTE', 20, 1, 1_000_000_000),
    quotaPerDay: readInteger(env, 'QUOTA_PER_DAY', 10_000, 1, 1_000_000_000_000),
    concurrencyPerKey: readInteger(env, 'CONCURRENCY_PER_KEY', 100, 1, 1_000_000),
    concurrencyPerOrganization: readInteger(env, 'CONCURRENCY_PER_ORGANIZATION', 200, 1, 1_000_000),
    portalLimitPerMinute: readInteger(env, 'PORTAL_LIMIT_PER_MINUTE', 30, 1, 1_000_000_000),
    portalClientLimitPerMinute: readInteger(env, 'PORTAL_CLIENT_LIMIT_PER_MINUTE', 120, 1, 1_000_000_000),
    userLimitPerMinute: readInteger(env, 'USER_LIMIT_PER_MINUTE', 600, 1, 1_000_000_000),
    signInLimitPerMinute: readInteger(env, 'SIGN_IN_LIMIT_PER_MINUTE', 20, 1, 1_000_000_000),
    betaMaxOrganizations: readInteger(env, 'BETA_MAX_ORGANIZATIONS', 100, 1, 1_000_000),
    webhookAllowPrivate: readFlag(env, 'WEBHOOK_ALLOW_PRIVATE', isOnDeveloperMachine({ host, databaseUrl })),
    webhookRetrySchedule: readSeconds(env, 'WEBHOOK_RETRY_SCHEDULE', [0, 5, 300, 1800, 7200, 18_000, 36_000, 36_000]),
    webhookProbeMaxSeconds: readInteger(env, 'WEBHOOK_PROBE_MAX_SECONDS', 3600, 1, 86_400),
    ...readRetention(env),
    ...readEncryptionKeys(env, databaseUrl, dataDir),
    // A year, plus time to audit it.
    auditRetentionDays: readInteger(env, 'AUDIT_RETENTION_DAYS', 400, 1, 36_500),
    pdfFontCjk: readPdfFont(env),
    mail: readMailServer(env),
    inboundMail: readInboundMail(env),
    demo: readFlag(env, 'DEMO', true),
    metricsPort: env.METRICS_PORT ? readInteger(env, 'METRICS_PORT', 0, 0, 65_535) : null,
    metricsHost: env.METRICS_HOST || '127.0.0.1',
    metricsToken: readToken(env, 'METRICS_TOKEN'),
    checkAnswers: readFlag(env, 'CHECK_ANSWERS', false),
    compileAhead: readFlag(env, 'COMPILE_AHEAD', true),
    isProduction: isProduction(env),
    endsWithParent: ['start', 'dev'].includes(env.npm_lifecycle_event ?? ''),
  })
}

/**
 * Returns whether the service probably runs on the machine of a developer, because it uses the embedded database and
 * can be reached only from this machine. There, the first webhook receiver is usually a program on the same machine.
 */
export function isOnDeveloperMachine({ host, databaseUrl }: Pick<Config, 'host' | 'databaseUrl'>): boolean {
  return databaseUrl === null && LOOPBACK.test(host)
}

const LOOPBACK = /^(localhost|::1|127(\.\d+){3})$/i

type Env = Readonly<Record<string, string | undefined>>

function isProduction(env: Env): boolean {
  return env.NODE_ENV === 'production'
}

// Throws if a variable is unknown. Otherwise, a misspelled DATABASE_URL would start an empty embedded database instead
// of connecting to the real one.
function assertKnownVariables(env: Env): void {
  for (const [name, value] of Object.entries(env)) {
    if (!value || isKnownVariable(name)) continue
    const meant = suggestVariable(name)
    if (meant !== undefined)
      throw new ConfigError(`${name} is not a variable of Plumbline. Rename it to ${meant}, or remove it.`)
  }
}

function assertDatabaseIsChosen(env: Env, databaseUrl: string | null): void {
  const embedded = readFlag(env, 'EMBEDDED', false)
  if (embedded && databaseUrl !== null)
    throw new ConfigError('EMBEDDED cannot be combined with DATABASE_URL. Remove one of them.')
  if (!embedded && databaseUrl === null && isProduction(env))
    throw new ConfigError(
      'DATABASE_URL is missing. In production, set DATABASE_URL, or EMBEDDED=true for the embedded database in DATA_DIR.',
    )
}

/** Returns whether links point to the machine on which they are opened, so that they work only on the server itself. */
export function isLocalUrl(url: string): boolean {
  return LOOPBACK.test(new URL(url).hostname.replace(/^\[|\]$/g, ''))
}

function readInteger(env: Env, name: string, otherwise: number, min: number, max: number): number {
  const text = env[name]
  if (text === undefined || text === '') return otherwise
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < min || value > max) {
    throw new ConfigError(`${name} must be a whole number from ${min} to ${max}, not "${text}".`)
  }
  return value
}

// The minimum number of days that the contract guarantees for deliveries.
const MIN_DELIVERY_DAYS = 30

// The minimum number of days, because a shorter history would not be enough to settle a dispute.
const MIN_HISTORY_DAYS = 365

function readRetention(
  env: Env,
): Pick<Config, 'deliveryRetentionDays' | 'eventRetentionDays' | 'historyRetentionDays' | 'archives'> {
  const deliveryRetentionDays = readInteger(env, 'DELIVERY_RETENTION_DAYS', 30, MIN_DELIVERY_DAYS, 36_500)
  const eventRetentionDays = readInteger(env, 'EVENT_RETENTION_DAYS', 3650, 0, 36_500)
  if (eventRetentionDays > 0 && eventRetentionDays < deliveryRetentionDays) {
    throw new ConfigError(
      `EVENT_RETENTION_DAYS must be 0 (no limit) or at least ${deliveryRetentionDays}, the value of DELIVERY_RETENTION_DAYS. A delivery can be sent again only while its event is kept.`,
    )
  }
  const historyRetentionDays = readInteger(env, 'HISTORY_RETENTION_DAYS', 0, 0, 36_500)
  if (historyRetentionDays > 0 && historyRetentionDays < MIN_HISTORY_DAYS)
    throw new ConfigError(`HISTORY_RETENTION_DAYS must be 0 (no limit) or at least ${MIN_HISTORY_DAYS}.`)
  return {
    deliveryRetentionDays,
    eventRetentionDays: eventRetentionDays === 0 ? null : eventRetentionDays,
    historyRetentionDays: historyRetentionDays === 0 ? null : historyRetentionDays,
    archives: readFlag(env, 'ARCHIVES', true),
  }
}

function readWorkerCount(env: Env, databaseUrl: string | null): number {
  const workers = readInteger(env, 'WORKERS', 1, 1, 64)
  if (workers > 1 && databaseUrl === null)
    throw new ConfigError('WORKERS requires DATABASE_URL: only one process can use the embedded database.')
  if (workers > 1 && env.METRICS_TOKEN && !env.METRICS_PORT)
    throw new ConfigError(
      'METRICS_TOKEN requires METRICS_PORT when WORKERS is set: each worker reports its metrics on its own port.',
    )
  return workers
}

function readFlag(env: Env, name: string, otherwise: boolean): boolean {
  const text = env[name]
  if (text === undefined || text === '') return otherwise
  if (text !== 'true' && text !== 'false') throw new ConfigError(`${name} must be "true" or "false", not "${text}".`)
  return text === 'true'
}

function readChoice(env: Env, name: string, otherwise: string, values: readonly string[]): string {
  const text = env[name] || otherwise
  if (!values.includes(text)) throw new ConfigError(`${name} must be one of ${values.join(', ')}, not "${text}".`)
  return text
}

function readSeconds(env: Env, name: string, otherwise: readonly number[]): readonly number[] {
  const text = env[name]
  if (text === undefined || text === '') return otherwise
  const values = text.split(',').map((part) => Number(part.trim()))
  if (values.length > 100 || values.some((value) => !Number.isFinite(value) || value < 0 || value > 31_536_000)) {
    throw new ConfigError(`${name} must be a list of seconds separated by commas, such as "0,5,300", not "${text}".`)
  }
  return values
}

function readAddressRanges(env: Env, name: string): readonly string[] {
  const ranges = (env[name] ?? '').split(',').map((part) => part.trim())
  const provided = ranges.filter((range) => range !== '')
  const wrong = provided.find((range) => !isAddressRange(range))
  if (wrong === undefined) return provided
  throw new ConfigError(
    `${name} must be a list of addresses or ranges separated by commas, such as "10.0.0.0/8,loopback". "${wrong}" is neither.`,
  )
}

function readOrigins(env: Env, name: string): readonly string[] {
  const provided = (env[name] ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
  const wrong = provided.find((origin) => origin !== '*' && !isOrigin(origin))
  if (wrong === undefined) return provided
  throw new ConfigError(
    `${name} must be "*" or a list of origins separated by commas, such as "https://app.example.com,http://localhost:5173". "${wrong}" is not an origin.`,
  )
}

/** The minimum length of a token, because shorter ones could be guessed. */
const MIN_TOKEN_LENGTH = 16

function readToken(env: Env, name: string): string | null {
  const text = env[name]
  if (!text) return null
  if (text.length < MIN_TOKEN_LENGTH || !/^[\x21-\x7e]+$/.test(text)) {
    throw new ConfigError(
      `${name} must have at least ${MIN_TOKEN_LENGTH} characters and no spaces. Create one with "openssl rand -hex 32".`,
    )
  }
  return text
}

function readPublicUrl(env: Env, host: string, port: number): string {
  const text = env.PUBLIC_URL
  if (!text) return defaultPublicUrl(host, port)
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new ConfigError(`PUBLIC_URL must be an http or https URL, not "${text}".`)
  }
  return text.replace(/\/+$/, '')
}

// The hosts with which the service can be reached as localhost. If the service listens on another address, it can be
// reached only at that address.
const LOCALHOST_ADDRESSES = ['127.0.0.1', '::1', '0.0.0.0', '::', 'localhost']

function defaultPublicUrl(host: string, port: number): string {
  if (LOCALHOST_ADDRESSES.includes(host)) return `http://localhost:${port}`
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/**
 * Returns the configuration with the port on which the server listens. With PORT=0, the operating system chooses the
 * port, so the default public URL is known only after the server listens.
 */
export function applyListeningPort(config: Config, port: number): Config {
  if (config.publicUrl !== defaultPublicUrl(config.host, 0)) return config
  return Object.freeze({ ...config, publicUrl: defaultPublicUrl(config.host, port) })
}

function readPostgresUrl(env: Env): string | null {
  const text = env.DATABASE_URL
  if (!text) return null
  // Do not include the value in the message, because it may contain a password.
  if (!/^(postgres|postgresql|socket):|^\//.test(text)) {
    throw new ConfigError('DATABASE_URL must be a URL such as postgres://user:password@host:5432/name.')
  }
  return text
}

function readPdfFont(env: Env): PdfFont | null {
  const font = parsePdfFont(env.PDF_FONT_CJK)
  try {
    if (font !== null) accessSync(font.path, constants.R_OK)
  } catch {
    throw new ConfigError(`PDF_FONT_CJK must be a font file that the service can read; received "${env.PDF_FONT_CJK}".`)
  }
  return font
}

function readMailServer(env: Env): MailServer | null {
  const [text, from] = [env.SMTP_URL, env.MAIL_FROM]
  if (!text) return null
  const url = URL.canParse(text) ? new URL(text) : null
  // Do not include the value in the message, because it may contain a password.
  if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === '' || !/^\/?$/.test(url.pathname)) {
    throw new ConfigError('SMTP_URL must be a URL such as smtps://user:password@host:465 or smtp://host:587.')
  }
  if (!from || !/^[\w.+-]+@[\w-]+(\.[\w-]+)*$/.test(from)) {
    throw new ConfigError(
      `SMTP_URL requires MAIL_FROM, the address that emails are sent from. "${from ?? ''}" is not an email address.`,
    )
  }
  const secure = url.protocol === 'smtps:'
  return Object.freeze({
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || (secure ? 465 : 587),
    secure,
    user: url.username === '' ? null : decodeUrlPart(url.username),
    password: url.username === '' ? null : decodeUrlPart(url.password),
    from,
  })
}

/**
 * The maximum length, because 64 characters are allowed before the at sign, and the plus sign and the token of an email
 * need 33 of them.
 */
const MAX_LOCAL_PART = 30
const MIN_INBOUND_SECRET = 32

function readInboundMail(env: Env): InboundMail | null {
  const [address, secret] = [env.INBOUND_MAIL_ADDRESS, env.INBOUND_MAIL_SECRET]
  if (!address && !secret) return null
  const [, localPart = '', domain = ''] = /^([\w.-]+)@([\w-]+(?:\.[\w-]+)*)$/.exec(address ?? '') ?? []
  if (localPart === '' || localPart.length > MAX_LOCAL_PART)
    throw new ConfigError(
      `INBOUND_MAIL_ADDRESS must be an email address without a plus sign and with at most ${MAX_LOCAL_PART} characters before the at sign; received "${address ?? ''}".`,
    )
  // Do not include the value in the message, because it is a secret.
  if (secret === undefined || !/^[\x21-\x7e]+$/.test(secret) || secret.length < MIN_INBOUND_SECRET)
    throw new ConfigError(
      `INBOUND_MAIL_ADDRESS requires INBOUND_MAIL_SECRET, with at least ${MIN_INBOUND_SECRET} ASCII characters and no spaces.`,
    )
  if (!env.SMTP_URL) throw new ConfigError('INBOUND_MAIL_ADDRESS requires SMTP_URL.')
  return Object.freeze({ localPart, domain, secret })
}

function decodeUrlPart(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new ConfigError('SMTP_URL has an unescaped percent sign in its user or password. Write it as %25.')
  }
}

function readFilesBucket(env: Env): Bucket | null {
  const { FILES_S3_URL: url, FILES_S3_REGION: region = 'auto' } = env
  if (!url) return null
  if (!URL.canParse(url) || !/^https?:\/\/[^/]+\/[^/]+\/?$/.test(url))
    throw new ConfigError(
      'FILES_S3_URL must be a URL with the bucket as its path, such as https://s3.example.com/bucket.',
    )
  const { FILES_S3_ACCESS_KEY_ID: accessKeyId, FILES_S3_SECRET_ACCESS_KEY: secretAccessKey } = env
  if (!accessKeyId || !secretAccessKey)
    throw new ConfigError('FILES_S3_URL requires FILES_S3_ACCESS_KEY_ID and FILES_S3_SECRET_ACCESS_KEY.')
  return { url, region, accessKeyId, secretAccessKey }
}

function readAttachmentScan(env: Env): ScanCommand | null {
  const { ATTACHMENT_SCAN: text } = env
  if (!text) return null
  const command = parseScanCommand(text)
  if (command !== null) return command
  throw new ConfigError('ATTACHMENT_SCAN must be a program and its arguments, such as "clamdscan --fdpass".')
}

type EncryptionKeys = Pick<EnvironmentConfig, 'encryptionKey' | 'previousEncryptionKey' | 'encryptionKeyFile'>

// Returns the current and the previous encryption key. An embedded database belongs to one process, which creates a key
// and stores it with the data.
function readEncryptionKeys(env: Env, databaseUrl: string | null, dataDir: string): EncryptionKeys {
  const encryptionKey = readKey(env, 'ENCRYPTION_KEY')
  const previousEncryptionKey = readKey(env, 'ENCRYPTION_KEY_PREVIOUS')
  if (encryptionKey !== null) return { encryptionKey, previousEncryptionKey, encryptionKeyFile: null }
  if (previousEncryptionKey !== null)
    throw new ConfigError('ENCRYPTION_KEY_PREVIOUS requires ENCRYPTION_KEY. Set ENCRYPTION_KEY to the current key.')
  if (databaseUrl !== null) {
    if (isProduction(env)) throw new ConfigError(MISSING_KEY_MESSAGE)
    return { encryptionKey: null, previousEncryptionKey: null, encryptionKeyFile: null }
  }
  return runWithReadableErrors(() => {
    const encryptionKeyFile = path.join(dataDir, 'encryption-key')
    return { ...readOrCreateKeys(encryptionKeyFile), encryptionKeyFile }
  })
}

const MISSING_KEY_MESSAGE =
  'ENCRYPTION_KEY is missing. Set it in production; otherwise it would be stored in the database next to the data ' +
  'that it encrypts. Create a key with "openssl rand -base64 32". If the key is already stored in the database, also ' +
  'run "encryption-key rotate".'

function readKey(env: Env, name: string): Buffer | null {
  const text = env[name]
  if (!text) return null
  const key = Buffer.from(text, 'base64')
  if (key.length !== 32)
    throw new ConfigError(`${name} must be 32 bytes in base64. Create a key with "openssl rand -base64 32".`)
  return key
}
