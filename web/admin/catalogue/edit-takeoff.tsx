import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import type { CostCode, Part, Plan, TakeoffLine } from '../../../client/contract.gen.ts'
import { toErrorMessage } from '../../api/error-message.ts'
import { fetchAllRows } from '../../api/list-pages.ts'
import { plumbline } from '../../api/plumbline.ts'
import { Button } from '../../ui/button.tsx'
import { Form } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { EmptyState, LoadError, SkeletonLines } from '../../ui/states.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { showToast } from '../../ui/toast.tsx'
import { type CellErrors, TakeoffGrid } from './takeoff-grid.tsx'
import {
  findErrorCell,
  type GridPart,
  isEmptyRow,
  readTakeoffRow,
  type TakeoffCells,
  type TakeoffContext,
  type TakeoffRow,
  type TakeoffRowResult,
  toTakeoffLine,
  toTakeoffRows,
} from './takeoff-rows.ts'

/** The number of IDs in one request. */
const IDS_PER_REQUEST = 200
/** A builder has fewer cost codes. */
const MAX_CODES = 2000
/** More parts are not read to recognize pasted SKUs. The service still recognizes the IDs of other parts. */
const MAX_PARTS = 10_000
/** With more unknown SKUs, it is faster to read all parts. */
const MAX_LOOKUPS = 10

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

async function fetchParts(ids: readonly string[]): Promise<readonly Part[]> {
  const chunks = Array.from({ length: Math.ceil(ids.length / IDS_PER_REQUEST) }, (_, at) =>
    ids.slice(at * IDS_PER_REQUEST, (at + 1) * IDS_PER_REQUEST),
  )
  const pages = await Promise.all(
    chunks.map((chunk) => fetchAllRows('/api/ext/parts', { ids: chunk, includeArchived: true }, IDS_PER_REQUEST)),
  )
  return pages.flatMap(({ rows }) => rows)
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
  const [rows, setRows] = useState<readonly TakeoffRow[]>(() => (initial.length > 0 ? initial : [createRow()]))
  const filled = useMemo(() => rows.filter((row) => !isEmptyRow(row)), [rows])
  const parts = useKnownParts(loaded.parts, filled)
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
  const { rejected, error } = useMemo(() => splitError(save.error, sent.current), [save.error])
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
          createRow={createRow}
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
        <Button look="primary" type="submit" busy={save.isPending} disabled={changeCount === 0 || withErrors > 0}>
          Save takeoff
        </Button>
      </div>
    </Form>
  )
}

const NO_ROW: TakeoffRow = { key: '', cells: {} }

function createRow(): TakeoffRow {
  return { key: crypto.randomUUID(), cells: {} }
}

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

/**
 * Returns the parts by their SKU. SKUs that the user types or pastes are looked up after a pause. Null marks a SKU that
 * does not exist.
 */
function useKnownParts(loaded: readonly Part[], rows: readonly TakeoffRow[]): ReadonlyMap<string, GridPart | null> {
  const [parts, setParts] = useState<ReadonlyMap<string, GridPart | null>>(() => {
    // A SKU may be used again after its part was archived.
    const activeLast = loaded.toSorted((a, b) => Number(a.archivedAt === null) - Number(b.archivedAt === null))
    return new Map(activeLast.flatMap((part) => [[part.id, part] as const, [part.sku.toLowerCase(), part] as const]))
  })
  const skus = new Set(rows.map(({ cells }) => (cells.part ?? '').trim().toLowerCase()))
  const missing = [...skus].filter((sku) => sku !== '' && !parts.has(sku)).join('\n')
  useEffect(() => {
    if (missing === '') return
    const wanted = missing.split('\n')
    let isOver = false
    const timer = setTimeout(async () => {
      const found = await fetchPartsBySku(wanted).catch(() => null)
      if (isOver || found === null) return
      const bySku = new Map(found.map((part) => [part.sku.toLowerCase(), part]))
      setParts((before) => new Map([...before, ...wanted.map((sku) => [sku, bySku.get(sku) ?? null] as const)]))
    }, LOOK_UP_MS)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [missing])
  return parts
}

/** The pause after the last letter. */
const LOOK_UP_MS = 300

async function fetchPartsBySku(skus: readonly string[]): Promise<readonly Part[]> {
  if (skus.length > MAX_LOOKUPS) return (await fetchAllRows('/api/ext/parts', { sort: 'sku' }, MAX_PARTS)).rows
  const pages = await Promise.all(skus.map((sku) => fetchAllRows('/api/ext/parts', { sku }, 1)))
  return pages.flatMap(({ rows }) => rows)
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
  return rows.length > 0 ? rows : [createRow()]
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

/** Returns the errors of the service at their cells, and the rest of the error. */
function splitError(
  error: unknown,
  sent: readonly TakeoffRow[],
): { rejected: ReadonlyMap<string, CellErrors>; error: unknown } {
  if (error === null || error === undefined) return { rejected: new Map(), error }
  const { problem, errors } = toErrorMessage(error)
  const rejected = new Map<string, CellErrors>()
  const others = errors.filter((one) => {
    const cell = findErrorCell(one)
    const row = cell === null ? undefined : sent[cell.at]
    if (cell === null || row === undefined) return true
    rejected.set(row.key, { ...rejected.get(row.key), [cell.column]: one.message })
    return false
  })
  if (problem === null || rejected.size === 0) return { rejected, error }
  return { rejected, error: { ...problem, detail: 'The marked cells are not valid.', errors: others } }
}
