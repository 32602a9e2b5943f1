import type { Part, PartRow, PartsSync } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { createRowChecker } from '../../../platform/calls/row-checker.ts'
import { conflict, createValueTakenProblem, Problem, unknownReference } from '../../../platform/problems/problem.ts'
import { matchRowsByKey } from '../../../platform/resources/row-keys.ts'
import {
  catchProblem,
  matchRowsByExternalId,
  type PlannedWrite,
  type SyncDefinition,
  type SyncRow,
} from '../../../platform/resources/sync-rows.ts'
import { createKeyLookup } from '../../../platform/values/typed-keys.ts'
import * as scopes from '../../vendors/scopes/queries.ts'
import * as costCodes from '../cost-codes/queries.ts'
import * as parts from './queries.ts'

/** Syncs parts from an external system. Handles each row like a call to createPart or updatePart. */
export function definePartSync(match: PartsSync['match'], createScopes?: boolean): SyncDefinition<'PartRow', Part> {
  return {
    schema: 'PartRow',
    keysOf: ({ id, sku, externalId }) => ({ id, sku, externalId }),
    insertAll: parts.insertAll,
    updateAll: parts.updateAll,

    async decide(call, rows) {
      await parts.lockPartSync(call)
      const found = await parts.lockPartsByKeys(call, {
        ids: rows.flatMap(({ values }) => values.id ?? []),
        skus: rows.flatMap(({ values }) => values.sku ?? []),
        externalIds: rows.flatMap(({ values }) => values.externalId ?? []),
      })
      const meant =
        match === undefined
          ? matchRowsByExternalId(rows, found, 'sku', ({ sku }) => sku)
          : matchRowsByKey(rows, found, match)
      const services = await readRowReferences(call, rows, { meant, found, createScopes })
      return rows.map((row, i) => catchProblem(() => planRow(call, row, meant[i] ?? null, services)))
    },
  }
}

interface RowReferences {
  /** Returns the active part with this SKU. */
  findBySku(sku: string | undefined): Part | undefined
  costCodeIds: ReadonlySet<string>
  trades: scopes.ResolvedTrades
  ofScope: ReadonlyMap<string, string>
  /**
   * The IDs of parts whose unit cannot change because the parts have prices. Contains only parts whose unit a row would
   * change.
   */
  priced: ReadonlySet<string>
}

/** Reads all records to which the rows refer, with the same statements for all rows. */
async function readRowReferences(
  call: WriteCall,
  rows: readonly SyncRow<PartRow>[],
  {
    meant,
    found,
    createScopes,
  }: {
    meant: readonly (Part | Problem | null)[]
    found: readonly Part[]
    createScopes: boolean | undefined
  },
): Promise<RowReferences> {
  const scopeNames = rows.flatMap(({ values }) => values.scope ?? [])
  const ids = new Set(rows.flatMap(({ values }) => values.costCodeId ?? []))
  const inOtherUnit = rows.flatMap(({ values }, i) => {
    const before = meant[i]
    const isOther =
      values.unit !== undefined && before != null && !(before instanceof Problem) && before.unit !== values.unit
    return isOther ? before.id : []
  })
  const trades = await scopes.findOrCreateTrades(call, scopeNames, createScopes)
  return {
    findBySku: createKeyLookup(
      found.filter(({ archivedAt }) => archivedAt === null),
      ({ sku }) => sku,
    ),
    trades,
    ofScope:
      trades.spelled.size === 0 ? new Map() : await scopes.findDefaultCostCodes(call, [...trades.spelled.values()]),
    costCodeIds: ids.size === 0 ? ids : new Set((await costCodes.findAll(call, [...ids])).map(({ id }) => id)),
    priced: inOtherUnit.length === 0 ? new Set() : await parts.findPartsWithPrices(call, inOtherUnit),
  }
}

function planRow(
  call: WriteCall,
  { values: { id: _id, ...values }, given }: SyncRow<PartRow>,
  before: Part | Problem | null,
  { findBySku, costCodeIds, trades, ofScope, priced }: RowReferences,
): PlannedWrite<Part> | Problem {
  if (before instanceof Problem) return before
  const holder = findBySku(values.sku)
  if (holder !== undefined && holder.id !== before?.id) return createValueTakenProblem('sku', holder.id)
  if (values.costCodeId != null && !costCodeIds.has(values.costCodeId)) return unknownReference(['/costCodeId'])
  const named = values.scope == null ? [] : [{ pointer: '/scope', name: values.scope }]
  const problem = scopes.findTradeProblem(call, trades, named)
  if (problem !== null) return problem
  const scope = values.scope == null ? null : (trades.spelled.get(values.scope) ?? values.scope)
  if (before === null) {
    const whole = createRowChecker(call, 'PartCreate')({ ...values })
    const defaults = scope === null || given.has('costCodeId') ? null : (ofScope.get(scope) ?? null)
    const made = parts.make(call, { ...whole, scope, costCodeId: values.costCodeId ?? defaults })
    return { id: made.id, made, changed: [] }
  }
  const { unit = before.unit } = values
  if (unit !== before.unit && priced.has(before.id))
    return conflict(
      'in_use',
      `Cannot change the unit of ${before.sku}: the part has prices per ${before.unit}. Create another part instead.`,
    )
  const after: Part = { ...before, ...values, ...(given.has('scope') && { scope }) }
  return { id: before.id, made: null, changed: [{ before, after }] }
}
