import { useState } from 'react'
import type { HeldPermission } from '../../../client/contract.gen.ts'
import { useMay, useSession } from '../../api/caller.ts'
import { usePage } from '../../api/pages.ts'

export interface FirstStep {
  name: 'community' | 'vendors' | 'request' | 'key' | 'webhook'
  title: string
  why: string
  takes: string
  verb: string
  to: string
  other?: { verb: string; to: string }
  /** Who may not take the step is not shown it. */
  needs: HeldPermission
  isDone: boolean
}

type Told = Omit<FirstStep, 'isDone'>

const STEPS: readonly Told[] = [
  {
    name: 'community',
    title: 'Add a community',
    why: 'Where you build. Homes, prices and workdays hang on it.',
    takes: '1 minute',
    verb: 'Add a community',
    to: '/communities',
    needs: 'communities:write',
  },
  {
    name: 'vendors',
    title: 'Bring your vendors',
    why: 'Hand in a CSV file from your accounting; names, trades and mail addresses are enough.',
    takes: '5 minutes',
    verb: 'Import a file',
    to: '/vendors/import',
    other: { verb: 'Add one', to: '/vendors' },
    needs: 'vendors:write',
  },
  {
    name: 'request',
    title: 'Ask for bids',
    why: 'Vendors get a link that works on a phone, without an account. You compare, try the award out, and award.',
    takes: '2 minutes',
    verb: 'New bid request',
    to: '/bidding/new',
    needs: 'bids:write',
  },
  {
    name: 'key',
    title: 'Connect a program',
    why: 'An agent, your accounting, your own scripts: everything here is an operation that a key can call.',
    takes: '1 minute',
    verb: 'Create a key',
    to: '/settings/keys',
    needs: 'keys:write',
  },
  {
    name: 'webhook',
    title: 'Let it hear what happens',
    why: 'A webhook is told of every event that it subscribes to, signed and at least once.',
    takes: '2 minutes',
    verb: 'Add a webhook',
    to: '/settings/webhooks',
    needs: 'webhooks:write',
  },
]

const ONE = { limit: 1 } as const

/**
 * The steps of a builder that begins, each done when there is what it leads to; null once the first order is written, all
 * of it is done, or somebody said that they do not want to see it on this device.
 */
export function useFirstSteps(): { steps: readonly FirstStep[] | null; isLoading: boolean; dismiss(): void } {
  const may = useMay()
  const { organization } = useSession()
  const place = `first-steps-dismissed ${organization.id}`
  const [isDismissed, setIsDismissed] = useState(() => localStorage.getItem(place) !== null)
  const mine = isDismissed ? [] : STEPS.filter(({ needs }) => may(needs))
  const enabled = mine.length > 0
  const orders = usePage('/api/ext/purchase-orders', ONE, { enabled: enabled && may('pos:read') })
  // Nobody else needs the rest, which is most people on most days.
  const begins = enabled && orders.data?.data.length === 0
  const asked = (name: FirstStep['name']) => ({ enabled: begins && mine.some((step) => step.name === name) })
  const lists = {
    community: usePage('/api/ext/communities', ONE, asked('community')).data,
    vendors: usePage('/api/ext/vendors', ONE, asked('vendors')).data,
    request: usePage('/api/ext/bids/requests', ONE, asked('request')).data,
    key: usePage('/api/admin/keys', ONE, asked('key')).data,
    webhook: usePage('/api/ext/webhooks', ONE, asked('webhook')).data,
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
