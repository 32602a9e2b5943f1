import { CompiledQuery } from 'kysely'
import { typeid } from 'typeid-js'
import type { Actor } from '../../../client/contract.gen.ts'
import type { WriteCall } from '../../platform/calls/call.ts'
import { assertPeriodOpen } from './period.ts'
import { findImbalance, type NewPosting } from './posting.ts'

export interface Entry {
  /** Default: a new ID. */
  entryId?: string
  postings: readonly NewPosting[]
  /** The entry that this one takes back. */
  reversesEntryId?: string | null
  /** Default: `recorded`. `migrated` is for figures from before the ledger. */
  basis?: 'recorded' | 'migrated'
  /** Generated text without names of people, because postings cannot be changed when a person is erased. */
  note?: string | null
  /** Default: the caller. */
  actor?: Pick<Actor, 'type' | 'id'>
}

/**
 * Records one entry in the ledger and returns its ID; null if every amount is zero. Holds the state of the period close
 * until the transaction ends, so that nothing is posted into a period while it is being closed.
 *
 * @throws {Problem} `period_closed` if an effective date is in a closed period; `toPostingDate` finds one that is not
 * @throws {Error} if the identity of the ledger would not hold
 */
export async function recordPostings(call: WriteCall, entry: Entry): Promise<string | null> {
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
  const rows = postings.map((posting) => ({ id: typeid('pst').toString(), ...posting }))
  const values = [...shared, JSON.stringify({ type, id }), JSON.stringify(rows)]
  await call.db.executeQuery(CompiledQuery.raw(INSERT, values))
  return entryId
}

const GIVEN = `"id" text, "measure" text, "amount" numeric, "effectiveDate" date, "homeId" text, "scope" text,
  "costCodeId" text, "vendorId" text, "poId" text, "poLineId" text, "billId" text, "paymentId" text, "saleId" text`
const NAMES = GIVEN.replaceAll(/ (?:text|numeric|date)/g, '')

const INSERT = `
  insert into "postings" ("organizationId", "entryId", "recordedAt", "reversesEntryId", "basis", "note", "actor", ${NAMES})
  select $1, $2, $3, $4, $5, $6, $7, ${NAMES} from json_to_recordset($8::json) as r (${GIVEN})`
