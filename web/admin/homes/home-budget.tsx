import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { HomeBudget as Budget, BudgetScope, Home } from '../../../client/contract.gen.ts'
import { MAIN_QUERY } from '../../api/page-calls.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { BudgetBar } from '../../ui/budget-bar.tsx'
import { Button } from '../../ui/button.tsx'
import { saveFile, toCsv } from '../../ui/csv.ts'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Icon } from '../../ui/icon.tsx'
import { formatPercent } from '../../ui/number-formats.ts'
import { Panel } from '../../ui/panel.tsx'
import { EmptyState, LoadError, SkeletonLines } from '../../ui/states.tsx'
import { formatCount, formatList } from '../../ui/text-formats.ts'
import { type Fact, TitleBlock } from '../../ui/title-block.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { EstimateButton, LockButton } from './budget-estimate.tsx'
import { computeBudgetLeft, computeTotalBudgetLeft } from './budget-left.ts'
import { BudgetLegend } from './budget-legend.tsx'
import { AddBudgetLine } from './budget-line-form.tsx'
import { BudgetTrade, TRADE_PARAM } from './budget-trade.tsx'
import { BudgetTransfer } from './budget-transfer.tsx'
import type { HomeHead } from './home.tsx'

/** Shows the home's budget by trade, with committed amounts and forecasts. */
export function HomeBudget({ head, home, nav }: { head: HomeHead; home: Home; nav: ReactNode }) {
  const budget = plumbline.useQuery(
    'get',
    '/api/ext/homes/{homeId}/budget',
    { params: { path: { homeId: home.id } } },
    { meta: MAIN_QUERY },
  )
  const can = useCan()
  const { money, day, dateOf } = useFormats()
  const figures = budget.data
  return (
    <>
      <TitleBlock {...head} facts={useFacts(figures)} />
      {nav}
      {budget.error !== null ? (
        <LoadError what="The budget" error={budget.error} onRetry={() => void budget.refetch()} />
      ) : figures === undefined ? (
        <SkeletonLines lines={8} />
      ) : figures.scopes.length === 0 ? (
        <EmptyState
          icon="homes"
          title="No budget yet"
          actions={
            can('budgets:write') && (
              <>
                {home.planId !== null && <EstimateButton homeId={home.id} look="primary" />}
                <AddBudgetLine homeId={home.id} isLocked={false} />
              </>
            )
          }
        >
          {home.planId === null
            ? 'Add lines manually, or choose a plan for the home and estimate the budget from it.'
            : 'Estimate the budget from the plan, or add lines manually.'}
        </EmptyState>
      ) : (
        <>
          <OverrunNote scopes={figures.scopes} />
          <Panel
            title="By trade"
            hint={figures.lockedAt === null ? 'not locked yet' : `locked ${day(dateOf(figures.lockedAt))}`}
            actions={
              <>
                <BudgetLegend />
                {can('budgets:write') && <BudgetActions home={home} budget={figures} />}
                <Button small look="quiet" icon="download" onClick={() => exportBudget(figures, home.name)}>
                  Export
                </Button>
              </>
            }
            isFlush
            foot={
              <span>
                {formatCount(figures.scopes.length, 'trade')}, {money(figures.totalPaid)} paid, and{' '}
                {money(figures.totalRetained)} retainage held.{' '}
                <span id={LEFT_HELP}>
                  “Left” is the budget minus committed and pending orders, and minus costs without an order: approved
                  time, bills without an order, journals, and cost transfers.
                </span>
              </span>
            }
          >
            <ScopeTable budget={figures} homeId={home.id} />
          </Panel>
          <BudgetTrade home={home} scopes={figures.scopes} />
        </>
      )}
    </>
  )
}

function BudgetActions({ home, budget }: { home: Home; budget: Budget }) {
  const isLocked = budget.lockedAt !== null
  return (
    <>
      <AddBudgetLine homeId={home.id} isLocked={isLocked} />
      {isLocked ? (
        <BudgetTransfer homeId={home.id} />
      ) : (
        <>
          {home.planId !== null && <EstimateButton homeId={home.id} />}
          <LockButton homeId={home.id} total={budget.totalBudgeted} />
        </>
      )}
    </>
  )
}

