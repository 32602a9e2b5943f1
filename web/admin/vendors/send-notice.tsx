import { useState } from 'react'
import type { Vendor, VendorNotificationCreate } from '../../../client/contract.gen.ts'
import { useListPage } from '../../api/list-pages.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan, useSession } from '../../api/session.ts'
import { useRecords } from '../../api/use-records.ts'
import { useDryRun } from '../../api/use-skill.ts'
import { readTextField, SelectField, TextAreaField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { SearchSelectField } from '../../ui/search-select-field.tsx'
import { ChangeError } from '../../ui/states.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { RecordField } from '../actions/record-field.tsx'

/** The maximum number of upcoming tasks and open bid requests of the vendor that can be chosen, soonest first. */
const MAX_CHOICES = 200

const SUBJECTS = [
  { value: 'task', label: 'A task of the vendor' },
  { value: 'home', label: 'Other work on a home' },
  { value: 'bidRequest', label: 'The deadline of a bid request' },
] as const
type Subject = (typeof SUBJECTS)[number]['value']

const KINDS = [
  { value: 'advance', label: 'Notice of work' },
  { value: 'reminder', label: 'Reminder' },
] as const satisfies readonly { value: VendorNotificationCreate['kind']; label: string }[]

interface Entries {
  subject: Subject
  kind: VendorNotificationCreate['kind']
  taskId: string
  bidRequestId: string
  homeId: string
  date: string
}

const NO_ENTRIES: Entries = {
  ...{ subject: 'task', kind: 'advance', taskId: '', bidRequestId: '', homeId: '', date: '' },
}

/** Returns the notice, without its message; null while its subject is not complete. */
function toNotice({ subject, kind, ...entries }: Entries): VendorNotificationCreate | null {
  const { taskId, bidRequestId, homeId, date } = entries
  if (subject === 'task') return taskId === '' ? null : { kind, taskId }
  if (subject === 'bidRequest') return bidRequestId === '' ? null : { kind: 'reminder', bidRequestId }
  return homeId === '' || date === '' ? null : { kind, homeId, date }
}

/** Sends a notice to a vendor, after a preview of its date and its recipients. */
export function SendNoticeDialog({ vendor, onClose }: { vendor: Vendor; onClose(): void }) {
  const can = useCan()
  const { today } = useFormats()
  const [entries, setEntries] = useState(NO_ENTRIES)
  const set = (changed: Partial<Entries>) => setEntries({ ...entries, ...changed })
  const { subject } = entries
  const notice = toNotice(entries)
  const canTry = can('skills:write')
  const trial = useDryRun(
    'notifyVendor',
    { vendorId: vendor.id, ...(notice ?? { kind: entries.kind }) },
    { enabled: canTry && notice !== null },
  )
  const change = plumbline.useMutation('post', '/api/ext/vendors/{vendorId}/notifications', {
    onSuccess: () => {
      showToast(`Notice to ${vendor.companyName} sent`)
      onClose()
    },
  })
  return (
    <FormDialog
      title={`Send notice to ${vendor.companyName}`}
      word="Send notice"
      isDisabled={notice === null || (canTry && (trial.error !== null || trial.isFetching))}
      entries={{ current: entries, isChanged: entries !== NO_ENTRIES, restore: setEntries }}
      {...{ change, onClose }}
      onSubmit={(form) => {
        if (notice === null) return
        const message = readTextField(form, 'message')
        change.mutate({
          params: { path: { vendorId: vendor.id } },
          body: { ...notice, ...(message !== undefined && { message }) },
        })
      }}
    >
      <div className="form-row">
        <SelectField
          name="subject"
          label="About"
          options={SUBJECTS}
          value={subject}
          onChange={(value) => set({ subject: SUBJECTS.find((one) => one.value === value)?.value ?? subject })}
        />
        {subject !== 'bidRequest' && (
          <SelectField
            name="kind"
            label="Kind"
            options={KINDS}
            value={entries.kind}
            onChange={(value) => set({ kind: KINDS.find((one) => one.value === value)?.value ?? entries.kind })}
          />
        )}
      </div>
      {subject === 'task' && (
        <TaskField vendorId={vendor.id} value={entries.taskId} onChange={(taskId) => set({ taskId })} />
      )}
      {subject === 'bidRequest' && (
        <BidRequestField
          vendorId={vendor.id}
          value={entries.bidRequestId}
          onChange={(bidRequestId) => set({ bidRequestId })}
        />
      )}
      {subject === 'home' && (
        <>
          <RecordField
            name="homeId"
            label="Home"
            list={{ path: '/api/ext/homes', searches: true }}
            value={entries.homeId === '' ? [] : [entries.homeId]}
            onChange={([homeId = '']) => set({ homeId })}
          />
          <div
            onInput={({ target }) =>
              target instanceof HTMLInputElement && target.type === 'date' && set({ date: target.value })
            }
          >
            <TextField name="date" label="Date of work" type="date" min={today()} defaultValue={entries.date} />
          </div>
        </>
      )}
      <TextAreaField name="message" label="Message" optional />
      {notice !== null && <ChangeError error={trial.error} />}
      <Recipients vendor={vendor} tried={notice === null ? undefined : trial.data?.result} />
    </FormDialog>
  )
}

/** Says who gets the notice and for which date. Before a dry run, the recipients are those of the vendor. */
function Recipients(props: { vendor: Vendor; tried: { recipients: readonly string[]; date: string } | undefined }) {
  const { vendor, tried } = props
  const { sendsMail } = useSession()
  const { day } = useFormats()
  const contacts = vendor.contacts.map(({ notify, email }) => (notify === true ? email : null))
  const own = [...new Set([vendor.email, ...contacts].filter((address) => typeof address === 'string'))]
  const recipients = tried?.recipients ?? own
  return (
    <div className="stack" aria-live="polite">
      <p>
        {recipients.length === 0 ? (
          <span className="tone-bad">The vendor has no email address for notices. Add one to the vendor first.</span>
        ) : (
          <>
            The notice is sent to <strong>{recipients.join(', ')}</strong>
            {tried === undefined ? '.' : ` for ${day(tried.date)}.`}
          </>
        )}
      </p>
      {!sendsMail && (
        <p className="muted">No mail server is set up, so the notice is not emailed. Connected systems receive it.</p>
      )}
    </div>
  )
}

interface ChoiceProps {
  vendorId: string
  value: string
  onChange(id: string): void
}

function TaskField({ vendorId, value, onChange }: ChoiceProps) {
  const { today, day } = useFormats()
  const tasks = useListPage('/api/ext/tasks', {
    ...{ vendorId, status: 'not_started', plannedStartFrom: today(), sort: 'plannedStart', limit: MAX_CHOICES },
  })
  const rows = tasks.data?.data ?? []
  const homes = useRecords(
    '/api/ext/homes',
    rows.map(({ homeId }) => homeId),
  )
  return (
    <SearchSelectField
      name="taskId"
      label="Task"
      hint={tasks.data !== undefined && rows.length === 0 ? 'The vendor has no upcoming tasks.' : undefined}
      options={rows.map(({ id, name, homeId, plannedStart }) => ({
        value: id,
        label: `${name}, ${homes.get(homeId)?.name ?? '…'}, ${day(plannedStart)}`,
      }))}
      {...{ value, onChange }}
    />
  )
}

function BidRequestField({ vendorId, value, onChange }: ChoiceProps) {
  const { day } = useFormats()
  const requests = useListPage('/api/ext/bids/requests', {
    ...{ vendorId, status: 'sent', sort: 'deadline', limit: MAX_CHOICES },
  })
  const rows = requests.data?.data ?? []
  return (
    <SearchSelectField
      name="bidRequestId"
      label="Bid request"
      hint={requests.data !== undefined && rows.length === 0 ? 'The vendor has no open bid requests.' : undefined}
      options={rows.map(({ id, number, title, deadline }) => ({
        value: id,
        label: `${[number, title].filter((part) => part !== null).join(' ')}, due ${day(deadline)}`,
      }))}
      {...{ value, onChange }}
    />
  )
}
