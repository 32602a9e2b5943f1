import type { CostCode, CostCodeRow, MatchBy } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { rowChecker } from '../../../platform/calls/rows.ts'
import { invalid, Problem, taken, unknownReference } from '../../../platform/problems/problem.ts'
import { keysOf, meantBy } from '../../../platform/resources/row-keys.ts'
import { type AskedRow, matched, type Outcome, refusedAs, type Sync } from '../../../platform/resources/sync.ts'
import { saidThere } from '../../statuses/ledger-states.ts'
import * as scopes from '../../vendors/scopes/queries.ts'
import { notBelow, reasonNotBelow } from './cost-code.ts'
import * as costCodes from './queries.ts'

/** Syncs cost codes from an accounting system. Each row is treated like a call of createCostCode or updateCostCode. */
export function costCodeSync(match: MatchBy | undefined, createScopes?: boolean): Sync<'CostCodeRow', CostCode> {
  return {
    schema: 'CostCodeRow',
    ...saidThere('cost_code', match),
    keysOf: ({ code, ...values }) => ({ code, ...keysOf(values) }),
    insertAll: costCodes.insertAll,
    updateAll: costCodes.updateAll,

    async decide(call, rows) {
      // The lock also makes concurrent syncs of cost codes run one after the other.
      await costCodes.lockTree(call)
      const found = await costCodes.lockAll(call, {
        ids: rows.flatMap(({ values }) => [values.id ?? [], values.parentId ?? []].flat()),
        accountingIds: rows.flatMap(({ values }) => values.accountingId ?? []),
        externalIds: rows.flatMap(({ values }) => values.externalId ?? []),
        codes: rows.flatMap(({ values }) => [values.code ?? [], values.parentCode ?? []].flat()),
      })
      const meant = match === undefined ? matched(rows, found, 'code', ({ code }) => code) : meantBy(rows, found, match)
      const names = rows.flatMap(({ values }) => values.scope ?? [])
      const trades = await scopes.trades(call, names, createScopes)
      const inUse = new Map(found.flatMap((each) => (each.archivedAt === null ? [[each.code, each] as const] : [])))
      const wanted = rows.map((row, i) => refusedAs(() => wantedOf(call, row, meant[i] ?? null, { trades, inUse })))
      const ids = found.map(({ id }) => id)
      const chart = new Chart(
        wanted.flatMap((each) => (each instanceof Problem ? [] : [each])),
        found,
        await costCodes.parentsOf(call, ids),
        await costCodes.levelsOfAll(call, ids),
      )
      return wanted.map((each) => (each instanceof Problem ? each : chart.place(each)))
    },
  }
}

/** A row that is being placed in the chart. */
interface Wanted {
  readonly values: CostCodeRow
  readonly before: CostCode | null
  /** The resulting code, except for its parent. */
  readonly code: CostCode
  /** Undefined until the row is placed, and null while it is being placed. */
  outcome: Outcome<CostCode> | Problem | null | undefined
  parentId: string | null
}

function wantedOf(
  call: WriteCall,
  { values, given }: AskedRow<CostCodeRow>,
  before: CostCode | Problem | null,
  { trades, inUse }: { trades: scopes.Trades; inUse: ReadonlyMap<string, CostCode> },
): Wanted | Problem {
  if (before instanceof Problem) return before
  const holder = values.code === undefined ? undefined : inUse.get(values.code)
  if (holder !== undefined && holder.id !== before?.id) return taken('code', holder.id)
  if (values.parentId != null && values.parentCode !== undefined)
    return invalid([{ pointer: '/parentCode', code: 'parentId', message: 'cannot be combined with parentId' }])
  const { id: _id, parentCode: _code, parentId: _parent, scope, ...rest } = values
  const refusal = scope == null ? null : scopes.refusal(call, trades, [{ pointer: '/scope', name: scope }])
  if (refusal !== null) return refusal
  const spelled = scope == null ? null : (trades.spelled.get(scope) ?? scope)
  const own = { ...rest, ...(given.has('scope') && { scope: spelled }) }
  const code =
    before === null
      ? costCodes.make(call, { ...rowChecker(call, 'CostCodeCreate')({ ...own }), parentId: null })
      : { ...before, ...own }
  return { values, before, code, outcome: undefined, parentId: before?.parentId ?? null }
}

