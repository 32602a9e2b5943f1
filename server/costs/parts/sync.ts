import type { Part, PartCreate } from '../../../client/contract.gen.ts'
import * as scopes from '../../bidding/scopes/queries.ts'
import type { WriteCall } from '../../http/call.ts'
import { conflict, Problem, unknownReference } from '../../http/problem.ts'
import { type AskedRow, matched, type Outcome, type Sync } from '../../resources/sync.ts'
import * as costCodes from '../cost-codes/queries.ts'
import * as parts from './queries.ts'

type PartRow = AskedRow<PartCreate>

export const partSync: Sync<'PartCreate', Part> = {
  schema: 'PartCreate',
  keysOf: ({ sku, externalId }) => ({ sku, externalId }),
  insertAll: parts.insertAll,
  updateAll: parts.updateAll,

  async decide(call, rows) {
    await parts.takeTurn(call)
    const found = await parts.lockAll(call, {
      skus: rows.map(({ values }) => values.sku),
      externalIds: rows.flatMap(({ values }) => values.externalId ?? []),
    })
    const meant = matched(rows, found, 'sku', ({ sku }) => sku)
    const surroundings = await read(call, rows, meant)
    return rows.map((row, i) => {
      const before = meant[i] ?? null
      return before instanceof Problem ? before : outcomeOf(call, row, before, surroundings)
    })
  },
}

interface Read {
  costCodeIds: ReadonlySet<string>
  trades: scopes.Trades
  ofScope: ReadonlyMap<string, string>
  /** Parts whose unit is fixed; only those whose unit a row changes were looked at. */
  priced: ReadonlySet<string>
}

/** What the rows refer to, for all of them at once. */
async function read(
  call: WriteCall,
  rows: readonly PartRow[],
  meant: readonly (Part | Problem | null)[],
): Promise<Read> {
  const scopeNames = rows.flatMap(({ values }) => values.scope ?? [])
  const ids = new Set(rows.flatMap(({ values }) => values.costCodeId ?? []))
  const inOtherUnit = rows.flatMap(({ values }, i) => {
    const before = meant[i]
    return before == null || before instanceof Problem || before.unit === values.unit ? [] : before.id
  })
  const trades = await scopes.trades(call, scopeNames)
  return {
    trades,
    ofScope: trades.spelled.size === 0 ? new Map() : await scopes.defaultCostCodes(call, [...trades.spelled.values()]),
    costCodeIds: ids.size === 0 ? ids : new Set((await costCodes.findAll(call, [...ids])).map(({ id }) => id)),
    priced: inOtherUnit.length === 0 ? new Set() : await parts.withPrices(call, inOtherUnit),
  }
}

function outcomeOf(
  call: WriteCall,
  { values, given }: PartRow,
  before: Part | null,
  { costCodeIds, trades, ofScope, priced }: Read,
): Outcome<Part> | Problem {
  if (values.costCodeId != null && !costCodeIds.has(values.costCodeId)) return unknownReference(['/costCodeId'])
  const named = values.scope == null ? [] : [{ pointer: '/scope', name: values.scope }]
  const refusal = scopes.refusal(call, trades, named)
  if (refusal !== null) return refusal
  const scope = values.scope == null ? null : (trades.spelled.get(values.scope) ?? values.scope)
  if (before === null) {
    const usual = scope === null || given.has('costCodeId') ? null : (ofScope.get(scope) ?? null)
    const made = parts.make(call, { ...values, scope, costCodeId: values.costCodeId ?? usual })
    return { id: made.id, made, changed: [] }
  }
  if (values.unit !== before.unit && priced.has(before.id))
    return conflict('in_use', `${before.sku} has prices for the unit ${before.unit}.`)
  const after: Part = { ...before, ...values, ...(given.has('scope') && { scope }) }
  return { id: before.id, made: null, changed: [{ before, after }] }
}
