import { Link, useParams } from 'react-router'
import type { Event, Webhook } from '../../../../client/contract.gen.ts'
import { useMay } from '../../../api/caller.ts'
import { usePage } from '../../../api/pages.ts'
import { plumbline } from '../../../api/plumbline.ts'
import { ActorName } from '../../../ui/actor-name.tsx'
import { Status } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Code } from '../../../ui/code.tsx'
import { idOfObject, nameOfObject } from '../../../ui/event-list.tsx'
import { Page } from '../../../ui/page.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { Failed, Refused, SkeletonLines } from '../../../ui/states.tsx'
import { None } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'
import { TitleBlock } from '../../../ui/title-block.tsx'
import { say } from '../../../ui/toast.tsx'
import { hostOf } from '../webhooks/health.tsx'

/** How many subscriptions are checked for one event. The rest are on the pages of the subscriptions. */
const MOST_RECEIVERS = 20

/** Shows one event: its payload and its receivers. */
export function Component() {
  const { eventId = '' } = useParams()
  const may = useMay()
  const event = plumbline.useQuery('get', '/api/ext/events/{eventId}', { params: { path: { eventId } } })
  const name = event.data?.type ?? 'Event'
  return (
    <Page title={name} crumbs={[{ name: 'Settings' }, { name: 'Events', to: '/settings/events' }, { name }]}>
      {event.error !== null ? (
        <Failed what="The event" error={event.error} onRetry={() => void event.refetch()} />
      ) : event.data === undefined ? (
        <SkeletonLines lines={8} />
      ) : (
        <>
          <Facts event={event.data} />
          <div className="cols">
            <Panel title="Payload" hint="as sent to subscribers">
              <Code label="The payload" copied="The event" text={JSON.stringify(event.data, null, 2)} />
            </Panel>
            {may('webhooks:read') && (
              <Panel title="Deliveries" isFlush>
                <Receivers event={event.data} />
              </Panel>
            )}
          </div>
        </>
      )}
    </Page>
  )
}

function Facts({ event }: { event: Event }) {
  const { actor, timestamp, sequence } = event
  const id = idOfObject(event)
  return (
    <TitleBlock
      name={event.type}
      sub={<code>{event.id}</code>}
      facts={[
        {
          label: 'Record',
          value: nameOfObject(event) || id,
          note: <Link to={`/settings/events?resourceId=${id}`}>all events for this record</Link>,
        },
        { label: 'By', value: <ActorName of={actor} /> },
        { label: 'When', value: <Time at={timestamp} /> },
        { label: 'Number', value: sequence, note: 'sequence number', isWideOnly: true },
      ]}
    />
  )
}

function Receivers({ event }: { event: Event }) {
  const webhooks = usePage('/api/ext/webhooks', { limit: 200 })
  if (webhooks.error !== null)
    return <Failed what="The webhooks" error={webhooks.error} onRetry={() => void webhooks.refetch()} />
  if (webhooks.data === undefined) return <SkeletonLines lines={2} />
  const told = webhooks.data.data
    .filter(({ eventTypes }) => eventTypes.includes('*') || eventTypes.includes(event.type))
    .slice(0, MOST_RECEIVERS)
  if (told.length === 0) return <p className="muted">No webhook is subscribed to it.</p>
  return (
    <ul className="line-list">
      {told.map((webhook) => (
        <ReceiverLine key={webhook.id} {...{ webhook, event }} />
      ))}
    </ul>
  )
}

function ReceiverLine({ webhook, event }: { webhook: Webhook; event: Event }) {
  const may = useMay()
  const deliveries = usePage(
    '/api/ext/webhooks/{webhookId}/deliveries',
    { eventId: event.id, limit: 1 },
    { place: { webhookId: webhook.id } },
  )
  const again = plumbline.useMutation('post', '/api/ext/deliveries/{deliveryId}/redeliver', {
    onSuccess: () => say(`Event sent again to ${hostOf(webhook.url)}`),
  })
  const [delivery] = deliveries.data?.data ?? []
  return (
    <li>
      <span className="what">
        <Link to={`/settings/webhooks/${webhook.id}${delivery === undefined ? '' : `/deliveries/${delivery.id}`}`}>
          <b>{hostOf(webhook.url)}</b>
        </Link>
        <span>
          {delivery === undefined ? (
            <None
              word={
                deliveries.isPending
                  ? 'looking'
                  : 'not sent: the event is older than the webhook, or its delivery is no longer stored'
              }
            />
          ) : (
            <Status of="delivery" is={delivery.status} bare />
          )}
        </span>
        <Refused error={again.error} />
      </span>
      {delivery !== undefined && may('webhooks:write') && (
        <Button
          small
          icon="refresh"
          className="push"
          busy={again.isPending}
          onClick={() => again.mutate({ params: { path: { deliveryId: delivery.id } } })}
        >
          Send again
        </Button>
      )}
    </li>
  )
}
