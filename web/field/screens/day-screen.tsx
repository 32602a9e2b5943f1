import { useState } from 'react'
import type { FieldHome, FieldInspection, FieldPunchItem, FieldTask } from '../../../client/contract.gen.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { changePunchItem, completeTask, type Photo } from '../day/actions.ts'
import { addDays, formatDay, formatMoment, toLocalDate } from '../day/dates.ts'
import { recordEntries } from '../day/field-store.ts'
import { preparePhoto } from '../day/take-photo.ts'
import { getTodayAt, isTaskDue, isTaskLate, useDay } from '../day/use-day.ts'
import { CameraButton } from '../parts/camera-button.tsx'
import { InstallHint } from '../parts/install-hint.tsx'
import { toRouteHash } from '../parts/route.ts'
import { SyncStatus } from '../parts/sync-status.tsx'
import { useSaveOnce } from '../parts/use-save-once.ts'
import { startPunchItem } from './punch-draft.ts'

/** The number of days ahead for which inspections are shown together with today's work. */
const INSPECTION_DAYS = 1

/** Shows the first screen: today's work, grouped by home. */
export function DayScreen() {
  const { day, superintendent, can, findHome } = useDay()
  const groups = day.homes.map((home) => toGroup(home, day))
  const busy = groups.filter(({ isBusy }) => isBusy)
  const quiet = groups.filter(({ isBusy }) => !isBusy)
  const zone = day.homes[0]?.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone
  const clockHome = day.clock?.homeId == null ? undefined : findHome(day.clock.homeId)
  return (
    <>
      <title>Day · Field</title>
      <header className="top">
        <div>
          <h1>{formatDay(toLocalDate(zone))}</h1>
          <SyncStatus />
        </div>
        {superintendent === null && can('timesheets:write') && (
          <a className="btn" href={toRouteHash('clock')}>
            <Icon name="clock" />
            {day.clock === null ? 'Clock in' : 'Clock out'}
          </a>
        )}
      </header>
      {superintendent !== null && (
        <p className="pad">
          You see the day of {superintendent.name}. Your entries are recorded in your name.{' '}
          <a href={toRouteHash('superintendents')}>Choose another day</a>
        </p>
      )}
      {superintendent === null && day.clock !== null && (
        <p className="pad muted">
          Clocked in since {formatMoment(day.clock.startedAt)}
          {clockHome !== undefined && `, ${clockHome.name}`}
        </p>
      )}
      {day.truncated.length > 0 && (
        <p className="pad caution">Your day has more entries than fit on the phone. Some later ones are missing.</p>
      )}
      {day.homes.length === 0 && (
        <p className="pad">
          {superintendent === null ? 'You are' : `${superintendent.name} is`} not the superintendent of any home. The
          office assigns a superintendent to a home or a community.
          {superintendent === null && can('users:read') && (
            <>
              {' '}
              <a href={toRouteHash('superintendents')}>See the day of a superintendent</a>
            </>
          )}
        </p>
      )}
      <InstallHint />
      <VisitList />
      {busy.map((group) => (
        <HomeGroup key={group.home.id} {...group} />
      ))}
      {quiet.length > 0 && (
        <section className="block">
          <h2>Nothing due today</h2>
          <ul className="links">
            {quiet.map(({ home }) => (
              <li key={home.id}>
                <a href={toRouteHash('home', home.id)}>
                  {home.name}, {home.communityName}
                </a>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

interface Group {
  home: FieldHome
  tasks: FieldTask[]
  inspections: FieldInspection[]
  fixed: FieldPunchItem[]
  isBusy: boolean
}

function toGroup(home: FieldHome, day: ReturnType<typeof useDay>['day']): Group {
  const today = getTodayAt(home)
  const ofHome = ({ homeId }: { homeId: string }) => homeId === home.id
  const tasks = day.tasks.filter((task) => ofHome(task) && isTaskDue(task, today))
  const until = addDays(today, INSPECTION_DAYS)
  const inspections = day.inspections.filter(
    (inspection) => ofHome(inspection) && inspection.scheduledDate !== null && inspection.scheduledDate <= until,
  )
  const fixed = day.punchItems.filter((item) => ofHome(item) && item.status === 'fixed')
  return { home, tasks, inspections, fixed, isBusy: tasks.length + inspections.length + fixed.length > 0 }
}

function HomeGroup({ home, tasks, inspections, fixed }: Group) {
  const { day, can } = useDay()
  const hasLog = day.logs.some((log) => log.homeId === home.id && log.logDate === getTodayAt(home))
  // The result of an inspection is recorded in its own row, so its task is not shown.
  const inspected = new Set(inspections.map(({ taskId }) => taskId))
  return (
    <section className="block" aria-label={`${home.name}, ${home.communityName}`}>
      <header>
        <h2>
          <a href={toRouteHash('home', home.id)}>{home.name}</a> <span className="muted">{home.communityName}</span>
        </h2>
        {can('logs:write') && (
          <a className="btn" href={toRouteHash('log', home.id)} aria-label={`Daily log of ${home.name}`}>
            <Icon name={hasLog ? 'check' : 'orders'} />
            Log
          </a>
        )}
        {can('punch:write') && (
          <CameraButton
            icon="plus"
            label={`Add punch item in ${home.name} with the camera`}
            onPicture={(file) => void startPunchItem(home.id, file)}
            onCancel={() => void startPunchItem(home.id, null)}
          >
            Punch
          </CameraButton>
        )}
      </header>
      {inspections.map((inspection) => (
        <InspectionRow key={inspection.id} inspection={inspection} />
      ))}
      {tasks
        .filter(({ id }) => !inspected.has(id))
        .map((task) => (
          <TaskRow key={task.id} home={home} task={task} />
        ))}
      {fixed.map((item) => (
        <FixedRow key={item.id} home={home} item={item} />
      ))}
    </section>
  )
}

function TaskRow({ home, task }: { home: FieldHome; task: FieldTask }) {
  const { can, findVendor } = useDay()
  const { isSaving, saveOnce } = useSaveOnce()
  const [asksForPhoto, setAsksForPhoto] = useState(false)
  const vendor = findVendor(task.vendorId)
  const phone = vendor?.phone ?? null
  const today = getTodayAt(home)
  const isLateTask = isTaskLate(task, today)
  const open = task.checklist.filter(({ done }) => !done).length
  const complete = async (file: File | null) => {
    const photo: Photo | null = file === null ? null : await preparePhoto(file)
    const entries = completeTask(home, task, { photo, checklist: task.checklist, force: null })
    await recordEntries(entries, `${task.name} completed`)
  }
  // These actions need more than one tap, so each has its own screen.
  const needsScreen =
    open > 0 || task.waitsFor.length > 0 || task.taskKind === 'inspection' || task.status === 'on_hold'
  return (
    <article className="row-card">
      <a className="what" href={toRouteHash('task', task.id)}>
        <strong>{task.name}</strong>
        <span className="muted">
          {vendor?.companyName ?? 'No vendor'}
          {open > 0 && `, ${formatCount(open, 'item')} to check`}
        </span>
        <TaskState task={task} isLateTask={isLateTask} />
      </a>
      <div className="acts">
        {phone !== null && (
          <>
            <a className="btn" href={`tel:${phone}`} aria-label={`Call ${vendor?.companyName}`}>
              Call
            </a>
            <a className="btn" href={`sms:${phone}`} aria-label={`Text ${vendor?.companyName}`}>
              Text
            </a>
          </>
        )}
        {can('tasks:write') && (
          <a className="btn" href={toRouteHash('task', task.id, 'delay')} aria-label={`Delay ${task.name}`}>
            Delay
          </a>
        )}
        {can('tasks:write') &&
          (needsScreen ? (
            <a
              className="btn primary"
              href={toRouteHash('task', task.id)}
              aria-label={`${task.taskKind === 'inspection' ? 'Result of' : 'Done…'} ${task.name}`}
            >
              {task.taskKind === 'inspection' ? 'Result' : 'Done…'}
            </a>
          ) : (
            <CameraButton
              look="primary"
              icon="check"
              label={`Complete ${task.name} with a photo`}
              onPicture={(file) => saveOnce(() => complete(file))}
              onCancel={() => setAsksForPhoto(true)}
            >
              Done
            </CameraButton>
          ))}
      </div>
      {asksForPhoto && (
        <div className="ask">
          <span>Complete {task.name} without a photo?</span>
          <Button look="primary" disabled={isSaving} onClick={() => saveOnce(() => complete(null))}>
            Complete
          </Button>
          <Button onClick={() => setAsksForPhoto(false)}>Cancel</Button>
        </div>
      )}
    </article>
  )
}

export function TaskState({ task, isLateTask }: { task: FieldTask; isLateTask: boolean }) {
  const words = [
    ...(task.status === 'on_hold' ? ['On hold'] : []),
    ...(task.inspectionResult === 'failed' ? ['Failed'] : []),
    ...(isLateTask
      ? [`Late since ${formatDay(task.status === 'not_started' ? task.plannedStart : task.plannedEnd)}`]
      : []),
    ...(task.status === 'not_started' && task.confirmationStatus === 'declined' ? ['Vendor declined'] : []),
    ...(task.waitsFor.length > 0 ? [`Waiting for ${task.waitsFor.join(', ')}`] : []),
  ]
  if (words.length > 0)
    return (
      <span className="state" data-tone="warn">
        {words.join(' · ')}
      </span>
    )
  return (
    <span className="state">
      {task.status === 'in_progress'
        ? `In progress until ${formatDay(task.plannedEnd)}`
        : task.status === 'completed'
          ? `Completed ${task.actualEnd === null ? '' : formatDay(task.actualEnd)}`
          : `Starts ${formatDay(task.plannedStart)}`}
    </span>
  )
}

const WINDOWS = { am: 'morning', pm: 'afternoon', any: 'any time' } as const

function InspectionRow({ inspection }: { inspection: FieldInspection }) {
  const { can } = useDay()
  const { id, name, attempt, scheduledDate, window } = inspection
  return (
    <article className="row-card">
      <a className="what" href={toRouteHash('inspection', id)}>
        <strong>
          {name}
          {attempt > 1 && `, attempt ${attempt}`}
        </strong>
        <span className="state">
          Inspection {scheduledDate === null ? '' : formatDay(scheduledDate)}, {WINDOWS[window]}
        </span>
      </a>
      {can('inspections:write') && can('tasks:write') && (
        <div className="acts">
          <a className="btn primary" href={toRouteHash('inspection', id)} aria-label={`Record the result of ${name}`}>
            Result
          </a>
        </div>
      )}
    </article>
  )
}

function FixedRow({ home, item }: { home: FieldHome; item: FieldPunchItem }) {
  const { isSaving, saveOnce } = useSaveOnce()
  const { can, findVendor } = useDay()
  return (
    <article className="row-card">
      <div className="what">
        <strong>
          {item.number} {item.description}
        </strong>
        <span className="muted">
          {[item.location, findVendor(item.vendorId)?.companyName].filter(Boolean).join(', ')}
        </span>
        <span className="state">Reported as fixed</span>
      </div>
      {can('punch:write') && (
        <div className="acts">
          <a className="btn" href={toRouteHash('reopen', item.id)} aria-label={`Not fixed: ${item.number}`}>
            Not fixed
          </a>
          <Button
            look="primary"
            icon="check"
            aria-label={`Verify ${item.number}`}
            disabled={isSaving}
            onClick={() =>
              saveOnce(() => recordEntries(changePunchItem(home, item, 'verified', null), `${item.number} verified`))
            }
          >
            Verify
          </Button>
        </div>
      )}
    </article>
  )
}

function VisitList() {
  const { day } = useDay()
  const visits = day.visits.filter(({ date }) => date === day.date)
  if (visits.length === 0) return null
  return (
    <section className="block" aria-label="Warranty visits today">
      <header>
        <h2>Warranty visits today</h2>
      </header>
      {visits.map(({ id, homeName, address, window, status, notes }) => (
        <article className="row-card" key={id}>
          <div className="what">
            <strong>{homeName}</strong>
            <span className="muted">{[address?.line1, notes].filter(Boolean).join(' · ')}</span>
            <span className="state">
              {WINDOWS[window]}, {status}
            </span>
          </div>
        </article>
      ))}
    </section>
  )
}
