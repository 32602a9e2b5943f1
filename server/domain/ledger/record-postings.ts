import { CompiledQuery } from 'kysely'
import { typeid } from 'typeid-js'
import type { Actor } from '../../../client/contract.gen.ts'
import type { WriteCall } from '../../platform/calls/call.ts'
import { PLAN_EACH_TIME } from '../../platform/database/prepared-statements.ts'
import { assertPeriodOpen } from './period.ts'
import { findImbalance, type NewPosting } from './posting.ts'

export interface LedgerEntry {
  /** The ID of the entry. Defaults to a new ID. */
  entryId?: string
  postings: readonly NewPosting[]
  /** The ID of the entry that this entry reverses. */
  reversesEntryId?: string | null
  /** The origin of the figures. Defaults to `recorded`. Use `migrated` for figures from before the ledger existed. */
  basis?: 'recorded' | 'migrated'
  /**
   * An explanation of the entry. The explanation must not contain names of users, because postings cannot be changed
   * when the data of a user is erased.
   */
  note?: string | null
  /** The author of the entry. Defaults to the caller. */
  actor?: Pick<Actor, 'type' | 'id'>
}

/**
 * Records one entry in the ledger. Returns the ID of the entry, or null if all amounts are zero. Locks the state of the
 * period close until the transaction ends, so that a concurrent close cannot close the period of the entry.
 *
 * @throws {Problem} `period_closed` if an effective date is in a closed period. Use `toPostingDate` to get a date in an
 *   open period.
 * @throws {Error} if the amounts of the entry do not balance
 */
export async function recordPostings(call: WriteCall, entry: LedgerEntry): Promise<string | null> {
  const postings = entry.postings.filter(({ amount }) => amount !== 0)
  if (postings.length === 0) return null
  const imbalance = findImbalance(postings)
  if (imbalance !== null)
    throw new Error(`Expected a balanced entry; ${imbalance.key} differs by ${imbalance.difference}.`)
  await assertPeriodOpen(call, [...new Set(postings.map(({ effectiveDate }) => effectiveDate))])
  const {
    entryId = typeid('ent').toString(),
    reversesEntryId = null,
    basis = 'recorded',
    note = null,
    actor: { type, id } = call.actor,
  } = entry
  const shared = [call.organizationId, entryId, call.now.toISOString(), reversesEntryId, basis, note]
  const actor = JSON.stringify({ type, id })
  for (let first = 0; first < postings.length; first += ROWS_PER_STATEMENT) {
    const rows = postings.slice(first, first + ROWS_PER_STATEMENT).map(
      (posting): Record<string, unknown> => ({
        id: typeid('pst').toString(),
        ...posting,
      }),
    )
    const values = rows.flatMap((row) => COLUMNS.map((column) => row[column] ?? null))
    await call.db.executeQuery(CompiledQuery.raw(insertionOf(rows.length), [...shared, actor, ...values]))
  }
  return entryId
}

const COLUMNS = [
  ...['id', 'measure', 'amount', 'effectiveDate', 'homeId', 'scope', 'costCodeId', 'vendorId', 'poId', 'poLineId'],
  ...['billId', 'paymentId', 'saleId'],
]

/** A statement can have at most 65,535 parameters. */
const ROWS_PER_STATEMENT = 500

/** Enough for most entries. The service prepares a separate statement for each number of rows up to this maximum. */
const MAX_PREPARED_ROWS = 8

const NAMES = COLUMNS.map((column) => `"${column}"`).join(', ')

// Inserts the rows as VALUES. They contain a number from a sequence, and a distributed database does not allow such
// rows in INSERT … SELECT.
function insertionOf(count: number): string {
  const rows = Array.from({ length: count }, (_, row) => {
    const values = COLUMNS.map((_, i) => `$${8 + row * COLUMNS.length + i}`)
    return `($1, $2, $3, $4, $5, $6, $7, ${values.join(', ')})`
  })
  return `
    insert into "postings" ("organizationId", "entryId", "recordedAt", "reversesEntryId", "basis", "note", "actor", ${NAMES})
    values ${rows.join(', ')}${count > MAX_PREPARED_ROWS ? PLAN_EACH_TIME : ''}`
}
