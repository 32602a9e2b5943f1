import { useMemo, useState } from 'react'
import { Link } from 'react-router'
import { queryClient } from '../../api/query-client.ts'
import { Button } from '../../ui/button.tsx'
import { saveFile, toCsv } from '../../ui/csv.ts'
import { Icon } from '../../ui/icon.tsx'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { ChangeError } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { showToast } from '../../ui/toast.tsx'
import { type CsvFile, readCsv } from './csv-file.ts'
import { ImportColumns } from './import-columns.tsx'
import { type FailedRow, type ImportCounts, importVendors } from './import-vendors.ts'
import { type ColumnMapping, guessMapping, isVendorField, toImportRow, VENDOR_FIELDS } from './vendor-columns.ts'

/** The progress of a trial or an import. `error` is what stopped it. */
interface ImportProgress {
  isTrial: boolean
  done: number
  so: ImportCounts | null
  isOver: boolean
  error: unknown
}

/** The page that imports vendors from a file: the columns, a trial of each row, and the import. */
export function Component() {
  const [file, setFile] = useState<CsvFile | null>(null)
  const [fault, setFault] = useState<string | null>(null)
  const [mapping, setMapping] = useState<ColumnMapping>([])
  const [run, setRun] = useState<ImportProgress | null>(null)
  const rows = useMemo(() => file?.rows.map((cells) => toImportRow(cells, mapping)) ?? [], [file, mapping])

  const take = (text: string) => {
    const read = readCsv(text)
    setRun(null)
    if (typeof read === 'string') {
      setFault(read)
      setFile(null)
      return
    }
    setFault(null)
    setFile(read)
    setMapping(guessMapping(read.heads))
  }
  const start = async (isTrial: boolean) => {
    const started: ImportProgress = { isTrial, done: 0, so: null, isOver: false, error: null }
    setRun(started)
    try {
      const so = await importVendors(rows, isTrial, (done, so) => setRun({ ...started, done, so }))
      setRun({ ...started, done: rows.length, so, isOver: true })
      if (!isTrial) showToast(`${formatCount(so.created + so.updated, 'vendor')} imported`)
    } catch (error) {
      setRun((now) => ({ ...(now ?? started), isOver: true, error }))
    }
    if (!isTrial) void queryClient.invalidateQueries()
  }
  const isBusy = run !== null && !run.isOver

  return (
    <Page title="Import vendors" crumbs={[{ name: 'Vendors', to: '/vendors' }, { name: 'Import' }]}>
      <div className="page-head">
        <h1>Import vendors</h1>
        <p>Import a CSV file from your accounting system or a spreadsheet. Preview the changes before you save them.</p>
      </div>
      <div className="stack">
        <Panel title="The file" hint="CSV, with column headings in the first line">
          <ChooseFile onText={take} isDisabled={isBusy} />
          {fault !== null && (
            <div className="banner" data-tone="bad" role="alert">
              <Icon name="warn" />
              <div>{fault}</div>
            </div>
          )}
        </Panel>
        {file !== null && (
          <ImportColumns
            {...{ file, mapping }}
            isDisabled={isBusy}
            onChange={(next) => {
              setMapping(next)
              setRun(null)
            }}
            actions={
              <Button
                look={run?.so == null ? 'primary' : 'plain'}
                icon="eye"
                busy={isBusy && run.isTrial}
                disabled={!mapping.includes('companyName') || (isBusy && !run.isTrial)}
                onClick={() => void start(true)}
              >
                Preview {formatCount(rows.length, 'row')}
              </Button>
            }
          />
        )}
        {file !== null && run !== null && (
          <ImportOutcome {...{ file, run, rows }} onImport={() => void start(false)} onTrial={() => void start(true)} />
        )}
      </div>
    </Page>
  )
}

function ChooseFile({ onText, isDisabled }: { onText(text: string): void; isDisabled: boolean }) {
  return (
    <div className="form">
      <div className="field">
        <label htmlFor="csv-file">File</label>
        <input
          id="csv-file"
          className="input"
          type="file"
          accept=".csv,.txt,text/csv"
          disabled={isDisabled}
          onChange={(event) => void event.target.files?.[0]?.text().then(onText)}
        />
        <span className="hint">Names, trades and email addresses are enough. At most 5,000 rows.</span>
      </div>
    </div>
  )
}

