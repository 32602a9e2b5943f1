import { useEffect, useRef } from 'react'
import { Link, useLocation } from 'react-router'

/** Shows tabs for related lists. Each list has its own URL. */
export function LinkTabs(props: { label: string; places: readonly { to: string; word: string }[] }) {
  const { pathname } = useLocation()
  const tabs = useRef<HTMLElement>(null)
  // On a phone, the row of tabs can be wider than the screen, so the current tab could be out of view.
  useEffect(() => {
    const current = tabs.current?.querySelector('[aria-current]')
    if (tabs.current == null || current == null) return
    const hidden = current.getBoundingClientRect().right - tabs.current.getBoundingClientRect().right
    if (hidden > 0) tabs.current.scrollLeft += hidden
  }, [])
  return (
    <nav className="tabs" aria-label={props.label} ref={tabs}>
      {props.places.map(({ to, word }) => (
        <Link key={to} to={to} aria-current={pathname === to ? 'page' : undefined}>
          {word}
        </Link>
      ))}
    </nav>
  )
}
