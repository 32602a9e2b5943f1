import type { ReactNode } from 'react'
import { IconButton } from '../../ui/button.tsx'
import { goBack } from './route.ts'

/** Head of each screen except the day: back button, title, and place. */
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

/** Shown if a record is not in the stored day, for example after another user completed it. */
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
