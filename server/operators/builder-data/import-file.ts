import { createReadStream } from 'node:fs'
import { access } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import type { TextRow } from '../move/copy-table.ts'
import { EXPORT_FORMAT } from './export-line.ts'
import { ImportError } from './import-error.ts'
import type { RowsHeader } from './stored-rows.ts'

export interface ImportHeader extends RowsHeader {
  organizationId: string
}

export interface ImportRow {
  table: string
  row: TextRow
}

/**
 * Reads the first line of an export.
 *
 * @throws {ImportError} unless the file is an export with rows
 */
export async function readHeader(file: string): Promise<ImportHeader> {
  const [first = ''] = await takeFirstLines(readLines(file))
  const { kind, data } = asObject(parseLine(first))
  const header = asObject(data)
  if (kind !== 'export' || header.format !== EXPORT_FORMAT || !isIdWithPrefix('org', header.organizationId))
    throw new ImportError(
      `${file} is not an export of a builder in the format ${EXPORT_FORMAT}. Export the builder again.`,
    )
  if (header.import === undefined)
    throw new ImportError(
      `${file} has no rows to import. Export the builder again with "organizations export --for-import".`,
    )
  const { migration, rows, portalLinks } = asObject(header.import)
  return {
    organizationId: header.organizationId,
    migration: typeof migration === 'string' ? migration : null,
    rows: Object.fromEntries(Object.entries(asObject(rows)).map(([table, count]) => [table, Number(count)])),
    portalLinks: Number(portalLinks),
  }
}

// Returns whether a value is a well-formed ID with this prefix. Must be checked, because IDs of organizations and
// attachments are used in paths of files.
export function isIdWithPrefix(prefix: string, value: unknown): value is string {
  return typeof value === 'string' && new RegExp(`^${prefix}_[0-9a-hjkmnp-tv-z]{26}$`).test(value)
}

/**
 * Yields the rows in the order of the file. Only one line is in memory at a time.
 *
 * @throws {ImportError} for a line that is not a row
 */
export async function* readRows(file: string): AsyncGenerator<ImportRow> {
  let number = 0
  for await (const text of readLines(file)) {
    number++
    if (!text.startsWith('{"kind":"row"')) continue
    const { table, row } = asObject(asObject(parseLine(text)).data)
    const values = Object.entries(asObject(row))
    if (typeof table !== 'string' || values.some(([, value]) => value !== null && typeof value !== 'string'))
      throw new ImportError(`Line ${number} of ${file} is damaged. Export the builder again.`)
    yield { table, row: Object.fromEntries(values) as TextRow }
  }
}

async function* readLines(file: string): AsyncGenerator<string> {
  await access(file).catch(() => {
    throw new ImportError(`Cannot read ${file}. Check the path and its permissions.`)
  })
  yield* createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })
}

async function takeFirstLines(lines: AsyncGenerator<string>): Promise<string[]> {
  for await (const text of lines) return [text]
  return []
}

function parseLine(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
