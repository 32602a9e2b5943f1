import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { LedgerDifference, LedgerRow, LedgerType, MissingInAccounting } from '../../../client/contract.gen.ts'
import { client } from '../../api/plumbline.ts'
import { Button } from '../../ui/button.tsx'
import { saveFile, toCsv } from '../../ui/csv.ts'
import { Field, Form, SelectField } from '../../ui/form.tsx'
import { formatFileSize } from '../../ui/number-formats.ts'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { readCsv } from '../../ui/read-csv.ts'
import { ChangeError, EmptyState } from '../../ui/states.tsx'
import { type Column, EmptyCell, Table } from '../../ui/table.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { TitleBlock } from '../../ui/title-block.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { AccountingTabs } from './accounting-tabs.tsx'
import { divideLedger, guessLedgerColumns, type LedgerColumns, toLedgerRows } from './ledger-file.ts'
import { isLedgerType, LEDGER_TYPE_OPTIONS, LEDGER_TYPE_WORDS } from './ledger-words.ts'
import { RecordLink } from './record-link.tsx'

/** One request compares this number of rows. */
const PART_SIZE = 5000
/** Ten requests. A builder has fewer records of one kind in a year. */
const MAX_ROWS = 50_000
const MAX_BYTES = 20 * 1024 * 1024
/** A table of more differences is not read. The CSV contains all of them. */
const MAX_SHOWN = 200

interface LedgerFile {
  name: string
  heads: readonly string[]
  rows: readonly (readonly string[])[]
}

interface Comparison {
  type: LedgerType
  matched: number
  differing: LedgerDifference[]
  missingHere: string[]
  missingThere: MissingInAccounting[]
  missingThereCount: number
  repeated: string[]
}

/** Compares a file from the accounting system with the records, and lists the differences. */
export function Component() {
  const [file, setFile] = useState<LedgerFile | null>(null)
  const [fileError, setFileError] = useState<string | null>(null)
  const [rowErrors, setRowErrors] = useState<readonly string[]>([])
  const [type, setType] = useState<LedgerType>('bill')
  const [columns, setColumns] = useState<LedgerColumns | null>(null)
  const comparison = useMutation({
    mutationFn: compareLedger,
    meta: { changesNothing: true },
  })
  const openFile = async (chosen: File | undefined) => {
    comparison.reset()
    setRowErrors([])
    setFile(null)
    setFileError(null)
    if (chosen === undefined) return
    if (chosen.size > MAX_BYTES) return setFileError(`The limit is ${formatFileSize(MAX_BYTES)}.`)
    const [heads, ...rows] = readCsv(await chosen.text())
    if (heads === undefined || rows.length === 0)
      return setFileError('The file needs a row with headings and at least one more row.')
    if (rows.length > MAX_ROWS)
      return setFileError(`The limit is ${MAX_ROWS.toLocaleString('en-US')} rows. Export a shorter period.`)
    setFile({ name: chosen.name, heads, rows })
    setColumns(guessLedgerColumns(heads))
  }
  const submit = () => {
    if (file === null || columns === null) return
    const { rows, errors } = toLedgerRows(file.rows, columns)
    setRowErrors(errors)
    if (errors.length === 0) comparison.mutate({ type, rows })
  }
  return (
    <Page title="Reconciliation" crumbs={[{ name: 'Accounting', to: '/accounting' }, { name: 'Reconciliation' }]}>
      <div className="page-head">
        <h1>Reconciliation</h1>
        <p>Compare a file from your accounting system with the records. Nothing is saved.</p>
      </div>
      <AccountingTabs />
      <Form draft={null} error={null} onSubmit={submit}>
        <Panel title="File">
          <div className="form">
            <div className="form-row">
              <SelectField
                name="type"
                label="Records"
                value={type}
                onChange={(value) => {
                  comparison.reset()
                  if (isLedgerType(value)) setType(value)
                }}
                options={LEDGER_TYPE_OPTIONS}
              />
              <Field
                name="file"
                label="File"
                hint={fileError ?? 'CSV file with a row of headings, such as an export of QuickBooks or Sage.'}
              >
                {(control) => (
                  <input
                    {...control}
                    className="input"
                    type="file"
                    accept=".csv,.txt,.tsv,text/csv"
                    onChange={(event) => void openFile(event.target.files?.[0])}
                  />
                )}
              </Field>
            </div>
            {file !== null && columns !== null && (
              <ColumnChoices heads={file.heads} columns={columns} onChange={setColumns} />
            )}
            {rowErrors.length > 0 && (
              <div className="banner" data-tone="bad" role="alert">
                <div>
                  <strong>Some amounts cannot be read.</strong>
                  {rowErrors.map((line) => (
                    <p key={line}>{line}</p>
                  ))}
                </div>
              </div>
            )}
            <ChangeError error={comparison.error} />
            <div className="row wrap">
              <Button
                look="primary"
                type="submit"
                busy={comparison.isPending}
                disabled={file === null || columns?.accountingId == null}
              >
                Compare
              </Button>
              {file !== null && (
                <span className="muted">
                  {formatCount(file.rows.length, 'row')} in {file.name}
                </span>
              )}
            </div>
          </div>
        </Panel>
      </Form>
      {comparison.data !== undefined && <ComparisonResult result={comparison.data} />}
    </Page>
  )
}

const COLUMN_WORDS: readonly (readonly [keyof LedgerColumns, string])[] = [
  ['accountingId', 'Column of the accounting ID'],
  ['name', 'Column of the name'],
  ['amount', 'Column of the amount'],
  ['status', 'Column of the void mark'],
]

