import type {
  AccountingAcknowledged,
  AccountingAcknowledgement,
  AcknowledgedRow,
  LedgerType,
} from '../../../../client/contract.gen.ts'
import { getIdRange } from '../../../platform/audit/resource-prefixes.ts'
import { type Call, recordChange, type WriteCall } from '../../../platform/calls/call.ts'
import { conflict, notFound, Problem, toRowProblem, validationFailed } from '../../../platform/problems/problem.ts'
import { findLedgerStates, type LedgerState, NOTHING_FAILED, storeLedgerStates } from '../../statuses/ledger-states.ts'
import { LEDGER_KINDS, LEDGER_TYPES } from './ledger-kinds.ts'
import { findRecordsByAccountingIds } from './queries.ts'
import { assertCanAccessRecords } from './sync-queue.ts'

const MINUTE_MS = 60_000
/**
 * The number of minutes until a record is due again, after its first failure, its second failure, and so on. After the
 * last entry, the wait stays the same.
 */
const RETRY_MINUTES = [1, 5, 30, 120, 720, 1440]

/**
 * Stores which records the accounting system has entered and which records it failed to enter. A row that is invalid
 * does not affect the other rows.
 */
export async function acknowledgeRows(
  call: Call,
  rows: readonly AccountingAcknowledgement[],
): Promise<AccountingAcknowledged> {
  try {
    return await acknowledgeAll(call, rows)
  } catch (error) {
    if (!isIdTakenMeanwhile(error) || call.isWriting) throw error
    // The other transaction has committed, so the retry finds the record with the same accounting ID and rejects only
    // that row.
    return acknowledgeAll(call, rows)
  }
}

/**
 * Returns whether a concurrent transaction has given the same accounting ID to another record. If so, the database has
 * aborted the current transaction.
 */
function isIdTakenMeanwhile(error: unknown): boolean {
  return error instanceof Problem && error.held !== null
}

function acknowledgeAll(call: Call, rows: readonly AccountingAcknowledgement[]): Promise<AccountingAcknowledged> {
  return call.write(async (call) => {
    const reported = new Map<number, AcknowledgedRow>()
    const states = new Map(await findLedgerStates(call, listIds(rows)))
    const changed = new Map<string, LedgerState>()
    // All requests lock records in the order of their IDs, so concurrent requests cannot deadlock.
    const inOrder = rows.map((row, place) => ({ row, place })).sort((a, b) => compareIds(a.row.id, b.row.id))
    for (const { row, place } of inOrder) {
      const one = await acknowledgeOne(call, row, states.get(row.id))
      if (one.state !== null) {
        states.set(row.id, one.state)
        changed.set(row.id, one.state)
        recordChange(call, row.id, 'updated', ['accountingSync'])
      }
      reported.set(place, { row: place, id: row.id, ...one.told })
    }
    await storeLedgerStates(call, [...changed.values()])
    return toAcknowledged(rows.flatMap((_row, place) => reported.get(place) ?? []))
  })
}

interface AcknowledgementOutcome {
  told: Omit<AcknowledgedRow, 'row' | 'id'>
  state: LedgerState | null
}

