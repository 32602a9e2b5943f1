import { useMay } from '../../api/caller.ts'
import { usePage } from '../../api/pages.ts'
import { useRecords } from '../../api/records.ts'
import { useFinding } from '../../api/skills.ts'
import { inWords } from '../../ui/badge.tsx'
import { useFormats } from '../../ui/organization.ts'
import { count, listed } from '../../ui/words.ts'
import { proposalInWords } from '../agents/skill.tsx'
import { healthOf, hostOf, REASONS } from '../settings/webhooks/health.tsx'
import type { Matter } from './matter.tsx'

/** How many items of each kind are shown; their own lists have the rest. */
const SHOWN = 5
/** How many subscriptions are checked; an organization has few. */
const MOST_WEBHOOKS = 200
/** Proposals have no events that would refresh the page, so it polls. */
const EVERY_MS = 60_000

/** Returns what only a user can decide: approvals, awards, declined orders. */
export function useDecisions(): { matters: readonly Matter[]; isLoading: boolean } {
  const may = useMay()
  const { money, left, dateOf } = useFormats()
  const orders = { enabled: may('pos:read') }
  const pending = usePage(
    '/api/ext/purchase-orders',
    { status: 'pending_approval', sort: 'createdAt', limit: SHOWN },
    orders,
  )
  const declined = usePage('/api/ext/purchase-orders', { status: 'declined', limit: SHOWN }, orders)
  const closed = usePage(
    '/api/ext/bids/requests',
    { status: 'closed', sort: 'deadline', limit: SHOWN },
    { enabled: may('bids:read') },
  )
  const proposed = usePage(
    '/api/ext/proposals',
    { status: 'proposed', limit: SHOWN },
    { enabled: may('proposals:read'), refetchInterval: EVERY_MS },
  )
  const proposals = proposed.data?.data ?? []
  const [newest] = proposals
  const both = [...(pending.data?.data ?? []), ...(declined.data?.data ?? [])]
  const vendors = useRecords(
    '/api/ext/vendors',
    both.map(({ vendorId }) => vendorId),
  )
  const homes = useRecords(
    '/api/ext/homes',
    both.map(({ homeId }) => homeId),
  )
  const about = ({ vendorId, homeId }: (typeof both)[number]) =>
    [vendors.get(vendorId)?.companyName, homes.get(homeId)?.name].filter((part) => part !== undefined).join(' · ')
  const matters: Matter[] = [
    ...(pending.data?.data ?? []).map((order): Matter => {
      const [reason] = order.approval.reasons
      return {
        ...{ key: order.id, icon: 'orders', tone: 'warn', verb: 'Review' },
        title: `Approve ${order.number}, ${inWords(order.scope)}`,
        note: [about(order), reason === undefined ? '' : inWords(reason).toLowerCase()]
          .filter((part) => part !== '')
          .join(' · '),
        when: money(order.total),
        under: left(dateOf(order.createdAt)),
        to: `/orders/approvals?order=${order.id}`,
      }
    }),
    ...(closed.data?.data ?? []).map(
      (request): Matter => ({
        ...{ key: request.id, icon: 'bids', tone: 'warn', verb: 'Compare' },
        title: `Award ${request.number}, ${request.title ?? inWords(request.scope)}`,
        note: request.lowAmount === null ? 'no bids' : `lowest ${money(request.lowAmount)}`,
        when: count(request.bidCount, 'bid'),
        under: `closed ${left(request.deadline)}`,
        to: `/bidding/${request.id}`,
      }),
    ),
    ...(declined.data?.data ?? []).map(
      (order): Matter => ({
        ...{ key: order.id, icon: 'orders', tone: 'bad', verb: 'Open' },
        title: `${order.number} was declined`,
        note: `${about(order)} · ${inWords(order.scope)}`,
        when: money(order.total),
        under: left(dateOf(order.updatedAt)),
        to: `/orders/${order.id}`,
      }),
    ),
    ...(newest === undefined
      ? []
      : [
          {
            ...{ key: 'proposals', icon: 'agent', tone: 'warn', verb: 'Decide' },
            title:
              proposals.length === 1
                ? `Agent proposal: ${proposalInWords(newest).toLowerCase()}`
                : `Agent proposals: ${proposed.data?.nextCursor === null ? proposals.length : `more than ${SHOWN}`} changes`,
            note: proposals.length === 1 ? newest.note : listed(proposals.slice(0, 3).map(proposalInWords)),
            when: left(dateOf(newest.createdAt)),
            under: 'the newest',
            to: proposals.length === 1 ? `/agents/proposals/${newest.id}` : '/agents/proposals?status=proposed',
          } satisfies Matter,
        ]),
  ]
  return { matters, isLoading: pending.isLoading || closed.isLoading || declined.isLoading }
}

