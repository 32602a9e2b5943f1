import { useEffect, useState } from 'react'
import type { DelayReason, TaskChanged } from '../../../client/contract.gen.ts'
import { Button } from '../../ui/button.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { delayTask } from '../day/actions.ts'
import { formatDay } from '../day/dates.ts'
import { recordEntries } from '../day/field-store.ts'
import { root } from '../day/root.ts'
import { useDay } from '../day/use-day.ts'
import { Chips, type Choice } from '../parts/chips.tsx'
import { goBack } from '../parts/route.ts'
import { NotInDay, ScreenHead } from '../parts/screen-head.tsx'
import { useSaveOnce } from '../parts/use-save-once.ts'

const DAYS: readonly Choice<number>[] = [1, 2, 3, 5, 10].map((value) => ({ value, label: String(value) }))

const REASONS: readonly Choice<DelayReason>[] = [
  { value: 'weather', label: 'Weather' },
  { value: 'vendor_no_show', label: 'No-show' },
  { value: 'material_delay', label: 'Material' },
  { value: 'failed_inspection', label: 'Failed inspection' },
  { value: 'poor_workmanship', label: 'Workmanship' },
  { value: 'vendor_error', label: 'Vendor error' },
  { value: 'permit', label: 'Permit' },
  { value: 'design_change', label: 'Design change' },
  { value: 'late_selection', label: 'Late selection' },
  { value: 'theft_vandalism', label: 'Theft or damage' },
  { value: 'builder', label: 'Builder' },
  { value: 'other', label: 'Other' },
]

/**
 * Lets the user delay a task. With a connection, the screen shows which tasks would move. Without one, the service
 * computes the new dates after the entry has been sent.
 */
export function DelayScreen({ taskId }: { taskId: string }) {
  const { day, findHome } = useDay()
  const { isSaving, saveOnce } = useSaveOnce()
  const [days, setDays] = useState<number | null>(null)
  const [reasonCode, setReasonCode] = useState<DelayReason | null>(null)
  const [note, setNote] = useState('')
  const preview = usePreview(taskId, days)
  const task = day.tasks.find(({ id }) => id === taskId)
  const home = task === undefined ? undefined : findHome(task.homeId)
  if (task === undefined || home === undefined) return <NotInDay noun="task" />
  const isReady = days !== null && reasonCode !== null && (reasonCode !== 'other' || note.trim() !== '')
  const move = async () => {
    if (days === null || reasonCode === null) return
    await recordEntries(delayTask(home, task, { days, reasonCode, note: note.trim() || null }), `${task.name} delayed`)
    goBack()
  }
  return (
    <>
      <ScreenHead title={`Delay ${task.name}`} place={`${home.name}, ${home.communityName}`} />
      <form
        className="pad stack"
        onSubmit={(event) => {
          event.preventDefault()
          saveOnce(move)
        }}
      >
        <Chips legend="Workdays" choices={DAYS} value={days} onChoose={setDays} />
        <Chips legend="Reason" choices={REASONS} value={reasonCode} onChoose={setReasonCode} />
        <div className="field">
          <label htmlFor="note">{reasonCode === 'other' ? 'Note' : 'Note (optional)'}</label>
          <textarea
            id="note"
            className="input"
            rows={2}
            maxLength={1000}
            value={note}
            onChange={({ currentTarget: { value } }) => setNote(value)}
          />
        </div>
        {days !== null && <p role="status">{preview}</p>}
        <div className="acts wide">
          <Button look="primary" type="submit" disabled={isSaving || !isReady}>
            Move
          </Button>
        </div>
      </form>
    </>
  )
}

const OFFLINE = 'No connection. The new dates will be computed when the entry is sent.'

/** Describes which tasks a delay would move. */
function usePreview(taskId: string, days: number | null): string {
  const [text, setText] = useState('')
  useEffect(() => {
    if (days === null) return
    const abort = new AbortController()
    setText('Computing the new dates…')
    fetch(`${root}/api/ext/tasks/${taskId}/delay?days=${days}`, { signal: abort.signal })
      .then(async (response) => setText(response.ok ? describe((await response.json()) as TaskChanged) : OFFLINE))
      .catch(() => abort.signal.aborted || setText(OFFLINE))
    return () => abort.abort()
  }, [taskId, days])
  return text
}

function describe({ id, cascade, plannedStart, plannedEnd, status }: TaskChanged): string {
  const { moved, oldForecast, newForecast } = cascade
  const others = moved.filter(({ taskId }) => taskId !== id).length
  const own = status === 'not_started' ? `Starts ${formatDay(plannedStart)}` : `Ends ${formatDay(plannedEnd)}`
  const home =
    newForecast === null || oldForecast === newForecast
      ? 'The completion date of the home does not change.'
      : `The new completion date of the home is ${formatDay(newForecast)}.`
  return `${own}. ${others === 0 ? 'No other task moves' : `${formatCount(others, 'other task')} ${others === 1 ? 'moves' : 'move'}`}. ${home}`
}