function ImportOutcome(props: {
  file: CsvFile
  run: ImportProgress
  rows: readonly Record<string, unknown>[]
  onImport(): void
  onTrial(): void
}) {
  const { file, run, rows, onImport, onTrial } = props
  const { isTrial, done, so, isOver, error } = run
  const failed = so?.failed ?? []
  const good = rows.length - failed.length
  const share = rows.length === 0 ? 0 : Math.round((done / rows.length) * 100)
  return (
    <Panel
      title={isTrial ? 'Preview' : 'Result'}
      hint={isTrial ? 'nothing has been changed yet' : undefined}
      isFlush
      actions={
        failed.length > 0 && (
          <Button small look="quiet" icon="download" onClick={() => downloadFailedRows(file, failed)}>
            Rows with errors
          </Button>
        )
      }
    >
      <div className="body stack" aria-live="polite">
        {!isOver && (
          <>
            <p>
              {isTrial ? 'Checking' : 'Importing'}: {done} of {formatCount(rows.length, 'row')}
            </p>
            <progress className="meter-native" max={100} value={share} aria-label="Progress" />
          </>
        )}
        <ChangeError
          error={error}
          remedy={isTrial || done === 0 ? undefined : `The first ${done} rows were imported. Import the file again.`}
        />
        {so !== null && (
          <p>
            <strong>{formatCount(so.created, 'vendor')}</strong> {isTrial ? 'would be added' : 'added'},{' '}
            <strong>{so.updated}</strong> changed, {so.unchanged} unchanged,{' '}
            <strong className={failed.length > 0 ? 'tone-bad' : undefined}>{failed.length}</strong> with errors.
          </p>
        )}
        {isOver && isTrial && so !== null && error === null && (
          <div className="row wrap">
            <Button look="primary" disabled={good === 0} onClick={onImport}>
              Import {formatCount(good, 'row')}
            </Button>
            {failed.length > 0 && <span className="muted">Rows with errors are skipped.</span>}
          </div>
        )}
        {isOver && !isTrial && (
          <div className="row wrap">
            <Link className="btn primary" to="/vendors">
              View vendors
            </Link>
            {error !== null && <Button onClick={onTrial}>Preview the rest</Button>}
          </div>
        )}
      </div>
      {failed.length > 0 && <RowErrors {...{ file, failed }} />}
    </Panel>
  )
}

/** More errors than a person reads at once; the file of failed rows contains all of them. */
const MAX_SHOWN = 100

function RowErrors({ file, failed }: { file: CsvFile; failed: readonly FailedRow[] }) {
  const columns: readonly Column<FailedRow>[] = [
    { head: 'Line', cell: ({ row }) => toLineNumber(row) },
    { head: 'Row', className: 'wraps', cell: ({ row }) => file.rows[row]?.join(', ') },
    { head: 'Errors', className: 'wraps', cell: describeRowError },
  ]
  return (
    <div className="table-wrap">
      <Table
        caption="Rows with errors"
        columns={columns}
        rows={failed.slice(0, MAX_SHOWN)}
        keyOf={({ row }) => String(row)}
      />
    </div>
  )
}

/** The headings are line 1. */
function toLineNumber(row: number): number {
  return row + 2
}

function describeRowError({ problem }: FailedRow): string {
  if (problem.errors.length === 0) return problem.detail
  return problem.errors
    .map(({ pointer, message }) => {
      const [field = ''] = (pointer ?? '').split('/').filter((part) => part !== '' && part !== 'input')
      return `${isVendorField(field) ? VENDOR_FIELDS[field].word : field} ${message}`.trim()
    })
    .join('; ')
}

function downloadFailedRows(file: CsvFile, failed: readonly FailedRow[]): void {
  const rows = failed.map((one) => [...(file.rows[one.row] ?? []), describeRowError(one)])
  saveFile(toCsv([...file.heads, 'Errors'], rows), 'vendors-at-fault.csv')
}
