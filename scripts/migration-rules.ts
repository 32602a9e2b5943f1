/**
 * Statements that a migration must not contain, because the service is in use while it runs: the previous version
 * serves at the same time, and the tables have grown. All pending migrations are one transaction, so a lock is held
 * until the last of them is done. docs/operating/upgrading.md describes the alternative to each.
 */

/** Migrations up to this one predate the rules and stay as they ran. */
export const LAST_WITHOUT_RULES = '0240_contract_links'

/** Tables that stay small however long the service is in use, so that nobody notices a lock on them. */
const SMALL_TABLES: ReadonlySet<string> = new Set([
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
  /** Finds the statement. Its first group is the table, if it names one. */
  statement: RegExp
  /** Whether the finding is acceptable after all, given the text of the migration and of those before it. */
  isWell?(found: RegExpMatchArray, text: string, before: string): boolean
  fault: string
}

const ALTERED_TABLE = String.raw`alter table "(\w+)"[^${'`'};]*?`

const RULES: readonly Rule[] = [
  {
    statement: /create (?:unique )?index (?:if not exists )?(?:"\w+" )?on "(\w+)"/gi,
    fault: 'builds an index while writers wait: export it as `ahead`',
  },
  {
    statement: new RegExp(`${ALTERED_TABLE}add column[^,\`;]*default[^,\`;]*\\(`, 'gi'),
    fault: 'writes every row anew for a default that is computed: add it without one, and fill it in batches',
  },
  {
    statement: new RegExp(`${ALTERED_TABLE}add column[^,\`;]*generated always as`, 'gi'),
    fault: 'writes every row anew for a computed column: compute it where it is asked for, or fill a plain one',
  },
  {
    // PostgreSQL stores a numeric with and without precision in the same way, so removing the precision rewrites no row.
    statement: new RegExp(`${ALTERED_TABLE}alter column "\\w+" (?:set data )?type(?! numeric(?:[,\`;]|$))`, 'gi'),
    fault: 'writes every row anew for another type: add a column of that type and fill it',
  },
  {
    statement: new RegExp(`${ALTERED_TABLE}alter column "(\\w+)" set not null`, 'gi'),
    isWell: ([, table, column], _text, before) => before.includes(`validate constraint "${table}_${column}_not_null"`),
    fault: 'reads every row: let an earlier version add and validate a check "<table>_<column>_not_null" first',
  },
  {
    statement: new RegExp(
      `${ALTERED_TABLE}add constraint "\\w+"\\s+(?:check|foreign key)(?:[^,\`;](?!not valid))*`,
      'gi',
    ),
    isWell: ([text], migration) => migration.slice(migration.indexOf(text)).startsWith(`${text} not valid`),
    fault: 'reads every row for a constraint: add it "not valid", and validate it in the next version',
  },
  {
    statement: new RegExp(
      `${ALTERED_TABLE}add (?:constraint "\\w+" )?(?:unique|primary key|exclude)\\b(?! using index)`,
      'gi',
    ),
    fault: 'builds an index while writers wait: build it `ahead`, and add the constraint "using index"',
  },
  {
    statement: /\b(?:update|delete from) "(\w+)"/gi,
    // A trigger's function is called for the rows that a request writes.
    isWell: (found, text) => /create (?:or replace )?function[^`]*$/i.test(text.slice(0, found.index)),
    fault: 'locks the rows that it changes: let a job do it in batches',
  },
  {
    statement: /\b(?:cluster|vacuum full|lock table|refresh materialized view)\b[^`]*?"(\w+)"/gi,
    fault: 'locks the whole table',
  },
]

/** Tables and columns that the previous version still uses may only be removed once no process of it runs. */
const CONTRACTION_PATTERN = /\b(?:drop (?:table|column|function|view)|rename (?:to|column|constraint))\b/i
const ANNOUNCEMENT_PATTERN = /unused since version \d+\.\d+/i

/**
 * Returns the faults of a migration as sentences.
 *
 * @param text its source
 * @param before the sources of all migrations before it
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
      .map(([, table]) => `"${table}": it ${fault}.`),
  )
  if (CONTRACTION_PATTERN.test(statements) && !ANNOUNCEMENT_PATTERN.test(text))
    errors.push(
      'It takes away what the version before may use: say in a comment "Unused since version …", which is a version before this one.',
    )
  return errors
}
