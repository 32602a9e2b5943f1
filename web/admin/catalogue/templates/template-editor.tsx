import { useDeferredValue, useMemo, useRef, useState } from 'react'
import type { TaskTemplate, TaskTemplateCreate } from '../../../../client/contract.gen.ts'
import { toErrorMessage } from '../../../api/error-message.ts'
import { useListPage } from '../../../api/list-pages.ts'
import { useCan } from '../../../api/session.ts'
import { Button } from '../../../ui/button.tsx'
import { ChangedSince } from '../../../ui/changed-since.tsx'
import { Field, Form, SelectField } from '../../../ui/form.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { formatCount } from '../../../ui/text-formats.ts'
import { RowDialog } from './row-dialog.tsx'
import { TemplateGrid } from './template-grid.tsx'
import { NetworkLegend, type NetworkRow, TemplateNetwork } from './template-network.tsx'
import {
  createRow,
  findErrorCell,
  isEmptyRow,
  isSameRow,
  type RowErrors,
  readTemplate,
  type TemplateReading,
  type TemplateRow,
  toRowInputs,
  toTemplateRows,
} from './template-rows.ts'

/** The page size limit of one request. A builder has fewer plans, communities, and trades. */
const MAX_RECORDS = 200

/**
 * The changes of a template since it was opened. The draft contains only them, because all rows would need more space.
 */
interface TemplateChanges {
  name: string
  planId: string
  communityId: string
  changed: readonly TemplateRow[]
  /** The keys of all rows, in order. */
  order: readonly string[]
}

