import { isLikelyTypo } from '../problems/similar-names.ts'

/**
 * The environment variables of the service. A test compares this list with the variables that the configuration reads.
 */
const VARIABLES = new Set([
  ...['HOST', 'PORT', 'PUBLIC_URL', 'TRUSTED_PROXIES', 'CORS_ORIGINS', 'WORKERS', 'MAX_CONNECTIONS'],
  ...['MAX_CONNECTIONS_PER_ADDRESS', 'REQUEST_TIMEOUT_SECONDS', 'WRITE_TIMEOUT_SECONDS', 'DATABASE_URL'],
  ...['DATABASE_CONNECTIONS', 'DATABASE_STATEMENT_TIMEOUT_MS', 'EMBEDDED', 'EMBEDDED_FSYNC', 'DATA_DIR', 'DEMO'],
  ...['FILES_S3_URL', 'FILES_S3_REGION', 'FILES_S3_ACCESS_KEY_ID', 'FILES_S3_SECRET_ACCESS_KEY'],
  ...['MAX_FILE_MEBIBYTES_PER_ORGANIZATION', 'ATTACHMENT_SCAN', 'ATTACHMENT_SCAN_SECONDS', 'ENCRYPTION_KEY'],
  ...['ENCRYPTION_KEY_PREVIOUS', 'PDF_FONT_CJK', 'SMTP_URL', 'MAIL_FROM', 'INBOUND_MAIL_ADDRESS'],
  ...['INBOUND_MAIL_SECRET', 'RATE_LIMIT_PER_MINUTE', 'QUOTA_PER_DAY'],
  ...['CONCURRENCY_PER_KEY', 'CONCURRENCY_PER_ORGANIZATION', 'USER_LIMIT_PER_MINUTE', 'SIGN_IN_LIMIT_PER_MINUTE'],
  ...['FAILED_KEYS_PER_MINUTE', 'PORTAL_LIMIT_PER_MINUTE', 'PORTAL_CLIENT_LIMIT_PER_MINUTE', 'BETA_MAX_ORGANIZATIONS'],
  ...['EVENT_RETENTION_DAYS', 'HISTORY_RETENTION_DAYS', 'DELIVERY_RETENTION_DAYS', 'AUDIT_RETENTION_DAYS'],
  ...['ARCHIVES', 'WEBHOOK_ALLOW_PRIVATE', 'WEBHOOK_RETRY_SCHEDULE', 'WEBHOOK_PROBE_MAX_SECONDS'],
  ...['LOG_LEVEL', 'METRICS_PORT', 'METRICS_HOST', 'METRICS_TOKEN', 'NODE_ENV', 'COMPILE_AHEAD'],
  ...['CHECK_ANSWERS', 'XDG_CACHE_HOME'],
])

/** Shorter names are not compared, because variables of other programs are often similar, such as SORT and PORT. */
const MIN_COMPARED_LENGTH = 7

export function isKnownVariable(name: string): boolean {
  return VARIABLES.has(name)
}

/** Returns the known variable that the user probably meant with an unknown name. */
export function suggestVariable(name: string): string | undefined {
  return [...VARIABLES].find((known) => known.length >= MIN_COMPARED_LENGTH && isLikelyTypo(name, known))
}
