import type { ReactNode } from 'react'
import { IconButton } from '../../ui/button.tsx'
import { goBack } from './route.ts'

/** Shows the heading of every screen except the day: a back button, the title, and the place. */
export function ScreenHead({ title, place, children }: { title: string; place?: string; children?: ReactNode }) {
  return (
    <header className="head">
      <IconButton icon="left" label="Back" look="quiet" onClick={goBack} />
      <div>
        <title>{`${title} · Field`}</title>
        <h1>{title}</h1>
        {place !== undefined && <p className="muted">{place}</p>}
      </div>
      {children}
    </header>
  )
}

/** Shows that a record is not in the stored day, for example because another user has completed it. */
export function NotInDay({ noun }: { noun: string }) {
  return (
    <>
      <ScreenHead title="Not found" />
      <p className="pad">
        This {noun} is not part of your day. It may be completed or belong to another superintendent.
      </p>
    </>
  )
}
