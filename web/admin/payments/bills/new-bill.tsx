import { useCallback, useState } from 'react'
import { useNavigate } from 'react-router'
import { plumbline } from '../../../api/plumbline.ts'
import { MAX_FILE_BYTES, useUpload } from '../../../api/use-upload.ts'
import { FilePreview, type PreviewedFile } from '../../../ui/file-preview.tsx'
import { Field } from '../../../ui/form.tsx'
import { formatFileSize } from '../../../ui/number-formats.ts'
import { Page } from '../../../ui/page.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { BillForm, type BillInput, useLocalAddress } from './bill-form.tsx'

/** Lets the user enter a bill next to the vendor's file. */
export function Component() {
  const navigate = useNavigate()
  const [file, setFile] = useState<File | null>(null)
  const upload = useUpload({ onSuccess: () => {} })
  const isTooLarge = file !== null && file.size > MAX_FILE_BYTES
  const create = plumbline.useMutation('post', '/api/ext/bills', {
    onSuccess: async ({ id, number }) => {
      if (file !== null) {
        const stored = await upload
          .mutateAsync({ params: { query: { recordId: id, fileName: file.name } }, body: file })
          .catch(() => null)
        showToast(stored === null ? `${number} created, but its file could not be stored` : `${number} created`)
      } else showToast(`${number} created`)
      void navigate(`/payments/bills/${id}`)
    },
  })
  const submit = ({ vendorId, billType, body }: BillInput) => create.mutate({ body: { vendorId, billType, ...body } })
  return (
    <Page
      title="New bill"
      crumbs={[{ name: 'Payments', to: '/payments' }, { name: 'Bills', to: '/payments/bills' }, { name: 'New bill' }]}
    >
      <div className="page-head">
        <h1>New bill</h1>
        <p>Enter an invoice or a credit memo. Nothing is owed until the bill is approved.</p>
      </div>
      <div className="beside-file">
        <BillForm
          bill={null}
          error={create.error}
          isPending={create.isPending || upload.isPending}
          word="Create bill"
          onSubmit={submit}
        >
          <Field
            name="file"
            label="File"
            optional
            hint={
              isTooLarge
                ? `The file is ${formatFileSize(file.size)}. The limit is ${formatFileSize(MAX_FILE_BYTES)}.`
                : `PDF or picture of the invoice, up to ${formatFileSize(MAX_FILE_BYTES)}.`
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
        </BillForm>
        <Panel title="Preview">
          {file === null ? (
            <p className="muted">Choose a file to see it beside the fields.</p>
          ) : (
            <LocalFile file={file} />
          )}
        </Panel>
      </div>
    </Page>
  )
}

function LocalFile({ file }: { file: File }) {
  const address = useLocalAddress(file)
  const load = useCallback(async () => file, [file])
  const { name, type } = file
  const shown: PreviewedFile =
    type === 'application/pdf'
      ? { kind: 'pdf', name, load }
      : type.startsWith('image/') && address !== null
        ? { kind: 'image', name, address }
        : { kind: 'other', name }
  return <FilePreview file={shown} />
}
