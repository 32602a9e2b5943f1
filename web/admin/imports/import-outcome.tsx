import { Link } from 'react-router'
import type { Import, ImportKindInfo, ImportRow, ImportUpdate } from '../../../client/contract.gen.ts'
import { plumbline, root } from '../../api/plumbline.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Panel } from '../../ui/panel.tsx'
import { ChangeError } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { formatCount } from '../../ui/text-formats.ts'

/**
 * The maximum number of rows. Users do not read more at once. The file with the erroneous rows contains all of them.
 */
const MAX_SHOWN = 100

const DECISIONS = [
  ['create', 'Add as new record'],
  ['update', 'Update existing record'],
  ['skip', 'Skip'],
] as const

/** Shows the preview and the result of an import, with the buttons that start, save, and undo the import. */
export function ImportOutcome(props: { found: Import; info: ImportKindInfo; isRunning: boolean; onChanged(): void }) {
  const { found, info, isRunning, onChanged } = props
  const path = { importId: found.id }
  const options = { onSettled: onChanged }
  const start = plumbline.useMutation('post', '/api/ext/imports/{importId}/start', options)
  const undo = plumbline.useMutation('post', '/api/ext/imports/{importId}/undo', options)
  const update = plumbline.useMutation('patch', '/api/ext/imports/{importId}', options)
  const begin = (dryRun: boolean) => start.mutate({ params: { path }, body: { dryRun } })
  const decide = (body: ImportUpdate) => update.mutate({ params: { path }, body })
  const { status, created, updated, unchanged, failed, skipped, undecided, rowCount, doneCount, questions } = found
  const saved = found.rowCount - failed - skipped - undecided
  const wasRun = status !== 'ready' && !isRunning
  return (
    <Panel
      title={status === 'imported' || status === 'undone' || status === 'undoing' ? 'Result' : 'Preview'}
      hint={status === 'checked' ? 'nothing has been saved yet' : undefined}
      isFlush
      actions={
        failed > 0 &&
        !isRunning && (
          <a className="btn small quiet" href={`${root}/api/ext/imports/${found.id}/errors.csv`} download>
            <Icon name="download" />
            Rows with errors
          </a>
        )
      }
    >
      <div className="body stack" aria-live="polite">
        <ChangeError error={start.error ?? undo.error ?? update.error} />
        {isRunning && (
          <>
            <p>
              {RUN_WORDS[status] ?? 'Working'}: {doneCount} of {formatCount(rowCount, 'row')}
            </p>
            <progress
              className="meter-native"
              max={100}
              value={rowCount === 0 ? 0 : Math.round((doneCount / rowCount) * 100)}
              aria-label="Progress"
            />
          </>
        )}
        {wasRun && (
          <p>
            <strong>{formatCount(created, 'row')}</strong> {status === 'checked' ? 'would be added' : 'added'},{' '}
            <strong>{updated}</strong> changed, {unchanged} unchanged, {skipped} skipped,{' '}
            <strong className={failed > 0 ? 'tone-bad' : undefined}>{failed}</strong> with errors.
            {status === 'undone' && ` ${formatCount(found.undone, 'row')} undone.`}
          </p>
        )}
        {undecided > 0 && !isRunning && (
          <div className="banner" data-tone="warn">
            <Icon name="warn" />
            <div>
              {formatCount(undecided, 'row')} may already exist. Decide for each row below, or for all:{' '}
              {DECISIONS.map(([decision, word]) => (
                <Button key={decision} small look="quiet" onClick={() => decide({ duplicates: decision })}>
                  {word}
                </Button>
              ))}
            </div>
          </div>
        )}
        {(status === 'ready' || status === 'checked') && (
          <div className="row wrap">
            <Button look={status === 'ready' ? 'primary' : 'plain'} icon="eye" onClick={() => begin(true)}>
              Preview {formatCount(rowCount, 'row')}
            </Button>
            {status === 'checked' && (
              <Button
                look="primary"
                disabled={saved === 0 || questions.length > 0 || undecided > 0}
                onClick={() => begin(false)}
              >
                Import {formatCount(saved, 'row')}
              </Button>
            )}
            {failed > 0 && <span className="muted">Rows with errors are not imported.</span>}
          </div>
        )}
        {status === 'imported' && (
          <div className="row wrap">
            {LISTS[found.kind] !== undefined && (
              <Link className="btn primary" to={LISTS[found.kind] ?? '/'}>
                View {info.label.toLowerCase()}
              </Link>
            )}
            {created + updated > 0 && (
              <Button look="danger" onClick={() => undo.mutate({ params: { path } })}>
                Undo import
              </Button>
            )}
          </div>
        )}
      </div>
      {wasRun && undecided > 0 && (
        <RowTable {...{ found, info, decide }} status="undecided" caption="Possible duplicates" />
      )}
      {wasRun && failed > 0 && <RowTable {...{ found, info, decide }} status="failed" caption="Rows with errors" />}
      {status === 'undone' && (
        <RowTable {...{ found, info, decide }} status="kept" caption="Rows that were not undone" />
      )}
    </Panel>
  )
}

