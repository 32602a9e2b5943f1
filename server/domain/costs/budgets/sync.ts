import type { BudgetLine, BudgetLineRow, CostCode, Home } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { rowChecker } from '../../../platform/calls/rows.ts'
import { conflict, invalid, Problem, unknownReference } from '../../../platform/problems/problem.ts'
import { findKeyed, keysOf, meantBy } from '../../../platform/resources/row-keys.ts'
import { type AskedRow, type Outcome, refusedAs, type Sync } from '../../../platform/resources/sync.ts'
import { reasonToKeepBudget } from '../../land/homes/home.ts'
import * as homes from '../../land/homes/queries.ts'
import * as scopes from '../../vendors/scopes/queries.ts'
import * as costCodes from '../cost-codes/queries.ts'
import { changesOf, newBudgetLine, reasonFixed } from './budget-line.ts'
import { postBudget } from './post-budget.ts'
import * as budgetLines from './queries.ts'

type MadeLine = ReturnType<typeof budgetLines.make>

/** Syncs budget lines from an external system. Each row is treated like a call of addBudgetLine or updateBudgetLine. */
export function budgetLineSync(
  match: Checked['BudgetLinesSync']['match'],
  createScopes?: boolean,
): Sync<'BudgetLineRow', BudgetLine, MadeLine> {
  return {
    schema: 'BudgetLineRow',
    keysOf,
    insertAll: budgetLines.insertAll,
    updateAll: budgetLines.updateAll,

    async decide(call, rows) {
      const ids = await findKeyed(call, 'budgetLines', ['externalId'], rows)
      const there = await budgetLines.findAll(call, ids)
      // Every change of a budget locks its home first, so from here on the lines do not change.
      const locked = await homes.lockAll(call, [
        ...there.map(({ homeId }) => homeId),
        ...rows.flatMap(({ values }) => values.homeId ?? []),
      ])
      const meant = meantBy(rows, await budgetLines.findAll(call, ids), match)
      const read = await surroundings(call, rows, locked, createScopes)
      return rows.map((row, i) => refusedAs(() => outcomeOf(call, row, meant[i] ?? null, read)))
    },

    async settle(call, written) {
      const lines = await budgetLines.findAll(
        call,
        written.map(({ id }) => id),
      )
      const homeIds = [...new Set(lines.map(({ homeId }) => homeId))]
      for (const home of homeIds.length === 0 ? [] : await homes.findAll(call, homeIds)) await postBudget(call, home)
    },
  }
}

interface Read {
  homes: ReadonlyMap<string, Home>
  trades: scopes.Trades
  ofScope: ReadonlyMap<string, string>
  costCodes: ReadonlyMap<string, CostCode>
}

/** Reads everything that the rows refer to, for all rows at once. */
async function surroundings(
  call: WriteCall,
  rows: readonly AskedRow<BudgetLineRow>[],
  locked: readonly Home[],
  createScopes: boolean | undefined,
): Promise<Read> {
  const names = rows.flatMap(({ values }) => values.scope ?? [])
  const trades = await scopes.trades(call, names, createScopes)
  const codes = new Set(rows.flatMap(({ values }) => values.costCodeId ?? []))
  return {
    homes: new Map(locked.map((home) => [home.id, home])),
    trades,
    ofScope: trades.spelled.size === 0 ? new Map() : await scopes.defaultCostCodes(call, [...trades.spelled.values()]),
    costCodes: new Map(
      codes.size === 0 ? [] : (await costCodes.findAll(call, [...codes])).map((code) => [code.id, code]),
    ),
  }
}

function outcomeOf(
  call: WriteCall,
  { values: { id: _id, homeId, ...values } }: AskedRow<BudgetLineRow>,
  before: BudgetLine | Problem | null,
  read: Read,
): Outcome<BudgetLine, MadeLine> | Problem {
  if (before instanceof Problem) return before
  if (before !== null && homeId !== undefined && homeId !== before.homeId) {
    const pointed = [{ pointer: '/homeId', code: 'fixed', message: 'cannot be changed' }]
    return conflict('fixed', 'Cannot move a budget line to another home. Omit homeId, or create a new line.', {
      errors: pointed,
    })
  }
  const wanted = before?.homeId ?? homeId
  if (wanted === undefined) return invalid([{ pointer: '/homeId', code: 'required', message: 'is required' }])
  const home = read.homes.get(wanted)
  if (home === undefined) return unknownReference(['/homeId'])
  const reason = reasonToKeepBudget(home)
  if (reason !== null) return conflict('home_not_open', reason)
  const isLocked = home.budgetLockedAt !== null
  const { costCodeId } = values
  const fault = costCodeId == null || costCodeId === before?.costCodeId ? null : faultOf(costCodeId, read.costCodes)
  if (fault !== null) return fault
  const { scope: asked = before?.scope } = values
  const refusal = scopes.refusal(call, read.trades, asked === undefined ? [] : [{ pointer: '/scope', name: asked }])
  if (refusal !== null) return refusal
  const scope = asked === undefined ? undefined : (read.trades.spelled.get(asked) ?? asked)
  if (before === null) {
    const whole = rowChecker(call, 'BudgetLineCreate')({ ...values, ...(scope !== undefined && { scope }) })
    const usual = read.ofScope.get(whole.scope) ?? null
    const made = budgetLines.make(call, {
      ...newBudgetLine(home.id, whole, { isLocked, currency: call.currency }),
      costCodeId: costCodeId === undefined ? usual : costCodeId,
    })
    return { id: made.id, made, changed: [] }
  }
  const fixed = reasonFixed(before, asked, isLocked)
  if (fixed !== null) return conflict('fixed', fixed)
  const changes = changesOf(
    before,
    { ...values, ...(scope !== undefined && { scope }) },
    { isLocked, currency: call.currency },
  )
  return { id: before.id, made: null, changed: [{ before, after: { ...before, ...changes } }] }
}

function faultOf(costCodeId: string, known: ReadonlyMap<string, CostCode>): Problem | null {
  const code = known.get(costCodeId)
  if (code === undefined) return unknownReference(['/costCodeId'])
  if (code.archivedAt === null) return null
  return invalid([
    { pointer: '/costCodeId', code: 'archived', message: `must not be archived; ${code.code} is archived` },
  ])
}
