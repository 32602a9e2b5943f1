import { Link, useLocation } from 'react-router'
import { scrollToOpenTab } from './scroll-to-open-tab.ts'

/** Shows tabs for related lists. Each list has its own URL. */
export function LinkTabs(props: { label: string; places: readonly { to: string; word: string }[] }) {
  const { pathname } = useLocation()
  // A page below a tab, such as the postings below the ledger, belongs to the tab with the longest path.
  const [open] = props.places
    .filter(({ to }) => pathname === to || pathname.startsWith(`${to}/`))
    .toSorted((a, b) => b.to.length - a.to.length)
  return (
    <nav className="tabs" ref={scrollToOpenTab} aria-label={props.label}>
      {props.places.map(({ to, word }) => (
        <Link key={to} to={to} aria-current={to === open?.to ? 'page' : undefined}>
          {word}
        </Link>
      ))}
    </nav>
  )
}
