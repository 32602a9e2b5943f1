import { useHomeNames } from '../../api/home-names.ts'
import { useListPage } from '../../api/list-pages.ts'
import { useCan } from '../../api/session.ts'
import { useRecords } from '../../api/use-records.ts'
import { useReadSkill } from '../../api/use-skill.ts'
import { humanizeName } from '../../ui/humanize-name.ts'
import { formatCount, formatList } from '../../ui/text-formats.ts'
import { useFormats } from '../../ui/use-formats.ts'
import { describeProposal } from '../agents/skill-title.tsx'
import { chooseHealthLook, DISABLED_REASONS, getHost } from '../settings/webhooks/webhook-health.tsx'
import type { Matter } from './matter-list.tsx'

/** The maximum number of items of each kind. The list for each kind contains the rest. */
const MAX_SHOWN = 5
/** The maximum number of subscriptions that are checked. An organization has only a few. */
const MAX_WEBHOOKS = 200
/** The polling interval. Proposals have no events that could refresh the page. */
const REFRESH_MS = 60_000

/** Returns the items that a user must decide: approvals, awards, and declined orders. */
export function usePendingDecisions(): { matters: readonly Matter[]; isLoading: boolean } {
  const can = useCan()
  const { money, left, dateOf } = useFormats()
  const orders = { enabled: can('pos:read') }
  const pending = useListPage(
    '/api/ext/purchase-orders',
    { status: 'pending_approval', sort: 'createdAt', limit: MAX_SHOWN },
    orders,
  )
  const declined = useListPage('/api/ext/purchase-orders', { status: 'declined', limit: MAX_SHOWN }, orders)
  const closed = useListPage(
    '/api/ext/bids/requests',
    { status: 'closed', sort: 'deadline', limit: MAX_SHOWN },
    { enabled: can('bids:read') },
  )
  const proposed = useListPage(
    '/api/ext/proposals',
    { status: 'proposed', limit: MAX_SHOWN },
    { enabled: can('proposals:read'), refetchInterval: REFRESH_MS },
  )
  const proposals = proposed.data?.data ?? []
  const [newest] = proposals
  const both = [...(pending.data?.data ?? []), ...(declined.data?.data ?? [])]
  const vendors = useRecords(
    '/api/ext/vendors',
    both.map(({ vendorId }) => vendorId),
  )
  const homes = useHomeNames(both.map(({ homeId }) => homeId))
  const about = ({ vendorId, homeId }: (typeof both)[number]) =>
    [vendors.get(vendorId)?.companyName, homes.get(homeId)].filter((part) => part !== undefined).join(' · ')
  const matters: Matter[] = [
    ...(pending.data?.data ?? []).map((order): Matter => {
      const [reason] = order.approval.reasons
      return {
        ...{ key: order.id, icon: 'orders', tone: 'warn', verb: 'Review order' },
        title: `Approve ${order.number}, ${humanizeName(order.scope)}`,
        note: [about(order), reason === undefined ? '' : humanizeName(reason).toLowerCase()]
          .filter((part) => part !== '')
          .join(' · '),
        when: money(order.total),
        under: left(dateOf(order.createdAt)),
        to: `/orders/approvals?order=${order.id}`,
      }
    }),
    ...(closed.data?.data ?? []).map(
      (request): Matter => ({
        ...{ key: request.id, icon: 'bids', tone: 'warn', verb: 'Compare bids' },
        title: `Award ${request.number}, ${request.title ?? humanizeName(request.scope)}`,
        note: request.lowAmount === null ? 'no bids' : `lowest ${money(request.lowAmount)}`,
        when: formatCount(request.bidCount, 'bid'),
        under: `closed ${left(request.deadline)}`,
        to: `/bidding/${request.id}`,
      }),
    ),
    ...(declined.data?.data ?? []).map(
      (order): Matter => ({
        ...{ key: order.id, icon: 'orders', tone: 'bad', verb: 'Open order' },
        title: `${order.number} was declined`,
        note: `${about(order)} · ${humanizeName(order.scope)}`,
        when: money(order.total),
        under: left(dateOf(order.updatedAt)),
        to: `/orders/${order.id}`,
      }),
    ),
    ...(newest === undefined
      ? []
      : [
          {
            ...{
              key: 'proposals',
              icon: 'agent',
              tone: 'warn',
              verb: proposals.length === 1 ? 'Review proposal' : 'Review proposals',
            },
            title:
              proposals.length === 1
                ? `Agent proposal: ${describeProposal(newest).toLowerCase()}`
                : `Agent proposals: ${proposed.data?.nextCursor === null ? proposals.length : `more than ${MAX_SHOWN}`} changes`,
            note: proposals.length === 1 ? newest.note : formatList(proposals.slice(0, 3).map(describeProposal)),
            when: left(dateOf(newest.createdAt)),
            under: 'the newest',
            to: proposals.length === 1 ? `/agents/proposals/${newest.id}` : '/agents/proposals?status=proposed',
          } satisfies Matter,
        ]),
  ]
  return { matters, isLoading: pending.isLoading || closed.isLoading || declined.isLoading }
}

