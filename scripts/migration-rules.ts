/**
 * Rejects statements that a migration must not contain. During a migration, the previous version still serves requests,
 * and tables can be large. All pending migrations run in one transaction, which holds its locks until the last
 * migration is done. docs/operating/upgrading.md describes an alternative to each rejected statement.
 */

/** The last migration before the introduction of these rules. This migration and all earlier ones remain unchanged. */
export const LAST_WITHOUT_RULES = '0240_contract_links'

/**
 * Migrations that require downtime: all processes of the previous version must stop first. Most of these migrations
 * change the meaning of records. For example, payments now require bills, and an old process would pay an order without
 * a bill.
 */
export const WITH_DOWNTIME: ReadonlySet<string> = new Set([
  '0500_bills',
  '0501_bills_of_payments',
  '0502_bill_postings',
  // This migration rewrites eleven tables, which stay locked until all migrations are done.
  '0561_typed_keys',
  // This migration posts existing amounts of owners and loans. The previous version would not post new amounts.
  '0721_owner_postings',
  // This migration rewrites all tasks that have dependencies.
  '0730_lag_units',
  // Changes the totals of bids, to which the previous version would add alternates again.
  '0801_bid_totals_without_alternates',
])

/** Tables that stay small even if the service is used for years. Users do not notice a lock on them. */
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
  /** The pattern that finds the statement. The first group is the name of the table, if there is one. */
  statement: RegExp
  /** Returns whether the statement is acceptable, given the texts of the migration and of all earlier migrations. */
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
    // Removing the precision of a numeric column is acceptable, because it rewrites no rows: PostgreSQL stores such
    // values in the same way.
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
    // Statements in the function of a trigger are acceptable, because they apply only to the rows that a request
    // writes.
    isWell: (found, text) => /create (?:or replace )?function[^`]*$/i.test(text.slice(0, found.index)),
    fault: 'locks the rows that it changes. Change the rows in batches in a job',
  },
  {
    statement: /\b(?:cluster|vacuum full|lock table|refresh materialized view)\b[^`]*?"(\w+)"/gi,
    fault: 'locks the whole table. Use a statement that does not lock it',
  },
]

/**
 * Matches statements that remove or rename tables and columns. The previous version still uses these, so they may be
 * removed only when none of its processes is running.
 */
const CONTRACTION_PATTERN = /\b(?:drop (?:table|column|function|view)|rename (?:to|column|constraint))\b/i
const ANNOUNCEMENT_PATTERN = /unused since version \d+\.\d+/i

/**
 * Returns the errors in a migration as sentences.
 *
 * @param text the source of the migration
 * @param before the sources of all earlier migrations
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
