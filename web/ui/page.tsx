import { type ReactNode, useEffect, useRef } from 'react'
import { Link, useLocation } from 'react-router'
import { Foot } from './foot.tsx'

export interface Crumb {
  name: string
  to?: string
}

/** A sheet: where you are, what can be done here, the content, and the call that made it. */
export function Page(props: {
  /** The title of the tab, the most special first. */
  title: string
  crumbs: readonly Crumb[]
  actions?: ReactNode
  children: ReactNode
}) {
  const { title, crumbs, actions, children } = props
  const content = useRef<HTMLElement>(null)
  const { pathname } = useLocation()
  // A reader is told that there is another page now. What only changes the query, such as a filter, is the same page.
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
      <Foot />
    </div>
  )
}

/** The address of the page before this one; the first page of a visit does not take the focus from the browser. */
let lastPath: string | null = null
