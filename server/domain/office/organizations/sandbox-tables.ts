/** The tables that are kept when a sandbox is emptied: users, credentials, settings, and the history of actions. */
export const KEPT_TABLES: ReadonlySet<string> = new Set([
  ...['users', 'apiKeys', 'apiKeySecrets', 'oauthGrants', 'oauthTokens', 'webhooks', 'messageTemplates'],
  'warrantyTerms',
  ...['auditEntries', 'usageDays', 'idempotencyRecords', 'sandboxes'],
])

/**
 * The ID prefixes of records whose events are kept when a sandbox is emptied, because these events are part of the
 * audit trail.
 */
export const KEPT_EVENT_PREFIXES = '^(org|usr|key|whk|ogr)_'

/** Tables that can have rows although nobody has created a record: histories and internal tables of the service. */
export const TRACE_TABLES: ReadonlySet<string> = new Set([
  ...['events', 'statusChanges', 'deliveries', 'deliveryAttempts', 'executions', 'proposals', 'mails', 'links'],
  ...['searchQueue', 'searchWords', 'searchVariants', 'fileArrivals', 'fileUsage', 'looseFiles', 'ledgerStates'],
  'archives',
])
