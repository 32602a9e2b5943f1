import type { CostCode, CostCodeRow, MatchBy } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { createRowChecker } from '../../../platform/calls/row-checker.ts'
import {
  createValueTakenProblem,
  Problem,
  unknownReference,
  validationFailed,
} from '../../../platform/problems/problem.ts'
import { getRowKeys, matchRowsByKey } from '../../../platform/resources/row-keys.ts'
import {
  catchProblem,
  matchRowsByExternalId,
  type PlannedWrite,
  type SyncDefinition,
  type SyncRow,
} from '../../../platform/resources/sync-rows.ts'
import { createKeyLookup } from '../../../platform/values/typed-keys.ts'
import { createAcknowledgeStep } from '../../statuses/ledger-states.ts'
import * as scopes from '../../vendors/scopes/queries.ts'
import { createParentProblem, explainUnsuitableParent } from './cost-code.ts'
import * as costCodes from './queries.ts'

/** Syncs cost codes from an accounting system. Handles each row like a call to createCostCode or updateCostCode. */
export function defineCostCodeSync(
  match: MatchBy | undefined,
  createScopes?: boolean,
): SyncDefinition<'CostCodeRow', CostCode> {
  return {
    schema: 'CostCodeRow',
    ...createAcknowledgeStep('cost_code', match),
    keysOf: ({ code, ...values }) => ({ code, ...getRowKeys(values) }),
    insertAll: costCodes.insertAll,
    updateAll: costCodes.updateAll,

    async decide(call, rows) {
      // This lock also prevents concurrent syncs of cost codes.
      await costCodes.lockCostCodeTree(call)
      const found = await costCodes.lockCostCodesByKeys(call, {
        ids: rows.flatMap(({ values }) => [values.id ?? [], values.parentId ?? []].flat()),
        accountingIds: rows.flatMap(({ values }) => values.accountingId ?? []),
        externalIds: rows.flatMap(({ values }) => values.externalId ?? []),
        codes: rows.flatMap(({ values }) => [values.code ?? [], values.parentCode ?? []].flat()),
      })
      const meant =
        match === undefined
          ? matchRowsByExternalId(rows, found, 'code', ({ code }) => code)
          : matchRowsByKey(rows, found, match)
      const names = rows.flatMap(({ values }) => values.scope ?? [])
      const trades = await scopes.findOrCreateTrades(call, names, createScopes)
      const findInUse = createKeyLookup(
        found.filter(({ archivedAt }) => archivedAt === null),
        ({ code }) => code,
      )
      const requested = rows.map((row, i) =>
        catchProblem(() => planRow(call, row, meant[i] ?? null, { trades, findInUse })),
      )
      const ids = found.map(({ id }) => id)
      const chart = new CostCodeChart(
        requested.flatMap((each) => (each instanceof Problem ? [] : [each])),
        found,
        await costCodes.findAncestors(call, ids),
        await costCodes.countLevelsByCode(call, ids),
      )
      return requested.map((each) => (each instanceof Problem ? each : chart.place(each)))
    },
  }
}

/** A row that is to be placed in the chart. */
interface PlacedRow {
  readonly values: CostCodeRow
  readonly before: CostCode | null
  /** The code after the sync, except for its parent. */
  readonly code: CostCode
  /** The result of the row. The result is undefined until the placement begins, and null until the placement ends. */
  outcome: PlannedWrite<CostCode> | Problem | null | undefined
  parentId: string | null
}

function planRow(
  call: WriteCall,
  { values, given }: SyncRow<CostCodeRow>,
  before: CostCode | Problem | null,
  { trades, findInUse }: { trades: scopes.ResolvedTrades; findInUse(code: string | undefined): CostCode | undefined },
): PlacedRow | Problem {
  if (before instanceof Problem) return before
  const holder = findInUse(values.code)
  if (holder !== undefined && holder.id !== before?.id) return createValueTakenProblem('code', holder.id)
  if (values.parentId != null && values.parentCode !== undefined)
    return validationFailed([{ pointer: '/parentCode', code: 'parentId', message: 'cannot be combined with parentId' }])
  const { id: _id, parentCode: _code, parentId: _parent, scope, ...rest } = values
  const problem = scope == null ? null : scopes.findTradeProblem(call, trades, [{ pointer: '/scope', name: scope }])
  if (problem !== null) return problem
  const spelled = scope == null ? null : (trades.spelled.get(scope) ?? scope)
  const own = { ...rest, ...(given.has('scope') && { scope: spelled }) }
  const code =
    before === null
      ? costCodes.make(call, { ...createRowChecker(call, 'CostCodeCreate')({ ...own }), parentId: null })
      : { ...before, ...own }
  return { values, before, code, outcome: undefined, parentId: before?.parentId ?? null }
}

