import { useState } from 'react'
import { useNavigate } from 'react-router'
import { plumbline } from '../../api/plumbline.ts'
import { readTextField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { showToast } from '../../ui/toast.tsx'
import type { Values } from '../actions/entered-values.ts'
import { toSavedReportAddress } from './saved-reports.ts'

/** Lets the user save the report with the current options. */
export function SaveReportDialog(props: { report: string; title: string; input: Values; onClose(): void }) {
  const { report, title, input, onClose } = props
  const navigate = useNavigate()
  const mark = plumbline.useMutation('post', '/api/admin/saved-reports/{savedReportId}/favorite')
  const [isFavorite, setIsFavorite] = useState(true)
  const change = plumbline.useMutation('post', '/api/admin/saved-reports', {
    onSuccess: async (saved) => {
      const at = { params: { path: { savedReportId: saved.id } } }
      // Ignores an error here, because the report itself is saved. The user can mark it as a favorite on its page.
      if (isFavorite) await mark.mutateAsync({ ...at, body: { isFavorite } }).catch(() => null)
      showToast(`${saved.name} saved`)
      onClose()
      void navigate(toSavedReportAddress(saved))
    },
  })
  return (
    <FormDialog
      title="Save report"
      note="The current options are saved. An empty date means the day on which the report is opened."
      size="narrow"
      word="Save report"
      {...{ change, onClose }}
      onSubmit={(form) =>
        change.mutate({
          body: {
            name: readTextField(form, 'name') ?? '',
            ...{ report, input: { ...input } },
            isShared: form.has('isShared'),
          },
        })
      }
    >
      <TextField name="name" label="Name" defaultValue={title} autoFocus />
      <label className="check">
        <input
          type="checkbox"
          name="isFavorite"
          checked={isFavorite}
          onChange={(event) => setIsFavorite(event.target.checked)}
        />
        Add to my favorites
      </label>
      <label className="check">
        <input type="checkbox" name="isShared" />
        Share with all users who may read the report
      </label>
    </FormDialog>
  )
}