function useFacts(budget: Budget | undefined): readonly Fact[] {
  const { money } = useFormats()
  if (budget === undefined) {
    const labels = ['Budgeted', 'Committed', 'Pending', 'Actual', 'Forecast', 'Over budget']
    return labels.map((label) => ({ label, value: '…', isFigure: true }))
  }
  const share = (amount: number) =>
    budget.totalBudgeted === 0
      ? undefined
      : `${formatPercent(Math.round((amount / budget.totalBudgeted) * 100))} of the budget`
  const over = budget.totalForecastAtCompletion - budget.totalBudgeted
  return [
    {
      label: 'Budgeted',
      isFigure: true,
      value: money(budget.totalBudgeted),
      note: budget.totalApprovedChanges === 0 ? 'unchanged' : `${money(budget.totalOriginalBudgeted)} original budget`,
    },
    { label: 'Committed', isFigure: true, value: money(budget.totalCommitted), note: share(budget.totalCommitted) },
    {
      label: 'Pending',
      isFigure: true,
      isWideOnly: true,
      value: money(budget.totalPendingCommitted),
      note: 'draft or awaiting approval',
    },
    {
      label: 'Actual',
      isFigure: true,
      isWideOnly: true,
      value: money(budget.totalActual),
      note: share(budget.totalActual),
    },
    { label: 'Forecast', isFigure: true, value: money(budget.totalForecastAtCompletion), note: 'at completion' },
    {
      label: over > 0 ? 'Over budget' : 'Left to commit',
      isFigure: true,
      value: over > 0 ? <span className="tone-bad">{money(over)}</span> : money(computeTotalBudgetLeft(budget)),
      note: over > 0 ? formatCount(budget.scopes.filter(isOverBudget).length, 'trade') : 'no trade over budget',
    },
  ]
}

const isOverBudget = ({ forecastAtCompletion, budgeted }: BudgetScope) => forecastAtCompletion > budgeted

/** The maximum number of trades that a sentence lists. */
const MAX_NAMED = 4

function OverrunNote({ scopes }: { scopes: readonly BudgetScope[] }) {
  const { money } = useFormats()
  const over = scopes.filter(isOverBudget)
  if (over.length === 0) return null
  const named = over
    .toSorted((a, b) => a.budgeted - a.forecastAtCompletion - (b.budgeted - b.forecastAtCompletion))
    .slice(0, MAX_NAMED)
    .map(({ scope, forecastAtCompletion, budgeted }) => `${scope} by ${money(forecastAtCompletion - budgeted)}`)
  const others = over.length - named.length
  return (
    <div className="banner" data-tone="bad">
      <Icon name="warn" />
      <div>
        <strong>
          {over.length === 1
            ? '1 trade is forecast to exceed its budget.'
            : `${over.length} trades are forecast to exceed their budgets.`}
        </strong>{' '}
        <span className="muted">{humanizeName(formatList(others > 0 ? [...named, `${others} more`] : named))}.</span>
      </div>
    </div>
  )
}

