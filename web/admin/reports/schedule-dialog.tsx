import { useState } from 'react'
import type { ReportSchedule, SavedReport } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useSession } from '../../api/session.ts'
import { Field, FieldErrorAt, SelectField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { showToast } from '../../ui/toast.tsx'
import { RecordChoice } from '../actions/record-choice.tsx'

const WEEKDAYS = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const satisfies readonly ReportSchedule['weekday'][]
const FORMATS = [
  { value: 'pdf', label: 'PDF attachment' },
  { value: 'csv', label: 'CSV attachment' },
  { value: 'link', label: 'Link only' },
] as const satisfies readonly { value: ReportSchedule['format']; label: string }[]

/** Lets the user schedule the weekly email of a saved report. */
export function ScheduleDialog({ saved, onClose }: { saved: SavedReport; onClose(): void }) {
  const { user, organization } = useSession()
  const [userIds, setUserIds] = useState<readonly string[]>(saved.schedule?.userIds ?? [user.id])
  const change = plumbline.useMutation('patch', '/api/admin/saved-reports/{savedReportId}', {
    onSuccess: ({ name, schedule }) => {
      showToast(schedule === null ? `Weekly email of ${name} ended` : `Weekly email of ${name} scheduled`)
      onClose()
    },
  })
  return (
    <FormDialog
      title={`Email ${saved.name} every week`}
      note={`The report is sent at 6:00 AM (${organization.timeZone}).`}
      size="narrow"
      word="Save schedule"
      of={saved}
      {...{ change, onClose }}
      onSubmit={(form, header) =>
        change.mutate({
          params: { path: { savedReportId: saved.id }, header },
          body: {
            schedule: {
              weekday: WEEKDAYS.find((one) => one === form.get('weekday')) ?? 'monday',
              format: FORMATS.find(({ value }) => value === form.get('format'))?.value ?? 'pdf',
              userIds: [...userIds],
            },
          },
        })
      }
    >
      <SelectField
        name="weekday"
        label="Day"
        defaultValue={saved.schedule?.weekday ?? 'monday'}
        options={WEEKDAYS.map((value) => ({ value, label: humanizeName(value) }))}
      />
      <SelectField name="format" label="Format" defaultValue={saved.schedule?.format ?? 'pdf'} options={FORMATS} />
      <Field
        name="userIds"
        label="Recipients"
        pointer="/schedule/userIds"
        hint="Users whose role allows the report. Users who lose this permission are skipped."
      >
        {(control) => (
          <RecordChoice
            control={control}
            list={{ path: '/api/ext/users', searches: false }}
            value={userIds}
            isMultiple
            onChange={setUserIds}
          />
        )}
      </Field>
      <FieldErrorAt pointer="/schedule" />
    </FormDialog>
  )
}
