import { styleText } from 'node:util'
import type { HomeBudget, PlumblineClient } from '../client/index.ts'

/**
 * The data that the acts of the demo share: the client, and the steps that undo the demo's changes at the end, in
 * reverse order.
 */
export interface Stage {
  readonly plumbline: PlumblineClient
  readonly traces: (() => Promise<unknown>)[]
}

let chapterCount = 0

export function startChapter(title: string): void {
  console.log(`\n${styleText('bold', `${++chapterCount}  ${title}`)}`)
}

export function printLine(...words: string[]): void {
  console.log(`   ${words.join(' ')}`)
}

export function printBudget(budget: HomeBudget): void {
  printTable([
    ['', 'budgeted', 'committed', 'pending', 'variance', 'forecast'],
    ...budget.scopes.map((row) => [
      row.scope,
      ...[row.budgeted, row.committed, row.pendingCommitted, row.variance, row.forecastAtCompletion].map(formatMoney),
    ]),
    [
      'In all',
      ...[
        budget.totalBudgeted,
        budget.totalCommitted,
        budget.totalPendingCommitted,
        budget.totalVariance,
        budget.totalForecastAtCompletion,
      ].map(formatMoney),
    ],
  ])
}

/** Prints the budget by cost code with the costs so far. Amounts are posted to cost codes. */
export function printCostCodes({ scopes, ...budget }: HomeBudget): void {
  printTable([
    ['', 'cost code', 'budgeted', 'committed', 'pending', 'actual', 'forecast'],
    ...scopes.flatMap(({ scope, costCodes }) =>
      costCodes.map((row) => [
        ...[scope, row.code ?? ''],
        ...[row.budgeted, row.committed, row.pendingCommitted, row.actual, row.forecastAtCompletion].map(formatMoney),
      ]),
    ),
    [
      ...['In all', ''],
      ...[
        ...[budget.totalBudgeted, budget.totalCommitted, budget.totalPendingCommitted],
        ...[budget.totalActual, budget.totalForecastAtCompletion],
      ].map(formatMoney),
    ],
  ])
}

export function printTable(rows: string[][]): void {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  for (const row of rows) {
    printLine(
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('  '),
    )
  }
}

export function formatMoney(amount: number | null): string {
  return amount === null ? '' : amount.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
}

/** Returns the date that is the given number of days from today. */
export function getDateInDays(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
}