/** The form for a template: its name, the homes that it applies to, and its rows, with the network that results. */
export function TemplateEditor(props: {
  /** The template to change, as last loaded by the page; null for a new template. */
  template: TaskTemplate | null
  /** The template from which a new template copies its rows. */
  source: TaskTemplate | null
  error: unknown
  isPending: boolean
  word: string
  onSave(body: TaskTemplateCreate, version: number | undefined): void
}) {
  const { template, source, error, isPending, word, onSave } = props
  const can = useCan()
  // Changes by other users in the meantime do not change the form.
  const [before] = useState(template)
  const [initial] = useState(() => {
    const stored = toTemplateRows((template ?? source)?.rows ?? [])
    return {
      name: template?.name ?? (source === null ? '' : `Copy of ${source.name}`),
      ...{ planId: template?.planId ?? '', communityId: template?.communityId ?? '' },
      rows: stored.length > 0 ? stored : [createRow()],
    }
  })
  const [name, setName] = useState(initial.name)
  const [planId, setPlanId] = useState(initial.planId)
  const [communityId, setCommunityId] = useState(initial.communityId)
  const [rows, setRows] = useState<readonly TemplateRow[]>(initial.rows)
  const [openKey, setOpenKey] = useState<string | null>(null)
  const [onlyErrors, setOnlyErrors] = useState(false)
  const reading = useMemo(() => readTemplate(rows), [rows])
  const shownReading = useDeferredValue(reading)
  const filled = useMemo(() => rows.filter((row) => !isEmptyRow(row)), [rows])
  const trades = useListPage(
    '/api/ext/scopes',
    { limit: MAX_RECORDS, sort: 'sequence' },
    { enabled: can('vendors:read') },
  )
  const tradeNames = (trades.data?.data ?? []).map((trade) => trade.name)

  const changes = useMemo<TemplateChanges>(() => {
    const stored = new Map(initial.rows.map((row) => [row.key, row]))
    const changed = rows.filter((row) => {
      const one = stored.get(row.key)
      return one === undefined ? !isEmptyRow(row) : !isSameRow(one, row)
    })
    return { ...{ name, planId, communityId, changed }, order: rows.map(({ key }) => key) }
  }, [initial, name, planId, communityId, rows])
  const isChanged =
    changes.changed.length > 0 ||
    name !== initial.name ||
    planId !== initial.planId ||
    communityId !== initial.communityId ||
    filled.map(({ key }) => key).join() !==
      initial.rows
        .filter((row) => !isEmptyRow(row))
        .map(({ key }) => key)
        .join()
  const entries = useMemo(
    () => ({
      ...{ current: changes, isChanged, isWhole: true },
      restore(saved: TemplateChanges) {
        setName(saved.name)
        setPlanId(saved.planId)
        setCommunityId(saved.communityId)
        const byKey = new Map([...initial.rows, ...saved.changed].map((row) => [row.key, row]))
        const restored = saved.order.flatMap((key) => byKey.get(key) ?? [])
        setRows(restored.length > 0 ? restored : [createRow()])
      },
    }),
    [changes, isChanged, initial],
  )

  const sent = useRef<readonly TemplateRow[]>([])
  const { rejected, rest } = useMemo(() => splitError(error, sent.current), [error])
  const stillRejected = new Map([...rejected].filter(([key]) => rows.includes(find(sent.current, key) ?? NO_ROW)))
  const isConflict = toErrorMessage(error).problem?.code === 'precondition_failed'
  const errorCount = new Set([
    ...[...reading.rows].filter(([, { errors }]) => Object.keys(errors).length > 0).map(([key]) => key),
    ...stillRejected.keys(),
  ]).size
  const send = (version: number | undefined) => {
    sent.current = filled
    const body = { name: name.trim(), planId: planId === '' ? null : planId }
    onSave(
      { ...body, communityId: communityId === '' ? null : communityId, rows: toRowInputs(filled, reading) },
      version,
    )
  }
  const opened = openKey === null ? undefined : find(rows, openKey)
  return (
    <>
      <Form
        error={isConflict ? null : rest}
        draft={source === null ? 'template' : `copy of ${source.id}`}
        entries={entries}
        onSubmit={() => (errorCount > 0 ? setOnlyErrors(true) : send(before?.version))}
      >
        {isConflict && before !== null && template !== null && template.version !== before.version && (
          <ChangedSince
            error={error}
            before={toComparable(before, template)}
            now={toComparable(template, before)}
            onOverwrite={() => send(template.version)}
          />
        )}
        <Panel title="Template">
          <div className="form-row">
            <Field name="name" label="Name">
              {(control) => (
                <input
                  {...control}
                  className="input"
                  autoComplete="off"
                  placeholder="Two stories on a slab"
                  value={name}
                  onChange={(event) => setName(event.target.value)}
                />
              )}
            </Field>
            <PlaceFields {...{ planId, communityId }} onPlan={setPlanId} onCommunity={setCommunityId} />
          </div>
        </Panel>
        <Panel title="Tasks" hint={formatCount(filled.length, 'task')} isFlush>
          <TemplateGrid
            rows={rows}
            reading={reading}
            rejected={stillRejected}
            trades={tradeNames}
            onlyErrors={onlyErrors && errorCount > 0}
            onChange={setRows}
            onOpen={setOpenKey}
          />
        </Panel>
        <LiveNetwork rows={rows} reading={shownReading} onOpen={setOpenKey} />
        <div className="save-bar">
          <span className="row wrap" aria-live="polite">
            {reading.workdays === null
              ? formatCount(filled.length, 'task')
              : `${formatCount(filled.length, 'task')} in ${formatCount(reading.workdays, 'workday')}.`}{' '}
            {!isChanged && template !== null && 'No changes'}
            {errorCount > 0 && (
              <>
                <span className="tone-bad">{formatCount(errorCount, 'task')} with errors</span>
                <Button small look="quiet" aria-pressed={onlyErrors} onClick={() => setOnlyErrors(!onlyErrors)}>
                  {onlyErrors ? 'Show all tasks' : 'Show only these'}
                </Button>
              </>
            )}
          </span>
          <Button
            look="primary"
            type="submit"
            busy={isPending}
            disabled={errorCount > 0 || filled.length === 0 || (template !== null && !isChanged)}
          >
            {word}
          </Button>
        </div>
      </Form>
      {opened !== undefined && (
        <RowDialog
          key={opened.key}
          row={opened}
          links={reading.rows.get(opened.key)?.links ?? opened.links}
          others={rows.flatMap((row, at) =>
            row.key === opened.key || row.name.trim() === '' ? [] : [{ key: row.key, number: at + 1, name: row.name }],
          )}
          successors={filled
            .filter(({ key }) => reading.rows.get(key)?.links.some(({ to }) => to === opened.key) === true)
            .map((row) => row.name)}
          trades={tradeNames}
          onSave={(changed) => setRows(rows.map((row) => (row.key === changed.key ? changed : row)))}
          onClose={() => setOpenKey(null)}
        />
      )}
    </>
  )
}

