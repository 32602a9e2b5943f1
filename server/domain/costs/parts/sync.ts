import type { Part, PartRow, PartsSync } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { rowChecker } from '../../../platform/calls/rows.ts'
import { conflict, Problem, taken, unknownReference } from '../../../platform/problems/problem.ts'
import { meantBy } from '../../../platform/resources/row-keys.ts'
import { type AskedRow, matched, type Outcome, refusedAs, type Sync } from '../../../platform/resources/sync.ts'
import * as scopes from '../../vendors/scopes/queries.ts'
import * as costCodes from '../cost-codes/queries.ts'
import * as parts from './queries.ts'

/** Syncs parts from an external system. Each row is treated like a call of createPart or updatePart. */
export function partSync(match: PartsSync['match'], createScopes?: boolean): Sync<'PartRow', Part> {
  return {
    schema: 'PartRow',
    keysOf: ({ id, sku, externalId }) => ({ id, sku, externalId }),
    insertAll: parts.insertAll,
    updateAll: parts.updateAll,

    async decide(call, rows) {
      await parts.takeTurn(call)
      const found = await parts.lockAll(call, {
        ids: rows.flatMap(({ values }) => values.id ?? []),
        skus: rows.flatMap(({ values }) => values.sku ?? []),
        externalIds: rows.flatMap(({ values }) => values.externalId ?? []),
      })
      const meant = match === undefined ? matched(rows, found, 'sku', ({ sku }) => sku) : meantBy(rows, found, match)
      const surroundings = await read(call, rows, { meant, found, createScopes })
      return rows.map((row, i) => refusedAs(() => outcomeOf(call, row, meant[i] ?? null, surroundings)))
    },
  }
}

interface Read {
  /** Active parts that the rows name by SKU. */
  bySku: ReadonlyMap<string, Part>
  costCodeIds: ReadonlySet<string>
  trades: scopes.Trades
  ofScope: ReadonlyMap<string, string>
  /** IDs of parts whose unit cannot change. Contains only parts whose unit a row changes. */
  priced: ReadonlySet<string>
}

/** Reads everything that the rows refer to, for all rows at once. */
async function read(
  call: WriteCall,
  rows: readonly AskedRow<PartRow>[],
  {
    meant,
    found,
    createScopes,
  }: {
    meant: readonly (Part | Problem | null)[]
    found: readonly Part[]
    createScopes: boolean | undefined
  },
): Promise<Read> {
  const scopeNames = rows.flatMap(({ values }) => values.scope ?? [])
  const ids = new Set(rows.flatMap(({ values }) => values.costCodeId ?? []))
  const inOtherUnit = rows.flatMap(({ values }, i) => {
    const before = meant[i]
    const isOther =
      values.unit !== undefined && before != null && !(before instanceof Problem) && before.unit !== values.unit
    return isOther ? before.id : []
  })
  const trades = await scopes.trades(call, scopeNames, createScopes)
  return {
    bySku: new Map(found.filter(({ archivedAt }) => archivedAt === null).map((part) => [part.sku, part])),
    trades,
    ofScope: trades.spelled.size === 0 ? new Map() : await scopes.defaultCostCodes(call, [...trades.spelled.values()]),
    costCodeIds: ids.size === 0 ? ids : new Set((await costCodes.findAll(call, [...ids])).map(({ id }) => id)),
    priced: inOtherUnit.length === 0 ? new Set() : await parts.withPrices(call, inOtherUnit),
  }
}

function outcomeOf(
  call: WriteCall,
  { values: { id: _id, ...values }, given }: AskedRow<PartRow>,
  before: Part | Problem | null,
  { bySku, costCodeIds, trades, ofScope, priced }: Read,
): Outcome<Part> | Problem {
  if (before instanceof Problem) return before
  const holder = values.sku === undefined ? undefined : bySku.get(values.sku)
  if (holder !== undefined && holder.id !== before?.id) return taken('sku', holder.id)
  if (values.costCodeId != null && !costCodeIds.has(values.costCodeId)) return unknownReference(['/costCodeId'])
  const named = values.scope == null ? [] : [{ pointer: '/scope', name: values.scope }]
  const refusal = scopes.refusal(call, trades, named)
  if (refusal !== null) return refusal
  const scope = values.scope == null ? null : (trades.spelled.get(values.scope) ?? values.scope)
  if (before === null) {
    const whole = rowChecker(call, 'PartCreate')({ ...values })
    const usual = scope === null || given.has('costCodeId') ? null : (ofScope.get(scope) ?? null)
    const made = parts.make(call, { ...whole, scope, costCodeId: values.costCodeId ?? usual })
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
