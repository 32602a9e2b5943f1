import { type ReactNode, useCallback, useMemo, useRef, useState } from 'react'
import type { OptionTakeoffLine, Plan, TakeoffLine } from '../../../client/contract.gen.ts'
import { toErrorMessage } from '../../api/error-message.ts'
import { Button } from '../../ui/button.tsx'
import { ChangedSince } from '../../ui/changed-since.tsx'
import { Form } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Panel } from '../../ui/panel.tsx'
import { createSheetRow, readCell, splitSheetError } from '../../ui/sheet-rows.ts'
import { formatCount } from '../../ui/text-formats.ts'
import { useKnownParts } from './known-parts.ts'
import { applyChanges, describeChanges, findChanges, type TakeoffChanges } from './takeoff-changes.ts'
import { TakeoffGrid } from './takeoff-grid.tsx'
import type { TakeoffReferences } from './takeoff-references.ts'
import {
  type FigureSet,
  findErrorCell,
  isEmptyRow,
  listFigureSets,
  OPTION_COLUMNS,
  PLAN_COLUMNS,
  readTakeoffRow,
  type TakeoffContext,
  type TakeoffRow,
  type TakeoffRowResult,
  toTakeoffRows,
} from './takeoff-rows.ts'

interface StoredTakeoff {
  version: number
  lines: readonly (TakeoffLine | OptionTakeoffLine)[]
}

/** The maximum number of choices in the list. Nobody scrolls through a longer list. */
const MAX_SETS_SHOWN = 200

/**
 * Edits the takeoff of a plan or an option in a grid, and saves all changes together. If another user saved the takeoff
 * in the meantime, shows the other changes and combines them with the changes of this user.
 */