function ColumnChoices(props: {
  heads: readonly string[]
  columns: LedgerColumns
  onChange(columns: LedgerColumns): void
}) {
  const { heads, columns, onChange } = props
  return (
    <div className="form-row">
      {COLUMN_WORDS.map(([column, label]) => (
        <SelectField
          key={column}
          name={column}
          label={label}
          value={columns[column] === null ? '' : String(columns[column])}
          onChange={(value) => onChange({ ...columns, [column]: value === '' ? null : Number(value) })}
          options={[
            { value: '', label: column === 'accountingId' ? 'Choose one' : 'Not compared' },
            ...heads.map((head, at) => ({ value: String(at), label: head === '' ? `Column ${at + 1}` : head })),
          ]}
        />
      ))}
    </div>
  )
}

async function compareLedger({ type, rows }: { type: LedgerType; rows: readonly LedgerRow[] }): Promise<Comparison> {
  const whole: Comparison = {
    ...{ type, matched: 0, differing: [], missingHere: [], missingThere: [], missingThereCount: 0, repeated: [] },
  }
  // The parts are compared one after another, because the service compares one large body at a time quickly enough.
  for (const part of divideLedger(rows, PART_SIZE)) {
    const { data, error } = await client.POST('/api/ext/accounting/reconciliation', { body: { type, ...part } })
    if (error !== undefined) throw error
    whole.matched += data.matched
    whole.missingThereCount += data.missingThereCount
    whole.differing.push(...data.differing)
    whole.missingHere.push(...data.missingHere)
    whole.missingThere.push(...data.missingThere)
    whole.repeated.push(...data.repeated)
  }
  return whole
}

const FIELD_WORDS = { name: 'Name', amount: 'Amount', status: 'Status' } as const

/** A row of the result: a difference, or a record that only one side has. */
interface Finding {
  key: string
  accountingId: string
  id: string | null
  label: string
  kind: string
  here: string
  there: string
}

function ComparisonResult({ result }: { result: Comparison }) {
  const { cents } = useFormats()
  const value = (of: string | number | null) => (of === null ? 'none' : typeof of === 'number' ? cents(of) : of)
  const several = LEDGER_TYPE_WORDS[result.type][1]
  const findings: readonly Finding[] = [
    ...result.differing.map(({ accountingId, id, label, field, here, there }) => ({
      ...{ key: `${id} ${field}`, accountingId, id, label, kind: `${FIELD_WORDS[field]} differs` },
      ...{ here: value(here), there: value(there) },
    })),
    ...result.missingThere.map(({ accountingId, id, label, amount }) => ({
      ...{ key: `there ${id}`, accountingId, id, label, kind: 'Missing in accounting' },
      ...{ here: amount === null ? 'recorded' : cents(amount), there: 'missing' },
    })),
    ...result.missingHere.map((accountingId) => ({
      ...{ key: `here ${accountingId}`, accountingId, id: null, label: '', kind: 'Missing in Plumbline' },
      ...{ here: 'missing', there: 'recorded' },
    })),
    ...result.repeated.map((accountingId) => ({
      ...{ key: `twice ${accountingId}`, accountingId, id: null, label: '', kind: 'Twice in the file' },
      ...{ here: '', there: 'repeated' },
    })),
  ]
  const columns: readonly Column<Finding>[] = [
    {
      head: 'Accounting ID',
      cell: ({ accountingId }) => <span className="lead">{accountingId}</span>,
      csv: ({ accountingId }) => accountingId,
    },
    {
      head: 'Record',
      cell: ({ id, label }) => (id === null ? <EmptyCell word="none" /> : <RecordLink id={id} label={label} />),
      csv: ({ label }) => label,
    },
    { head: 'Difference', cell: ({ kind }) => kind, csv: ({ kind }) => kind },
    { head: 'Plumbline', numeric: true, cell: ({ here }) => here, csv: ({ here }) => here },
    { head: 'Accounting', numeric: true, cell: ({ there }) => there, csv: ({ there }) => there },
  ]
  const save = () => {
    const written = columns.flatMap(({ head, csv }) => (csv === undefined ? [] : [{ head, csv }]))
    const heads = written.map(({ head }) => head)
    const rows = findings.map((finding) => written.map(({ csv }) => csv(finding) as string))
    saveFile(toCsv(heads, rows), 'reconciliation.csv')
  }
  return (
    <>
      <TitleBlock
        name={`${several} compared`}
        facts={[
          { label: 'Matching', isFigure: true, value: result.matched },
          { label: 'Different', isFigure: true, value: result.differing.length },
          { label: 'Missing in accounting', isFigure: true, value: result.missingThereCount },
          { label: 'Missing in Plumbline', isFigure: true, value: result.missingHere.length },
          { label: 'Twice in the file', isFigure: true, value: result.repeated.length },
        ]}
      />
      <Panel
        title="Differences"
        hint={findings.length > MAX_SHOWN ? `first ${MAX_SHOWN} of ${findings.length}` : undefined}
        isFlush
        actions={
          findings.length > 0 && (
            <Button small icon="download" onClick={save}>
              Export
            </Button>
          )
        }
      >
        {findings.length === 0 ? (
          <EmptyState icon="check" title="No differences">
            Each row of the file matches a record, and no record is missing.
          </EmptyState>
        ) : (
          <div className="table-wrap">
            <Table
              caption="Differences"
              columns={columns}
              rows={findings.slice(0, MAX_SHOWN)}
              keyOf={({ key }) => key}
            />
          </div>
        )}
      </Panel>
    </>
  )
}
