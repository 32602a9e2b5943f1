import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BudgetCostCode, BudgetScope, HomeBudget, OverCommitment } from '../../client/contract.gen.ts'
import { SeededRandom } from '../../scripts/conformance/random.ts'
import { addDays } from '../../server/platform/values/calendar.ts'
import { startTestPlumbline, type TestPlumbline } from '../support/test-plumbline.ts'
import { repeatUntilDeadline, SECONDS, SEED, TIMEOUT_MS } from './bounds.ts'
import { BudgetHistory, type HistorySetting } from './budget-history.ts'
import { type Figure, recomputeBudget } from './recompute-budget.ts'

/**
 * Runs random histories of budgets with lines, estimates, the lock, transfers, orders, and time of the builder's own
 * employees, including overtime. Orders have all statuses, tax, cost codes, retainage, lump sums, and differently
 * spelled trades. At the end of each history, every figure must equal the result of plain SQL on the same rows, to the
 * cent. A batch is one builder with a home for each history. Some histories run concurrently.
 */
const HISTORIES = 24
const AT_THE_SAME_TIME = 4
const MIN_STEPS = 6
const MAX_STEPS = 24
const STEPS = [
  ...['add a line', 'change a line', 'remove a line', 'estimate', 'lock', 'transfer', 'respell a trade'],
  ...['draft an order', 'order a lump sum', 'change an order', 'move an order', 'record progress'],
  ...['enter time', 'move time'],
]

const SUMS = [
  'budgeted',
  'originalBudgeted',
  'approvedChanges',
  'committed',
  'pendingCommitted',
  'actual',
  'paid',
  'retained',
] as const
type Sum = (typeof SUMS)[number]

let plumbline: TestPlumbline
beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
afterAll(() => plumbline.stop())

test(`every amount of a budget equals the sum of its sources after random changes, for ${SECONDS} s, seed ${SEED}`, {
  timeout: TIMEOUT_MS,
}, async () => {
  const taken = new Map<string, number>()
  const batches = await repeatUntilDeadline(performance.now() + SECONDS * 1000, (seed) => playBatch(seed, taken))
  console.log(
    `seed ${SEED}, ${batches * HISTORIES} histories: ${[...taken].map(([step, count]) => `${step} ${count}`).join(', ')}`,
  )
  // If a step never succeeded, the histories would prove nothing about it.
  for (const step of STEPS) expect(taken.get(step) ?? 0, step).toBeGreaterThanOrEqual(batches)
})

async function playBatch(seed: number, taken: Map<string, number>): Promise<void> {
  const ground = await prepare()
  const waiting = Array.from({ length: HISTORIES }, (_, n) => n)
  const budgets: HomeBudget[] = []
  async function playOn(): Promise<void> {
    for (let n = waiting.shift(); n !== undefined; n = waiting.shift())
      budgets.push(await play(ground, seed * HISTORIES + n, taken))
  }
  await Promise.all(Array.from({ length: AT_THE_SAME_TIME }, playOn))
  await compareWithSkill(ground, budgets)
}

/**
 * Creates a builder with cost codes, a plan with a takeoff, prices that rise in the middle of the year, and a lump sum
 * that is valid later.
 */
