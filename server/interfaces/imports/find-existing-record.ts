import { type RawBuilder, sql } from 'kysely'
import type { PossibleDuplicate } from '../../../client/contract.gen.ts'
import { findSimilarVendors, toPossibleDuplicates } from '../../domain/vendors/vendors/possible-duplicates.ts'
import type { WriteCall } from '../../platform/calls/call.ts'
import { validationFailed } from '../../platform/problems/problem.ts'
import { isTypedKeyColumn, toTypedKey } from '../../platform/values/typed-keys.ts'
import type { ImportKindDefinition } from './kinds/import-kind.ts'

/** The record to which a row refers, or the records that the row may duplicate. */
export interface FoundRecord {
  readonly id: string | null
  /**
   * The fields by which the record was found. An update does not change these fields, so the record keeps its own
   * spelling.
   */
  readonly foundBy: readonly string[]
  readonly possibleDuplicates: PossibleDuplicate[]
}

/** Returns the active record to which a row refers, found by the fields that identify records of this kind. */
export async function findExistingRecord(
  call: WriteCall,
  definition: ImportKindDefinition,
  input: Readonly<Record<string, unknown>>,
): Promise<FoundRecord> {
  const tried: (readonly string[])[] = []
  for (const fields of definition.identifiedBy) {
    // If a row has a block and a lot, the row is not compared with lots of the same name in other blocks.
    if (tried.some((longer) => fields.every((field) => longer.includes(field)))) continue
    const keys = fields.map((field) => ({ name: field.replace('?', ''), isOptional: field.endsWith('?') }))
    if (!keys.every(({ name, isOptional }) => isOptional || input[name] !== undefined)) continue
    tried.push(fields)
    // Vendors are compared below, because other spellings of a name must also match.
    if (definition.hasPossibleDuplicates === true && fields.length === 1 && fields[0] === 'companyName') continue
    const found = await findByKeys(
      call,
      definition,
      keys.map(({ name }) => [name, input[name] ?? null] as const),
    )
    if (found !== null) return { id: found, foundBy: keys.map(({ name }) => name), possibleDuplicates: [] }
    // An unknown ID is an error, because an import cannot create a record with a given ID.
    if (fields[0] === 'id')
      throw validationFailed([
        { pointer: '/id', code: 'unknown_reference', message: 'does not exist in your organization' },
      ])
  }
  return definition.hasPossibleDuplicates === true ? findVendor(call, input) : NOT_FOUND
}

const NOT_FOUND: FoundRecord = { id: null, foundBy: [], possibleDuplicates: [] }

/**
 * Finds the record with the given values. The comparison of texts ignores surrounding spaces, case, and Unicode form,
 * because people type these texts. If several records match, returns the record with the exact spelling.
 */
async function findByKeys(
  { db, organizationId }: WriteCall,
  { table, isActiveSql = 't."archivedAt" is null' }: ImportKindDefinition,
  keys: readonly (readonly [string, unknown])[],
): Promise<string | null> {
  const conditions = keys.map(([name, value]) => toCondition(table, name, value))
  const spellings = keys.map(([name, value]) =>
    value === null ? sql`true` : sql`t.${sql.ref(name)}::text = ${String(value)}::text`,
  )
  const { rows } = await sql<{ id: string; isExact: boolean }>`
    select t."id", ${sql.join(spellings, sql` and `)} as "isExact" from ${sql.table(table)} as t
    where t."organizationId" = ${organizationId} and ${sql.raw(isActiveSql)} and ${sql.join(conditions, sql` and `)}
    order by "isExact" desc limit 2`.execute(db)
  const [first, second] = rows
  if (second !== undefined && (first?.isExact !== true || second.isExact)) {
    const [[name = ''] = []] = keys.slice(-1)
    const message = 'matches more than one record; add a column with the Plumbline ID or the external ID'
    throw validationFailed([{ pointer: `/${name}`, code: 'ambiguous_reference', message }])
  }
  return first?.id ?? null
}

function toCondition(table: string, name: string, value: unknown): RawBuilder<unknown> {
  if (value === null) return sql`t.${sql.ref(name)} is null`
  // Other systems store an email address either as typed or in lowercase.
  if (name === 'email') return sql`t."email" in (${value}, ${String(value).toLowerCase()})`
  if (isTypedKeyColumn(table, name)) return sql`t.${sql.ref(`${name}Key`)} = "typedKey"(${value})`
  return COMPARED_AS_TEXT.has(name)
    ? sql`"typedKey"(t.${sql.ref(name)}) = "typedKey"(${value})`
    : sql`t.${sql.ref(name)} = ${value}`
}

/** Key fields that people type but for which the table has no column with the normalized value. */
const COMPARED_AS_TEXT: ReadonlySet<string> = new Set(['name', 'scope', 'description'])

/** Returns the vendor with the same name in any case, or the vendors that a row may duplicate. */
async function findVendor(call: WriteCall, input: Readonly<Record<string, unknown>>): Promise<FoundRecord> {
  const { companyName, email, phone, accountingId, externalId } = input
  if (typeof companyName !== 'string') return NOT_FOUND
  const alike = await findSimilarVendors(call, { companyName, email: toText(email), phone: toText(phone) })
  const name = toTypedKey(companyName)
  const same = alike.filter((vendor) => toTypedKey(vendor.companyName) === name)
  const [only] = same
  // If the row has a different number, it may be about another vendor with the same name.
  if (only !== undefined && new Set(same.map(({ id }) => id)).size === 1) {
    const other = await findOtherKeys(call, only.id, { accountingId, externalId })
    if (!other) return { id: only.id, foundBy: ['companyName'], possibleDuplicates: [] }
  }
  return { ...NOT_FOUND, possibleDuplicates: toPossibleDuplicates(alike) }
}

/** Returns whether the vendor already has a number that differs from the number in the row. */
async function findOtherKeys(
  { db, organizationId }: WriteCall,
  id: string,
  keys: Readonly<Record<'accountingId' | 'externalId', unknown>>,
): Promise<boolean> {
  const { rows } = await sql<{ accountingId: string | null; externalId: string | null }>`
    select "accountingId", "externalId" from "vendors"
    where "organizationId" = ${organizationId} and "id" = ${id}`.execute(db)
  const [vendor] = rows
  const differs = (own: string | null | undefined, sent: unknown) => own != null && sent !== undefined && own !== sent
  const [own, sent] = [vendor?.accountingId, keys.accountingId].map((key) =>
    typeof key === 'string' ? toTypedKey(key) : undefined,
  )
  return differs(own, sent) || differs(vendor?.externalId, keys.externalId)
}

function toText(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
