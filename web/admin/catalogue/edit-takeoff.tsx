import { useQuery } from '@tanstack/react-query'
import { useCallback, useMemo, useRef, useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import type { CostCode, Part, Plan, TakeoffLine } from '../../../client/contract.gen.ts'
import { fetchAllRows } from '../../api/list-pages.ts'
import { plumbline } from '../../api/plumbline.ts'
import { Button } from '../../ui/button.tsx'
import { Form } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { createSheetRow, readCell, splitSheetError } from '../../ui/sheet-rows.ts'
import { EmptyState, LoadError, SkeletonLines } from '../../ui/states.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { showToast } from '../../ui/toast.tsx'
import { fetchParts, useKnownParts } from './known-parts.ts'
import { TakeoffGrid } from './takeoff-grid.tsx'
import {
  findErrorCell,
  isEmptyRow,
  readTakeoffRow,
  type TakeoffCells,
  type TakeoffContext,
  type TakeoffRow,
  type TakeoffRowResult,
  toTakeoffLine,
  toTakeoffRows,
} from './takeoff-rows.ts'

/** A builder has fewer cost codes. */
const MAX_CODES = 2000

/** The page that edits the takeoff of a plan in a grid, and saves all changes together. */
export function Component() {
  const { planId = '' } = useParams()
  const at = { params: { path: { planId } } }
  const plan = plumbline.useQuery('get', '/api/ext/plans/{planId}', at)
  const takeoff = plumbline.useQuery('get', '/api/ext/plans/{planId}/takeoff', at)
  // The keys are not paths, so that the list of the page's calls does not contain these requests.
  const codes = useQuery({
    queryKey: ['takeoff codes'],
    queryFn: async () => (await fetchAllRows('/api/ext/cost-codes', { sort: 'code' }, MAX_CODES)).rows,
  })
  const partIds = [...new Set((takeoff.data?.lines ?? []).map(({ partId }) => partId))]
  const parts = useQuery({
    queryKey: ['takeoff parts', [planId, partIds.length]],
    queryFn: () => fetchParts(partIds),
    enabled: takeoff.data !== undefined,
  })
  const name = plan.data?.name ?? 'Plan'
  const error = plan.error ?? takeoff.error ?? codes.error ?? parts.error
  return (
    <Page
      title={`Takeoff of ${name}`}
      crumbs={[{ name: 'Catalog', to: '/catalogue' }, { name, to: `/catalogue/plans/${planId}` }, { name: 'Takeoff' }]}
    >
      <div className="page-head">
        <h1>Takeoff of {name}</h1>
        <p>The parts that every home of this plan needs. The changes are saved together.</p>
      </div>
      {error !== null ? (
        <LoadError
          what="The takeoff"
          error={error}
          onRetry={() => void Promise.all([plan.refetch(), takeoff.refetch(), codes.refetch(), parts.refetch()])}
        />
      ) : plan.data === undefined ||
        takeoff.data === undefined ||
        codes.data === undefined ||
        parts.data === undefined ? (
        <SkeletonLines lines={8} />
      ) : plan.data.status === 'retired' || plan.data.archivedAt !== null ? (
        <EmptyState icon="lock" title="This takeoff cannot be edited">
          The plan is {plan.data.archivedAt === null ? 'retired' : 'archived'}.
        </EmptyState>
      ) : (
        <TakeoffEditor plan={plan.data} lines={takeoff.data.lines} parts={parts.data} costCodes={codes.data} />
      )}
    </Page>
  )
}

/** The changes of a takeoff since it was loaded, which are smaller than all of its rows. */
interface TakeoffChanges {
  changed: readonly TakeoffRow[]
  removed: readonly string[]
}

function TakeoffEditor(props: {
  plan: Plan
  lines: readonly TakeoffLine[]
  parts: readonly Part[]
  costCodes: readonly CostCode[]
}) {
  const { plan } = props
  const navigate = useNavigate()
  // What another user changes in the meantime does not change the grid.
  const [{ lines, costCodes, plan: planBefore, ...loaded }] = useState(props)
  const initial = useMemo(
    () =>
      toTakeoffRows(
        lines,
        new Map(loaded.parts.map((part) => [part.id, part])),
        new Map(costCodes.map(({ id, code }) => [id, code])),
      ),
    [lines, loaded.parts, costCodes],
  )
  const [rows, setRows] = useState<readonly TakeoffRow[]>(() => (initial.length > 0 ? initial : [createSheetRow()]))
  const filled = useMemo(() => rows.filter((row) => !isEmptyRow(row)), [rows])
  const { parts, isLookingUp } = useKnownParts(
    loaded.parts,
    filled.map((row) => readCell(row, 'part')),
  )
  const [elevation, setElevation] = useState(plan.elevations[0]?.code ?? '')
  const [onlyErrors, setOnlyErrors] = useState(false)
  const context = useMemo<TakeoffContext>(
    () => ({
      plan,
      elevation: elevation === '' ? null : elevation,
      parts,
      costCodes: new Map(costCodes.map(({ id, code }) => [code.toLowerCase(), id])),
    }),
    [plan, elevation, parts, costCodes],
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

  const changes = useMemo(() => findChanges(initial, rows), [initial, rows])
  const changeCount = changes.changed.length + changes.removed.length
  const entries = useMemo(
    () => ({
      current: changes,
      isChanged: changeCount > 0,
      restore: (before: TakeoffChanges) => setRows(applyChanges(initial, before)),
      isWhole: true,
    }),
    [changes, changeCount, initial],
  )
  const sent = useRef<readonly TakeoffRow[]>([])
  const save = plumbline.useMutation('put', '/api/ext/plans/{planId}/takeoff', {
    onSuccess: ({ revision }) => {
      showToast(
        // The plan may already have been read again, with its new revision.
        revision === planBefore.revision
          ? `Takeoff of ${plan.name} saved`
          : `Takeoff saved as a draft of revision ${revision}`,
      )
      void navigate(`/catalogue/plans/${plan.id}`)
    },
  })
  const { rejected, error } = useMemo(() => splitSheetError(save.error, sent.current, findErrorCell), [save.error])
  const stillRejected = useMemo(
    () =>
      new Map([...rejected].filter(([key]) => rows.includes(sent.current.find((row) => row.key === key) ?? NO_ROW))),
    [rejected, rows],
  )
  const withErrors = filled.filter(
    (row) => Object.keys(resultOf(row).errors).length > 0 || stillRejected.has(row.key),
  ).length

  return (
    <Form
      error={error}
      entries={entries}
      onSubmit={() => {
        if (isLookingUp) return
        if (withErrors > 0) return setOnlyErrors(true)
        sent.current = filled
        save.mutate({
          params: { path: { planId: plan.id } },
          body: { lines: filled.map((row) => toTakeoffLine(row, context)) },
        })
      }}
    >
      {plan.status === 'released' && (
        <div className="banner">
          <Icon name="info" />
          <span>
            Revision {plan.revision} is released and never changes. Saving creates a draft of revision{' '}
            {plan.revision + 1}. Homes keep their revision.
          </span>
        </div>
      )}
      <Panel
        title="Lines"
        hint={formatCount(filled.length, 'line')}
        isFlush
        actions={
          plan.elevations.length > 0 && (
            <label className="row">
              <span className="muted nowrap">Quantities for</span>
              <select className="input" value={elevation} onChange={(event) => setElevation(event.target.value)}>
                {plan.elevations.map(({ code, name }) => (
                  <option key={code} value={code}>
                    Elevation {code}
                    {name !== null && `, ${name}`}
                  </option>
                ))}
              </select>
            </label>
          )
        }
      >
        <TakeoffGrid
          rows={rows}
          resultOf={resultOf}
          rejected={stillRejected}
          elevations={plan.elevations.map(({ code }) => code)}
          costCodes={costCodes.map(({ code }) => code)}
          onlyErrors={onlyErrors && withErrors > 0}
          onChange={setRows}
        />
      </Panel>
      <Figures plan={plan} elevation={context.elevation} />
      <div className="save-bar">
        <span className="row wrap" aria-live="polite">
          {changeCount === 0 ? 'No changes' : `${describeChanges(changes, initial)}.`}
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
          busy={save.isPending}
          disabled={changeCount === 0 || withErrors > 0 || isLookingUp}
        >
          Save takeoff
        </Button>
      </div>
    </Form>
  )
}

const NO_ROW: TakeoffRow = { key: '', cells: {} }

/** Shows the figures that formulas can use. */
function Figures({ plan, elevation }: { plan: Plan; elevation: string | null }) {
  const own = (['squareFeet', 'bedrooms', 'bathrooms', 'garageSpaces', 'stories'] as const).flatMap((name) =>
    plan[name] === null ? [] : [{ name, value: plan[name] }],
  )
  const chosen = plan.elevations.find(({ code }) => code === elevation)?.figures ?? []
  const figures = new Map([...own, ...plan.figures, ...chosen].map(({ name, value }) => [name, value]))
  return (
    <details className="more">
      <summary>Figures and functions for formulas</summary>
      <p>
        {figures.size === 0 && 'The plan has no figures yet. '}
        {[...figures].map(([name, value]) => (
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

function findChanges(before: readonly TakeoffRow[], after: readonly TakeoffRow[]): TakeoffChanges {
  const stored = new Map(before.map((row) => [row.key, row]))
  const kept = new Set(after.map(({ key }) => key))
  return {
    changed: after.filter((row) => {
      const one = stored.get(row.key)
      return one === undefined ? !isEmptyRow(row) : one !== row && !isSame(one.cells, row.cells)
    }),
    removed: before.filter(({ key }) => !kept.has(key)).map(({ key }) => key),
  }
}

function isSame(a: TakeoffCells, b: TakeoffCells): boolean {
  return Object.keys({ ...a, ...b }).every((name) => {
    const column = name as keyof TakeoffCells
    return (a[column] ?? '') === (b[column] ?? '')
  })
}

function applyChanges(before: readonly TakeoffRow[], { changed, removed }: TakeoffChanges): TakeoffRow[] {
  const byKey = new Map(changed.map((row) => [row.key, row]))
  const kept = before.filter(({ key }) => !removed.includes(key)).map((row) => byKey.get(row.key) ?? row)
  const known = new Set(before.map(({ key }) => key))
  const rows = [...kept, ...changed.filter(({ key }) => !known.has(key))]
  return rows.length > 0 ? rows : [createSheetRow()]
}

/** `2 lines added, 1 changed, 3 removed` */
function describeChanges({ changed, removed }: TakeoffChanges, before: readonly TakeoffRow[]): string {
  const known = new Set(before.map(({ key }) => key))
  const counts = [
    [changed.filter(({ key }) => !known.has(key)).length, 'added'],
    [changed.filter(({ key }) => known.has(key)).length, 'changed'],
    [removed.length, 'removed'],
  ] as const
  const [first, ...others] = counts.filter(([count]) => count > 0)
  if (first === undefined) return ''
  return [`${formatCount(first[0], 'line')} ${first[1]}`, ...others.map((one) => one.join(' '))].join(', ')
}
