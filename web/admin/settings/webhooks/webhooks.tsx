import { useState } from 'react'
import { Link } from 'react-router'
import type { Webhook } from '../../../../client/contract.gen.ts'
import { root } from '../../../api/plumbline.ts'
import { useCan } from '../../../api/session.ts'
import { useLiveUpdates } from '../../../api/use-live-updates.ts'
import { useActorNames } from '../../../ui/actor-names.ts'
import { Button } from '../../../ui/button.tsx'
import { Listing } from '../../../ui/listing.tsx'
import { Page } from '../../../ui/page.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { type Column, EmptyCell } from '../../../ui/table.tsx'
import { useFormats } from '../../../ui/use-formats.ts'
import { WebhookForm } from './webhook-form.tsx'
import { chooseHealthLook, getHost, MAX_FAILURES, WebhookHealth } from './webhook-health.tsx'

const FILTERS = [
  {
    name: 'status',
    label: 'Status',
    options: [
      { value: 'active', label: 'Active' },
      { value: 'disabled', label: 'Disabled' },
    ],
  },
] as const

/** Lists webhook subscriptions and their health. */
export function Component() {
  useLiveUpdates('at ease')
  const can = useCan()
  const { day, dateOf } = useFormats()
  const [isNew, setIsNew] = useState(false)
  const create = can('webhooks:write') && (
    <Button look="primary" icon="plus" onClick={() => setIsNew(true)}>
      New webhook
    </Button>
  )
  const columns: readonly Column<Webhook>[] = [
    {
      head: 'Receiver',
      className: 'long',
      cell: ({ id, url }) => (
        <>
          <Link className="lead clip" to={`/settings/webhooks/${id}`} title={url}>
            {getHost(url)}
          </Link>
          <span className="sub mono clip">{url}</span>
        </>
      ),
      csv: ({ url }) => url,
    },
    {
      head: 'Status',
      cell: (webhook) => <WebhookHealth webhook={webhook} />,
      csv: (webhook) => chooseHealthLook(webhook).word,
    },
    {
      head: 'Consecutive failures',
      numeric: true,
      cell: ({ consecutiveFailures }) =>
        consecutiveFailures === 0 ? (
          <EmptyCell word="0" />
        ) : (
          <span className="tone-warn">
            {consecutiveFailures} of {MAX_FAILURES}
          </span>
        ),
      csv: ({ consecutiveFailures }) => consecutiveFailures,
    },
    {
      head: 'Events',
      cell: ({ eventTypes }) => <EventTypes types={eventTypes} />,
      csv: ({ eventTypes }) => eventTypes.join(' '),
    },
    { head: 'Acts for', isWideOnly: true, cell: ({ owner }) => <WebhookOwner of={owner} /> },
    {
      head: 'Created',
      sort: 'createdAt',
      className: 'nowrap',
      isWideOnly: true,
      cell: ({ createdAt }) => day(dateOf(createdAt)),
      csv: ({ createdAt }) => createdAt,
    },
  ]
  return (
    <Page title="Webhooks" crumbs={[{ name: 'Settings' }, { name: 'Webhooks' }]} actions={create}>
      <div className="page-head">
        <h1>Webhooks</h1>
        <p>
          Subscriptions that send signed events to your systems.{' '}
          <a href={`${root}/docs/guides/webhooks`}>Read the guide</a>
        </p>
      </div>
      <Listing
        path="/api/ext/webhooks"
        nouns={['webhook', 'webhooks']}
        columns={columns}
        keyOf={({ id }) => id}
        sort="-createdAt"
        filters={FILTERS}
        empty={
          <EmptyState icon="webhook" title="No webhooks yet" actions={create}>
            Add a webhook to notify your systems of changes immediately.
          </EmptyState>
        }
      />
      {isNew && <WebhookForm onClose={() => setIsNew(false)} />}
    </Page>
  )
}

export function WebhookOwner({ of }: { of: Webhook['owner'] }) {
  return useActorNames([of])(of)
}

const MAX_TYPES_SHOWN = 2

export function EventTypes({ types }: { types: readonly string[] }) {
  if (types.includes('*')) return 'all events that the owner can read'
  return (
    <span title={types.join(', ')}>
      {types.slice(0, MAX_TYPES_SHOWN).join(', ')}
      {types.length > MAX_TYPES_SHOWN && <span className="faint"> and {types.length - MAX_TYPES_SHOWN} more</span>}
    </span>
  )
}
