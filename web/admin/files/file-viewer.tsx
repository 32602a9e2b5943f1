import { type ReactNode, useState } from 'react'
import type { HeldPermission } from '../../../client/contract.gen.ts'
import { useListPage } from '../../api/list-pages.ts'
import { useCan } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { formatFileSize } from '../../ui/number-formats.ts'
import { LoadError, SkeletonLines } from '../../ui/states.tsx'
import { AddFileDialog } from './add-file-dialog.tsx'
import { StoredFile, toDownloadPath } from './stored-file.tsx'

/** Few files of a record are looked at one after another. All of them are in the list of files of the API. */
const MAX_FILES = 20

/** Shows the files of a record: a preview of the chosen one, the newest first. */
export function FileViewer({ recordId, empty }: { recordId: string; empty: ReactNode }) {
  const [chosenId, setChosenId] = useState<string | null>(null)
  const files = useListPage('/api/ext/attachments', { recordId, limit: MAX_FILES, sort: '-createdAt' })
  const rows = files.data?.data
  const chosen = rows?.find(({ id }) => id === chosenId) ?? rows?.[0]
  if (files.error !== null)
    return <LoadError what="The files" error={files.error} onRetry={() => void files.refetch()} />
  if (rows === undefined) return <SkeletonLines lines={6} />
  if (chosen === undefined) return <p className="muted">{empty}</p>
  return (
    <div className="stack">
      <ul className="plain-list">
        {rows.map((file) => (
          <li key={file.id} className="row wrap">
            <a href={toDownloadPath(file.id)} download={file.fileName}>
              {file.fileName}
            </a>
            <span className="faint small">{formatFileSize(file.size)}</span>
            {rows.length > 1 && file.id !== chosen.id && (
              <Button small look="quiet" aria-label={`Show ${file.fileName}`} onClick={() => setChosenId(file.id)}>
                Show
              </Button>
            )}
          </li>
        ))}
      </ul>
      <StoredFile key={chosen.id} file={chosen} />
    </div>
  )
}

interface FilesProps {
  recordId: string
  /** The name of the record, such as the type of a document. */
  name: string
  /** The permission without which files can only be read. */
  needs: HeldPermission
  /** Decisions about the record that the user can make while looking at the file. */
  decisions?(close: () => void): ReactNode
}

/** A button that opens the files of a record, for records that are rows of a table. */
export function FilesButton(props: FilesProps) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button small look="quiet" icon="eye" onClick={() => setIsOpen(true)}>
        Files<span className="sr"> of {props.name}</span>
      </Button>
      {isOpen && <FilesDialog {...props} onClose={() => setIsOpen(false)} />}
    </>
  )
}

/** Shows the files of a record in a dialog, which can add a file. */
export function FilesDialog({ recordId, name, needs, decisions, onClose }: FilesProps & { onClose(): void }) {
  const can = useCan()
  const [isAdding, setIsAdding] = useState(false)
  if (isAdding) return <AddFileDialog recordId={recordId} name={name} onClose={() => setIsAdding(false)} />
  return (
    <Dialog
      open
      size="wide"
      title={`Files of ${name}`}
      onClose={onClose}
      tail={
        <>
          <span className="note">
            {can(needs) && (
              <Button icon="upload" onClick={() => setIsAdding(true)}>
                Add file
              </Button>
            )}
          </span>
          {decisions?.(onClose)}
          <Button onClick={onClose}>Close</Button>
        </>
      }
    >
      <FileViewer recordId={recordId} empty="No file yet." />
    </Dialog>
  )
}
