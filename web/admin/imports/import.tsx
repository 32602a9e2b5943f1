import { useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import type { Import, ImportDelimiter, ImportEncoding } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { queryClient } from '../../api/query-client.ts'
import { Status } from '../../ui/badge.tsx'
import { Page } from '../../ui/page.tsx'
import { KeyValues, Panel } from '../../ui/panel.tsx'
import { ChangeError, LoadError, SkeletonLines } from '../../ui/states.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { ImportColumns } from './import-columns.tsx'
import { ImportOutcome } from './import-outcome.tsx'
import { findImportFile, type ReadingChoices, uploadImportFile } from './upload-import-file.ts'

const LAYOUTS: Readonly<Record<NonNullable<Import['layout']>, string>> = {
  quickbooks_desktop: 'QuickBooks Desktop',
  quickbooks_online: 'QuickBooks Online',
  xero: 'Xero',
  projecthound: 'ProjectHound',
}
const ENCODINGS: Readonly<Record<ImportEncoding, string>> = {
  'utf-8': 'Unicode (UTF-8)',
  'utf-16le': 'Unicode (UTF-16)',
  'utf-16be': 'Unicode (UTF-16, big endian)',
  'windows-1252': 'Western European (Windows-1252)',
}
const DELIMITERS: Readonly<Record<ImportDelimiter, string>> = {
  ...{ ',': 'Comma', ';': 'Semicolon', '\t': 'Tab', '|': 'Vertical bar' },
}

/** The interval at which the page requests the progress of a running import. */
const PROGRESS_MS = 700

function isRunning(status: Import['status'] | undefined): boolean {
  return status === 'checking' || status === 'importing' || status === 'undoing'
}

/**
 * Shows one import: the service's interpretation of the file and its columns, a preview, the result, and a button to
 * undo the import.
 */
export function Component() {
  const { importId = '' } = useParams()
  const path = { params: { path: { importId } } }
  const query = plumbline.useQuery('get', '/api/ext/imports/{importId}', path, {
    refetchInterval: ({ state }) => (isRunning(state.data?.status) ? PROGRESS_MS : false),
  })
  const kinds = plumbline.useQuery('get', '/api/ext/import-kinds', {})
  const found = query.data
  const info = kinds.data?.kinds.find(({ kind }) => kind === found?.kind)
  const title = found?.fileName ?? 'Import'
  return (
    <Page title={title} crumbs={[{ name: 'Imports', to: '/imports' }, { name: title }]}>
      <div className="page-head">
        <h1>{title}</h1>
        <p>{info === undefined ? 'Import of a file' : `Import of ${info.label.toLowerCase()}`}</p>
      </div>
      {query.error !== null && <LoadError what="The import" error={query.error} onRetry={() => void query.refetch()} />}
      {found === undefined || info === undefined ? (
        query.error === null && <SkeletonLines />
      ) : (
        <div className="stack">
          <Understood found={found} label={info.label} />
          <ImportColumns found={found} info={info} isLocked={isRunning(found.status) || isOver(found.status)} />
          <ImportOutcome found={found} info={info} isRunning={isRunning(found.status)} onChanged={refresh} />
        </div>
      )}
    </Page>
  )
}

function isOver(status: Import['status']): boolean {
  return status === 'imported' || status === 'undone' || status === 'undoing'
}

function refresh(): void {
  void queryClient.invalidateQueries()
}

function Understood({ found, label }: { found: Import; label: string }) {
  const navigate = useNavigate()
  const [error, setError] = useState<unknown>(null)
  const file = findImportFile(found.id)
  const readAgain = async (choices: ReadingChoices) => {
    if (file === undefined) return
    setError(null)
    try {
      const { id } = await uploadImportFile(file, found.kind, choices)
      void navigate(`/imports/${id}`, { replace: true })
    } catch (problem) {
      setError(problem)
    }
  }
  const canRead = file !== undefined && (found.status === 'ready' || found.status === 'checked')
  return (
    <Panel title="The file" actions={<Status of="import" is={found.status} />}>
      <KeyValues
        facts={[
          ['Records', label],
          ['Rows', `${formatCount(found.rowCount, 'row')}, headings on line ${found.headerLine}`],
          ...(found.layout === null ? [] : [['Exported from', LAYOUTS[found.layout]] as const]),
          ...(found.encoding === null
            ? []
            : [
                [
                  'Encoding',
                  <Choice
                    key="encoding"
                    label="Encoding"
                    value={found.encoding}
                    words={ENCODINGS}
                    isFixed={!canRead}
                    onChange={(encoding) => void readAgain({ encoding })}
                  />,
                ] as const,
              ]),
          ...(found.delimiter === null
            ? []
            : [
                [
                  'Separator',
                  <Choice
                    key="delimiter"
                    label="Separator"
                    value={found.delimiter}
                    words={DELIMITERS}
                    isFixed={!canRead}
                    onChange={(delimiter) => void readAgain({ delimiter })}
                  />,
                ] as const,
              ]),
          ...(found.sheet === null
            ? []
            : [
                [
                  'Sheet',
                  <Choice
                    key="sheet"
                    label="Sheet"
                    value={found.sheet}
                    words={Object.fromEntries(found.sheets.map((sheet) => [sheet, sheet]))}
                    isFixed={!canRead}
                    onChange={(sheet) => void readAgain({ sheet })}
                  />,
                ] as const,
              ]),
        ]}
      />
      <ChangeError error={error} />
    </Panel>
  )
}

function Choice<Value extends string>(props: {
  label: string
  value: Value
  words: Readonly<Record<Value, string>>
  isFixed: boolean
  onChange(value: Value): void
}) {
  const { label, value, words, isFixed, onChange } = props
  if (isFixed) return words[value]
  return (
    <select
      className="input"
      aria-label={label}
      value={value}
      onChange={(event) => onChange(event.target.value as Value)}
    >
      {(Object.keys(words) as Value[]).map((each) => (
        <option key={each} value={each}>
          {words[each]}
        </option>
      ))}
    </select>
  )
}
