import { Link, useLocation } from 'react-router'

/** Lists that belong together, each with an address of its own, as tabs over them. */
export function PlaceTabs(props: { label: string; places: readonly { to: string; word: string }[] }) {
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
