import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

/**
 * The rules in docs/decisions/simple-statements.md that can be checked in the text of a statement. They apply to
 * statements for one organization. A distributed database rejects statements that violate them.
 */
const RULES: readonly { rule: string; isBroken(text: string): boolean }[] = [
  {
    rule: 'Rows to insert that come from a function are joined with "organizations", whose node then inserts them.',
    isBroken: (text) =>
      /^\s*insert into[^;]*\bselect\b/is.test(text) &&
      /\b(?:json_populate_recordset|jsonb?_to_recordset|unnest)\(/i.test(text) &&
      !/\bfrom "organizations"/i.test(text),
  },
  {
    rule: 'Rows with a number from a sequence are inserted as values.',
    isBroken: (text) => /^\s*insert into "(?:events|postings|searchQueue)"[^;]*\bselect\b/is.test(text),
  },
  {
    rule: 'Rows are locked by a statement that compares their organization with a parameter.',
    isBroken: (text) =>
      /\bfor (?:no key )?update\b|\bfor (?:key )?share\b/i.test(text) &&
      !/"organizationId" = \$\d|"organizations"[^;]* where [^;]*"id" = \$\d/is.test(text),
  },
  {
    rule: 'Nothing is computed in RETURNING.',
    isBroken: (text) =>
      /\breturning\b[^;]*(?:\b(?:to_char|jsonb?_build_object|jsonb?_agg|trim_scale)\(|"\w*(?:Date|On|At)"::text)/is.test(
        text,
      ),
  },
  {
    rule: 'The start of a day is not computed in an update. It is read first.',
    isBroken: (text) => /^\s*update\b[^;]*"dayStart"\(/is.test(text),
  },
  {
    rule: 'No part of a WITH changes data.',
    isBroken: (text) => /\bas (?:not )?(?:materialized )?\(\s*(?:update|insert into|delete from)\b/i.test(text),
  },
  { rule: 'Rows are not found by their place on the disk.', isBroken: (text) => /\bctid\b/.test(text) },
]

/** Returns the rules that the statement violates. */
export function findBrokenRules(text: string): string[] {
  return RULES.flatMap(({ rule, isBroken }) => (isBroken(text) ? [rule] : []))
}

/**
 * Checks the statements that the test files have sent.
 *
 * @param folder the folder into which each process has written its statements, one JSON string on each line
 */
export function assertStatementsAreSimple(folder: string): void {
  const lines = readdirSync(folder).flatMap((file) => readFileSync(path.join(folder, file), 'utf8').split('\n'))
  const texts = [...new Set(lines.filter((line) => line !== ''))]
    .map((line) => JSON.parse(line) as string)
    // Ignores the statements of the test of row-level security, which lack the condition on the organization.
    .filter((text) => !text.includes('$1::text is not null'))
  const broken = texts.flatMap((text) => findBrokenRules(text).map((rule) => `${rule}\n  ${text.trim()}`))
  if (broken.length > 0)
    throw new Error(`Statements break rules of docs/decisions/simple-statements.md:\n\n${broken.join('\n\n')}`)
}
