import type { ReactNode } from 'react'
import { toErrorMessage } from '../api/error-message.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import type { IconName } from './icons.ts'

/** Shows that there is no data, with the reason and the next step. */
export function EmptyState(props: { icon: IconName; title: string; children?: ReactNode; actions?: ReactNode }) {
  return (
    <div className="state">
      <Icon name={props.icon} />
      <strong>{props.title}</strong>
      {props.children !== undefined && <p>{props.children}</p>}
      {props.actions !== undefined && <div className="row wrap">{props.actions}</div>}
    </div>
  )
}

/** Shows which data failed to load and why, with a button to try again. */
export function LoadError(props: { what: string; error: unknown; onRetry?(): void }) {
  const fault = toErrorMessage(props.error)
  return (
    <div className="state" role="alert">
      <Icon name="warn" />
      <strong>{props.what} could not be loaded</strong>
      <p>
        {fault.title} {fault.detail}
        {fault.problem !== null && (
          <>
            {' '}
            Request ID <code>{fault.problem.requestId}</code>
          </>
        )}
      </p>
      {props.onRetry !== undefined && (
        <Button small icon="refresh" onClick={props.onRetry}>
          Try now
        </Button>
      )}
    </div>
  )
}

/** Shows the error of a change next to its button. */
export function ChangeError({ error, remedy }: { error: unknown; remedy?: ReactNode }) {
  if (error === null || error === undefined) return null
  const { title, detail, errors } = toErrorMessage(error)
  return (
    <div className="banner" data-tone="bad" role="alert">
      <Icon name="warn" />
      <div>
        <strong>{title}</strong> <span className="muted">{detail}</span>
        {errors.map((one) => (
          <p key={one.pointer + one.message}>{one.message}</p>
        ))}
        {remedy !== undefined && <p>{remedy}</p>}
      </div>
    </div>
  )
}

/** Shows a placeholder for content that is loading. */
export function Skeleton({ width }: { width: number }) {
  return <span className="skeleton" style={{ width }} />
}

/** Shows placeholder lines in a panel that is loading. */
export function SkeletonLines({ lines = 4 }: { lines?: number }) {
  return (
    <div className="stack" aria-busy="true">
      <span className="sr">Loading</span>
      {Array.from({ length: lines }, (_, line) => (
        <Skeleton key={line} width={90 + ((line * 53) % 160)} />
      ))}
    </div>
  )
}