async function prepare(): Promise<HistorySetting> {
  const { organizationId, key, userId } = await plumbline.newBuilder()
  const send: HistorySetting['send'] = (method, path, body) =>
    plumbline.request(method, `/api/ext${path}`, body, { key })
  async function created(path: string, body: object): Promise<string> {
    const response = await send('POST', path, body)
    expect(response.status, JSON.stringify(response.body)).toBe(201)
    return response.body.id
  }
  const costCodes: string[] = []
  for (const code of ['06-110', '06-120', '06-200'])
    costCodes.push(await created('/cost-codes', { code, name: `Carpentry ${code}`, category: 'material' }))
  await created('/scopes', { name: 'framing', defaultCostCodeId: costCodes[0] })
  const communityId = await created('/communities', { name: 'Juniper Ridge', status: 'active' })
  const vendorId = await created('/vendors', { companyName: 'Lone Star Framing LLC', status: 'active' })
  const planId = await created('/plans', { code: 'P2100', name: 'Possumhaw', squareFeet: 2100 })
  const lines: object[] = []
  for (const [n, scope] of ['framing', 'trim', 'roofing'].entries()) {
    const part = { sku: `PART-${n}`, name: `Part ${n}`, unit: 'SF', scope, costCodeId: n === 2 ? null : costCodes[n] }
    const partId = await created('/parts', part)
    const spring = { effectiveDate: '2026-01-01', expirationDate: '2026-06-30', unitPrice: 0.335 + n }
    await created(`/parts/${partId}/prices`, { vendorId, ...spring })
    // The last part has no price in the fall, so an estimate then removes its line.
    if (n < 2) await created(`/parts/${partId}/prices`, { vendorId, effectiveDate: '2026-07-01', unitPrice: 0.415 + n })
    lines.push({ partId, formula: `squareFeet / ${n + 7}` })
  }
  expect((await send('PUT', `/plans/${planId}/takeoff`, { lines })).status).toBe(200)
  expect((await send('POST', `/plans/${planId}/status`, { status: 'released' })).status).toBe(200)
  // The lump sum covers a trade on two of the days on which estimates are made, and can be ordered.
  const lumpSums = [{ planId, amount: 4321.09, costCodeId: costCodes[1] }]
  const contractId = await created('/contracts', { vendorId, scope: 'Trim', effectiveDate: '2026-08-01', lumpSums })
  expect((await send('POST', `/contracts/${contractId}/status`, { status: 'active' })).status).toBe(200)
  let weeks = 0
  const nextWeek = () => addDays('2026-01-05', 7 * weeks++)
  return { send, organizationId, communityId, vendorId, planId, costCodes, contractId, userId, nextWeek }
}

/** Runs one history, checks its final budget, and returns that budget. */
async function play(ground: HistorySetting, seed: number, taken: Map<string, number>): Promise<HomeBudget> {
  const random = new SeededRandom(seed)
  const { communityId, planId } = ground
  const { body: home } = await ground.send('POST', '/homes', { name: `Home ${seed}`, communityId, planId })
  const history = new BudgetHistory(ground, random, home.id)
  try {
    for (let left = random.between(MIN_STEPS, MAX_STEPS); left > 0; left--) {
      const step = await history.step()
      if (step !== null) taken.set(step, (taken.get(step) ?? 0) + 1)
    }
    return await compare(ground, history)
  } catch (error) {
    throw new Error(`The history with seed ${seed} went wrong:\n${history.steps.join('\n')}`, { cause: error })
  }
}

async function compare(
  { send, organizationId }: HistorySetting,
  { homeId, original }: BudgetHistory,
): Promise<HomeBudget> {
  const budget: HomeBudget = (await send('GET', `/homes/${homeId}/budget`)).body
  const lines = (await send('GET', `/homes/${homeId}/budget/lines?limit=200`)).body.data
  const expected = await recomputeBudget(plumbline.database.statements, organizationId, homeId)
  const { scopes } = budget

  expect(amounts(totalFigures(budget))).toEqual(amounts(expected.totals))
  expect(amounts(scopes.flatMap((row) => getFigures(row, row.scope, '')))).toEqual(amounts(expected.scopes))
  const codes = scopes.flatMap((row) =>
    row.costCodes.flatMap((one) => SUMS.map((sum) => figure(sum, row.scope, one.costCodeId ?? '', one[sum]))),
  )
  expect(amounts(codes)).toEqual(amounts(expected.codes))
  expect(getRows(codes)).toEqual(getRows(expected.codes))
  for (const scope of scopes) compareForecasts(scope, expected.labor)
  for (const row of scopes.flatMap((scope) => [scope, ...scope.costCodes])) {
    expect(cents(row.variance)).toBe(cents(row.budgeted) - cents(row.committed))
    expect(cents(row.budgeted)).toBe(cents(row.originalBudgeted) + cents(row.approvedChanges))
  }
  expect(cents(budget.totalVariance)).toBe(cents(budget.totalBudgeted) - cents(budget.totalCommitted))
  if (original !== null) expect(budget.totalOriginalBudgeted).toBe(original)

  const transferred = new Map(expected.transferred.map(({ lineId, amount }) => [lineId, amount]))
  expect(new Map(lines.map((line: { id: string; transferred: number }) => [line.id, line.transferred]))).toEqual(
    transferred,
  )
  return budget
}

