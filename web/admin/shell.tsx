import { lazy, Suspense, useEffect, useState } from 'react'
import { Link, Outlet, ScrollRestoration, useLocation, useNavigate } from 'react-router'
import { useCan } from '../api/session.ts'
import { sessionEnd } from '../api/session-end.ts'
import { BarPatterns } from '../ui/budget-bar.tsx'
import { Button } from '../ui/button.tsx'
import { Icon, LogoMark } from '../ui/icon.tsx'
import { isTypingKey } from '../ui/keyboard.ts'
import { SkeletonLines } from '../ui/states.tsx'
import { Toasts } from '../ui/toast.tsx'
import { Account } from './account.tsx'
import { LeaveWarning } from './leave-warning.tsx'
import { DESTINATIONS, type Destination, PHONE_DESTINATIONS, SETTINGS_DESTINATIONS } from './navigation.ts'
import { OfflineNotice } from './offline-notice.tsx'
import { toSavedReportAddress, useFavoriteReports } from './reports/saved-reports.ts'
import { SignInAgain } from './sign-in/sign-in-again.tsx'
import { toSignInPageUrl } from './sign-in/sign-in-url.ts'

// Loads the command palette after the first page, before the user presses Ctrl-K for the first time.
const Palette = lazy(() => import('./command-palette.tsx'))
const KeysHelp = lazy(() => import('./keyboard-help.tsx'))

/** Renders the frame of every page: the navigation, the search, the page itself, and the toasts. */
export function Shell() {
  const navigate = useNavigate()
  const { pathname, search } = useLocation()
  useEffect(
    () => sessionEnd.listen(() => void navigate(toSignInPageUrl(pathname + search), { replace: true })),
    [navigate, pathname, search],
  )
  return (
    <Suspense fallback={<LoadingScreen />}>
      <Toasts>
        <OfflineNotice />
        <ShellFrame />
      </Toasts>
      <ScrollRestoration />
    </Suspense>
  )
}

function LoadingScreen() {
  return (
    <div className="app">
      <aside className="side" />
      <div className="main">
        <header className="bar" />
        <main className="page">
          <SkeletonLines />
        </main>
      </div>
    </div>
  )
}

function ShellFrame() {
  const [overlay, setOverlay] = useState<'palette' | 'keys' | null>(null)
  const navigate = useNavigate()
  const can = useCan()
  const places = DESTINATIONS.filter(({ needs }) => needs === undefined || can(needs))
  const settings = SETTINGS_DESTINATIONS.filter(({ needs }) => needs === undefined || can(needs))

  useEffect(() => {
    let isAfterG = false
    const listen = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        return setOverlay('palette')
      }
      if (isTypingKey(event)) return
      const place = isAfterG
        ? [...DESTINATIONS, ...SETTINGS_DESTINATIONS].find(({ key }) => key === event.key)
        : undefined
      isAfterG = event.key === 'g'
      if (place !== undefined) return void navigate(place.to)
      if (event.key === '/') {
        event.preventDefault()
        setOverlay('palette')
      }
      if (event.key === '?') setOverlay('keys')
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [navigate])

  return (
    <>
      <BarPatterns />
      <a className="skip" href="#content">
        Skip to content
      </a>
      <div className="app">
        <aside className="side">
          <Link className="brand" to="/">
            <LogoMark />
            <span className="wordmark">Plumbline</span>
          </Link>
          <button type="button" className="jump" onClick={() => setOverlay('palette')}>
            <Icon name="search" />
            <span className="name">Search</span>
            <span className="push" aria-hidden="true">
              <kbd>Ctrl</kbd> <kbd>K</kbd>
            </span>
          </button>
          <nav className="nav" aria-label="Main">
            <NavigationList of={places} />
            <FavoriteReports />
            {settings.length > 0 && <h2>Settings</h2>}
            <NavigationList of={settings} />
          </nav>
          <Account />
        </aside>
        <Suspense fallback={<div className="main" />}>
          <Outlet />
        </Suspense>
        <TabBar places={places} onMore={() => setOverlay('palette')} />
      </div>
      <Suspense>
        {overlay === 'palette' && <Palette onClose={() => setOverlay(null)} />}
        {overlay === 'keys' && <KeysHelp onClose={() => setOverlay(null)} />}
      </Suspense>
      <SignInAgain />
      <LeaveWarning />
    </>
  )
}

function NavigationList({ of }: { of: readonly Destination[] }) {
  const { pathname } = useLocation()
  return (
    <ul>
      {of.map(({ to, name, icon }) => (
        <li key={to}>
          <Link to={to} aria-current={isWithin(pathname, to) ? 'page' : undefined} title={name}>
            <Icon name={icon} />
            <span className="name">{name}</span>
          </Link>
        </li>
      ))}
    </ul>
  )
}

/** The maximum number of favorites in the navigation. The page with all reports shows more. */
const MAX_FAVORITES = 8

function FavoriteReports() {
  const { pathname, search } = useLocation()
  const favorites = useFavoriteReports().slice(0, MAX_FAVORITES)
  if (favorites.length === 0) return null
  return (
    <>
      <h2>Favorite reports</h2>
      <ul>
        {favorites.map((saved) => {
          const to = toSavedReportAddress(saved)
          return (
            <li key={saved.id}>
              <Link to={to} aria-current={pathname + search === to ? 'page' : undefined} title={saved.name}>
                <Icon name="usage" />
                <span className="name clip">{saved.name}</span>
              </Link>
            </li>
          )
        })}
      </ul>
    </>
  )
}

function isWithin(pathname: string, to: string): boolean {
  return pathname === to || pathname.startsWith(`${to}/`)
}

function TabBar({ places, onMore }: { places: readonly Destination[]; onMore(): void }) {
  const { pathname } = useLocation()
  const quick = places.filter(({ to }) => PHONE_DESTINATIONS.includes(to))
  return (
    <nav className="tabbar" aria-label="Quick navigation">
      {quick.map(({ to, name, icon }) => (
        <Link key={to} to={to} aria-current={isWithin(pathname, to) ? 'page' : undefined}>
          <Icon name={icon} />
          {name}
        </Link>
      ))}
      <Button look="quiet" icon="menu" onClick={onMore}>
        More
      </Button>
    </nav>
  )
}
