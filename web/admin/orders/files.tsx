import { useState } from 'react'
import type { Attachment, PurchaseOrder } from '../../../client/contract.gen.ts'
import { useMay } from '../../api/caller.ts'
import { usePage } from '../../api/pages.ts'
import { plumbline, root } from '../../api/plumbline.ts'
import { MOST_FILE_BYTES, useUpload } from '../../api/upload.ts'
import { ActorName } from '../../ui/actor-name.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { fileSize } from '../../ui/figures.ts'
import { Field } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Failed, Refused } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { say } from '../../ui/toast.tsx'

/** As many as a record has at most. */
const MOST_FILES = 100

/** The files of an order, and which of them its vendor sees. */
export function OrderFiles({ order }: { order: PurchaseOrder }) {
  const may = useMay()
  const [isAdding, setIsAdding] = useState(false)
  const [leaving, setLeaving] = useState<Attachment | null>(null)
  const files = usePage('/api/ext/attachments', { recordId: order.id, limit: MOST_FILES, sort: '-createdAt' })
  const change = plumbline.useMutation('patch', '/api/ext/attachments/{attachmentId}', {
    onSuccess: ({ fileName, shared }) =>
      say(shared ? `The vendor may see ${fileName}` : `The vendor does not see ${fileName} any more`),
  })
  const mayWrite = may('pos:write')
  const wanted = change.isPending ? change.variables : null
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
          <span className="sub">{fileSize(size)}</span>
        </>
      ),
    },
    {
      head: 'Added',
      cell: ({ createdBy, createdAt }) => (
        <>
          <Time at={createdAt} className="nowrap" />
          <span className="sub">
            by <ActorName of={createdBy} />
          </span>
        </>
      ),
    },
    {
      head: 'Vendor may see it',
      cell: ({ id, fileName, shared }) => {
        const isShared = wanted?.params.path.attachmentId === id ? wanted.body.shared === true : shared
        if (!mayWrite) return isShared ? 'Yes' : 'No'
        return (
          <label className="check">
            <input
              type="checkbox"
              checked={isShared}
              aria-label={`The vendor may see ${fileName}`}
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
            Add a file
          </Button>
        )
      }
      isFlush
    >
      {files.error !== null ? (
        <Failed what="The files" error={files.error} onRetry={() => void files.refetch()} />
      ) : rows?.length === 0 ? (
        <p className="muted">No drawings or letters hang on this order yet. The vendor sees those that you share.</p>
      ) : (
        <>
          <Refused error={change.error} />
          <div className="table-wrap">
            <Table caption="Files" columns={columns} rows={rows} keyOf={({ id }) => id} expected={1} />
          </div>
        </>
      )}
      {isAdding && <AddFile order={order} onClose={() => setIsAdding(false)} />}
      {leaving !== null && <DeleteFile file={leaving} onClose={() => setLeaving(null)} />}
    </Panel>
  )
}

function AddFile({ order, onClose }: { order: PurchaseOrder; onClose(): void }) {
  const [file, setFile] = useState<File | null>(null)
  const change = useUpload({
    onSuccess({ fileName, shared }) {
      say(shared ? `${fileName} is added, and the vendor may see it` : `${fileName} is added`)
      onClose()
    },
  })
  const isTooLarge = file !== null && file.size > MOST_FILE_BYTES
  return (
    <FormDialog
      title={`Add a file to ${order.number}`}
      size="narrow"
      word="Add the file"
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
            ? `It has ${fileSize(file.size)}, and at most ${fileSize(MOST_FILE_BYTES)} are taken.`
            : `PDF, pictures and Office files, up to ${fileSize(MOST_FILE_BYTES)}.`
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
        The vendor may see it
      </label>
      <p className="small muted">
        {order.issuedAt === null
          ? 'What you share the vendor sees as soon as the order is issued.'
          : 'What you share stands on the page of the order in the vendor’s portal.'}
      </p>
    </FormDialog>
  )
}

function DeleteFile({ file, onClose }: { file: Attachment; onClose(): void }) {
  const change = plumbline.useMutation('delete', '/api/ext/attachments/{attachmentId}', {
    onSuccess: () => {
      say(`${file.fileName} is deleted`)
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
        {file.shared ? 'It is gone for good, for the vendor too.' : 'It is gone for good.'} That it was here stays
        known.
      </p>
    </FormDialog>
  )
}
