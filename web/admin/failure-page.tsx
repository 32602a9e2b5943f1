import { onlineManager } from '@tanstack/react-query'
import { useEffect } from 'react'
import { isRouteErrorResponse, Link, useRouteError } from 'react-router'
import { isProblem } from '../../client/problem.ts'
import { Button } from '../ui/button.tsx'
import { LogoMark } from '../ui/icon.tsx'
import { LoadError } from '../ui/states.tsx'

/** Replaces a page that failed to render with the reason and a remedy. */
export function FailurePage() {
  const error = useRouteError()
  const isOffline = !onlineManager.isOnline()
  useEffect(() => {
    if (isOffline) return onlineManager.subscribe((isOnline) => isOnline && location.reload())
  }, [isOffline])
  const isOutdated = error instanceof TypeError && /dynamically imported|module script/i.test(error.message)
  // Shows nothing, because the shell (shell.tsx) redirects to the sign-in page.
  if (isProblem(error) && error.status === 401) return null
  if (isRouteErrorResponse(error) && error.status === 404) return <NotFoundPage />
  return (
    <main className="page alone">
      <title>Error · Plumbline</title>
      {isOffline ? (
        <div className="state" role="alert">
          <LogoMark />
          <strong>You are offline</strong>
          <p>This page loads as soon as the connection returns.</p>
          <Button onClick={() => location.reload()}>Try now</Button>
        </div>
      ) : isOutdated ? (
        <div className="state" role="alert">
          <LogoMark />
          <strong>A new version of Plumbline is available</strong>
          <p>Your saved work is not affected. Reload the page to continue.</p>
          <Button look="primary" onClick={() => location.reload()}>
            Reload page
          </Button>
        </div>
      ) : (
        <LoadError what="This page" error={error} onRetry={() => location.reload()} />
      )}
    </main>
  )
}

/** Shows that no page has this path. */
export function NotFoundPage() {
  return (
    <main className="page alone">
      <title>Page not found · Plumbline</title>
      <div className="state">
        <LogoMark />
        <strong>Page not found</strong>
        <p>The link may be outdated or mistyped.</p>
        <Link className="btn" to="/">
          Go to Today
        </Link>
      </div>
    </main>
  )
}