/** Returns the budgets that are exceeded by their orders. */
export function useMoney(): { matters: readonly Matter[]; isLoading: boolean } {
  const may = useMay()
  const { difference } = useFormats()
  const enabled = may('budgets:read') && may('homes:read') && may('pos:read')
  const found = useFinding('detectOverCommittedBudgets', {}, { enabled })
  const byHome = Map.groupBy(found.data?.result.overCommitted ?? [], ({ homeId }) => homeId)
  const matters = [...byHome].slice(0, SHOWN).map(([homeId, scopes]): Matter => {
    const over = scopes.reduce((sum, { overBy }) => sum + overBy, 0)
    return {
      ...{ key: homeId, icon: 'homes', tone: 'bad', verb: 'Budget' },
      title: `${scopes[0]?.homeName} is over-committed`,
      note: listed(scopes.slice(0, 3).map(({ scope, overBy }) => `${scope} by ${difference(overBy).replace('+', '')}`)),
      when: difference(-over),
      under: count(scopes.length, 'trade'),
      to: `/homes/${homeId}`,
    }
  })
  return { matters, isLoading: found.isLoading }
}

/** Returns the bids that are due next. */
export function useBidsDue(): { matters: readonly Matter[]; isLoading: boolean } {
  const may = useMay()
  const { day, left } = useFormats()
  const sent = usePage(
    '/api/ext/bids/requests',
    { status: 'sent', sort: 'deadline', limit: SHOWN },
    { enabled: may('bids:read') },
  )
  const matters = (sent.data?.data ?? []).map(
    (request): Matter => ({
      ...{ key: request.id, icon: 'bids', tone: 'flow', verb: 'Open' },
      title: `${request.number} ${request.title ?? inWords(request.scope)}`,
      note: `${request.bidCount} of ${request.invitationCount} bid${request.blind ? ', amounts hidden' : ''}`,
      when: day(request.deadline),
      under: left(request.deadline),
      to: `/bidding/${request.id}`,
    }),
  )
  return { matters, isLoading: sent.isLoading }
}

