import { useCallback, useState } from 'react'
import type { Attachment, Bill } from '../../../../client/contract.gen.ts'
import { useListPage } from '../../../api/list-pages.ts'
import { client, root } from '../../../api/plumbline.ts'
import { useCan } from '../../../api/session.ts'
import { MAX_FILE_BYTES, useUpload } from '../../../api/use-upload.ts'
import { Button } from '../../../ui/button.tsx'
import { FilePreview, type PreviewedFile } from '../../../ui/file-preview.tsx'
import { Field } from '../../../ui/form.tsx'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { formatFileSize } from '../../../ui/number-formats.ts'
import { Panel } from '../../../ui/panel.tsx'
import { LoadError, SkeletonLines } from '../../../ui/states.tsx'
import { showToast } from '../../../ui/toast.tsx'

/** The maximum number of files. A bill has one file, and a few more if it was corrected. */
const MAX_FILES = 20

/** Shows the files of a bill, newest first, with a preview of the selected file. */
export function BillFiles({ bill }: { bill: Bill }) {
  const can = useCan()
  const [chosenId, setChosenId] = useState<string | null>(null)
  const [isAdding, setIsAdding] = useState(false)
  const files = useListPage('/api/ext/attachments', { recordId: bill.id, limit: MAX_FILES, sort: '-createdAt' })
  const rows = files.data?.data
  const chosen = rows?.find(({ id }) => id === chosenId) ?? rows?.[0]
  return (
    <Panel
      title="File"
      actions={
        can('bills:write') && (
          <Button small icon="upload" onClick={() => setIsAdding(true)}>
            Add file
          </Button>
        )
      }
    >
      {files.error !== null ? (
        <LoadError what="The files" error={files.error} onRetry={() => void files.refetch()} />
      ) : rows === undefined ? (
        <SkeletonLines lines={6} />
      ) : chosen === undefined ? (
        <p className="muted">No file yet. Add the invoice as a PDF or a picture.</p>
      ) : (
        <div className="stack">
          <ul className="plain-list">
            {rows.map((file) => (
              <li key={file.id} className="row wrap">
                <a href={`${root}/api/ext/attachments/${file.id}/content`} download={file.fileName}>
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
      )}
      {isAdding && <AddFileDialog bill={bill} onClose={() => setIsAdding(false)} />}
    </Panel>
  )
}

function StoredFile({ file: { id, fileName, contentType } }: { file: Attachment }) {
  const load = useCallback(async () => {
    const { data, error } = await client.GET('/api/ext/attachments/{attachmentId}/content', {
      params: { path: { attachmentId: id } },
      parseAs: 'blob',
    })
    if (error !== undefined) throw error
    return data as unknown as Blob
  }, [id])
  const shown: PreviewedFile =
    contentType === 'application/pdf'
      ? { kind: 'pdf', name: fileName, load }
      : contentType.startsWith('image/')
        ? { kind: 'image', name: fileName, address: `${root}/api/ext/attachments/${id}/image?size=screen` }
        : { kind: 'other', name: fileName }
  return <FilePreview file={shown} />
}

function AddFileDialog({ bill, onClose }: { bill: Bill; onClose(): void }) {
  const [file, setFile] = useState<File | null>(null)
  const change = useUpload({
    onSuccess: ({ fileName }) => {
      showToast(`${fileName} added`)
      onClose()
    },
  })
  const isTooLarge = file !== null && file.size > MAX_FILE_BYTES
  return (
    <FormDialog
      title={`Add file to ${bill.number}`}
      size="narrow"
      word="Add file"
      isDisabled={file === null || isTooLarge}
      {...{ change, onClose }}
      onSubmit={() => {
        if (file === null) return
        change.mutate({ params: { query: { recordId: bill.id, fileName: file.name } }, body: file })
      }}
    >
      <Field
        name="file"
        label="File"
        hint={
          isTooLarge
            ? `The file is ${formatFileSize(file.size)}. The limit is ${formatFileSize(MAX_FILE_BYTES)}.`
            : `PDF or picture, up to ${formatFileSize(MAX_FILE_BYTES)}.`
        }
      >
        {(control) => (
          <input
            {...control}
            className="input"
            type="file"
            accept="application/pdf,image/*"
            onChange={(event) => setFile(event.target.files?.[0] ?? null)}
          />
        )}
      </Field>
    </FormDialog>
  )
}
