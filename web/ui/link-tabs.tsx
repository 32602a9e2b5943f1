import { Link, useLocation } from 'react-router'

/** Shows tabs for related lists. Each list has its own URL. */
export function LinkTabs(props: { label: string; places: readonly { to: string; word: string }[] }) {
  const { pathname } = useLocation()
  return (
    <nav className="tabs" aria-label={props.label}>
      {props.places.map(({ to, word }) => (
        <Link key={to} to={to} aria-current={pathname === to ? 'page' : undefined}>
          {word}
        </Link>
      ))}
    </nav>
  )
}
