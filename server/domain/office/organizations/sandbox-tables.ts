/** What emptying a sandbox leaves: who works there, what programs come in by, how it is set up, and what was done. */
export const STAYS: ReadonlySet<string> = new Set([
  ...['users', 'apiKeys', 'apiKeySecrets', 'oauthGrants', 'oauthTokens', 'webhooks', 'messageTemplates'],
  ...['auditEntries', 'usageDays', 'idempotencyRecords', 'sandboxes'],
])

/** The first parts of ids whose events stay too, because they are part of the audit trail. */
export const KEPT_EVENTS = '^(org|usr|key|whk|ogr)_'

/** What is there without anybody having made a record: what happened, and what the service keeps for itself. */
export const TRACES: ReadonlySet<string> = new Set([
  ...['events', 'statusChanges', 'deliveries', 'deliveryAttempts', 'executions', 'proposals', 'mails', 'links'],
  ...['searchQueue', 'searchWords', 'searchVariants', 'fileArrivals', 'fileUsage', 'looseFiles', 'ledgerStates'],
  'archives',
])
