import { useState } from 'react'
import type { PayType, TimeEntry } from '../../../client/contract.gen.ts'
import { useListPage } from '../../api/list-pages.ts'
import { plumbline } from '../../api/plumbline.ts'
import { Field, readNumberField, readTextField, SelectField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { RecordChoice } from '../actions/record-choice.tsx'

/** The page size limit of one request. A builder has fewer trades. */
const MAX_TRADES = 200

export const PAY_TYPES = {
  regular: 'Regular',
  overtime: 'Overtime',
  double: 'Double time',
  pto: 'Paid time off',
} as const satisfies Record<PayType, string>

const isPayType = (text: string): text is PayType => Object.hasOwn(PAY_TYPES, text)

/** Adds hours on a day, or changes an entry. Entries with clock times keep their times unless the hours change. */
export function EntryDialog(props: {
  timesheetId: string
  date: string
  /** The entry to change; null for a new entry. */
  entry: TimeEntry | null
  onClose(): void
}) {
  const { timesheetId, date, entry, onClose } = props
  const { day } = useFormats()
  const [homeId, setHomeId] = useState(entry?.homeId ?? '')
  const trades = useListPage('/api/ext/scopes', { limit: MAX_TRADES, sort: 'name' })
  const onSuccess = () => {
    showToast(entry === null ? 'Time added' : 'Time updated')
    onClose()
  }
  const add = plumbline.useMutation('post', '/api/ext/timesheets/{timesheetId}/entries', { onSuccess })
  const update = plumbline.useMutation('patch', '/api/ext/time-entries/{timeEntryId}', { onSuccess })
  const change = { error: add.error ?? update.error, isPending: add.isPending || update.isPending }
  return (
    <FormDialog
      title={entry === null ? `Add time on ${day(date)}` : `Edit time on ${day(date)}`}
      word={entry === null ? 'Add time' : 'Save'}
      draft={entry?.id ?? date}
      {...{ change, onClose }}
      {...(entry !== null && { of: entry })}
      onSubmit={(form, ifMatch) => {
        const hours = readNumberField(form, 'hours') ?? 0
        const payType = readTextField(form, 'payType') ?? 'regular'
        const body = {
          homeId: homeId === '' ? null : homeId,
          scope: readTextField(form, 'scope') ?? null,
          ...(isPayType(payType) && { payType }),
          notes: readTextField(form, 'notes') ?? null,
        }
        if (entry === null) {
          add.mutate({ params: { path: { timesheetId } }, body: { date, hours, ...body } })
          return
        }
        const isNewDuration = hours !== entry.hours
        update.mutate({
          params: { path: { timeEntryId: entry.id }, header: ifMatch },
          body: {
            ...body,
            ...(isNewDuration && { date, hours }),
            ...(isNewDuration && entry.startedAt !== null && { startedAt: null, endedAt: null }),
          },
        })
      }}
    >
      <div className="form-row">
        <TextField name="hours" label="Hours" defaultValue={entry?.hours ?? 8} autoFocus />
        <SelectField
          name="payType"
          label="Pay type"
          defaultValue={entry?.payType ?? 'regular'}
          options={Object.entries(PAY_TYPES).map(([value, label]) => ({ value, label }))}
        />
      </div>
      <div className="form-row">
        <Field name="homeId" label="Home" optional hint="Without a home, the cost is not part of a budget.">
          {(control) => (
            <RecordChoice
              control={control}
              list={{ path: '/api/ext/homes', searches: true }}
              value={homeId === '' ? [] : [homeId]}
              isMultiple={false}
              onChange={([id = '']) => setHomeId(id)}
            />
          )}
        </Field>
        <SelectField
          // The trades load after the dialog opens, and the select must then show the trade of the entry.
          key={trades.data === undefined ? 'loading' : 'loaded'}
          name="scope"
          label="Trade"
          optional
          defaultValue={entry?.scope ?? ''}
          options={[
            { value: '', label: 'No trade' },
            ...(trades.data?.data ?? []).map(({ name }) => ({ value: name, label: humanizeName(name) })),
          ]}
        />
      </div>
      <TextField name="notes" label="Note" optional defaultValue={entry?.notes ?? ''} />
    </FormDialog>
  )
}
