/** Tables that emptying a sandbox keeps: users, credentials, settings, and the records of actions. */
export const KEPT_TABLES: ReadonlySet<string> = new Set([
  ...['users', 'apiKeys', 'apiKeySecrets', 'oauthGrants', 'oauthTokens', 'webhooks', 'messageTemplates'],
  'warrantyTerms',
  ...['auditEntries', 'usageDays', 'idempotencyRecords', 'sandboxes'],
])

/** The ID prefixes of events that emptying a sandbox keeps, because they are part of the audit trail. */
export const KEPT_EVENT_PREFIXES = '^(org|usr|key|whk|ogr)_'

/** Tables that have rows even if nobody has created a record: history, and the service's internal tables. */
export const TRACE_TABLES: ReadonlySet<string> = new Set([
  ...['events', 'statusChanges', 'deliveries', 'deliveryAttempts', 'executions', 'proposals', 'mails', 'links'],
  ...['searchQueue', 'searchWords', 'searchVariants', 'fileArrivals', 'fileUsage', 'looseFiles', 'ledgerStates'],
  'archives',
])