/** The chart as the rows change it one after the other, those nearest the top first. */
class Chart {
  readonly #byId: ReadonlyMap<string, Wanted>
  readonly #byCode: ReadonlyMap<string, Wanted>
  readonly #found: ReadonlyMap<string, CostCode>
  readonly #inUse: ReadonlyMap<string, CostCode>
  readonly #parents: ReadonlyMap<string, string | null>
  readonly #levels: ReadonlyMap<string, number>

  constructor(
    wanted: readonly Wanted[],
    found: readonly CostCode[],
    parents: ReadonlyMap<string, string | null>,
    levels: ReadonlyMap<string, number>,
  ) {
    this.#byId = new Map(wanted.map((each) => [each.code.id, each]))
    this.#byCode = new Map(wanted.map((each) => [each.code.code, each]))
    this.#found = new Map(found.map((each) => [each.id, each]))
    this.#inUse = new Map(found.filter(({ archivedAt }) => archivedAt === null).map((each) => [each.code, each]))
    this.#parents = parents
    this.#levels = levels
  }

  /** Places the code below its new parent, after the rows above it. */
  place(wanted: Wanted): Outcome<CostCode> | Problem {
    if (wanted.outcome == null) {
      wanted.outcome = null
      wanted.outcome = this.#placed(wanted)
    }
    return wanted.outcome
  }

  #placed(wanted: Wanted): Outcome<CostCode> | Problem {
    const { before, code, values } = wanted
    const isNamed = values.parentId !== undefined || values.parentCode !== undefined
    const parent = isNamed ? this.#parentOf(values) : (before?.parentId ?? null)
    if (parent instanceof Problem) return parent
    // A code that keeps its parent does not fail because of the rows above it.
    const path = parent === null || parent === before?.parentId ? [] : this.#pathFrom(parent, wanted)
    if (path instanceof Problem) return path
    wanted.parentId = parent
    const after = { ...code, parentId: parent }
    const rank = path.length
    return before === null
      ? { id: after.id, made: after, changed: [], rank }
      : { id: after.id, made: null, changed: [{ before, after }], rank }
  }

  #parentOf({ parentId, parentCode }: CostCodeRow): string | null | Problem {
    if (parentCode !== undefined)
      return (
        (this.#byCode.get(parentCode)?.code ?? this.#inUse.get(parentCode))?.id ?? unknownReference(['/parentCode'])
      )
    if (parentId == null) return null
    return this.#found.has(parentId) ? parentId : unknownReference(['/parentId'])
  }

  /**
   * Returns the IDs from the new parent up to the top level, after placing every row among them. Returns a problem if
   * the code cannot be below them.
   */
  #pathFrom(parentId: string, { code, values }: Wanted): string[] | Problem {
    const field = values.parentCode === undefined ? 'parentId' : 'parentCode'
    const path: string[] = []
    for (let at: string | null = parentId; at !== null; ) {
      const row: Wanted | undefined = this.#byId.get(at)
      if (row?.outcome === null || path.includes(at))
        return notBelow('must not be the code itself or a code below it', field)
      if (row !== undefined && this.place(row) instanceof Problem && row.before === null)
        return unknownReference([`/${field}`])
      path.push(at)
      at = row === undefined ? (this.#parents.get(at) ?? null) : row.parentId
    }
    const parent = this.#byId.get(parentId)?.code ?? this.#found.get(parentId)
    const reason = parent === undefined ? null : reasonNotBelow(parent, path, this.#levels.get(code.id) ?? 1)
    return reason === null ? path : notBelow(reason, field)
  }
}