export function TakeoffEditor(props: {
  /** The takeoff as last loaded by the page. */
  takeoff: StoredTakeoff
  /** The plan of the takeoff. Null for the takeoff of an option. */
  ownPlan: Plan | null
  /** The plans whose homes can use the lines. */
  plans: readonly Plan[]
  references: TakeoffReferences
  /** The state of the mutation. */
  change: { error: unknown; isPending: boolean }
  /** Saves the rows, which have no errors. The rows replace the lines of the takeoff with this version. */
  onSave(rows: readonly TakeoffRow[], context: TakeoffContext, ifMatch: { 'If-Match': string }): void
  /** A note above the grid. */
  children?: ReactNode
}) {
  const { takeoff, ownPlan, plans, change, onSave, children } = props
  const [{ costCodes, ...loaded }] = useState(props.references)
  const toRows = (lines: StoredTakeoff['lines']) =>
    toTakeoffRows(lines, {
      parts: new Map([...loaded.parts, ...props.references.parts].map(({ id, sku }) => [id, sku])),
      costCodes: new Map(costCodes.map(({ id, code }) => [id, code])),
      plans: new Map(plans.map(({ id, code }) => [id, code])),
    })
  // Changes by other users in the meantime do not change the grid until the user combines them with the own changes.
  const [base, setBase] = useState(() => ({ takeoff, rows: toRows(takeoff.lines) }))
  const [rows, setRows] = useState<readonly TakeoffRow[]>(() => atLeastOneRow(base.rows))
  const [isFromOtherVersion, setIsFromOtherVersion] = useState(false)
  const filled = useMemo(() => rows.filter((row) => !isEmptyRow(row)), [rows])
  const { parts, isLookingUp } = useKnownParts(
    loaded.parts,
    filled.map((row) => readCell(row, 'part')),
  )
  const sets = useMemo(() => listFigureSets(plans), [plans])
  const [shownKey, setShownKey] = useState('')
  const [onlyErrors, setOnlyErrors] = useState(false)
  const context = useMemo<TakeoffContext>(
    () => ({
      ...{ ownPlan, plans, sets, parts },
      shown: sets.find((set) => toSetKey(set, ownPlan) === shownKey) ?? sets[0] ?? null,
      costCodes: new Map(costCodes.map(({ id, code }) => [code.toLowerCase(), id])),
    }),
    [ownPlan, plans, sets, shownKey, parts, costCodes],
  )
  const results = useMemo(() => new WeakMap<TakeoffRow, TakeoffRowResult>(), [context])
  const resultOf = useCallback(
    (row: TakeoffRow) => {
      const found = results.get(row) ?? readTakeoffRow(row, context)
      results.set(row, found)
      return found
    },
    [results, context],
  )

  const changes = useMemo(() => findChanges(base.takeoff.version, base.rows, rows), [base, rows])
  const changeCount = changes.changed.length + changes.removed.length
  const entries = useMemo(
    () => ({
      current: changes,
      isChanged: changeCount > 0,
      restore: (before: TakeoffChanges) => {
        setRows(atLeastOneRow(applyChanges(base.rows, before)))
        setIsFromOtherVersion(before.version !== base.takeoff.version)
      },
      isWhole: true,
    }),
    [changes, changeCount, base],
  )
  const sent = useRef<readonly TakeoffRow[]>([])
  const isRejectedVersion = toErrorMessage(change.error).problem?.code === 'precondition_failed'
  // The version also changes with the plan or option itself. Then the lines are still the same.
  const isSameTakeoff = useMemo(
    () => JSON.stringify(takeoff.lines) === JSON.stringify(base.takeoff.lines),
    [takeoff, base],
  )
  const { rejected, error } = useMemo(
    () => splitSheetError(isRejectedVersion ? null : change.error, sent.current, findErrorCell),
    [change.error, isRejectedVersion],
  )
  const stillRejected = useMemo(
    () =>
      new Map([...rejected].filter(([key]) => rows.includes(sent.current.find((row) => row.key === key) ?? NO_ROW))),
    [rejected, rows],
  )
  const withErrors = filled.filter(
    (row) => Object.keys(resultOf(row).errors).length > 0 || stillRejected.has(row.key),
  ).length
  const isConflict =
    isRejectedVersion &&
    takeoff.version !== base.takeoff.version &&
    !isSameTakeoff &&
    // The lines of the other user cannot be shown without their parts.
    props.references.version === takeoff.version

  const combine = () => {
    const now = toRows(takeoff.lines)
    setRows(atLeastOneRow(applyChanges(now, changes)))
    setBase({ takeoff, rows: now })
    setIsFromOtherVersion(false)
  }

  return (
    <Form
      error={error}
      entries={entries}
      onSubmit={() => {
        if (isLookingUp) return
        if (withErrors > 0) return setOnlyErrors(true)
        sent.current = filled
        const { version } = isSameTakeoff ? takeoff : base.takeoff
        onSave(filled, context, { 'If-Match': `"${version}"` })
      }}
    >
      {children}
      {isConflict && (
        <TakeoffConflict
          error={change.error}
          before={base.rows}
          now={toRows(takeoff.lines)}
          {...{ changes, onCombine: combine }}
        />
      )}
      {isRejectedVersion && isSameTakeoff && takeoff.version !== base.takeoff.version && (
        <div className="banner" data-tone="warn" role="alert">
          <Icon name="info" />
          <span>
            The {ownPlan === null ? 'option' : 'plan'} was changed while you were editing, but its takeoff was not. Save
            the takeoff again.
          </span>
        </div>
      )}
      {isFromOtherVersion && (
        <div className="banner" data-tone="warn" role="status">
          <Icon name="warn" />
          <span>
            This takeoff was changed after you entered these lines. Your entries were added to the new takeoff. Check
            them before you save.
          </span>
        </div>
      )}
      <Panel
        title="Lines"
        hint={formatCount(filled.length, 'line')}
        isFlush
        actions={
          sets.length > (ownPlan !== null && ownPlan.elevations.length > 0 ? 0 : 1) && (
            <label className="row">
              <span className="muted nowrap">Quantities for</span>
              <select
                className="input"
                value={context.shown === null ? '' : toSetKey(context.shown, ownPlan)}
                onChange={(event) => setShownKey(event.target.value)}
              >
                {sets.slice(0, MAX_SETS_SHOWN).map((set) => (
                  <option key={toSetKey(set, ownPlan)} value={toSetKey(set, ownPlan)}>
                    {describeSet(set, ownPlan)}
                  </option>
                ))}
              </select>
            </label>
          )
        }
      >
        <TakeoffGrid
          columns={ownPlan === null ? OPTION_COLUMNS : PLAN_COLUMNS}
          rows={rows}
          resultOf={resultOf}
          rejected={stillRejected}
          plans={ownPlan === null ? plans.map(({ code }) => code) : NO_PLANS}
          elevations={[...new Set(sets.flatMap(({ elevation }) => elevation ?? []))]}
          costCodes={costCodes.map(({ code }) => code)}
          onlyErrors={onlyErrors && withErrors > 0}
          onChange={setRows}
        />
      </Panel>
      <Figures shown={context.shown} />
      <div className="save-bar">
        <span className="row wrap" aria-live="polite">
          {changeCount === 0 ? 'No changes' : `${describeChanges(changes, base.rows)}.`}
          {withErrors > 0 && (
            <>
              <span className="tone-bad">{formatCount(withErrors, 'line')} with errors</span>
              <Button small look="quiet" aria-pressed={onlyErrors} onClick={() => setOnlyErrors(!onlyErrors)}>
                {onlyErrors ? 'Show all lines' : 'Show only these'}
              </Button>
            </>
          )}
        </span>
        <Button
          look="primary"
          type="submit"
          busy={change.isPending}
          disabled={changeCount === 0 || withErrors > 0 || isLookingUp || isConflict}
        >
          Save takeoff
        </Button>
      </div>
    </Form>
  )
}

