import { useState } from 'react'
import { useParams } from 'react-router'
import type { Timesheet } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useRecordName } from '../../api/record-names.ts'
import { useCan } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { readNumberField, readTextField, TextAreaField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RecordHistory } from '../../ui/record-history.tsx'
import { LoadError, SkeletonLines } from '../../ui/states.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { TimesheetDays } from './timesheet-days.tsx'
import { TimesheetHead } from './timesheet-head.tsx'
import { TimesheetMoves } from './timesheet-moves.tsx'

/** Shows the week of one user, for the office. */
export function Component() {
  const { timesheetId = '' } = useParams()
  const can = useCan()
  const { day } = useFormats()
  const [isEdited, setIsEdited] = useState(false)
  const { data, error, refetch } = plumbline.useQuery('get', '/api/ext/timesheets/{timesheetId}', {
    params: { path: { timesheetId } },
  })
  const name = useRecordName('user', data?.userId ?? '').data ?? 'User'
  const title = data === undefined ? 'Timesheet' : `${name}, week of ${day(data.weekStarting)}`
  const isEditable =
    data !== undefined && data.status !== 'approved' && data.status !== 'exported' && can('timesheets:write')
  return (
    <Page
      title={title}
      crumbs={[{ name: 'Time', to: '/time' }, { name: 'All weeks', to: '/time/week' }, { name: title }]}
      actions={isEditable && <Button onClick={() => setIsEdited(true)}>Edit</Button>}
    >
      {error !== null ? (
        <LoadError what="The timesheet" error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <SkeletonLines lines={8} />
      ) : (
        <>
          <TimesheetHead timesheet={data} name={title} actions={<TimesheetMoves timesheet={data} name={name} />} />
          {data.notes !== null && <p>{data.notes}</p>}
          <TimesheetDays timesheet={data} />
          {can('events:read') && (
            <Panel title="History">
              <RecordHistory of={data.id} />
            </Panel>
          )}
          {isEdited && <EditTimesheetDialog timesheet={data} onClose={() => setIsEdited(false)} />}
        </>
      )}
    </Page>
  )
}

function EditTimesheetDialog({ timesheet, onClose }: { timesheet: Timesheet; onClose(): void }) {
  const can = useCan()
  const change = plumbline.useMutation('patch', '/api/ext/timesheets/{timesheetId}', {
    onSuccess: () => {
      showToast('Timesheet updated')
      onClose()
    },
  })
  const maySetRate = can('payments:write')
  return (
    <FormDialog
      title="Edit timesheet"
      size="narrow"
      word="Save"
      of={timesheet}
      {...{ change, onClose }}
      onSubmit={(form, ifMatch) =>
        change.mutate({
          params: { path: { timesheetId: timesheet.id }, header: ifMatch },
          body: {
            notes: readTextField(form, 'notes') ?? null,
            ...(maySetRate && { rate: readNumberField(form, 'rate') ?? null }),
          },
        })
      }
    >
      {maySetRate && (
        <TextField
          name="rate"
          label="Hourly cost"
          optional
          defaultValue={timesheet.rate ?? ''}
          hint="Cost of one hour of this user in the budgets."
        />
      )}
      <TextAreaField name="notes" label="Note" optional defaultValue={timesheet.notes ?? ''} />
    </FormDialog>
  )
}
