import type { AccountingQueue, LedgerType } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Input } from '../../../platform/calls/operation.ts'
import { decodeCursor, encodeCursor, type PagePosition } from '../../../platform/calls/page.ts'
import { problem } from '../../../platform/problems/problem.ts'
import { LEDGER_KINDS, LEDGER_TYPES } from './ledger-kinds.ts'
import { findSyncCandidates, findUnsyncedRecords, findWaitingRecords } from './queries.ts'

/** The maximum number of records that are read for one response. More records may be due. */
const MAX_CANDIDATES = 1000

// The changes of a transaction have the time at which the transaction started, but become visible only when it commits.
// No transaction takes this long, so all changes before this period are visible.
const SETTLING_MS = 60_000

const CURSOR_KIND = 'accounting'
const FIRST_POSITION: PagePosition = { value: '1970-01-01T00:00:00.000Z', id: '' }

/** Returns the records to enter in the accounting system, in the order in which they changed or became due again. */
export async function getSyncQueue(
  call: Call,
  { type, after: token, limit, waiting }: Input<'getAccountingSyncQueue'>['query'],
): Promise<AccountingQueue> {
  const after = token === undefined ? FIRST_POSITION : parsePosition(token)
  const now = call.now.toISOString()
  const requested = { types: listTypes(call, type), after, now, most: MAX_CANDIDATES }
  const found = await (waiting ? findWaitingRecords : findSyncCandidates)(call, requested)
  const items = new Map((await findUnsyncedRecords(call, { found, now, waiting })).map((item) => [item.id, item]))
  // A record that failed and then changed is found twice. Only its first position is returned.
  const places = found.flatMap(({ id }, place) => (items.has(id) ? [{ id, place }] : []))
  const reported = [...new Map(places.toReversed().map(({ id, place }) => [id, place]))].sort(([, a], [, b]) => a - b)
  const shown = reported.slice(0, limit)
  const isCut = reported.length > limit
  const last = found[isCut ? (shown.at(-1)?.[1] ?? 0) : found.length - 1]
  const reached: PagePosition = last === undefined ? after : { value: last.at, id: last.id }
  const hasMore = isCut || found.length === MAX_CANDIDATES
  return {
    asOf: now,
    items: shown.flatMap(([id]) => items.get(id) ?? []),
    resumeAfter: encodeCursor(CURSOR_KIND, hasMore ? reached : clampPosition(reached, after, call.now)),
    hasMore,
  }
}

/**
 * Returns the position from which the next request continues. No change can still become visible before this position.
 * The position is never before the position of the current request.
 */
function clampPosition(reached: PagePosition, after: PagePosition, now: Date): PagePosition {
  const settled: PagePosition = { value: new Date(now.getTime() - SETTLING_MS).toISOString(), id: '' }
  const until = String(reached.value) < String(settled.value) ? reached : settled
  return String(until.value) < String(after.value) ? after : until
}

function parsePosition(token: string): PagePosition {
  const { value, id } = decodeCursor(CURSOR_KIND, token)
  if (typeof value === 'string' && !Number.isNaN(Date.parse(value))) return { value, id }
  return FIRST_POSITION
}

function listTypes(call: Call, requested: LedgerType | undefined): LedgerType[] {
  if (requested !== undefined) {
    assertCanAccessRecords(call, requested, 'read')
    return [requested]
  }
  return LEDGER_TYPES.filter((type) => call.permissions.has(`${LEDGER_KINDS[type].entity}:read`))
}

/** Throws `permission_denied` unless the caller may read or write records of this kind. */
export function assertCanAccessRecords({ permissions }: Call, type: LedgerType, access: 'read' | 'write'): void {
  const permission = `${LEDGER_KINDS[type].entity}:${access}`
  if (permissions.has(permission)) return
  const verb = access === 'read' ? 'Reading' : 'Updating'
  throw problem('permission_denied', `${verb} records of type ${type} requires ${permission}.`, { permission })
}
