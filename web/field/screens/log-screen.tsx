import { useState } from 'react'
import type {
  DailyLogCrewInput,
  DailyLogSafetyInput,
  DailyLogWeather,
  FieldHome,
} from '../../../client/contract.gen.ts'
import { Button } from '../../ui/button.tsx'
import { extendLog, type LogFields, writeLog } from '../day/actions.ts'
import { formatDay } from '../day/dates.ts'
import { recordEntries } from '../day/field-store.ts'
import { getTodayAt, isTaskDue, useDay } from '../day/use-day.ts'
import type { NewEntry } from '../outbox/entry.ts'
import { Chips, type Choice } from '../parts/chips.tsx'
import { goBack, toRouteHash } from '../parts/route.ts'
import { NotInDay, ScreenHead } from '../parts/screen-head.tsx'
import { useSaveOnce } from '../parts/use-save-once.ts'

const WEATHER: readonly Choice<DailyLogWeather['condition']>[] = [
  { value: 'clear', label: 'Clear' },
  { value: 'cloudy', label: 'Cloudy' },
  { value: 'rain', label: 'Rain' },
  { value: 'snow', label: 'Snow' },
  { value: 'wind', label: 'Windy' },
]
const WORKABLE: readonly Choice<boolean>[] = [
  { value: true, label: 'Workable' },
  { value: false, label: 'Not workable' },
]
const SAFETY: readonly Choice<DailyLogSafetyInput['kind'] | 'none'>[] = [
  { value: 'none', label: 'None' },
  { value: 'observation', label: 'Observation' },
  { value: 'near_miss', label: 'Near miss' },
  { value: 'incident', label: 'Incident' },
]

/** Shows the form for a home's daily log. It contains only fields that the service cannot fill in. */
export function LogScreen({ homeId }: { homeId: string }) {
  const { findHome } = useDay()
  const home = findHome(homeId)
  return home === undefined ? <NotInDay noun="home" /> : <TodaysLog home={home} />
}

interface PlannedCrew {
  vendorId: string
  scope: string | null
  name: string
}

function TodaysLog({ home }: { home: FieldHome }) {
  const { day, findVendor } = useDay()
  const today = getTodayAt(home)
  const log = day.logs.find((each) => each.homeId === home.id && each.logDate === today)
  const planned = day.tasks.flatMap((task): PlannedCrew[] => {
    const vendor = task.homeId === home.id && isTaskDue(task, today) ? findVendor(task.vendorId) : undefined
    return vendor === undefined ? [] : [{ vendorId: vendor.id, scope: task.scope, name: vendor.companyName }]
  })
  // A vendor with several tasks is one crew.
  const crews = planned.filter((crew, i) => planned.findIndex(({ vendorId }) => vendorId === crew.vendorId) === i)
  const { isSaving, saveOnce } = useSaveOnce()
  const [condition, setCondition] = useState<DailyLogWeather['condition'] | null>(null)
  const [workable, setWorkable] = useState<boolean | null>(null)
  const [absent, setAbsent] = useState<ReadonlySet<string>>(new Set())
  const [work, setWork] = useState('')
  const [kind, setKind] = useState<DailyLogSafetyInput['kind'] | 'none'>('none')
  const [happened, setHappened] = useState('')
  if (log?.status === 'locked') {
    return (
      <>
        <ScreenHead title="Daily log" place={`${home.name}, ${formatDay(today)}`} />
        <p className="pad">The log of this day is locked.</p>
      </>
    )
  }
  // If the user does not choose the weather, the log keeps its weather.
  const hasChosenWeather = condition !== null || workable !== null
  const knownCondition = condition ?? log?.weather?.condition ?? null
  const knownWorkable = workable ?? log?.weather?.workable ?? true
  const isReady =
    (log === undefined || hasChosenWeather ? knownCondition !== null : work.trim() !== '') &&
    (work.trim() !== '' || crews.length > 0 || log !== undefined) &&
    (kind === 'none' || happened.trim() !== '')
  const submit = async () => {
    const workDone = work.trim() || null
    if (log !== undefined) {
      const weather =
        hasChosenWeather && knownCondition !== null
          ? { ...log.weather, condition: knownCondition, workable: knownWorkable }
          : null
      return close(extendLog(home, log, { workDone, weather }))
    }
    if (knownCondition === null) return
    const fields: LogFields = {
      weather: { condition: knownCondition, workable: knownWorkable },
      crews: crews
        .slice(0, 30)
        .map(({ vendorId, scope }): DailyLogCrewInput => ({ vendorId, scope, noShow: absent.has(vendorId) })),
      workDone,
      safety: kind === 'none' ? [] : [{ kind, description: happened.trim() }],
    }
    return close(writeLog(home, fields))
  }
  const close = async (entries: readonly NewEntry[]) => {
    await recordEntries(entries, `Log of ${home.name} submitted`)
    goBack()
  }
  return (
    <>
      <ScreenHead title="Daily log" place={`${home.name}, ${formatDay(today)}`} />
      <form
        className="pad stack"
        onSubmit={(event) => {
          event.preventDefault()
          saveOnce(submit)
        }}
      >
        {log !== undefined && (
          <p className="muted">This day has a log. You add to it: {log.workDone ?? 'no work yet'}</p>
        )}
        <Chips legend="Weather" choices={WEATHER} value={condition} onChoose={setCondition} />
        <Chips legend="Working conditions" choices={WORKABLE} value={knownWorkable} onChoose={setWorkable} />
        {log === undefined && crews.length > 0 && (
          <fieldset className="checklist">
            <legend>Crews on site</legend>
            {crews.map(({ vendorId, name }) => (
              <label key={vendorId}>
                <input
                  type="checkbox"
                  checked={!absent.has(vendorId)}
                  onChange={({ currentTarget: { checked } }) =>
                    setAbsent(new Set([...absent, vendorId].filter((id) => id !== vendorId || !checked)))
                  }
                />
                <span>{name}</span>
              </label>
            ))}
          </fieldset>
        )}
        <div className="field">
          <label htmlFor="work">Work of the day</label>
          <textarea
            id="work"
            className="input"
            rows={3}
            maxLength={4000}
            value={work}
            onChange={({ currentTarget: { value } }) => setWork(value)}
          />
        </div>
        {log === undefined && <Chips legend="Safety" choices={SAFETY} value={kind} onChoose={setKind} />}
        {kind !== 'none' && (
          <div className="field">
            <label htmlFor="happened">What happened</label>
            <textarea
              id="happened"
              className="input"
              rows={3}
              maxLength={2000}
              value={happened}
              onChange={({ currentTarget: { value } }) => setHappened(value)}
            />
          </div>
        )}
        {kind === 'incident' && <p className="caution">Owners and admins are notified at once.</p>}
        <div className="acts wide">
          {log !== undefined && log.status !== 'draft' && (
            <a className="btn" href={toRouteHash('sign', log.id)}>
              Sign log
            </a>
          )}
          <Button look="primary" type="submit" disabled={isSaving || !isReady}>
            {log === undefined ? 'Submit log' : 'Add to log'}
          </Button>
        </div>
      </form>
    </>
  )
}
