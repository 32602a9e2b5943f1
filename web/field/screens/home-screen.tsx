import { useEffect, useState } from 'react'
import type { Attachment, FieldHome } from '../../../client/contract.gen.ts'
import { Icon } from '../../ui/icon.tsx'
import { addPhoto } from '../day/actions.ts'
import { formatDay } from '../day/dates.ts'
import { recordEntries } from '../day/field-store.ts'
import { describeStatus, describeWalkthrough } from '../day/home-words.ts'
import { root } from '../day/root.ts'
import { preparePhoto } from '../day/take-photo.ts'
import { getTodayAt, isTaskLate, isTaskOpen, useDay } from '../day/use-day.ts'
import { CameraButton } from '../parts/camera-button.tsx'
import { toRouteHash } from '../parts/route.ts'
import { NotInDay, ScreenHead } from '../parts/screen-head.tsx'
import { TaskState } from './day-screen.tsx'
import { startPunchItem } from './punch-draft.ts'

/** Shows a home: its address, its tasks in the next two weeks, its punch items, and its newest photos. */
export function HomeScreen({ homeId }: { homeId: string }) {
  const { findHome } = useDay()
  const home = findHome(homeId)
  return home === undefined ? <NotInDay noun="home" /> : <OneHome home={home} />
}

function OneHome({ home }: { home: FieldHome }) {
  const { day, can, findVendor } = useDay()
  const today = getTodayAt(home)
  const tasks = day.tasks.filter(({ homeId }) => homeId === home.id)
  const items = day.punchItems.filter(({ homeId }) => homeId === home.id)
  const { address } = home
  const place = [address?.line1, address?.city].filter(Boolean).join(', ')
  return (
    <>
      <ScreenHead title={home.name} place={`${home.communityName}, ${describeStatus(home.status)}`} />
      <div className="pad stack">
        {place !== '' && (
          <p>
            <a href={`https://maps.apple.com/?q=${encodeURIComponent(place)}`}>{place}</a>
          </p>
        )}
        <div className="acts wide">
          {can('logs:write') && (
            <a className="btn" href={toRouteHash('log', home.id)}>
              <Icon name="orders" />
              Log
            </a>
          )}
          {can('documents:read') && (
            <a className="btn" href={toRouteHash('drawings', home.id)}>
              Drawings
            </a>
          )}
          {can('punch:write') && (
            <CameraButton
              icon="plus"
              onPicture={(file) => void startPunchItem(home.id, file)}
              onCancel={() => void startPunchItem(home.id, null)}
            >
              Punch
            </CameraButton>
          )}
          {can('homes:write') && (
            <CameraButton
              icon="plus"
              onPicture={(file) =>
                void preparePhoto(file).then((photo) =>
                  recordEntries([addPhoto(home, home.id, home.name, photo)], 'Photo added'),
                )
              }
            >
              Photo
            </CameraButton>
          )}
        </div>
      </div>
      <section className="block" aria-label="Tasks">
        <header>
          <h2>Tasks</h2>
        </header>
        {tasks.length === 0 && <p className="pad muted">No tasks in the next two weeks.</p>}
        <ul className="links">
          {[...tasks.filter(isTaskOpen), ...tasks.filter((task) => !isTaskOpen(task))].map((task) => (
            <li key={task.id}>
              <a href={toRouteHash('task', task.id)}>
                <strong>{task.name}</strong>
                <span className="muted">{findVendor(task.vendorId)?.companyName ?? 'No vendor'}</span>
                <TaskState task={task} isLateTask={isTaskLate(task, today)} />
              </a>
            </li>
          ))}
        </ul>
      </section>
      <Walkthroughs home={home} />
      <section className="block" aria-label="Punch items">
        <header>
          <h2>Punch items</h2>
        </header>
        {items.length === 0 && <p className="pad muted">No open punch items.</p>}
        <ul className="links">
          {items.map(({ id, number, description, location, status, vendorId, dueDate, disputeNote }) => (
            <li key={id}>
              <div>
                <strong>
                  {number} {description}
                </strong>
                <span className="muted">
                  {[location, findVendor(vendorId)?.companyName].filter(Boolean).join(', ')}
                </span>
                <span className="state" data-tone={disputeNote !== null ? 'warn' : undefined}>
                  {disputeNote !== null ? `Disputed: ${disputeNote}` : describeStatus(status)}
                  {dueDate !== null && `, due ${formatDay(dueDate)}`}
                </span>
              </div>
            </li>
          ))}
        </ul>
      </section>
      <Photos homeId={home.id} />
    </>
  )
}

/** Open walkthroughs, each with its items to add and its signature. */
function Walkthroughs({ home }: { home: FieldHome }) {
  const { day, can } = useDay()
  const open = day.walkthroughs.filter(({ homeId }) => homeId === home.id)
  if (open.length === 0) return null
  return (
    <section className="block" aria-label="Walkthroughs">
      <header>
        <h2>Walkthroughs</h2>
      </header>
      <ul className="links">
        {open.map(({ id, kind, date }) => {
          const name = describeWalkthrough(kind)
          return (
            <li key={id}>
              <div>
                <strong>{name}</strong>
                <span className="muted">{formatDay(date)}</span>
                {can('punch:write') && (
                  <div className="acts">
                    <CameraButton
                      icon="plus"
                      label={`Add an item to the ${name.toLowerCase()} with the camera`}
                      onPicture={(file) => void startPunchItem(home.id, file, id)}
                      onCancel={() => void startPunchItem(home.id, null, id)}
                    >
                      Item
                    </CameraButton>
                    <a className="btn" href={toRouteHash('sign', id)} aria-label={`Sign the ${name.toLowerCase()}`}>
                      Sign
                    </a>
                  </div>
                )}
              </div>
            </li>
          )
        })}
      </ul>
    </section>
  )
}

/** Newest photos, which are shown only with a connection. A photo can be marked. */
function Photos({ homeId }: { homeId: string }) {
  const [photos, setPhotos] = useState<readonly Attachment[] | null>(null)
  useEffect(() => {
    const abort = new AbortController()
    fetch(`${root}/api/ext/attachments?homeId=${homeId}&kind=photo&limit=12`, { signal: abort.signal })
      .then(async (response) => {
        if (response.ok) setPhotos(((await response.json()) as { data: Attachment[] }).data)
      })
      .catch(() => {})
    return () => abort.abort()
  }, [homeId])
  if (photos === null || photos.length === 0) return null
  return (
    <section className="block" aria-label="Photos">
      <header>
        <h2>Photos</h2>
      </header>
      <div className="photos">
        {photos.map(({ id, caption, fileName }) => (
          <a key={id} href={toRouteHash('mark', homeId, id)}>
            <img src={`${root}/api/ext/attachments/${id}/image?size=thumb`} alt={caption ?? fileName} loading="lazy" />
          </a>
        ))}
      </div>
    </section>
  )
}
