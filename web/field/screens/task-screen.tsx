import { useState } from 'react'
import type { FieldHome, FieldTask } from '../../../client/contract.gen.ts'
import { Button } from '../../ui/button.tsx'
import { addPhoto, changeTaskStatus, completeTask, recordTaskResult } from '../day/actions.ts'
import { recordEntries } from '../day/field-store.ts'
import { preparePhoto } from '../day/take-photo.ts'
import { getTodayAt, isTaskLate, isTaskOpen, useDay } from '../day/use-day.ts'
import { CameraButton } from '../parts/camera-button.tsx'
import { goBack, toRouteHash } from '../parts/route.ts'
import { NotInDay, ScreenHead } from '../parts/screen-head.tsx'
import { useSaveOnce } from '../parts/use-save-once.ts'
import { TaskState } from './day-screen.tsx'

/** Shows a task with its checklist and all of its actions. */
export function TaskScreen({ taskId }: { taskId: string }) {
  const { day, findHome } = useDay()
  const task = day.tasks.find(({ id }) => id === taskId)
  const home = task === undefined ? undefined : findHome(task.homeId)
  if (task === undefined || home === undefined) return <NotInDay noun="task" />
  return <OpenTask key={task.id} home={home} task={task} />
}

function OpenTask({ home, task }: { home: FieldHome; task: FieldTask }) {
  const { day, can, findVendor } = useDay()
  const { isSaving, saveOnce } = useSaveOnce()
  const [checklist, setChecklist] = useState(task.checklist)
  const [reason, setReason] = useState('')
  const vendor = findVendor(task.vendorId)
  const inspection = day.inspections.find((each) => each.taskId === task.id)
  const isBlocked = task.waitsFor.length > 0
  const isUnchecked = checklist.some(({ done }) => !done)
  // Starting a task before its predecessors are completed requires a reason.
  const needsReason = isBlocked || isUnchecked
  const force = needsReason ? reason.trim() : null
  const mayGo = force === null || force !== ''
  const complete = async (file: File | null) => {
    const photo = file === null ? null : await preparePhoto(file)
    await recordEntries(completeTask(home, task, { photo, checklist, force }), `${task.name} completed`)
    goBack()
  }
  const move = async (status: 'in_progress' | 'on_hold' | 'not_started', word: string) => {
    await recordEntries(changeTaskStatus(home, task, status, reason.trim() || null), `${task.name} ${word}`)
    goBack()
  }
  const mayChange = can('tasks:write') && isTaskOpen(task)
  return (
    <>
      <ScreenHead title={task.name} place={`${home.name}, ${home.communityName}`} />
      <div className="pad stack">
        <p>
          <TaskState task={task} isLateTask={isTaskLate(task, getTodayAt(home))} />
        </p>
        {vendor !== undefined && (
          <p>
            {vendor.companyName}
            {vendor.contactName !== null && `, ${vendor.contactName}`}
          </p>
        )}
        {vendor?.phone != null && (
          <div className="acts wide">
            <a className="btn" href={`tel:${vendor.phone}`}>
              Call
            </a>
            <a className="btn" href={`sms:${vendor.phone}`}>
              Text
            </a>
          </div>
        )}
        {checklist.length > 0 && (
          <fieldset className="checklist" disabled={!mayChange}>
            <legend>Checklist</legend>
            {checklist.map(({ text, done }, i) => (
              // The index can be the key, because checklist items have no IDs and their order never changes.
              <label key={i}>
                <input
                  type="checkbox"
                  checked={done}
                  onChange={({ currentTarget: { checked } }) =>
                    setChecklist(checklist.map((item, at) => (at === i ? { ...item, done: checked } : item)))
                  }
                />
                <span>{text}</span>
              </label>
            ))}
          </fieldset>
        )}
        {mayChange && needsReason && (
          <div className="field">
            <label htmlFor="reason">
              {isBlocked
                ? `Reason to start before ${task.waitsFor.join(', ')}`
                : 'Reason to complete the task with open items'}
            </label>
            <textarea
              id="reason"
              className="input"
              rows={2}
              maxLength={1000}
              value={reason}
              onChange={({ currentTarget: { value } }) => setReason(value)}
            />
          </div>
        )}
        {mayChange && task.taskKind === 'inspection' && task.status !== 'on_hold' && (
          <div className="acts wide">
            {inspection !== undefined ? (
              <a className="btn primary" href={toRouteHash('inspection', inspection.id)}>
                Record result
              </a>
            ) : (
              (['failed', 'passed'] as const).map((result) => (
                <Button
                  key={result}
                  look={result === 'passed' ? 'primary' : 'plain'}
                  disabled={isSaving || isBlocked}
                  onClick={() =>
                    saveOnce(() =>
                      recordEntries(recordTaskResult(home, task, result), `${task.name}: ${result}`).then(goBack),
                    )
                  }
                >
                  {result === 'passed' ? 'Passed' : 'Failed'}
                </Button>
              ))
            )}
          </div>
        )}
        {mayChange && task.taskKind !== 'inspection' && task.status !== 'on_hold' && (
          <div className="acts wide">
            <Button disabled={isSaving || !mayGo} onClick={() => saveOnce(() => complete(null))}>
              Complete without a photo
            </Button>
            {mayGo ? (
              <CameraButton look="primary" icon="check" onPicture={(file) => saveOnce(() => complete(file))}>
                Complete
              </CameraButton>
            ) : (
              <Button look="primary" icon="check" disabled>
                Complete
              </Button>
            )}
          </div>
        )}
        {mayChange && (
          <div className="acts wide">
            {task.status === 'not_started' && (
              <Button
                disabled={isSaving || (isBlocked && !mayGo)}
                onClick={() => saveOnce(() => move('in_progress', 'started'))}
              >
                Start
              </Button>
            )}
            {task.status === 'on_hold' ? (
              <Button
                disabled={isSaving}
                onClick={() =>
                  saveOnce(() => move(task.actualStart === null ? 'not_started' : 'in_progress', 'resumed'))
                }
                look="primary"
              >
                Resume
              </Button>
            ) : (
              <>
                <Button disabled={isSaving} onClick={() => saveOnce(() => move('on_hold', 'put on hold'))}>
                  Hold
                </Button>
                <a className="btn" href={toRouteHash('task', task.id, 'delay')}>
                  Delay
                </a>
              </>
            )}
          </div>
        )}
        {can('tasks:write') && (
          <div className="acts wide">
            <CameraButton
              icon="plus"
              onPicture={(file) =>
                void preparePhoto(file).then((photo) =>
                  recordEntries([addPhoto(home, task.id, task.name, photo)], 'Photo added'),
                )
              }
            >
              Add photo
            </CameraButton>
          </div>
        )}
      </div>
    </>
  )
}