/** Returns the budgets that the orders exceed. */
export function useBudgetOverruns(): { matters: readonly Matter[]; isLoading: boolean } {
  const can = useCan()
  const { difference } = useFormats()
  const enabled = can('budgets:read') && can('homes:read') && can('pos:read')
  const found = useReadSkill('detectOverCommittedBudgets', {}, { enabled })
  const byHome = Map.groupBy(found.data?.result.overCommitted ?? [], ({ homeId }) => homeId)
  const homes = useHomeNames([...byHome.keys()])
  const matters = [...byHome].slice(0, MAX_SHOWN).map(([homeId, scopes]): Matter => {
    const over = scopes.reduce((sum, { overBy }) => sum + overBy, 0)
    return {
      ...{ key: homeId, icon: 'homes', tone: 'bad', verb: 'Open budget' },
      title: `${homes.get(homeId) ?? scopes[0]?.homeName} is over-committed`,
      note: formatList(
        scopes.slice(0, 3).map(({ scope, overBy }) => `${scope} by ${difference(overBy).replace('+', '')}`),
      ),
      when: difference(-over),
      under: formatCount(scopes.length, 'trade'),
      to: `/homes/${homeId}`,
    }
  })
  return { matters, isLoading: found.isLoading }
}

/** Returns a text such as `2 bids from 3 invited vendors`. */
function countBids({ bidCount, invitationCount }: { bidCount: number; invitationCount: number }): string {
  return `${formatCount(bidCount, 'bid')} from ${formatCount(invitationCount, 'invited vendor')}`
}

/** Returns the bid requests with the next deadlines. */
export function useDueBids(): { matters: readonly Matter[]; isLoading: boolean } {
  const can = useCan()
  const { day, left } = useFormats()
  const sent = useListPage(
    '/api/ext/bids/requests',
    { status: 'sent', sort: 'deadline', limit: MAX_SHOWN },
    { enabled: can('bids:read') },
  )
  const matters = (sent.data?.data ?? []).map(
    (request): Matter => ({
      ...{ key: request.id, icon: 'bids', tone: 'flow', verb: 'Open request' },
      title: `${request.number} ${request.title ?? humanizeName(request.scope)}`,
      note: request.blind ? `${countBids(request)}, amounts sealed` : countBids(request),
      when: day(request.deadline),
      under: left(request.deadline),
      to: `/bidding/${request.id}`,
    }),
  )
  return { matters, isLoading: sent.isLoading }
}

