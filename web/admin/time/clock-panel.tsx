import { useState } from 'react'
import type { TimeEntry } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useSession } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { Field, readNumberField, readTextField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RecordName } from '../../ui/record-name.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { RecordChoice } from '../actions/record-choice.tsx'

/** Clocks the signed-in user in or out. `running` is the entry of a user who is clocked in. */
export function ClockPanel({ running }: { running: TimeEntry | undefined }) {
  const { time } = useFormats()
  const [open, setOpen] = useState<'in' | 'out' | null>(null)
  const close = () => setOpen(null)
  return (
    <Panel
      title="Clock"
      actions={
        running === undefined ? (
          <Button small look="primary" icon="clock" onClick={() => setOpen('in')}>
            Clock in
          </Button>
        ) : (
          <Button small look="primary" icon="clock" onClick={() => setOpen('out')}>
            Clock out
          </Button>
        )
      }
    >
      <p>
        {running === undefined || running.startedAt === null ? (
          'You are not clocked in.'
        ) : (
          <>
            Clocked in since {time(running.startedAt)}
            {running.homeId !== null && (
              <>
                {' '}
                at <RecordName of="home" id={running.homeId} />
              </>
            )}
            .
          </>
        )}
      </p>
      {open === 'in' && <ClockInDialog onClose={close} />}
      {open === 'out' && <ClockOutDialog onClose={close} />}
    </Panel>
  )
}

function ClockInDialog({ onClose }: { onClose(): void }) {
  const { user } = useSession()
  const { toLocalTime, fromLocalTime } = useFormats()
  const [homeId, setHomeId] = useState('')
  const change = plumbline.useMutation('post', '/api/ext/time-entries/clock-in', {
    onSuccess: () => {
      showToast('Clocked in')
      onClose()
    },
  })
  return (
    <FormDialog
      title="Clock in"
      size="narrow"
      word="Clock in"
      {...{ change, onClose }}
      onSubmit={(form) => {
        const at = readTextField(form, 'at')
        change.mutate({
          body: {
            userId: user.id,
            homeId: homeId === '' ? null : homeId,
            ...(at !== undefined && { at: fromLocalTime(at) }),
          },
        })
      }}
    >
      <Field name="homeId" label="Home" optional>
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
      <TextField
        name="at"
        label="Start"
        type="datetime-local"
        optional
        max={toLocalTime(new Date().toISOString())}
        hint="If empty, the time starts now."
      />
    </FormDialog>
  )
}

function ClockOutDialog({ onClose }: { onClose(): void }) {
  const { user } = useSession()
  const { toLocalTime, fromLocalTime } = useFormats()
  const change = plumbline.useMutation('post', '/api/ext/time-entries/clock-out', {
    onSuccess: () => {
      showToast('Clocked out')
      onClose()
    },
  })
  return (
    <FormDialog
      title="Clock out"
      size="narrow"
      word="Clock out"
      {...{ change, onClose }}
      onSubmit={(form) => {
        const at = readTextField(form, 'at')
        const notes = readTextField(form, 'notes')
        change.mutate({
          body: {
            userId: user.id,
            breakMinutes: readNumberField(form, 'breakMinutes') ?? 0,
            ...(at !== undefined && { at: fromLocalTime(at) }),
            ...(notes !== undefined && { notes }),
          },
        })
      }}
    >
      <TextField name="breakMinutes" label="Break in minutes" defaultValue={0} />
      <TextField
        name="at"
        label="End"
        type="datetime-local"
        optional
        max={toLocalTime(new Date().toISOString())}
        hint="If empty, the time ends now."
      />
      <TextField name="notes" label="Note" optional />
    </FormDialog>
  )
}