/** Returns late tasks, dates that a vendor wants to change, and compliance documents that expire. */
export function useDates(): { matters: readonly Matter[]; isLoading: boolean } {
  const may = useMay()
  const { today, day, left } = useFormats()
  const tasks = { enabled: may('tasks:read') }
  const late = usePage('/api/ext/tasks', { lateOn: today(), sort: 'plannedStart', limit: SHOWN }, tasks)
  const asked = usePage('/api/ext/tasks', { confirmationStatus: 'reschedule_requested', limit: SHOWN }, tasks)
  const papers = { enabled: may('vendors:read') }
  const expired = usePage('/api/ext/vendors', { complianceStatus: 'expired', limit: SHOWN }, papers)
  const expiring = usePage('/api/ext/vendors', { complianceStatus: 'expiring', limit: SHOWN }, papers)
  const all = [...(late.data?.data ?? []), ...(asked.data?.data ?? [])]
  const homes = useRecords(
    '/api/ext/homes',
    all.map(({ homeId }) => homeId),
  )
  const vendors = useRecords(
    '/api/ext/vendors',
    all.map(({ vendorId }) => vendorId),
  )
  const about = ({ vendorId, homeId }: (typeof all)[number]) =>
    [homes.get(homeId)?.name, vendors.get(vendorId ?? '')?.companyName].filter((part) => part !== undefined).join(' · ')
  const names = (page: typeof expired) => listed((page.data?.data ?? []).map(({ companyName }) => companyName))
  const matters: Matter[] = [
    ...(late.data?.data ?? []).map(
      (task): Matter => ({
        ...{ key: task.id, icon: 'schedule', tone: 'bad', verb: 'Schedule' },
        title: `${task.name} is late`,
        note: about(task),
        when: task.plannedEnd === null ? undefined : `due ${day(task.plannedEnd)}`,
        under: task.isCritical ? 'critical path' : task.plannedEnd === null ? '' : left(task.plannedEnd),
        to: `/homes/${task.homeId}?tab=schedule`,
      }),
    ),
    ...(asked.data?.data ?? []).map(
      (task): Matter => ({
        ...{ key: `${task.id} asked`, icon: 'clock', tone: 'warn', verb: 'Schedule' },
        title: `New date proposed for ${task.name}`,
        note: about(task),
        when: task.confirmation.proposedStart === null ? undefined : day(task.confirmation.proposedStart),
        under: task.plannedStart === null ? '' : `instead of ${day(task.plannedStart)}`,
        to: `/homes/${task.homeId}?tab=schedule`,
      }),
    ),
    ...(expired.data?.data.length
      ? [
          {
            ...{ key: 'expired', icon: 'vendors', tone: 'bad', verb: 'Open' },
            title: `Compliance documents expired: ${names(expired)}`,
            note: 'orders and payments are blocked until they are renewed',
            when: expired.data.nextCursor === null ? count(expired.data.data.length, 'vendor') : `${SHOWN} and more`,
            under: 'expired',
            to: '/vendors?complianceStatus=expired',
          } satisfies Matter,
        ]
      : []),
    ...(expiring.data?.data.length
      ? [
          {
            ...{ key: 'expiring', icon: 'vendors', tone: 'warn', verb: 'Open' },
            title: `Compliance documents expire soon: ${names(expiring)}`,
            when: expiring.data.nextCursor === null ? count(expiring.data.data.length, 'vendor') : `${SHOWN} and more`,
            under: 'within 30 days',
            to: '/vendors?complianceStatus=expiring',
          } satisfies Matter,
        ]
      : []),
  ]
  return { matters, isLoading: late.isLoading || expired.isLoading }
}

/** Returns the subscriptions that no longer receive events, or not reliably. */
export function useIntegrations(): { matters: readonly Matter[]; isLoading: boolean } {
  const may = useMay()
  const { time } = useFormats()
  const webhooks = usePage(
    '/api/ext/webhooks',
    { limit: MOST_WEBHOOKS, sort: '-updatedAt' },
    { enabled: may('webhooks:read') },
  )
  const troubled = (webhooks.data?.data ?? []).filter(
    (webhook) => webhook.disabledReason !== 'requested' && healthOf(webhook).tone !== 'ok',
  )
  const matters = troubled.slice(0, SHOWN).map((webhook): Matter => {
    const isOff = webhook.status === 'disabled'
    return {
      ...{ key: webhook.id, icon: 'webhook', tone: isOff ? 'bad' : 'warn', verb: 'Open' },
      title: isOff
        ? `Webhook to ${hostOf(webhook.url)} is disabled`
        : `Deliveries to ${hostOf(webhook.url)} are failing`,
      note:
        webhook.disabledReason === null
          ? 'each event is retried with increasing pauses'
          : REASONS[webhook.disabledReason].why,
      when: isOff ? 'disabled' : count(webhook.consecutiveFailures, 'failure'),
      under: webhook.disabledAt === null ? 'in a row' : time(webhook.disabledAt),
      to: `/settings/webhooks/${webhook.id}`,
    }
  })
  return { matters, isLoading: webhooks.isLoading }
}