const NO_ROW: TakeoffRow = { key: '', cells: {} }
const NO_PLANS: readonly string[] = []

function atLeastOneRow(rows: readonly TakeoffRow[]): readonly TakeoffRow[] {
  return rows.length > 0 ? rows : [createSheetRow()]
}

function toSetKey({ plan, elevation }: FigureSet, ownPlan: Plan | null): string {
  return ownPlan === null ? `${plan.id} ${elevation ?? ''}` : (elevation ?? '')
}

function describeSet({ plan, elevation }: FigureSet, ownPlan: Plan | null): string {
  const name = plan.elevations.find(({ code }) => code === elevation)?.name ?? null
  if (ownPlan === null) return elevation === null ? plan.name : `${plan.name}, elevation ${elevation}`
  return `Elevation ${elevation}${name === null ? '' : `, ${name}`}`
}

/** Shows the lines that another user has changed, and offers to combine them with the changes of this user. */
function TakeoffConflict(props: {
  error: unknown
  before: readonly TakeoffRow[]
  now: readonly TakeoffRow[]
  changes: TakeoffChanges
  onCombine(): void
}) {
  const { error, before, now, changes, onCombine } = props
  const toTexts = (rows: readonly TakeoffRow[]) => Object.fromEntries(rows.map((row) => [row.key, describeRow(row)]))
  const labels = new Map([...before, ...now].map((row) => [row.key, labelRow(row)]))
  const own = new Set([...changes.changed.map(({ key }) => key), ...changes.removed])
  const theirs = findChanges(0, before, now)
  const both = [...theirs.changed.map(({ key }) => key), ...theirs.removed].filter((key) => own.has(key))
  return (
    <>
      <ChangedSince
        error={error}
        before={toTexts(before)}
        now={toTexts(now)}
        labelOf={(key) => `${labels.get(key) ?? key}${own.has(key) ? ' (changed by both)' : ''}`}
        word="Combine with my changes"
        onOverwrite={onCombine}
      />
      {both.length > 0 && (
        <p className="muted">
          You and another user changed {both.length === 1 ? 'the same line' : `the same ${both.length} lines`}. After
          you combine the changes, {both.length === 1 ? 'this line has' : 'these lines have'} your values.
        </p>
      )}
    </>
  )
}

function labelRow({ cells }: TakeoffRow): string {
  const place = [cells.plan ?? '', cells.elevation ?? ''].filter((text) => text !== '').join(' ')
  return `Line ${cells.line ?? ''}${place === '' ? '' : `, ${place}`}`
}

function describeRow({ cells }: TakeoffRow): string {
  const waste = cells.waste ?? ''
  return [cells.part, cells.amount, waste === '' ? '' : `${waste}% waste`, cells.costCode, cells.task]
    .filter((text) => text !== undefined && text !== '')
    .join(', ')
}

/** Shows the figures that formulas can use. */
function Figures({ shown }: { shown: FigureSet | null }) {
  const figures = [...(shown?.figures ?? [])]
  return (
    <details className="more">
      <summary>Figures and functions for formulas</summary>
      <p>
        {figures.length === 0 && 'The plan has no figures yet. '}
        {figures.map(([name, value]) => (
          <span key={name}>
            <code>{name}</code> {value.toLocaleString('en-US')}{' '}
          </span>
        ))}
      </p>
      <p className="muted">
        A formula can use + - * / and parentheses, and the functions <code>round(x)</code>, <code>ceil(x)</code>,{' '}
        <code>floor(x)</code>, <code>min(x, y)</code>, and <code>max(x, y)</code>. For example:{' '}
        <code>ceil(squareFeet / 32)</code>. The quantities to buy include waste.
      </p>
    </details>
  )
}
