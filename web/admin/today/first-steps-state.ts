import { useState } from 'react'
import type { HeldPermission } from '../../../client/contract.gen.ts'
import { useListPage } from '../../api/list-pages.ts'
import { useCan, useSession } from '../../api/session.ts'

export interface FirstStep {
  name: 'community' | 'vendors' | 'request' | 'key' | 'webhook'
  title: string
  why: string
  takes: string
  verb: string
  to: string
  other?: { verb: string; to: string }
  /** The permission that the step requires. The step is hidden from users without it. */
  needs: HeldPermission
  isDone: boolean
}

type StepDefinition = Omit<FirstStep, 'isDone'>

const STEPS: readonly StepDefinition[] = [
  {
    name: 'community',
    title: 'Add community',
    why: 'A community groups homes and defines their prices and workdays.',
    takes: '1 minute',
    verb: 'Add community',
    to: '/communities',
    needs: 'communities:write',
  },
  {
    name: 'vendors',
    title: 'Import vendors',
    why: 'Upload a CSV file from your accounting system with names, trades, and email addresses.',
    takes: '5 minutes',
    verb: 'Import file',
    to: '/imports?kind=vendor',
    other: { verb: 'Add vendor', to: '/vendors' },
    needs: 'vendors:write',
  },
  {
    name: 'request',
    title: 'Request bids',
    why: 'Vendors get a link that works on a phone, without an account. Compare the bids, preview the award, and award the work.',
    takes: '2 minutes',
    verb: 'New bid request',
    to: '/bidding/new',
    needs: 'bids:write',
  },
  {
    name: 'key',
    title: 'Connect another system',
    why: 'With an API key, agents, accounting systems, and scripts can use every function of Plumbline.',
    takes: '1 minute',
    verb: 'Create API key',
    to: '/settings/keys',
    needs: 'keys:write',
  },
  {
    name: 'webhook',
    title: 'Subscribe to changes',
    why: 'A webhook sends your system a signed event for each change that you subscribe to. Each event is sent at least once.',
    takes: '2 minutes',
    verb: 'Add webhook',
    to: '/settings/webhooks',
    needs: 'webhooks:write',
  },
]

const ONE_RECORD = { limit: 1 } as const

/**
 * Returns the first steps of a new builder. A step is done when its record exists. Returns null if the first order has
 * been written, all steps are done, or the user has hidden the steps on this device.
 */
export function useFirstSteps(): { steps: readonly FirstStep[] | null; isLoading: boolean; dismiss(): void } {
  const can = useCan()
  const { organization } = useSession()
  const place = `first-steps-dismissed ${organization.id}`
  const [isDismissed, setIsDismissed] = useState(() => localStorage.getItem(place) !== null)
  const mine = isDismissed ? [] : STEPS.filter(({ needs }) => can(needs))
  const enabled = mine.length > 0
  const orders = useListPage('/api/ext/purchase-orders', ONE_RECORD, { enabled: enabled && can('pos:read') })
  // Nearly all organizations already have orders. In this case, the other requests are not needed.
  const begins = enabled && orders.data?.data.length === 0
  const requested = (name: FirstStep['name']) => ({ enabled: begins && mine.some((step) => step.name === name) })
  const lists = {
    community: useListPage('/api/ext/communities', ONE_RECORD, requested('community')).data,
    vendors: useListPage('/api/ext/vendors', ONE_RECORD, requested('vendors')).data,
    request: useListPage('/api/ext/bids/requests', ONE_RECORD, requested('request')).data,
    key: useListPage('/api/admin/keys', ONE_RECORD, requested('key')).data,
    webhook: useListPage('/api/ext/webhooks', ONE_RECORD, requested('webhook')).data,
  }
  const isLoading = enabled && (orders.isLoading || (begins && mine.some(({ name }) => lists[name] === undefined)))
  const steps = mine.map((step) => ({ ...step, isDone: (lists[step.name]?.data.length ?? 0) > 0 }))
  return {
    isLoading,
    steps: !begins || isLoading || steps.every(({ isDone }) => isDone) ? null : steps,
    dismiss() {
      localStorage.setItem(place, new Date().toISOString())
      setIsDismissed(true)
    },
  }
}
