import { expect, test } from 'vitest'
import { isLocalUrl, readConfig } from './config.ts'

const ENCRYPTION_KEY = Buffer.alloc(32).toString('base64')

test('in production with PostgreSQL, the service requires an encryption key from outside the database', () => {
  const env = { DATABASE_URL: 'postgres://nowhere', NODE_ENV: 'production' }
  expect(() => readConfig(env)).toThrow('ENCRYPTION_KEY is missing')
  expect(readConfig({ ...env, ENCRYPTION_KEY }).encryptionKey).toHaveLength(32)
  expect(readConfig({ DATABASE_URL: 'postgres://nowhere' }).encryptionKey).toBeNull()
})

test('a previous encryption key requires a current key and the same format', () => {
  expect(() => readConfig({ DATABASE_URL: 'postgres://nowhere', ENCRYPTION_KEY_PREVIOUS: ENCRYPTION_KEY })).toThrow(
    'ENCRYPTION_KEY_PREVIOUS requires ENCRYPTION_KEY',
  )
  expect(() => readConfig({ ENCRYPTION_KEY, ENCRYPTION_KEY_PREVIOUS: 'c2hvcnQ=' })).toThrow('ENCRYPTION_KEY_PREVIOUS')
})

const publicUrl = (env: Record<string, string>) => readConfig({ ENCRYPTION_KEY, ...env }).publicUrl

test('the default public URL uses localhost if the service listens on loopback or on all interfaces', () => {
  expect(publicUrl({})).toBe('http://localhost:3000')
  expect(publicUrl({ HOST: '0.0.0.0', PORT: '8080' })).toBe('http://localhost:8080')
  expect(publicUrl({ HOST: '::', PORT: '8080' })).toBe('http://localhost:8080')
  expect(publicUrl({ HOST: '192.0.2.7' })).toBe('http://192.0.2.7:3000')
  expect(publicUrl({ HOST: '2001:db8::7' })).toBe('http://[2001:db8::7]:3000')
  expect(publicUrl({ HOST: '0.0.0.0', PUBLIC_URL: 'https://build.example.com/' })).toBe('https://build.example.com')
})

test('the error for an invalid database URL does not contain the password', () => {
  const reading = () => readConfig({ DATABASE_URL: 'mysql://plumbline:s3cret@127.0.0.1/builders' })
  expect(reading).toThrow(/^DATABASE_URL must be a URL such as postgres:/)
  expect(reading).not.toThrow('s3cret')
})

test('webhooks may use private addresses only if configured, or if the service listens only on loopback', () => {
  const allows = (env: Record<string, string>) => readConfig({ ENCRYPTION_KEY, ...env }).webhookAllowPrivate
  for (const HOST of ['', '127.0.0.1', '127.1.2.3', '::1', 'localhost'])
    expect([HOST, allows({ HOST })]).toEqual([HOST, true])
  for (const HOST of ['0.0.0.0', '::', '192.0.2.7', '127.example.com'])
    expect([HOST, allows({ HOST })]).toEqual([HOST, false])
  const DATABASE_URL = 'postgres://127.0.0.1/plumbline'
  expect(allows({ DATABASE_URL })).toBe(false)
  expect(allows({ DATABASE_URL, WEBHOOK_ALLOW_PRIVATE: 'true' })).toBe(true)
  expect(allows({ HOST: '0.0.0.0', WEBHOOK_ALLOW_PRIVATE: 'true' })).toBe(true)
  expect(allows({ WEBHOOK_ALLOW_PRIVATE: 'false' })).toBe(false)
})

test('a CORS origin must be written exactly as browsers send it', () => {
  const read = (CORS_ORIGINS: string) => readConfig({ DATABASE_URL: 'postgres://x', CORS_ORIGINS }).corsOrigins
  expect([read(''), read('*'), read('https://a.example.com, http://localhost:5173')]).toEqual([
    ...[[], ['*']],
    ['https://a.example.com', 'http://localhost:5173'],
  ])
  for (const wrong of ['https://a.example.com/', 'a.example.com', 'https://a.example.com:443', 'null'])
    expect(() => read(wrong), wrong).toThrow('CORS_ORIGINS must be "*" or a list of origins')
})