function ScopeTable({ budget, homeId }: { budget: Budget; homeId: string }) {
  const max = Math.max(...budget.scopes.map(largestAmount), 1)
  const { scale, step } = computeScale(max)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard.
    // biome-ignore lint/a11y/useSemanticElements: a section would be one more landmark within the panel's.
    <div className="table-wrap" tabIndex={0} role="region" aria-label="Budget by trade">
      <table role="table" className="table budget cards">
        <caption className="sr">Budget by trade, in whole {budget.currency}</caption>
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader" scope="col">
              Trade
            </th>
            <th role="columnheader" scope="col" className="bar-col">
              <Axis scale={scale} step={step} />
              <span className="sr">Bar</span>
            </th>
            {FIGURE_COLUMNS.map(({ head, help }) => (
              <th role="columnheader" scope="col" className="num" key={head} aria-describedby={help}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {budget.scopes.map((scope) => (
            <tr role="row" key={scope.scope}>
              <th role="rowheader" scope="row">
                <Link className="lead" to={`/homes/${homeId}?${new URLSearchParams({ [TRADE_PARAM]: scope.scope })}`}>
                  {humanizeName(scope.scope)}
                </Link>{' '}
                <span className="faint small">{singleCostCode(scope)}</span>
              </th>
              <td role="cell" className="bar-col full">
                <BudgetBar
                  label={humanizeName(scope.scope)}
                  budgeted={scope.budgeted}
                  committed={scope.committed}
                  pending={scope.pendingCommitted}
                  actual={scope.actual}
                  forecast={scope.forecastAtCompletion}
                  scale={scale}
                />
              </td>
              {FIGURE_COLUMNS.map((figure) => (
                <Figure key={figure.head} {...figure} amount={figure.of(scope)} isOver={isOverBudget(scope)} />
              ))}
            </tr>
          ))}
        </tbody>
        <tfoot role="rowgroup">
          <tr role="row">
            <th role="rowheader" scope="row">
              Total, {budget.currency}
            </th>
            <td role="cell" className="hide-narrow" />
            {FIGURE_COLUMNS.map((figure) => (
              <Figure key={figure.head} {...figure} amount={figure.total(budget)} isOver={false} />
            ))}
          </tr>
        </tfoot>
      </table>
    </div>
  )
}

/** The ID of the text that explains the column of the budget that is left. */
const LEFT_HELP = 'budget-left-help'

interface FigureColumn {
  head: string
  /** The ID of the text that explains the column. */
  help?: string
  of(scope: BudgetScope): number
  total(budget: Budget): number
}

const FIGURE_COLUMNS: readonly FigureColumn[] = [
  { head: 'Budgeted', of: ({ budgeted }) => budgeted, total: ({ totalBudgeted }) => totalBudgeted },
  { head: 'Committed', of: ({ committed }) => committed, total: ({ totalCommitted }) => totalCommitted },
  {
    head: 'Pending',
    of: ({ pendingCommitted }) => pendingCommitted,
    total: ({ totalPendingCommitted }) => totalPendingCommitted,
  },
  { head: 'Actual', of: ({ actual }) => actual, total: ({ totalActual }) => totalActual },
  {
    head: 'Forecast',
    of: ({ forecastAtCompletion }) => forecastAtCompletion,
    total: ({ totalForecastAtCompletion }) => totalForecastAtCompletion,
  },
  {
    head: 'Left',
    help: LEFT_HELP,
    of: computeBudgetLeft,
    total: computeTotalBudgetLeft,
  },
]

function Figure({ head, amount, isOver }: { head: string; amount: number; isOver: boolean }) {
  const { whole } = useFormats()
  const isBad = head === 'Left' && amount < 0
  const names = ['num', isBad ? 'tone-bad' : '', head === 'Forecast' && isOver ? 'strong' : '']
  return (
    <td role="cell" data-label={head} className={names.filter(Boolean).join(' ')}>
      {amount === 0 ? <span className="none">0</span> : whole(amount)}
    </td>
  )
}

/**
 * Returns the cost code of a trade. If a trade has several cost codes, returns null, because users know it only by its
 * name.
 */
function singleCostCode({ costCodes }: BudgetScope): string | null {
  return costCodes.length === 1 ? (costCodes[0]?.code ?? null) : null
}

function largestAmount({ budgeted, committed, pendingCommitted, actual, forecastAtCompletion }: BudgetScope): number {
  return Math.max(budgeted, committed + pendingCommitted, actual, forecastAtCompletion)
}

/** Returns a scale with four or five even steps. All bars share the scale, so that users can compare trades. */
function computeScale(max: number): { scale: number; step: number } {
  const power = 10 ** Math.floor(Math.log10(max))
  const step = [0.2, 0.25, 0.5, 1, 2].map((factor) => factor * power).find((size) => max / size <= 5) ?? power * 2
  return { scale: max * 1.04, step }
}

const COMPACT_NUMBER = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 })

function Axis({ scale, step }: { scale: number; step: number }) {
  const ticks = Array.from({ length: Math.floor(scale / step) + 1 }, (_, at) => at * step)
  return (
    <svg className="bar-axis" aria-hidden="true">
      {ticks.map((tick) => (
        <text
          key={tick}
          x={`${((tick / scale) * 100).toFixed(2)}%`}
          y="10"
          textAnchor={tick === 0 ? 'start' : 'middle'}
        >
          {COMPACT_NUMBER.format(tick).toLowerCase()}
        </text>
      ))}
    </svg>
  )
}

function exportBudget(budget: Budget, name: string): void {
  const rows = budget.scopes.map((scope) => [
    scope.scope,
    ...FIGURE_COLUMNS.map((figure) => figure.of(scope)),
    scope.costWithoutOrder,
  ])
  saveFile(
    toCsv(['Trade', ...FIGURE_COLUMNS.map(({ head }) => head), 'Cost without order'], rows),
    `budget-${name.toLowerCase().replaceAll(/\W+/g, '-')}.csv`,
  )
}
