import { Button } from '../../ui/button.tsx'
import { clockIn, clockOut } from '../day/actions.ts'
import { recordEntries } from '../day/field-store.ts'
import { useDay } from '../day/use-day.ts'
import { goBack } from '../parts/route.ts'
import { ScreenHead } from '../parts/screen-head.tsx'
import { useSaveOnce } from '../parts/use-save-once.ts'

const BREAKS = [
  { minutes: 0, label: 'No break' },
  { minutes: 30, label: '30-minute break' },
  { minutes: 45, label: '45-minute break' },
  { minutes: 60, label: '1-hour break' },
]

/** Lets the user clock in at a home or clock out, with the length of the break. */
export function ClockScreen() {
  const { day, userId } = useDay()
  const { isSaving, saveOnce } = useSaveOnce()
  if (day.clock !== null) {
    const out = (minutes: number) => recordEntries(clockOut(userId, minutes), 'Clocked out').then(goBack)
    return (
      <>
        <ScreenHead title="Clock out" />
        <div className="pad stack large">
          {BREAKS.map(({ minutes, label }) => (
            <Button key={minutes} disabled={isSaving} onClick={() => saveOnce(() => out(minutes))}>
              {label}
            </Button>
          ))}
        </div>
      </>
    )
  }
  return (
    <>
      <ScreenHead title="Clock in" place="Choose a home" />
      <div className="pad stack large">
        {[...day.homes, null].map((home) => (
          <Button
            key={home?.id ?? 'none'}
            disabled={isSaving}
            onClick={() =>
              saveOnce(() =>
                recordEntries(clockIn(userId, home), `Clocked in${home === null ? '' : ` at ${home.name}`}`).then(
                  goBack,
                ),
              )
            }
          >
            {home === null ? 'No home' : `${home.name}, ${home.communityName}`}
          </Button>
        ))}
      </div>
    </>
  )
}
