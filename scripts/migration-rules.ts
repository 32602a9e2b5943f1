/**
 * Statements that a migration must not contain, because the service is in use during the migration. The previous
 * version serves requests at the same time, and the tables have grown. All pending migrations run in one transaction,
 * so a lock is held until the last migration is done. docs/operating/upgrading.md describes an alternative to each
 * statement.
 */

/** Migrations up to this one are older than the rules and are not changed. */
export const LAST_WITHOUT_RULES = '0240_contract_links'

/**
 * Migrations of a version that is started only after all processes of the previous version have stopped. Most of these
 * migrations change the meaning of records. For example, since bills exist, an order owes the amount of its bills, and
 * an old process would pay without bills.
 */
export const WITH_DOWNTIME: ReadonlySet<string> = new Set([
  '0500_bills',
  '0501_bills_of_payments',
  '0502_bill_postings',
  // Rewrites eleven tables, which stay locked until all migrations are done.
  '0561_typed_keys',
  // Posts the owners' and loans' existing amounts, which the previous version would not post.
  '0721_owner_postings',
  // Rewrites all tasks with links.
  '0730_lag_units',
  // Changes the totals of bids, to which the previous version would add alternates again.
  '0801_bid_totals_without_alternates',
])

/** Tables that stay small regardless of how long the service is in use, so that nobody notices a lock on them. */
const SMALL_TABLES: ReadonlySet<string> = new Set([
  'billNumbers',
  'bidRequestNumbers',
  'contractNumbers',
  'deployment',
  'fileUsage',
  'messageTemplates',
  'oauthClients',
  'organizations',
  'passkeyChallenges',
  'paymentNumbers',
  'paymentRunNumbers',
  'saleNumbers',
  'scopes',
  'searchQueue',
  'signInLinks',
  'taskTemplates',
  'webhooks',
])

interface Rule {
  /** The pattern that finds the statement. The first group is the table, if the statement names a table. */
  statement: RegExp
  /** Whether the finding is acceptable, given the text of the migration and of the earlier migrations. */
  isWell?(found: RegExpMatchArray, text: string, before: string): boolean
  fault: string
}

const ALTERED_TABLE = String.raw`alter table "(\w+)"[^${'`'};]*?`

const RULES: readonly Rule[] = [
  {
    statement: /create (?:unique )?index (?:if not exists )?(?:"\w+" )?on "(\w+)"/gi,
    fault: 'builds an index, and all writes wait for it. Export the statement as `ahead`',
  },
  {
    statement: new RegExp(`${ALTERED_TABLE}add column[^,\`;]*default[^,\`;]*\\(`, 'gi'),
    fault:
      'rewrites every row because of the computed default. Add the column without a default, and fill it in batches',
  },
  {
    statement: new RegExp(`${ALTERED_TABLE}add column[^,\`;]*generated always as`, 'gi'),
    fault:
      'rewrites every row because of the computed column. Compute the value when it is read, or fill an ordinary column',
  },
  {
    // PostgreSQL stores a numeric with and without precision in the same way, so removing the precision rewrites no row.
    statement: new RegExp(`${ALTERED_TABLE}alter column "\\w+" (?:set data )?type(?! numeric(?:[,\`;]|$))`, 'gi'),
    fault: 'rewrites every row because of the new type. Add a column of the new type, and fill it',
  },
  {
    statement: new RegExp(`${ALTERED_TABLE}alter column "(\\w+)" set not null`, 'gi'),
    isWell: ([, table, column], _text, before) => before.includes(`validate constraint "${table}_${column}_not_null"`),
    fault: 'reads every row. In an earlier version, add and validate the check "<table>_<column>_not_null"',
  },
  {
    statement: new RegExp(
      `${ALTERED_TABLE}add constraint "\\w+"\\s+(?:check|foreign key)(?:\\([^)]*\\)|[^,\`;(](?!not valid))*`,
      'gi',
    ),
    isWell: ([text], migration) => migration.slice(migration.indexOf(text)).startsWith(`${text} not valid`),
    fault:
      'reads every row because of the constraint. Add the constraint as "not valid", and validate it in the next version',
  },
  {
    statement: new RegExp(
      `${ALTERED_TABLE}add (?:constraint "\\w+" )?(?:unique|primary key|exclude)\\b(?! using index)`,
      'gi',
    ),
    fault:
      'builds an index, and all writes wait for it. Build the index in `ahead`, and add the constraint with "using index"',
  },
  {
    statement: /\b(?:update|delete from) "(\w+)"/gi,
    // A trigger's function is called for the rows that a request writes.
    isWell: (found, text) => /create (?:or replace )?function[^`]*$/i.test(text.slice(0, found.index)),
    fault: 'locks the rows that it changes. Change the rows in batches in a job',
  },
  {
    statement: /\b(?:cluster|vacuum full|lock table|refresh materialized view)\b[^`]*?"(\w+)"/gi,
    fault: 'locks the whole table. Use a statement that does not lock it',
  },
]

/**
 * Tables and columns that the previous version still uses may be removed only when no process of that version is
 * running.
 */
const CONTRACTION_PATTERN = /\b(?:drop (?:table|column|function|view)|rename (?:to|column|constraint))\b/i
const ANNOUNCEMENT_PATTERN = /unused since version \d+\.\d+/i

/**
 * Returns the errors of a migration as sentences.
 *
 * @param text source of the migration
 * @param before sources of all earlier migrations
 */
export function listMigrationErrors(text: string, before: string): string[] {
  const own = new Set([...text.matchAll(/create table (?:if not exists )?"(\w+)"/gi)].map(([, table]) => table))
  const statements = text.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '')
  const errors = RULES.flatMap(({ statement, isWell, fault }) =>
    [...statements.matchAll(statement)]
      .filter(
        (found) =>
          !own.has(found[1]) && !SMALL_TABLES.has(found[1] ?? '') && isWell?.(found, statements, before) !== true,
      )
      .map(([, table]) => `The statement on "${table}" ${fault}.`),
  )
  if (CONTRACTION_PATTERN.test(statements) && !ANNOUNCEMENT_PATTERN.test(text))
    errors.push(
      'It removes something that the previous version can still use. If an earlier version stopped using it, add the comment "Unused since version …".',
    )
  return errors
}
