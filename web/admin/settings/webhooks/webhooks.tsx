import { useState } from 'react'
import { Link } from 'react-router'
import type { Webhook } from '../../../../client/contract.gen.ts'
import { useMay } from '../../../api/caller.ts'
import { useLive } from '../../../api/live.ts'
import { root } from '../../../api/plumbline.ts'
import { useActorNames } from '../../../ui/actors.ts'
import { Button } from '../../../ui/button.tsx'
import { Listing } from '../../../ui/listing.tsx'
import { useFormats } from '../../../ui/organization.ts'
import { Page } from '../../../ui/page.tsx'
import { Empty } from '../../../ui/states.tsx'
import { type Column, None } from '../../../ui/table.tsx'
import { Health, healthOf, hostOf, MOST_FAILURES } from './health.tsx'
import { WebhookForm } from './webhook-form.tsx'

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
  useLive('at ease')
  const may = useMay()
  const { day, dateOf } = useFormats()
  const [isNew, setIsNew] = useState(false)
  const create = may('webhooks:write') && (
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
            {hostOf(url)}
          </Link>
          <span className="sub mono clip">{url}</span>
        </>
      ),
      csv: ({ url }) => url,
    },
    { head: 'Status', cell: (webhook) => <Health webhook={webhook} />, csv: (webhook) => healthOf(webhook).word },
    {
      head: 'Consecutive failures',
      numeric: true,
      cell: ({ consecutiveFailures }) =>
        consecutiveFailures === 0 ? (
          <None word="0" />
        ) : (
          <span className="tone-warn">
            {consecutiveFailures} of {MOST_FAILURES}
          </span>
        ),
      csv: ({ consecutiveFailures }) => consecutiveFailures,
    },
    {
      head: 'Events',
      cell: ({ eventTypes }) => <EventTypes types={eventTypes} />,
      csv: ({ eventTypes }) => eventTypes.join(' '),
    },
    { head: 'Acts for', isWideOnly: true, cell: ({ owner }) => <Owner of={owner} /> },
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
          <Empty icon="webhook" title="No webhooks yet" actions={create}>
            Add a webhook to notify your systems of changes immediately.
          </Empty>
        }
      />
      {isNew && <WebhookForm onClose={() => setIsNew(false)} />}
    </Page>
  )
}

export function Owner({ of }: { of: Webhook['owner'] }) {
  return useActorNames([of])(of)
}

const FEW = 2

export function EventTypes({ types }: { types: readonly string[] }) {
  if (types.includes('*')) return 'all that its owner can read'
  return (
    <span title={types.join(', ')}>
      {types.slice(0, FEW).join(', ')}
      {types.length > FEW && <span className="faint"> and {types.length - FEW} more</span>}
    </span>
  )
}
