import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { PLACEMENT_BY_TABLE, type TablePlacement } from '../../server/platform/database/distribution.ts'

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
  {
    rule: 'The organization of every table is compared with a parameter, also if its rows are locked.',
    isBroken: (text) => listTablesWithoutOrganization(text).length > 0,
  },
  { rule: 'Rows are not found by their place on the disk.', isBroken: (text) => /\bctid\b/.test(text) },
]

/** Matches a table in a statement, with its alias. */
const TABLE =
  /\b(?:from|join|using|update)\s+"(\w+)"(?:\s+(?:as\s+)?(?!(?:where|on|set|left|inner|cross|join|order|group|limit|union|for|using|returning)\b)"?(\w+)"?)?/gi

/**
 * Returns the aliases of the distributed tables in a statement whose organization is not compared with a parameter.
 * Rows that are inserted through the table of organizations are compared with its row, which is equivalent.
 */
function listTablesWithoutOrganization(text: string): string[] {
  const tables = [...text.replaceAll(/'[^']*'/g, "''").matchAll(TABLE)].filter(
    ([, table = '']) => isDistributed(table) && !isPart(text, table),
  )
  const aliases = new Map(tables.map(([, table = '', alias]) => [alias ?? table, table]))
  return [...aliases].flatMap(([alias, table]) => {
    const column = table === 'organizations' ? 'id' : 'organizationId'
    const compared = new RegExp(`(?:"?${alias}"?\\.|(?<![\\w".]))"${column}" = (?:(?:any\\()?\\$\\d|o\\."id")`)
    return compared.test(text) ? [] : [alias]
  })
}

/** Returns whether this name is a part of a `WITH`, which hides the table of the same name. */
function isPart(text: string, name: string): boolean {
  return new RegExp(`"${name}" as (?:materialized )?\\(`).test(text)
}

function isDistributed(table: string): boolean {
  const placement = (PLACEMENT_BY_TABLE as Readonly<Record<string, TablePlacement>>)[table]
  return placement !== undefined && 'by' in placement
}

/** Matches the statements with which the isolation check and tests read the organizations that a call can see. */
const READ_OF_VISIBLE_ORGANIZATIONS = /^select "id" from "organizations"(?: order by "id")?(?: limit 2)?$/

/** Returns the rules that the statement violates. */
export function findBrokenRules(text: string): string[] {
  return RULES.flatMap(({ rule, isBroken }) => (isBroken(text) ? [rule] : []))
}

/** Limits for the error message, so that a truncated log still shows the failed tests. */
const MAX_REPORTED_STATEMENTS = 10
const MAX_REPORTED_CHARACTERS = 800

/**
 * Checks the statements that the test files have sent.
 *
 * @param folder the folder into which each process has written its statements, one JSON string on each line
 */
export function assertStatementsAreSimple(folder: string): void {
  const lines = readdirSync(folder).flatMap((file) => readFileSync(path.join(folder, file), 'utf8').split('\n'))
  const texts = [...new Set(lines.filter((line) => line !== ''))]
    .map((line) => JSON.parse(line) as string)
    .filter((text) => !READ_OF_VISIBLE_ORGANIZATIONS.test(text))
  const broken = texts.flatMap((text) =>
    findBrokenRules(text).map((rule) => `${rule}\n  ${text.trim().slice(0, MAX_REPORTED_CHARACTERS)}`),
  )
  if (broken.length === 0) return
  const reported = broken.slice(0, MAX_REPORTED_STATEMENTS).join('\n\n')
  throw new Error(`${broken.length} statements break rules of docs/decisions/simple-statements.md:\n\n${reported}`)
}
