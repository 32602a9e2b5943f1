import type { Lead, LeadActivityType } from '../../../client/contract.gen.ts'
import { useListPage } from '../../api/list-pages.ts'
import { plumbline } from '../../api/plumbline.ts'
import { ActorName } from '../../ui/actor-name.tsx'
import { readTextField, SelectField, TextAreaField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Panel } from '../../ui/panel.tsx'
import { EmptyState, LoadError, SkeletonLines } from '../../ui/states.tsx'
import { TimeText } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'

const TYPE_LABELS = {
  call: 'Call',
  email: 'Email',
  text: 'Text message',
  visit: 'Model or lot visit',
  meeting: 'Meeting',
  note: 'Note',
} satisfies Record<LeadActivityType, string>

/** The maximum number of activities on the page. The API also returns older ones. */
const MAX_ACTIVITIES = 50

/** Lists the activities of a lead, newest first. */
export function LeadActivities({ lead }: { lead: Lead }) {
  const activities = useListPage(
    '/api/ext/leads/{leadId}/activities',
    { sort: '-occurredAt', limit: MAX_ACTIVITIES },
    { place: { leadId: lead.id } },
  )
  const rows = activities.data?.data
  return (
    <Panel title="Activities" hint={activities.data?.nextCursor != null ? `the ${MAX_ACTIVITIES} newest` : undefined}>
      {activities.error !== null ? (
        <LoadError what="The activities" error={activities.error} onRetry={() => void activities.refetch()} />
      ) : rows === undefined ? (
        <SkeletonLines />
      ) : rows.length === 0 ? (
        <EmptyState icon="clock" title="No activities yet">
          Add a call, visit or note to start the history of this lead.
        </EmptyState>
      ) : (
        <ol className="timeline">
          {rows.map((activity) => (
            <li key={activity.id}>
              <p>
                <b>{TYPE_LABELS[activity.activityType]}</b> <span className="muted">by </span>
                <ActorName of={activity.createdBy} />
              </p>
              {activity.notes !== null && <p>{activity.notes}</p>}
              <TimeText at={activity.occurredAt} />
            </li>
          ))}
        </ol>
      )}
    </Panel>
  )
}

/** Lets the user record an activity and the date for the next contact. */
export function NewActivity({ lead, name, onClose }: { lead: Lead; name: string; onClose(): void }) {
  const { today, beginOf } = useFormats()
  const change = plumbline.useMutation('post', '/api/ext/leads/{leadId}/activities', {
    onSuccess: () => {
      showToast(`Activity with ${name} added`)
      onClose()
    },
  })
  return (
    <FormDialog
      title={`Add activity with ${name}`}
      word="Add activity"
      {...{ change, onClose }}
      onSubmit={(form) => {
        const next = readTextField(form, 'nextActivityAt')
        change.mutate({
          params: { path: { leadId: lead.id } },
          body: {
            activityType: form.get('activityType') as LeadActivityType,
            notes: readTextField(form, 'notes') ?? null,
            ...(next !== undefined && { nextActivityAt: beginOf(next) }),
          },
        })
      }}
    >
      <div className="form-row">
        <SelectField
          name="activityType"
          label="Type"
          options={Object.entries(TYPE_LABELS).map(([value, label]) => ({ value, label }))}
        />
        <TextField
          name="nextActivityAt"
          label="Next contact"
          type="date"
          min={today()}
          optional
          hint="If empty, the date does not change."
        />
      </div>
      <TextAreaField name="notes" label="Notes" optional />
    </FormDialog>
  )
}