/** The chart, to which the rows are applied one after the other, starting at the top. */
class CostCodeChart {
  readonly #byId: ReadonlyMap<string, PlacedRow>
  readonly #findByCode: (code: string) => PlacedRow | undefined
  readonly #found: ReadonlyMap<string, CostCode>
  readonly #findInUse: (code: string) => CostCode | undefined
  readonly #parents: ReadonlyMap<string, string | null>
  readonly #levels: ReadonlyMap<string, number>

  constructor(
    requested: readonly PlacedRow[],
    found: readonly CostCode[],
    parents: ReadonlyMap<string, string | null>,
    levels: ReadonlyMap<string, number>,
  ) {
    this.#byId = new Map(requested.map((each) => [each.code.id, each]))
    this.#findByCode = createKeyLookup(requested, ({ code }) => code.code)
    this.#found = new Map(found.map((each) => [each.id, each]))
    this.#findInUse = createKeyLookup(
      found.filter(({ archivedAt }) => archivedAt === null),
      ({ code }) => code,
    )
    this.#parents = parents
    this.#levels = levels
  }

  /** Places the code below its new parent. If other rows move the codes above it, places those rows first. */
  place(requested: PlacedRow): PlannedWrite<CostCode> | Problem {
    if (requested.outcome == null) {
      requested.outcome = null
      requested.outcome = this.#placed(requested)
    }
    return requested.outcome
  }

  #placed(requested: PlacedRow): PlannedWrite<CostCode> | Problem {
    const { before, code, values } = requested
    const isNamed = values.parentId !== undefined || values.parentCode !== undefined
    const parent = isNamed ? this.#parentOf(values) : (before?.parentId ?? null)
    if (parent instanceof Problem) return parent
    // A code that keeps its parent succeeds even if the rows above it fail.
    const path = parent === null || parent === before?.parentId ? [] : this.#pathFrom(parent, requested)
    if (path instanceof Problem) return path
    requested.parentId = parent
    const after = { ...code, parentId: parent }
    const rank = path.length
    return before === null
      ? { id: after.id, made: after, changed: [], rank }
      : { id: after.id, made: null, changed: [{ before, after }], rank }
  }

  #parentOf({ parentId, parentCode }: CostCodeRow): string | null | Problem {
    if (parentCode !== undefined)
      return (
        (this.#findByCode(parentCode)?.code ?? this.#findInUse(parentCode))?.id ?? unknownReference(['/parentCode'])
      )
    if (parentId == null) return null
    return this.#found.has(parentId) ? parentId : unknownReference(['/parentId'])
  }

  /**
   * Returns the IDs from the new parent up to the top level, after placing the rows of these codes. Returns a problem
   * if the code cannot be placed below them.
   */
  #pathFrom(parentId: string, { code, values }: PlacedRow): string[] | Problem {
    const field = values.parentCode === undefined ? 'parentId' : 'parentCode'
    const path: string[] = []
    for (let at: string | null = parentId; at !== null; ) {
      const row: PlacedRow | undefined = this.#byId.get(at)
      if (row?.outcome === null || path.includes(at))
        return createParentProblem('must not be the code itself or a code below it', field)
      if (row !== undefined && this.place(row) instanceof Problem && row.before === null)
        return unknownReference([`/${field}`])
      path.push(at)
      at = row === undefined ? (this.#parents.get(at) ?? null) : row.parentId
    }
    const parent = this.#byId.get(parentId)?.code ?? this.#found.get(parentId)
    const reason = parent === undefined ? null : explainUnsuitableParent(parent, path, this.#levels.get(code.id) ?? 1)
    return reason === null ? path : createParentProblem(reason, field)
  }
}
