import { formatCount } from '../../ui/text-formats.ts'
import { formatMoment } from '../day/dates.ts'
import { useField } from '../day/field-store.ts'
import { toRouteHash } from './route.ts'

/** Shows whether all entries have been sent and when the day was read. Links to the outbox. */
export function SyncStatus() {
  const { stored, entries, lastRun, isSyncing } = useField()
  const held = entries.filter((entry) => entry.held !== null).length
  const waiting = entries.length - held
  const at = stored === null ? '' : formatMoment(stored.readAt)
  const [tone, text] =
    held > 0
      ? ['bad', `${formatCount(held, 'entry', 'entries')} to check`]
      : lastRun === 'signed out'
        ? ['warn', waiting > 0 ? `${waiting} not sent: sign in` : 'Signed out']
        : waiting > 0
          ? ['warn', isSyncing ? `Sending ${waiting}` : `${waiting} not sent yet`]
          : lastRun === 'offline' || lastRun === 'busy'
            ? ['warn', `${lastRun === 'offline' ? 'Offline' : 'The server is busy'}, data from ${at}`]
            : ['ok', isSyncing ? 'Updating' : `Updated ${at}`]
  return (
    <a className="sync" href={toRouteHash('outbox')} data-tone={tone}>
      {text}
    </a>
  )
}