const NO_ROW: TemplateRow = { ...createRow(), key: '' }

function find(rows: readonly TemplateRow[], key: string): TemplateRow | undefined {
  return rows.find((row) => row.key === key)
}

/** Shows the fields for the homes that the template applies to. */
function PlaceFields(props: {
  planId: string
  communityId: string
  onPlan(id: string): void
  onCommunity(id: string): void
}) {
  const { planId, communityId, onPlan, onCommunity } = props
  const can = useCan()
  const plans = useListPage('/api/ext/plans', { limit: MAX_RECORDS, sort: 'name' }, { enabled: can('options:read') })
    .data?.data
  const communities = useListPage(
    '/api/ext/communities',
    { limit: MAX_RECORDS, sort: 'name' },
    { enabled: can('communities:read') },
  ).data?.data
  return (
    <>
      <SelectField
        name="planId"
        label="Plan"
        value={planId}
        onChange={onPlan}
        options={toOptions('Every plan', plans, planId)}
      />
      <SelectField
        name="communityId"
        label="Community"
        value={communityId}
        onChange={onCommunity}
        options={toOptions('Every community', communities, communityId)}
      />
    </>
  )
}

function toOptions(every: string, records: readonly { id: string; name: string }[] | undefined, chosen: string) {
  const known = (records ?? []).map(({ id, name }) => ({ value: id, label: name }))
  return [
    { value: '', label: every },
    ...known,
    ...(chosen === '' || known.some(({ value }) => value === chosen)
      ? []
      : [{ value: chosen, label: 'Current choice' }]),
  ]
}

/** Shows the network of the rows while the user edits them. */
function LiveNetwork(props: { rows: readonly TemplateRow[]; reading: TemplateReading; onOpen(key: string): void }) {
  const { rows, reading, onOpen } = props
  const network = useMemo(() => toNetworkRows(rows, reading), [rows, reading])
  return (
    <Panel title="Network" isFlush hint={<NetworkLegend />}>
      {reading.workdays === null ? (
        <p className="body muted">
          {reading.rows.size === 0 ? 'Add tasks to see the network.' : 'Correct the marked errors to see the network.'}
        </p>
      ) : (
        <TemplateNetwork
          rows={network}
          workdays={reading.workdays}
          selected={null}
          renderName={({ key, name }) => (
            <button type="button" onClick={() => onOpen(key)}>
              {name}
            </button>
          )}
        />
      )}
    </Panel>
  )
}

function toNetworkRows(rows: readonly TemplateRow[], reading: TemplateReading): NetworkRow[] {
  return rows.flatMap(({ key, name, taskKind }, at) => {
    const own = reading.rows.get(key)
    if (own == null || own.schedule === null) return []
    return [
      {
        ...{ key, taskKind, links: own.links, schedule: own.schedule },
        name: name.trim() === '' ? `Row ${at + 1}` : name,
      },
    ]
  })
}

/** Returns the fields that are compared after another user changed the template, with the changed rows by name. */
function toComparable(template: TaskTemplate, other: TaskTemplate) {
  const { name, planId, communityId, taskCount, workdays, rows } = template
  const others = new Map(other.rows.map((row) => [row.name, JSON.stringify(row)]))
  const changed = rows.filter((row) => others.get(row.name) !== JSON.stringify(row))
  return { name, planId, communityId, taskCount, workdays, rows: changed.map((row) => row.name).join(', ') }
}

/** Returns the errors of the service at their cells, and the rest of the error. */
function splitError(
  error: unknown,
  sent: readonly TemplateRow[],
): { rejected: ReadonlyMap<string, RowErrors>; rest: unknown } {
  if (error === null || error === undefined) return { rejected: new Map(), rest: error }
  const { problem, errors } = toErrorMessage(error)
  const rejected = new Map<string, RowErrors>()
  const others = errors.filter((one) => {
    const cell = findErrorCell(one)
    const row = cell === null ? undefined : sent[cell.at]
    if (cell === null || row === undefined) return true
    rejected.set(row.key, { ...rejected.get(row.key), [cell.column]: cell.message })
    return false
  })
  if (problem === null || rejected.size === 0) return { rejected, rest: error }
  return { rejected, rest: { ...problem, detail: 'The marked cells are not valid.', errors: others } }
}
