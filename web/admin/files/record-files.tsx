import { type ReactNode, useState } from 'react'
import type { Attachment, HeldPermission } from '../../../client/contract.gen.ts'
import { useListPage } from '../../api/list-pages.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { ActorName } from '../../ui/actor-name.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { formatFileSize } from '../../ui/number-formats.ts'
import { Panel } from '../../ui/panel.tsx'
import { ChangeError, LoadError } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { TimeText } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'
import { AddFileDialog } from './add-file-dialog.tsx'
import { canPreview, FileDialog, toDownloadPath } from './stored-file.tsx'

/** The maximum number of files of a record. */
const MAX_FILES = 100

interface Props {
  recordId: string
  /** The name of the record, such as its number. */
  name: string
  /** The permission without which files can only be read. */
  needs: HeldPermission
  /** States when the vendor sees a shared file; undefined if files of the record are not shared one by one. */
  share?: ReactNode
  /** Shown if there are no files. */
  empty: ReactNode
}

/** A panel with the files of a record. */
export function RecordFiles(props: Props) {
  const can = useCan()
  const [isAdding, setIsAdding] = useState(false)
  return (
    <Panel
      title="Files"
      actions={
        can(props.needs) && (
          <Button small icon="plus" onClick={() => setIsAdding(true)}>
            Add file
          </Button>
        )
      }
      isFlush
    >
      <FileTable {...props} />
      {isAdding && (
        <AddFileDialog
          {...{ recordId: props.recordId, name: props.name, onClose: () => setIsAdding(false) }}
          {...(props.share !== undefined && { share: props.share })}
        />
      )}
    </Panel>
  )
}

/** Lists the files of a record, with previews of pictures and PDFs. */
export function FileTable({ recordId, needs, share, empty }: Props) {
  const can = useCan()
  const [opened, setOpened] = useState<Attachment | null>(null)
  const [leaving, setLeaving] = useState<Attachment | null>(null)
  const files = useListPage('/api/ext/attachments', { recordId, limit: MAX_FILES, sort: '-createdAt' })
  const rows = files.data?.data
  const mayWrite = can(needs)
  const columns: readonly Column<Attachment>[] = [
    {
      head: 'File',
      className: 'long',
      cell: (file) => (
        <>
          <a href={toDownloadPath(file.id)} download={file.fileName}>
            {file.fileName}
          </a>
          <span className="sub">
            {formatFileSize(file.size)}
            {canPreview(file) && (
              <>
                {' '}
                <Button small look="quiet" icon="eye" onClick={() => setOpened(file)}>
                  Show<span className="sr"> {file.fileName}</span>
                </Button>
              </>
            )}
          </span>
        </>
      ),
    },
    {
      head: 'Added',
      cell: ({ createdBy, createdAt }) => (
        <>
          <TimeText at={createdAt} className="nowrap" />
          <span className="sub">
            by <ActorName of={createdBy} />
          </span>
        </>
      ),
    },
    ...(share === undefined
      ? []
      : [
          {
            head: 'Shared with vendor',
            cell: (file: Attachment) => <SharedCheck key={file.id} file={file} mayWrite={mayWrite} />,
          },
        ]),
    ...(mayWrite
      ? [
          {
            head: 'Delete',
            className: 'num',
            cell: (file: Attachment) => (
              <IconButton
                icon="x"
                label={`Delete ${file.fileName}`}
                look="quiet"
                small
                onClick={() => setLeaving(file)}
              />
            ),
          },
        ]
      : []),
  ]
  if (files.error !== null)
    return <LoadError what="The files" error={files.error} onRetry={() => void files.refetch()} />
  return (
    <>
      {rows?.length === 0 ? (
        <p className="muted">{empty}</p>
      ) : (
        <div className="table-wrap">
          <Table caption="Files" columns={columns} rows={rows} keyOf={({ id }) => id} expected={1} />
        </div>
      )}
      {opened !== null && <FileDialog file={opened} onClose={() => setOpened(null)} />}
      {leaving !== null && <DeleteFileDialog file={leaving} onClose={() => setLeaving(null)} />}
    </>
  )
}

/** A checkbox that shares a file with the vendor, or stops sharing it. */
function SharedCheck({ file, mayWrite }: { file: Attachment; mayWrite: boolean }) {
  const change = plumbline.useMutation('patch', '/api/ext/attachments/{attachmentId}', {
    onSuccess: ({ fileName, shared }) =>
      showToast(shared ? `${fileName} shared with the vendor` : `${fileName} no longer shared with the vendor`),
  })
  const isShared = change.isPending ? change.variables.body.shared === true : file.shared
  if (!mayWrite) return isShared ? 'Yes' : 'No'
  return (
    <>
      <label className="check">
        <input
          type="checkbox"
          checked={isShared}
          aria-label={`Share ${file.fileName} with the vendor`}
          onChange={() =>
            !change.isPending &&
            change.mutate({ params: { path: { attachmentId: file.id } }, body: { shared: !isShared } })
          }
        />
        {isShared ? 'Yes' : 'No'}
      </label>
      <ChangeError error={change.error} />
    </>
  )
}

function DeleteFileDialog({ file, onClose }: { file: Attachment; onClose(): void }) {
  const change = plumbline.useMutation('delete', '/api/ext/attachments/{attachmentId}', {
    onSuccess: () => {
      showToast(`${file.fileName} deleted`)
      onClose()
    },
  })
  return (
    <FormDialog
      title={`Delete ${file.fileName}?`}
      size="narrow"
      word="Delete"
      isDanger
      {...{ change, onClose }}
      onSubmit={() => change.mutate({ params: { path: { attachmentId: file.id } } })}
    >
      <p className="muted">
        {file.shared
          ? 'You and the vendor will no longer be able to open the file.'
          : 'You will no longer be able to open the file.'}{' '}
        This cannot be undone. The history still shows that the file existed.
      </p>
    </FormDialog>
  )
}
