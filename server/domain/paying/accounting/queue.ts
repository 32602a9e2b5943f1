import type { AccountingQueue, LedgerType } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Input } from '../../../platform/calls/operation.ts'
import { type Position, readCursor, writeCursor } from '../../../platform/calls/page.ts'
import { problem } from '../../../platform/problems/problem.ts'
import { LEDGER_KINDS, LEDGER_TYPES } from './kinds.ts'
import { candidates, unknownThere } from './queries.ts'

/** The maximum number of records read for one response, whether or not any of them is due. */
const MOST_CANDIDATES = 1000

// A transaction's changes have the time at which it began, but are visible only once it ends. No transaction takes this
// long, so all earlier changes are visible.
const SETTLED_MS = 60_000

const CURSOR = 'accounting'
const BEGINNING: Position = { value: '1970-01-01T00:00:00.000Z', id: '' }

/** Returns the records to enter into the accounting system, in the order in which they changed or became due again. */
export async function queueOf(
  call: Call,
  { type, after: token, limit }: Input<'getAccountingSyncQueue'>['query'],
): Promise<AccountingQueue> {
  const after = token === undefined ? BEGINNING : positionOf(token)
  const now = call.now.toISOString()
  const found = await candidates(call, { types: typesFor(call, type), after, now, most: MOST_CANDIDATES })
  const items = new Map((await unknownThere(call, { found, now })).map((item) => [item.id, item]))
  // A record that failed and then changed is found twice, and returned at its first position.
  const places = found.flatMap(({ id }, place) => (items.has(id) ? [{ id, place }] : []))
  const told = [...new Map(places.toReversed().map(({ id, place }) => [id, place]))].sort(([, a], [, b]) => a - b)
  const shown = told.slice(0, limit)
  const isCut = told.length > limit
  const last = found[isCut ? (shown.at(-1)?.[1] ?? 0) : found.length - 1]
  const reached: Position = last === undefined ? after : { value: last.at, id: last.id }
  const hasMore = isCut || found.length === MOST_CANDIDATES
  return {
    asOf: now,
    items: shown.flatMap(([id]) => items.get(id) ?? []),
    resumeAfter: writeCursor(CURSOR, hasMore ? reached : earlier(reached, after, call.now)),
    hasMore,
  }
}

/**
 * Returns the position to continue from: early enough that nothing can still appear before it, but not before where the
 * request began.
 */
function earlier(reached: Position, after: Position, now: Date): Position {
  const settled: Position = { value: new Date(now.getTime() - SETTLED_MS).toISOString(), id: '' }
  const until = String(reached.value) < String(settled.value) ? reached : settled
  return String(until.value) < String(after.value) ? after : until
}

function positionOf(token: string): Position {
  const { value, id } = readCursor(CURSOR, token)
  if (typeof value === 'string' && !Number.isNaN(Date.parse(value))) return { value, id }
  return BEGINNING
}

function typesFor(call: Call, asked: LedgerType | undefined): LedgerType[] {
  if (asked !== undefined) {
    assertMay(call, asked, 'read')
    return [asked]
  }
  return LEDGER_TYPES.filter((type) => call.permissions.has(`${LEDGER_KINDS[type].entity}:read`))
}

/** Throws `permission_denied` unless the caller may read or write records of the kind. */
export function assertMay({ permissions }: Call, type: LedgerType, what: 'read' | 'write'): void {
  const permission = `${LEDGER_KINDS[type].entity}:${what}`
  if (permissions.has(permission)) return
  const verb = what === 'read' ? 'Reading' : 'Updating'
  throw problem('permission_denied', `${verb} records of type ${type} requires ${permission}.`, { permission })
}
