import { useState } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router'
import type { Import, ImportKind } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { Status } from '../../ui/badge.tsx'
import { Listing } from '../../ui/listing.tsx'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { ChangeError, EmptyState } from '../../ui/states.tsx'
import type { Column } from '../../ui/table.tsx'
import { TimeText } from '../../ui/time.tsx'
import { uploadImportFile } from './upload-import-file.ts'

/** Uploads files to import, and lists earlier imports. */
export function Component() {
  const kinds = plumbline.useQuery('get', '/api/ext/import-kinds', {})
  const labels = new Map(kinds.data?.kinds.map(({ kind, label }) => [kind, label]))
  const columns: readonly Column<Import>[] = [
    {
      head: 'File',
      className: 'long',
      cell: ({ id, fileName }) => (
        <Link className="lead clip" to={`/imports/${id}`}>
          {fileName}
        </Link>
      ),
      csv: ({ fileName }) => fileName,
    },
    { head: 'Records', cell: ({ kind }) => labels.get(kind) ?? kind, csv: ({ kind }) => kind },
    { head: 'Status', cell: ({ status }) => <Status of="import" is={status} />, csv: ({ status }) => status },
    { head: 'Rows', numeric: true, cell: ({ rowCount }) => rowCount, csv: ({ rowCount }) => rowCount },
    { head: 'Added', numeric: true, cell: ({ created }) => created, csv: ({ created }) => created },
    { head: 'Changed', numeric: true, cell: ({ updated }) => updated, csv: ({ updated }) => updated },
    { head: 'Errors', numeric: true, cell: ({ failed }) => failed, csv: ({ failed }) => failed },
    {
      head: 'Uploaded',
      sort: 'createdAt',
      cell: ({ createdAt }) => <TimeText at={createdAt} />,
      csv: ({ createdAt }) => createdAt,
    },
  ]
  return (
    <Page title="Imports" crumbs={[{ name: 'Imports' }]}>
      <div className="page-head">
        <h1>Imports</h1>
        <p>
          Bring records over from your accounting system or a spreadsheet. Preview the changes before you save them.
        </p>
      </div>
      <div className="stack">
        <UploadPanel kinds={kinds.data?.kinds ?? []} />
        <Listing
          path="/api/ext/imports"
          nouns={['import', 'imports']}
          columns={columns}
          keyOf={({ id }) => id}
          sort="-createdAt"
          empty={
            <EmptyState icon="upload" title="No imports yet">
              Choose a file above. Nothing is saved before you have seen a preview.
            </EmptyState>
          }
        />
      </div>
    </Page>
  )
}

function UploadPanel({ kinds }: { kinds: readonly { kind: ImportKind; label: string }[] }) {
  const [params] = useSearchParams()
  const [chosen, setChosen] = useState<ImportKind | null>(null)
  const [isBusy, setIsBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const navigate = useNavigate()
  const named = kinds.find(({ kind }) => kind === (chosen ?? params.get('kind')))
  const kind = named?.kind ?? kinds[0]?.kind
  const take = async (file: File | undefined) => {
    if (file === undefined || kind === undefined) return
    setIsBusy(true)
    setError(null)
    try {
      const { id } = await uploadImportFile(file, kind)
      void navigate(`/imports/${id}`)
    } catch (problem) {
      setError(problem)
      setIsBusy(false)
    }
  }
  return (
    <Panel title="New import" hint="CSV, Excel (.xlsx), or Microsoft Project (.xml)">
      <div className="form">
        <div className="field">
          <label htmlFor="import-kind">Records</label>
          <select
            id="import-kind"
            className="input"
            value={kind ?? ''}
            disabled={isBusy}
            onChange={(event) => setChosen(kinds.find((one) => one.kind === event.target.value)?.kind ?? null)}
          >
            {kinds.map((one) => (
              <option key={one.kind} value={one.kind}>
                {one.label}
              </option>
            ))}
          </select>
        </div>
        <div className="field">
          <label htmlFor="import-file">File</label>
          <input
            id="import-file"
            className="input"
            type="file"
            accept=".csv,.txt,.xlsx,.xml,text/csv"
            disabled={isBusy || kind === undefined}
            onChange={(event) => void take(event.target.files?.[0])}
          />
          <span className="hint">
            At most 20,000 rows and 5 MB. Exports of QuickBooks, Xero and ProjectHound are recognized.
          </span>
        </div>
      </div>
      <ChangeError error={error} />
    </Panel>
  )
}
