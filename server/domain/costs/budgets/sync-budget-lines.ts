import type { BudgetLine, BudgetLineRow, CostCode, Home } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { createRowChecker } from '../../../platform/calls/row-checker.ts'
import { conflict, Problem, unknownReference, validationFailed } from '../../../platform/problems/problem.ts'
import { findRecordIdsByKey, getRowKeys, matchRowsByKey } from '../../../platform/resources/row-keys.ts'
import {
  catchProblem,
  type PlannedWrite,
  type SyncDefinition,
  type SyncRow,
} from '../../../platform/resources/sync-rows.ts'
import { explainWhyBudgetIsFixed } from '../../land/homes/home.ts'
import * as homes from '../../land/homes/queries.ts'
import * as scopes from '../../vendors/scopes/queries.ts'
import * as costCodes from '../cost-codes/queries.ts'
import { buildBudgetLine, explainWhyLineIsFixed, toBudgetLineChanges } from './budget-line.ts'
import { recordBudgetLineEvents } from './line-events.ts'
import { postBudget } from './post-budget.ts'
import * as budgetLines from './queries.ts'

type NewLine = ReturnType<typeof budgetLines.make>

/** Syncs budget lines from an external system. Handles each row like a call to addBudgetLine or updateBudgetLine. */
export function defineBudgetLineSync(
  match: Checked['BudgetLinesSync']['match'],
  createScopes?: boolean,
): SyncDefinition<'BudgetLineRow', BudgetLine, NewLine> {
  return {
    schema: 'BudgetLineRow',
    keysOf: getRowKeys,

    async insertAll(call, created) {
      await budgetLines.insertAll(call, created)
      await recordBudgetLineEvents(call, [], { added: created.map(({ id }) => id) })
    },

    async updateAll(call, changed) {
      await budgetLines.updateAll(call, changed)
      await recordBudgetLineEvents(
        call,
        changed.map(({ before }) => before),
      )
    },

    async decide(call, rows) {
      const ids = await findRecordIdsByKey(call, 'budgetLines', ['externalId'], rows)
      const there = await budgetLines.findAll(call, ids)
      // Every change of a budget locks its home first, so the lines cannot change after these locks.
      const locked = await homes.lockHomes(call, [
        ...there.map(({ homeId }) => homeId),
        ...rows.flatMap(({ values }) => values.homeId ?? []),
      ])
      const meant = matchRowsByKey(rows, await budgetLines.findAll(call, ids), match)
      const read = await readRowReferences(call, rows, locked, createScopes)
      return rows.map((row, i) => catchProblem(() => planRow(call, row, meant[i] ?? null, read)))
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

interface RowReferences {
  homes: ReadonlyMap<string, Home>
  trades: scopes.ResolvedTrades
  ofScope: ReadonlyMap<string, string>
  costCodes: ReadonlyMap<string, CostCode>
}

/** Reads all records to which the rows refer, with the same statements for all rows. */
async function readRowReferences(
  call: WriteCall,
  rows: readonly SyncRow<BudgetLineRow>[],
  locked: readonly Home[],
  createScopes: boolean | undefined,
): Promise<RowReferences> {
  const names = rows.flatMap(({ values }) => values.scope ?? [])
  const trades = await scopes.findOrCreateTrades(call, names, createScopes)
  const codes = new Set(rows.flatMap(({ values }) => values.costCodeId ?? []))
  return {
    homes: new Map(locked.map((home) => [home.id, home])),
    trades,
    ofScope:
      trades.spelled.size === 0 ? new Map() : await scopes.findDefaultCostCodes(call, [...trades.spelled.values()]),
    costCodes: new Map(
      codes.size === 0 ? [] : (await costCodes.findAll(call, [...codes])).map((code) => [code.id, code]),
    ),
  }
}

function planRow(
  call: WriteCall,
  { values: { id: _id, homeId, ...values } }: SyncRow<BudgetLineRow>,
  before: BudgetLine | Problem | null,
  read: RowReferences,
): PlannedWrite<BudgetLine, NewLine> | Problem {
  if (before instanceof Problem) return before
  if (before !== null && homeId !== undefined && homeId !== before.homeId) {
    const pointed = [{ pointer: '/homeId', code: 'fixed', message: 'cannot be changed' }]
    return conflict('fixed', 'Cannot move a budget line to another home. Omit homeId, or create a new line.', {
      errors: pointed,
    })
  }
  const requested = before?.homeId ?? homeId
  if (requested === undefined)
    return validationFailed([{ pointer: '/homeId', code: 'required', message: 'is required' }])
  const home = read.homes.get(requested)
  if (home === undefined) return unknownReference(['/homeId'])
  const reason = explainWhyBudgetIsFixed(home)
  if (reason !== null) return conflict('home_not_open', reason)
  const isLocked = home.budgetLockedAt !== null
  const { costCodeId } = values
  const fault =
    costCodeId == null || costCodeId === before?.costCodeId ? null : findCostCodeProblem(costCodeId, read.costCodes)
  if (fault !== null) return fault
  const { scope: asked = before?.scope } = values
  const problem = scopes.findTradeProblem(
    call,
    read.trades,
    asked === undefined ? [] : [{ pointer: '/scope', name: asked }],
  )
  if (problem !== null) return problem
  const scope = asked === undefined ? undefined : (read.trades.spelled.get(asked) ?? asked)
  if (before === null) {
    const whole = createRowChecker(call, 'BudgetLineCreate')({ ...values, ...(scope !== undefined && { scope }) })
    const defaults = read.ofScope.get(whole.scope) ?? null
    const made = budgetLines.make(call, {
      ...buildBudgetLine(home.id, whole, { isLocked, currency: call.currency }),
      costCodeId: costCodeId === undefined ? defaults : costCodeId,
    })
    return { id: made.id, made, changed: [] }
  }
  const fixed = explainWhyLineIsFixed(before, asked, isLocked)
  if (fixed !== null) return conflict('fixed', fixed)
  const changes = toBudgetLineChanges(
    before,
    { ...values, ...(scope !== undefined && { scope }) },
    { isLocked, currency: call.currency },
  )
  return { id: before.id, made: null, changed: [{ before, after: { ...before, ...changes } }] }
}

function findCostCodeProblem(costCodeId: string, known: ReadonlyMap<string, CostCode>): Problem | null {
  const code = known.get(costCodeId)
  if (code === undefined) return unknownReference(['/costCodeId'])
  if (code.archivedAt === null) return null
  return validationFailed([
    { pointer: '/costCodeId', code: 'archived', message: `must not be archived; ${code.code} is archived` },
  ])
}
