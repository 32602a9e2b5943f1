import { type ReactNode, useEffect, useRef } from 'react'
import { Link, useLocation } from 'react-router'
import { ApiCalls } from './api-calls.tsx'

export interface Crumb {
  name: string
  to?: string
}

/** Renders the layout of a page: the breadcrumbs, the actions, the content, and the API call that loaded the page. */
export function Page(props: {
  /** The title of the browser tab. The most specific part comes first. */
  title: string
  crumbs: readonly Crumb[]
  actions?: ReactNode
  children: ReactNode
}) {
  const { title, crumbs, actions, children } = props
  const content = useRef<HTMLElement>(null)
  const { pathname } = useLocation()
  // Moves the focus, so that screen readers announce the new page. A change of only the query, such as a filter, does
  // not move the focus.
  useEffect(() => {
    if (lastPath !== null && lastPath !== pathname) content.current?.focus({ preventScroll: true })
    lastPath = pathname
  }, [pathname])
  return (
    <div className="main">
      <title>{`${title} · Plumbline`}</title>
      <header className="bar">
        <nav className="crumbs" aria-label="Breadcrumb">
          <ol>
            {crumbs.map((crumb, at) => (
              <li key={crumb.name} aria-current={at === crumbs.length - 1 ? 'page' : undefined}>
                {crumb.to === undefined ? crumb.name : <Link to={crumb.to}>{crumb.name}</Link>}
              </li>
            ))}
          </ol>
        </nav>
        {actions !== undefined && <div className="actions">{actions}</div>}
      </header>
      <main className="page" id="content" ref={content} tabIndex={-1}>
        {children}
      </main>
      <ApiCalls />
    </div>
  )
}

/** The path of the previous page. On the first page of a visit, the browser decides where the focus is. */
let lastPath: string | null = null