async function acknowledgeOne(
  call: WriteCall,
  row: AccountingAcknowledgement,
  known: LedgerState | undefined,
): Promise<AcknowledgementOutcome> {
  try {
    const type = requireLedgerType(row.id)
    assertCanAccessRecords(call, type, 'write')
    const before = await LEDGER_KINDS[type].lock(call, row.id)
    if (row.version > before.version)
      throw conflict(
        'changed_meanwhile',
        `Cannot acknowledge version ${row.version}: the current version is ${before.version}.`,
      )
    if (row.retry) return retryNow(call, row, before.version, known)
    if (row.error !== undefined) return toFailed(call, type, row, row.error, before.version, known)
    const accountingId = row.accountingId ?? before.accountingId
    if (accountingId === null)
      throw conflict(
        'missing_data',
        'Cannot acknowledge the record: it has no accountingId. Send the accountingId that the accounting system assigned.',
      )
    if (before.accountingId !== null && before.accountingId !== accountingId)
      throw conflict('fixed', `The record is already linked to ${before.accountingId} in accounting.`)
    if (before.accountingId === null) {
      const taken = (await findRecordsByAccountingIds(call, type, [accountingId])).get(accountingId)
      if (taken !== undefined)
        throw conflict('value_taken', `${taken.label} is already linked to ${accountingId} in accounting.`, {
          conflictingId: taken.id,
        })
    }
    const after = before.accountingId === null ? await LEDGER_KINDS[type].link(call, before, accountingId) : before
    // The accounting ID came from the client, so the client also has the version that setting this ID created.
    const entered = row.version === before.version ? after.version : row.version
    const version = Math.max(entered, known?.version ?? 0)
    const status = version === after.version ? 'acknowledged' : 'stale'
    return {
      told: { status, version: after.version, conflictingId: null, problem: null },
      state: { ...NOTHING_FAILED, recordId: row.id, type, version, syncedAt: call.now.toISOString() },
    }
  } catch (error) {
    if (error instanceof Problem && !isIdTakenMeanwhile(error)) return toRefused(error)
    throw error
  }
}

function toFailed(
  call: Call,
  type: LedgerType,
  row: AccountingAcknowledgement,
  error: string,
  version: number,
  known: LedgerState | undefined,
): AcknowledgementOutcome {
  const attempts = (known?.attempts ?? 0) + 1
  const minutes = RETRY_MINUTES[Math.min(attempts, RETRY_MINUTES.length) - 1] ?? 0
  const retryAt = new Date(call.now.getTime() + minutes * MINUTE_MS).toISOString()
  return {
    told: { status: 'error_recorded', version, conflictingId: null, problem: null },
    state: {
      ...{ recordId: row.id, type, version: known?.version ?? null, syncedAt: known?.syncedAt ?? null },
      ...{ failedVersion: row.version, error, attempts, retryAt },
    },
  }
}

/** Returns a failed record to the queue now. The number of its attempts does not change. */
function retryNow(
  call: Call,
  { accountingId, error }: AccountingAcknowledgement,
  version: number,
  known: LedgerState | undefined,
): AcknowledgementOutcome {
  const given = accountingId !== undefined ? 'accountingId' : error !== undefined ? 'error' : undefined
  if (given !== undefined)
    throw validationFailed([{ pointer: `/${given}`, code: 'exclusive', message: 'cannot be combined with retry' }])
  if (known === undefined || known.retryAt === null)
    throw conflict('wrong_status', 'Cannot retry the record: its last attempt did not fail.')
  return {
    told: { status: 'error_recorded', version, conflictingId: null, problem: null },
    state: { ...known, retryAt: call.now.toISOString() },
  }
}

function toRefused(fault: Problem): AcknowledgementOutcome {
  const reported = toRowProblem(fault)
  const { conflictingId } = reported
  return { told: { status: 'refused', version: null, conflictingId, problem: reported }, state: null }
}

function requireLedgerType(id: string): LedgerType {
  const type = LEDGER_TYPES.find((type) => {
    const { from, to } = getIdRange(type)
    return id >= from && id < to
  })
  if (type === undefined) throw notFound()
  return type
}

function listIds(rows: readonly AccountingAcknowledgement[]): string[] {
  return [...new Set(rows.map(({ id }) => id))]
}

const compareIds = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

function toAcknowledged(rows: AcknowledgedRow[]): AccountingAcknowledged {
  const counted = (status: AcknowledgedRow['status']) => rows.filter((row) => row.status === status).length
  return {
    acknowledged: counted('acknowledged'),
    stale: counted('stale'),
    errorsRecorded: counted('error_recorded'),
    refused: counted('refused'),
    rows,
  }
}