/** Returns late tasks, dates that vendors want to change, and compliance documents that are about to expire. */
export function useDateAlerts(): { matters: readonly Matter[]; isLoading: boolean } {
  const can = useCan()
  const { today, day, left } = useFormats()
  const tasks = { enabled: can('tasks:read') }
  const late = useListPage('/api/ext/tasks', { lateOn: today(), sort: 'plannedStart', limit: MAX_SHOWN }, tasks)
  const requested = useListPage(
    '/api/ext/tasks',
    { confirmationStatus: 'reschedule_requested', limit: MAX_SHOWN },
    tasks,
  )
  const documents = { enabled: can('vendors:read') }
  const expired = useListPage('/api/ext/vendors', { complianceStatus: 'expired', limit: MAX_SHOWN }, documents)
  const expiring = useListPage('/api/ext/vendors', { complianceStatus: 'expiring', limit: MAX_SHOWN }, documents)
  const all = [...(late.data?.data ?? []), ...(requested.data?.data ?? [])]
  const homes = useHomeNames(all.map(({ homeId }) => homeId))
  const vendors = useRecords(
    '/api/ext/vendors',
    all.map(({ vendorId }) => vendorId),
  )
  const about = ({ vendorId, homeId }: (typeof all)[number]) =>
    [homes.get(homeId), vendors.get(vendorId ?? '')?.companyName].filter((part) => part !== undefined).join(' · ')
  const names = (page: typeof expired) => formatList((page.data?.data ?? []).map(({ companyName }) => companyName))
  const matters: Matter[] = [
    ...(late.data?.data ?? []).map(
      (task): Matter => ({
        ...{ key: task.id, icon: 'schedule', tone: 'bad', verb: 'Open schedule' },
        title: `${task.name} is late`,
        note: about(task),
        when: task.plannedEnd === null ? undefined : `due ${day(task.plannedEnd)}`,
        under: task.isCritical ? 'critical path' : task.plannedEnd === null ? '' : left(task.plannedEnd),
        to: `/homes/${task.homeId}?tab=schedule`,
      }),
    ),
    ...(requested.data?.data ?? []).map(
      (task): Matter => ({
        ...{ key: `${task.id} asked`, icon: 'clock', tone: 'warn', verb: 'Open schedule' },
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
            ...{ key: 'expired', icon: 'vendors', tone: 'bad', verb: 'View vendors' },
            title: `Compliance documents expired: ${names(expired)}`,
            note: 'orders and payments are blocked until the documents are renewed',
            when:
              expired.data.nextCursor === null
                ? formatCount(expired.data.data.length, 'vendor')
                : `More than ${MAX_SHOWN} vendors`,
            under: 'expired',
            to: '/vendors?complianceStatus=expired',
          } satisfies Matter,
        ]
      : []),
    ...(expiring.data?.data.length
      ? [
          {
            ...{ key: 'expiring', icon: 'vendors', tone: 'warn', verb: 'View vendors' },
            title: `Compliance documents expire soon: ${names(expiring)}`,
            when:
              expiring.data.nextCursor === null
                ? formatCount(expiring.data.data.length, 'vendor')
                : `More than ${MAX_SHOWN} vendors`,
            under: 'within 30 days',
            to: '/vendors?complianceStatus=expiring',
          } satisfies Matter,
        ]
      : []),
  ]
  return { matters, isLoading: late.isLoading || expired.isLoading }
}

/** Returns the subscriptions that receive no events or receive them unreliably. */
export function useFailingWebhooks(): { matters: readonly Matter[]; isLoading: boolean } {
  const can = useCan()
  const { time } = useFormats()
  const webhooks = useListPage(
    '/api/ext/webhooks',
    { limit: MAX_WEBHOOKS, sort: '-updatedAt' },
    { enabled: can('webhooks:read') },
  )
  const troubled = (webhooks.data?.data ?? []).filter(
    (webhook) => webhook.disabledReason !== 'requested' && chooseHealthLook(webhook).tone !== 'ok',
  )
  const matters = troubled.slice(0, MAX_SHOWN).map((webhook): Matter => {
    const isOff = webhook.status === 'disabled'
    return {
      ...{ key: webhook.id, icon: 'webhook', tone: isOff ? 'bad' : 'warn', verb: 'Open webhook' },
      title: isOff
        ? `Webhook to ${getHost(webhook.url)} is disabled`
        : `Deliveries to ${getHost(webhook.url)} are failing`,
      note:
        webhook.disabledReason === null
          ? 'each event is retried with increasing pauses'
          : DISABLED_REASONS[webhook.disabledReason].why,
      when: isOff ? 'disabled' : formatCount(webhook.consecutiveFailures, 'failure'),
      under: webhook.disabledAt === null ? 'in a row' : time(webhook.disabledAt),
      to: `/settings/webhooks/${webhook.id}`,
    }
  })
  return { matters, isLoading: webhooks.isLoading }
}