test('the server ends with its parent process only if started by npm start or npm run dev', () => {
  const ends = (event?: string) => readConfig({ ENCRYPTION_KEY, npm_lifecycle_event: event }).endsWithParent
  expect([ends('start'), ends('dev'), ends('test'), ends()]).toEqual([true, true, false, false])
})

test('events are kept at least as long as deliveries', () => {
  const stored = (env: Record<string, string>) => {
    const { eventRetentionDays, deliveryRetentionDays } = readConfig({ ENCRYPTION_KEY, ...env })
    return [eventRetentionDays, deliveryRetentionDays]
  }
  expect(stored({})).toEqual([3650, 30])
  expect(stored({ EVENT_RETENTION_DAYS: '0', DELIVERY_RETENTION_DAYS: '90' })).toEqual([null, 90])
  expect(stored({ EVENT_RETENTION_DAYS: '90', DELIVERY_RETENTION_DAYS: '90' })).toEqual([90, 90])
  expect(() => stored({ EVENT_RETENTION_DAYS: '29' })).toThrow(/^EVENT_RETENTION_DAYS must be 0.*at least 30/)
  expect(() => stored({ DELIVERY_RETENTION_DAYS: '7' })).toThrow(/^DELIVERY_RETENTION_DAYS must be .* from 30/)
})

test('the retention period of the history is unlimited by default and otherwise at least one year', () => {
  const stored = (env: Record<string, string>) => {
    const { historyRetentionDays, archives } = readConfig({ ENCRYPTION_KEY, ...env })
    return [historyRetentionDays, archives]
  }
  expect([stored({}), stored({ HISTORY_RETENTION_DAYS: '365', ARCHIVES: 'false' })]).toEqual([
    [null, true],
    [365, false],
  ])
  expect(() => stored({ HISTORY_RETENTION_DAYS: '364' })).toThrow(/^HISTORY_RETENTION_DAYS must be 0.*at least 365/)
})

test('in production, the service does not use the embedded database by default', () => {
  const env = { NODE_ENV: 'production', ENCRYPTION_KEY }
  expect(() => readConfig(env)).toThrow(/^DATABASE_URL is missing\..* EMBEDDED=true/)
  expect(readConfig({ ...env, EMBEDDED: 'true' }).databaseUrl).toBeNull()
  expect(readConfig({ ...env, DATABASE_URL: 'postgres://nowhere' }).databaseUrl).not.toBeNull()
  expect(() => readConfig({ ...env, EMBEDDED: 'true', DATABASE_URL: 'postgres://nowhere' })).toThrow(
    'EMBEDDED cannot be combined with DATABASE_URL.',
  )
})

test('only a misspelled variable of the service itself prevents startup', () => {
  for (const [wrong, right] of [
    ['DATABSE_URL', 'DATABASE_URL'],
    ['DATABASEURL', 'DATABASE_URL'],
    ['database_url', 'DATABASE_URL'],
    ['ENCRYPTON_KEY', 'ENCRYPTION_KEY'],
    ['PUBLIC_URI', 'PUBLIC_URL'],
    ['TRUSTED_PROXYS', 'TRUSTED_PROXIES'],
    ['FILES_S3_URI', 'FILES_S3_URL'],
  ] as const)
    expect(() => readConfig({ ENCRYPTION_KEY, [wrong]: 'x' }), wrong).toThrow(
      `${wrong} is not a variable of Plumbline. Rename it to ${right}, or remove it.`,
    )
  for (const other of [
    'HOME',
    'HOSTNAME',
    'TMPDIR',
    'XDG_DATA_HOME',
    'NODE_OPTIONS',
    'SORT',
    'PORTS',
    'DATABASE_URL_2',
  ])
    expect(readConfig({ ENCRYPTION_KEY, [other]: 'x' }).port, other).toBe(3000)
  expect(readConfig({ ENCRYPTION_KEY, DATABSE_URL: '' }).port).toBe(3000)
})

test('a public URL on localhost is recognized as local', () => {
  for (const local of ['http://localhost:3000', 'https://127.0.0.1', 'http://[::1]:3000'])
    expect(isLocalUrl(local)).toBe(true)
  for (const other of ['https://build.example.com', 'http://192.0.2.7', 'https://localhost.example.com'])
    expect(isLocalUrl(other)).toBe(false)
})
