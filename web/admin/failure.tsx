import { isRouteErrorResponse, Link, useRouteError } from 'react-router'
import { isProblem } from '../../client/problem.ts'
import { Button } from '../ui/button.tsx'
import { Mark } from '../ui/icon.tsx'
import { Failed } from '../ui/states.tsx'

/** Instead of a page that could not be made: why, and what to do. */
export function Failure() {
  const error = useRouteError()
  // The shell leads to the sign-in.
  if (isProblem(error) && error.status === 401) return null
  if (isRouteErrorResponse(error) && error.status === 404) return <NoSuchPage />
  const isOutdated = error instanceof TypeError && /dynamically imported|module script/i.test(error.message)
  return (
    <main className="page alone">
      <title>Something is wrong · Plumbline</title>
      {isOutdated ? (
        <div className="state" role="alert">
          <Mark />
          <strong>There is a newer version of these pages</strong>
          <p>Nothing is lost. Load the page again to go on with it.</p>
          <Button look="primary" onClick={() => location.reload()}>
            Load again
          </Button>
        </div>
      ) : (
        <Failed what="This page" error={error} onRetry={() => location.reload()} />
      )}
    </main>
  )
}

/** An address without a page. */
export function NoSuchPage() {
  return (
    <main className="page alone">
      <title>No such page · Plumbline</title>
      <div className="state">
        <Mark />
        <strong>There is no such page</strong>
        <p>The address may be old, or mistyped.</p>
        <Link className="btn" to="/">
          Go to the start
        </Link>
      </div>
    </main>
  )
}
