import type { ContractDocument, Schema } from '../server/platform/calls/contract.ts'

/** Generates the `x-record` of every schema that has one, for the server: kinds, prefixes of IDs and tables. */
export function writeRecordDeclarations(document: ContractDocument): string {
  const schemas = Object.entries((document.components.schemas ?? {}) as Record<string, Schema>)
  const records = schemas.flatMap(([name, { 'x-record': record }]) =>
    record === undefined ? [] : [`  ${name}: ${JSON.stringify(record)},\n`],
  )
  return [
    '/** The records of the contract, from the `x-record` of their schemas. Written by `npm run generate`. */\n',
    'export interface RecordDeclaration {\n',
    '  /** Its name in exports. Undefined for another form of a record, such as a summary. */\n  kind?: string\n',
    '  /** Its name in the audit trail, if that is another one. */\n  auditKind?: string\n',
    '  /** False if no audit entry is about such a record. */\n  audited?: boolean\n',
    '  /** The prefix of its IDs, without the underscore. */\n  prefix: string\n  table: string\n}\n\n',
    `export const records = {\n${records.join('')}} as const satisfies Record<string, RecordDeclaration>\n`,
  ].join('')
}

/** Generates the permissions of `x-roles`: the label of each, and the roles that have it. */
export function writeRolePermissions(document: ContractDocument): string {
  const { roles, permissions, administration } = document['x-roles'] as Record<string, object>
  return [
    "/** The roles and what each may do, from the contract's `x-roles`. Written by `npm run generate`. */\n",
    `export const roles = ${JSON.stringify(Object.keys(roles ?? {}))} as const\n\n`,
    '/** The roles that may read and write something. */\n',
    'export interface Holders {\n  label: string\n  read: readonly string[]\n  write: readonly string[]\n',
    '  /** False if it is never passed on to programs that act for somebody else. */\n  isDelegable?: boolean\n}\n\n',
    `export const permissions = ${writeEntryLines(permissions)} as const satisfies Record<string, Holders>\n\n`,
    `export const administration = ${writeEntryLines(administration)} as const satisfies Record<string, Holders>\n`,
  ].join('')
}

/** Generates the label of each permission, for the pages. */
export function writePermissionLabels(document: ContractDocument): string {
  const { permissions, administration } = document['x-roles'] as Record<string, Record<string, { label: string }>>
  const labels = (entities: Record<string, { label: string }> = {}) =>
    writeEntryLines(Object.fromEntries(Object.entries(entities).map(([name, { label }]) => [name, label])))
  return [
    "/** What each permission is about, from the contract's `x-roles`. Written by `npm run generate`. */\n",
    `export const permissionLabels = ${labels(permissions)} as const\n\n`,
    `export const administrationLabels = ${labels(administration)} as const\n`,
  ].join('')
}

/** Writes one entry per line, so that a changed entry is one changed line in a diff. */
function writeEntryLines(entries: object = {}): string {
  return `{\n${Object.entries(entries)
    .map(([name, entry]) => `  ${name}: ${JSON.stringify(entry)},\n`)
    .join('')}}`
}
