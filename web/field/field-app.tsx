import { Icon } from '../ui/icon.tsx'
import type { IconName } from '../ui/icons.ts'
import { useField } from './day/field-store.ts'
import { type Route, toRouteHash, useRoute } from './parts/route.ts'
import { SyncStatus } from './parts/sync-status.tsx'
import { ClockScreen } from './screens/clock-screen.tsx'
import { DayScreen } from './screens/day-screen.tsx'
import { DelayScreen } from './screens/delay-screen.tsx'
import { DrawingsScreen } from './screens/drawings-screen.tsx'
import { HomeScreen } from './screens/home-screen.tsx'
import { HomesScreen } from './screens/homes-screen.tsx'
import { InspectionScreen } from './screens/inspection-screen.tsx'
import { LogScreen } from './screens/log-screen.tsx'
import { MarkScreen } from './screens/mark-screen.tsx'
import { OutboxScreen } from './screens/outbox-screen.tsx'
import { PunchScreen } from './screens/punch-screen.tsx'
import { ReopenScreen } from './screens/reopen-screen.tsx'
import { SignInPanel } from './screens/sign-in-panel.tsx'
import { SignScreen } from './screens/sign-screen.tsx'
import { SuperintendentsScreen } from './screens/superintendents-screen.tsx'
import { TaskScreen } from './screens/task-screen.tsx'

/**
 * Renders the superintendent's page. It shows one screen at a time, with the navigation at the bottom within reach of a
 * thumb.
 */
export function FieldApp() {
  const { stored, day, lastRun, entries, notice } = useField()
  const route = useRoute()
  const waiting = entries.length
  if (stored === null || day === null) return <FirstScreen />
  return (
    <>
      {lastRun === 'signed out' && <SignInPanel email={stored.email} waiting={waiting} />}
      <main id="content">
        <Screen route={route} />
      </main>
      {notice !== null && (
        <p className="notice" role="status">
          {notice}
        </p>
      )}
      <nav className="bottom" aria-label="Main">
        <Tab name="Day" icon="today" to={[]} route={route} />
        <Tab name="Homes" icon="homes" to={['homes']} route={route} />
        <Tab name="Outbox" icon="send" to={['outbox']} route={route} count={waiting} />
      </nav>
    </>
  )
}

/** Shows a message until the first day has been read. */
function FirstScreen() {
  const { lastRun } = useField()
  return (
    <main id="content" className="first">
      <h1>Field</h1>
      {lastRun === 'signed out' && <SignInPanel email={null} waiting={0} />}
      {lastRun === null && <p role="status">Loading your day…</p>}
      {(lastRun === 'offline' || lastRun === 'busy') && (
        <p role="alert">
          The server did not respond. Open this page once while you are online. After that, it also works offline.
        </p>
      )}
      {lastRun === 'complete' && <SyncStatus />}
    </main>
  )
}

function Screen({ route }: { route: Route }) {
  const [name, id = '', part] = route
  switch (name) {
    case 'homes':
      return <HomesScreen />
    case 'home':
      return <HomeScreen homeId={id} />
    case 'drawings':
      return <DrawingsScreen homeId={id} />
    case 'task':
      return part === 'delay' ? <DelayScreen taskId={id} /> : <TaskScreen taskId={id} />
    case 'inspection':
      return <InspectionScreen id={id} />
    case 'log':
      return <LogScreen homeId={id} />
    case 'punch':
      return <PunchScreen homeId={id} walkthroughId={part} />
    case 'mark':
      return <MarkScreen homeId={id} sourceId={part ?? ''} />
    case 'sign':
      return <SignScreen recordId={id} />
    case 'reopen':
      return <ReopenScreen itemId={id} />
    case 'clock':
      return <ClockScreen />
    case 'superintendents':
      return <SuperintendentsScreen />
    case 'outbox':
      return <OutboxScreen />
    default:
      return <DayScreen />
  }
}

function Tab(props: { name: string; icon: IconName; to: readonly string[]; route: Route; count?: number }) {
  const { name, icon, to, route, count = 0 } = props
  return (
    <a href={toRouteHash(...to)} aria-current={route[0] === to[0] ? 'page' : undefined}>
      <Icon name={icon} />
      {name}
      {count > 0 && <span className="count">{count}</span>}
    </a>
  )
}
