import { useHomeNames } from '../../api/home-names.ts'
import { useListPage } from '../../api/list-pages.ts'
import { useCan } from '../../api/session.ts'
import { humanizeName } from '../../ui/humanize-name.ts'
import { useFormats } from '../../ui/use-formats.ts'
import type { Matter } from './matter-list.tsx'

/** The maximum number of items of each kind. The list for each kind contains the rest. */
const MAX_SHOWN = 5
/** The number of days before its expiration at which a permit should be renewed. */
const DAYS_TO_RENEW = 30

/** The maximum number of open punch items that are searched for disputes, most recently changed first. */
const MAX_SEARCHED = 50

/** Returns inspections without a date, expiring permits, disputed punch items, and overdue warranty requests. */
export function useSiteMatters(): { matters: readonly Matter[]; isLoading: boolean } {
  const can = useCan()
  const { today, day, left, dateOf } = useFormats()
  const renewBy = new Date(Date.parse(today()) + DAYS_TO_RENEW * 86_400_000).toISOString().slice(0, 10)
  const inspected = { enabled: can('inspections:read') }
  const requested = useListPage(
    '/api/ext/inspections',
    { status: 'requested', sort: 'createdAt', limit: MAX_SHOWN },
    inspected,
  )
  const expiring = useListPage(
    '/api/ext/permits',
    { expiresBy: renewBy, sort: 'expiryDate', limit: MAX_SHOWN },
    inspected,
  )
  const punch = useListPage(
    '/api/ext/punch-items',
    { status: 'open', sort: '-updatedAt', limit: MAX_SEARCHED },
    { enabled: can('punch:read') },
  )
  const overdue = useListPage(
    '/api/ext/warranty-requests',
    { isOverdue: true, limit: MAX_SHOWN },
    { enabled: can('warranty:read') },
  )
  const pages = [requested, expiring, punch, overdue]
  const disputed = (punch.data?.data ?? []).filter(({ disputeNote }) => disputeNote !== null).slice(0, MAX_SHOWN)
  const records = [requested, expiring, overdue].flatMap((page): readonly { homeId: string }[] => page.data?.data ?? [])
  const homes = useHomeNames([...records, ...disputed].map(({ homeId }) => homeId))
  const homeOf = ({ homeId }: { homeId: string }) => homes.get(homeId)
  const matters: Matter[] = [
    ...(requested.data?.data ?? []).map(
      (inspection): Matter => ({
        ...{ key: inspection.id, icon: 'schedule', tone: inspection.attempt > 1 ? 'bad' : 'warn', verb: 'Open' },
        title: `Schedule ${inspection.name}`,
        note: homeOf(inspection),
        when: inspection.attempt > 1 ? `attempt ${inspection.attempt}` : 'no date',
        under: inspection.attempt > 1 ? 'failed before' : left(dateOf(inspection.createdAt)),
        to: `/homes/${inspection.homeId}?tab=inspections`,
      }),
    ),
    ...(overdue.data?.data ?? []).map(
      (request): Matter => ({
        ...{ key: request.id, icon: 'clock', tone: 'bad', verb: 'Open' },
        title: `${request.number} is overdue: ${request.description}`,
        note: homeOf(request),
        when: humanizeName(request.severity),
        under: left(request.status === 'new' ? request.respondBy : request.completeBy),
        to: '/warranty?isOverdue=true',
      }),
    ),
    ...disputed.map(
      (item): Matter => ({
        ...{ key: item.id, icon: 'check', tone: 'warn', verb: 'Open' },
        title: `${item.number} is disputed: ${item.description}`,
        note: [homeOf(item), item.disputeNote].filter((part) => part != null).join(' · '),
        when: left(dateOf(item.updatedAt)),
        to: `/homes/${item.homeId}?tab=punch`,
      }),
    ),
    ...(expiring.data?.data ?? []).map(
      (permit): Matter => ({
        ...{ key: permit.id, icon: 'clock', tone: 'warn', verb: 'Open' },
        title: `${humanizeName(permit.permitType)} permit${permit.number === null ? '' : ` ${permit.number}`} expires`,
        note: homeOf(permit),
        when: permit.expiryDate === null ? undefined : day(permit.expiryDate),
        under: permit.expiryDate === null ? '' : left(permit.expiryDate),
        to: `/homes/${permit.homeId}?tab=inspections`,
      }),
    ),
  ]
  return { matters, isLoading: pages.some(({ isLoading }) => isLoading) }
}