const RUN_WORDS: Partial<Record<Import['status'], string>> = {
  checking: 'Checking',
  importing: 'Importing',
  undoing: 'Undoing',
}

/** The pages that list the imported records, by kind. */
const LISTS: Partial<Record<Import['kind'], string>> = {
  vendor: '/vendors',
  community: '/communities',
  home: '/homes',
  plan: '/catalogue',
  option: '/catalogue/options',
  part: '/catalogue/parts',
  price: '/catalogue/parts',
  takeoff: '/catalogue',
  cost_code: '/catalogue/cost-codes',
  task: '/schedule',
  lead: '/sales',
  budget_line: '/homes',
  permit: '/homes',
  inspection: '/homes',
  punch_item: '/homes',
  warranty_request: '/warranty',
  drawing: '/catalogue',
  home_owner: '/homes',
}

function RowTable(props: {
  found: Import
  info: ImportKindInfo
  status: 'failed' | 'undecided' | 'kept'
  caption: string
  decide(body: ImportUpdate): void
}) {
  const { found, info, status, caption, decide } = props
  const rows = plumbline.useQuery('get', '/api/ext/imports/{importId}/rows', {
    params: { path: { importId: found.id }, query: { status, limit: MAX_SHOWN } },
  })
  const labels = new Map(info.fields.map(({ field, label }) => [field, label]))
  const columns: readonly Column<ImportRow>[] = [
    { head: 'Line', cell: ({ line }) => line },
    { head: 'Row', className: 'wraps', cell: ({ cells }) => cells.filter((cell) => cell !== '').join(', ') },
    status === 'undecided'
      ? {
          head: 'Possible duplicate of',
          className: 'wraps',
          cell: ({ possibleDuplicates }) => possibleDuplicates.map(({ companyName }) => companyName).join('; '),
        }
      : {
          head: status === 'kept' ? 'Reason' : 'Errors',
          className: 'wraps',
          cell: (row) => describeProblem(row, labels),
        },
    ...(status === 'undecided'
      ? [
          {
            head: 'Decision',
            cell: ({ row, line, decision }: ImportRow) => (
              <select
                className="input"
                aria-label={`Decision for line ${line}`}
                value={decision ?? ''}
                onChange={(event) => {
                  const chosen = DECISIONS.find(([value]) => value === event.target.value)?.[0]
                  if (chosen !== undefined) decide({ decisions: [{ row, decision: chosen }] })
                }}
              >
                <option value="" disabled>
                  Choose…
                </option>
                {DECISIONS.map(([value, word]) => (
                  <option key={value} value={value}>
                    {word}
                  </option>
                ))}
              </select>
            ),
          },
        ]
      : []),
  ]
  return (
    <div className="table-wrap">
      <Table caption={caption} columns={columns} rows={rows.data?.rows} keyOf={({ row }) => String(row)} />
    </div>
  )
}

function describeProblem({ problem }: ImportRow, labels: ReadonlyMap<string, string>): string {
  if (problem === null) return ''
  if (problem.errors.length === 0) return problem.detail
  return problem.errors
    .map(({ pointer, message }) => {
      const field = pointer.replace(/^\/?(input\/)?/, '').replaceAll('/', '.')
      return `${labels.get(field) ?? field} ${message}`.trim()
    })
    .join('; ')
}
