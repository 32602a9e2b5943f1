import { useEffect, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { openDayOf, readSuperintendents } from '../day/field-store.ts'
import { useDay } from '../day/use-day.ts'
import type { Superintendent } from '../outbox/database.ts'
import { openScreen } from '../parts/route.ts'
import { ScreenHead } from '../parts/screen-head.tsx'

/** Lets a user of the office open the day of a superintendent. The list needs a connection. */
export function SuperintendentsScreen() {
  const { userId, superintendent } = useDay()
  const [found, setFound] = useState<readonly Superintendent[] | null | undefined>(undefined)
  const [isOpening, setOpening] = useState(false)
  useEffect(() => {
    void readSuperintendents().then(setFound)
  }, [])
  const open = async (chosen: Superintendent | null) => {
    setOpening(true)
    await openDayOf(chosen)
    setOpening(false)
    openScreen()
  }
  const others = found?.filter(({ id }) => id !== userId) ?? []
  return (
    <>
      <ScreenHead title="Superintendents" place="Choose a day" />
      {found === undefined && (
        <p className="pad" role="status">
          Loading the superintendents…
        </p>
      )}
      {found === null && (
        <p className="pad" role="alert">
          The superintendents could not be loaded. Try again when you are online.
        </p>
      )}
      {found?.length === 0 && (
        <p className="pad">There are no superintendents. Invite one in the admin area, under Settings.</p>
      )}
      <div className="pad stack large">
        {superintendent !== null && (
          <Button disabled={isOpening} onClick={() => void open(null)}>
            My own day
          </Button>
        )}
        {others.map((other) => (
          <Button key={other.id} disabled={isOpening} onClick={() => void open({ id: other.id, name: other.name })}>
            {other.name}
          </Button>
        ))}
      </div>
    </>
  )
}
