import { type ReactNode, useState } from 'react'
import { MAX_FILE_BYTES, useUpload } from '../../api/use-upload.ts'
import { Field } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { formatFileSize } from '../../ui/number-formats.ts'
import { showToast } from '../../ui/toast.tsx'

/** Adds a file to a record. With `share`, the user chooses whether the vendor sees the file. */
export function AddFileDialog(props: {
  recordId: string
  /** The name of the record, such as its number. */
  name: string
  /** The types of files that the browser offers; all types if omitted. */
  accept?: string
  /** States when the vendor sees a shared file; undefined if files of the record are not shared one by one. */
  share?: ReactNode
  onClose(): void
}) {
  const { recordId, name, accept, share, onClose } = props
  const [file, setFile] = useState<File | null>(null)
  const change = useUpload({
    onSuccess({ fileName, shared }) {
      showToast(share !== undefined && shared ? `${fileName} added and shared with the vendor` : `${fileName} added`)
      onClose()
    },
  })
  const isTooLarge = file !== null && file.size > MAX_FILE_BYTES
  const limit = formatFileSize(MAX_FILE_BYTES)
  const types = accept === undefined ? 'PDF, pictures, and Office files' : 'PDF or picture'
  return (
    <FormDialog
      title={`Add file to ${name}`}
      size="narrow"
      word="Add file"
      isDisabled={file === null || isTooLarge}
      {...{ change, onClose }}
      onSubmit={(form) => {
        if (file === null) return
        const shared = share === undefined ? {} : { shared: form.has('shared') }
        change.mutate({ params: { query: { recordId, fileName: file.name, ...shared } }, body: file })
      }}
    >
      <Field
        name="file"
        label="File"
        hint={
          isTooLarge ? `The file is ${formatFileSize(file.size)}. The limit is ${limit}.` : `${types}, up to ${limit}.`
        }
      >
        {(control) => (
          <input
            {...control}
            {...(accept !== undefined && { accept })}
            className="input"
            type="file"
            onChange={(event) => setFile(event.target.files?.[0] ?? null)}
          />
        )}
      </Field>
      {share !== undefined && (
        <>
          <label className="check">
            <input type="checkbox" name="shared" />
            Share with the vendor
          </label>
          <p className="small muted">{share}</p>
        </>
      )}
    </FormDialog>
  )
}

/** The types that browsers show within a page. */
export const PREVIEWED_TYPES = 'application/pdf,image/*'
