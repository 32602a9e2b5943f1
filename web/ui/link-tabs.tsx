import { Link, useLocation } from 'react-router'
import { scrollToOpenTab } from './scroll-to-open-tab.ts'

/** Shows tabs for related lists. Each list has its own URL. */
export function LinkTabs(props: { label: string; places: readonly { to: string; word: string }[] }) {
  const { pathname } = useLocation()
  return (
    <nav className="tabs" ref={scrollToOpenTab} aria-label={props.label}>
      {props.places.map(({ to, word }) => (
        <Link key={to} to={to} aria-current={pathname === to ? 'page' : undefined}>
          {word}
        </Link>
      ))}
    </nav>
  )
}
