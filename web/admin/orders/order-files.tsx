import { useState } from 'react'
import type { Attachment, PurchaseOrder } from '../../../client/contract.gen.ts'
import { useListPage } from '../../api/list-pages.ts'
import { plumbline, root } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { MAX_FILE_BYTES, useUpload } from '../../api/use-upload.ts'
import { ActorName } from '../../ui/actor-name.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { Field } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { formatFileSize } from '../../ui/number-formats.ts'
import { Panel } from '../../ui/panel.tsx'
import { ChangeError, LoadError } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { TimeText } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'

/** The maximum number of files of a record. */
const MAX_FILES = 100

/** Lists the files of an order, and whether each is shared with the vendor. */
export function OrderFiles({ order }: { order: PurchaseOrder }) {
  const can = useCan()
  const [isAdding, setIsAdding] = useState(false)
  const [leaving, setLeaving] = useState<Attachment | null>(null)
  const files = useListPage('/api/ext/attachments', { recordId: order.id, limit: MAX_FILES, sort: '-createdAt' })
  const change = plumbline.useMutation('patch', '/api/ext/attachments/{attachmentId}', {
    onSuccess: ({ fileName, shared }) =>
      showToast(shared ? `${fileName} shared with the vendor` : `${fileName} no longer shared with the vendor`),
  })
  const mayWrite = can('pos:write')
  const requested = change.isPending ? change.variables : null
  const rows = files.data?.data
  const columns: readonly Column<Attachment>[] = [
    {
      head: 'File',
      className: 'long',
      cell: ({ id, fileName, size }) => (
        <>
          <a href={`${root}/api/ext/attachments/${id}/content`} download={fileName}>
            {fileName}
          </a>
          <span className="sub">{formatFileSize(size)}</span>
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
    {
      head: 'Shared with vendor',
      cell: ({ id, fileName, shared }) => {
        const isShared = requested?.params.path.attachmentId === id ? requested.body.shared === true : shared
        if (!mayWrite) return isShared ? 'Yes' : 'No'
        return (
          <label className="check">
            <input
              type="checkbox"
              checked={isShared}
              aria-label={`Share ${fileName} with the vendor`}
              onChange={() =>
                !change.isPending &&
                change.mutate({ params: { path: { attachmentId: id } }, body: { shared: !isShared } })
              }
            />
            {isShared ? 'Yes' : 'No'}
          </label>
        )
      },
    },
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
  return (
    <Panel
      title="Files"
      actions={
        mayWrite && (
          <Button small icon="plus" onClick={() => setIsAdding(true)}>
            Add file
          </Button>
        )
      }
      isFlush
    >
      {files.error !== null ? (
        <LoadError what="The files" error={files.error} onRetry={() => void files.refetch()} />
      ) : rows?.length === 0 ? (
        <p className="muted">No files yet. Add drawings or letters, and share them with the vendor.</p>
      ) : (
        <>
          <ChangeError error={change.error} />
          <div className="table-wrap">
            <Table caption="Files" columns={columns} rows={rows} keyOf={({ id }) => id} expected={1} />
          </div>
        </>
      )}
      {isAdding && <AddFileDialog order={order} onClose={() => setIsAdding(false)} />}
      {leaving !== null && <DeleteFileDialog file={leaving} onClose={() => setLeaving(null)} />}
    </Panel>
  )
}

function AddFileDialog({ order, onClose }: { order: PurchaseOrder; onClose(): void }) {
  const [file, setFile] = useState<File | null>(null)
  const change = useUpload({
    onSuccess({ fileName, shared }) {
      showToast(shared ? `${fileName} added and shared with the vendor` : `${fileName} added`)
      onClose()
    },
  })
  const isTooLarge = file !== null && file.size > MAX_FILE_BYTES
  return (
    <FormDialog
      title={`Add file to ${order.number}`}
      size="narrow"
      word="Add file"
      isDisabled={file === null || isTooLarge}
      {...{ change, onClose }}
      onSubmit={(form) => {
        if (file === null) return
        const query = { recordId: order.id, fileName: file.name, shared: form.has('shared') }
        change.mutate({ params: { query }, body: file })
      }}
    >
      <Field
        name="file"
        label="File"
        hint={
          isTooLarge
            ? `The file is ${formatFileSize(file.size)}. The limit is ${formatFileSize(MAX_FILE_BYTES)}.`
            : `PDF, pictures, and Office files, up to ${formatFileSize(MAX_FILE_BYTES)}.`
        }
      >
        {(control) => (
          <input
            {...control}
            className="input"
            type="file"
            onChange={(event) => setFile(event.target.files?.[0] ?? null)}
          />
        )}
      </Field>
      <label className="check">
        <input type="checkbox" name="shared" />
        Share with the vendor
      </label>
      <p className="small muted">
        {order.issuedAt === null
          ? 'The vendor sees shared files once the order is issued.'
          : 'The vendor sees shared files on the order page of the portal.'}
      </p>
    </FormDialog>
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