/**
 * Asserts that the forecasts of the cost codes add up to the forecast of the trade, and that each is within a cent of
 * its exact share. `labor` contains the approved time in the actual cost, by cost code.
 */
function compareForecasts({ costCodes, ...scope }: BudgetScope, labor: readonly Figure[]): void {
  const key = scope.scope.toLowerCase()
  const laborOf = (row: object) =>
    labor
      .filter((one) => one.scope === key && (!('costCodeId' in row) || one.code === (row.costCodeId ?? '')))
      .reduce((sum, { amount }) => sum + cents(amount), 0)
  const ordered = (row: Pick<BudgetCostCode, Sum>) => cents(row.committed) + cents(row.pendingCommitted) + laborOf(row)
  const open = (row: Pick<BudgetCostCode, Sum>) => Math.max(cents(row.budgeted) - ordered(row), 0)
  const openInAll = costCodes.reduce((sum, row) => sum + open(row), 0)
  for (const row of costCodes) {
    const share = open(scope) === 0 ? 0 : (open(scope) * open(row)) / openInAll
    expect(Math.abs(cents(row.forecastAtCompletion) - ordered(row) - share)).toBeLessThan(1)
  }
  const sum = costCodes.reduce((total, row) => total + cents(row.forecastAtCompletion), 0)
  expect(sum).toBe(cents(scope.forecastAtCompletion))
}

/**
 * Asserts that the skill for over-committed budgets finds the same budgets. The skill computes them with an SQL
 * statement of its own.
 */
async function compareWithSkill({ send }: HistorySetting, budgets: readonly HomeBudget[]): Promise<void> {
  const input = { thresholdPercent: 1 }
  const { body } = await send('POST', '/execute', { skill: 'detectOverCommittedBudgets', input })
  const found = body.result.overCommitted.map(
    ({ homeId, scope, budgeted, committed, pendingCommitted }: OverCommitment) =>
      `${homeId} ${scope} ${budgeted} ${committed} ${pendingCommitted}`,
  )
  const expected = budgets.flatMap(({ homeId, scopes }) =>
    scopes
      // A budget without orders cannot be over-committed, although a credit may make it negative.
      .filter((row) => cents(row.committed) + cents(row.pendingCommitted) !== 0)
      .filter((row) => 100 * (cents(row.committed) + cents(row.pendingCommitted)) > cents(row.budgeted))
      .map((row) => `${homeId} ${row.scope} ${row.budgeted} ${row.committed} ${row.pendingCommitted}`),
  )
  expect(body.result.overCommittedCount).toBe(expected.length)
  expect(found.sort()).toEqual(expected.sort().slice(0, 500))
}

function totalFigures(budget: HomeBudget): Figure[] {
  return [
    figure('budgeted', '', '', budget.totalBudgeted),
    figure('originalBudgeted', '', '', budget.totalOriginalBudgeted),
    figure('approvedChanges', '', '', budget.totalApprovedChanges),
    figure('committed', '', '', budget.totalCommitted),
    figure('pendingCommitted', '', '', budget.totalPendingCommitted),
    figure('actual', '', '', budget.totalActual),
    figure('paid', '', '', budget.totalPaid),
    figure('retained', '', '', budget.totalRetained),
    figure('forecastAtCompletion', '', '', budget.totalForecastAtCompletion),
  ]
}

function getFigures(row: BudgetScope, scope: string, code: string): Figure[] {
  return [...SUMS, 'forecastAtCompletion' as const].map((name) => figure(name, scope, code, row[name]))
}

function figure(name: string, scope: string, code: string, amount: number): Figure {
  return { figure: name, scope: scope.toLowerCase(), code, amount }
}

/** Returns the figures by subject, without zeros, because SQL returns no row for missing values. */
function amounts(figures: readonly Figure[]): Record<string, number> {
  const named = figures.map(({ figure, scope, code, amount }): [string, number] => [
    `${figure} ${scope} ${code}`,
    amount,
  ])
  return Object.fromEntries(named.filter(([, amount]) => amount !== 0 && amount !== null).sort())
}

/** Returns the trades and cost codes that have a row, even if all figures in it are zero. */
function getRows(figures: readonly Figure[]): string[] {
  return [...new Set(figures.map(({ scope, code }) => `${scope} ${code}`))].sort()
}

function cents(amount: number): number {
  return Math.round(amount * 100)
}
