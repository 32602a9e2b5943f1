import { useState } from 'react'
import type { Timesheet, TimesheetStatus } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan, useSession } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { readTextField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'

interface Move {
  to: TimesheetStatus
  word: string
  effect: string
}

const MOVES: Readonly<Record<TimesheetStatus, readonly Move[]>> = {
  open: [{ to: 'submitted', word: 'Submit', effect: 'The hours can no longer be changed and wait for approval.' }],
  submitted: [
    {
      to: 'approved',
      word: 'Approve',
      effect: 'The cost is posted to the budgets of the homes. This cannot be undone.',
    },
    { to: 'rejected', word: 'Reject', effect: 'The user can reopen the week and correct the hours.' },
  ],
  rejected: [{ to: 'open', word: 'Reopen', effect: 'The hours can be changed again.' }],
  approved: [
    { to: 'exported', word: 'Mark as exported', effect: 'Payroll has the hours. The timesheet is then final.' },
  ],
  exported: [],
}

/** Buttons for the next steps of a timesheet, as far as the user may take them. */
export function TimesheetMoves({ timesheet, name }: { timesheet: Timesheet; name: string }) {
  const can = useCan()
  const session = useSession()
  const [move, setMove] = useState<Move | null>(null)
  if (!can('timesheets:write')) return null
  const isOwn = session.user.id === timesheet.userId
  const offered = MOVES[timesheet.status].filter(({ to }) => to !== 'approved' || !isOwn || can('payments:write'))
  return (
    <>
      {offered.map((one) => (
        <Button
          key={one.to}
          small
          look={one.to === 'submitted' || one.to === 'approved' ? 'primary' : 'plain'}
          onClick={() => setMove(one)}
        >
          {one.word}
          <span className="sr"> the week of {name}</span>
        </Button>
      ))}
      {move !== null && <TimesheetMoveDialog {...{ timesheet, name, move }} onClose={() => setMove(null)} />}
    </>
  )
}

function TimesheetMoveDialog(props: { timesheet: Timesheet; name: string; move: Move; onClose(): void }) {
  const { timesheet, name, move, onClose } = props
  const { shortDay } = useFormats()
  const change = plumbline.useMutation('post', '/api/ext/timesheets/{timesheetId}/status', {
    onSuccess: ({ status }) => {
      showToast(`Timesheet ${status === 'open' ? 'reopened' : status}`)
      onClose()
    },
  })
  return (
    <FormDialog
      title={`${move.word} the week of ${name}?`}
      size="narrow"
      word={move.word}
      isDanger={move.to === 'rejected'}
      {...{ change, onClose }}
      onSubmit={(form) => {
        const reason = readTextField(form, 'reason')
        change.mutate({
          params: { path: { timesheetId: timesheet.id } },
          body: { status: move.to, ...(reason !== undefined && { reason }) },
        })
      }}
    >
      <p>
        {formatCount(timesheet.totalHours, 'hour')} in the week of {shortDay(timesheet.weekStarting)}. {move.effect}
      </p>
      {move.to === 'rejected' && <TextField name="reason" label="Reason" autoFocus />}
    </FormDialog>
  )
}
