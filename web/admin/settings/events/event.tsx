import { Link, useParams } from 'react-router'
import type { Event, Webhook } from '../../../../client/contract.gen.ts'
import { useListPage } from '../../../api/list-pages.ts'
import { plumbline } from '../../../api/plumbline.ts'
import { useCan } from '../../../api/session.ts'
import { ActorName } from '../../../ui/actor-name.tsx'
import { Status } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Code } from '../../../ui/code.tsx'
import { getEventObjectId, getEventObjectName } from '../../../ui/event-list.tsx'
import { Page } from '../../../ui/page.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { ChangeError, LoadError, SkeletonLines } from '../../../ui/states.tsx'
import { EmptyCell } from '../../../ui/table.tsx'
import { TimeText } from '../../../ui/time.tsx'
import { TitleBlock } from '../../../ui/title-block.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { getHost } from '../webhooks/webhook-health.tsx'

/**
 * The maximum number of subscriptions that are checked for an event. The pages of the other subscriptions show their
 * deliveries.
 */
const MAX_RECEIVERS = 20

/** Shows one event: its payload, and which subscriptions received it. */
export function Component() {
  const { eventId = '' } = useParams()
  const can = useCan()
  const event = plumbline.useQuery('get', '/api/ext/events/{eventId}', { params: { path: { eventId } } })
  const name = event.data?.type ?? 'Event'
  return (
    <Page title={name} crumbs={[{ name: 'Settings' }, { name: 'Events', to: '/settings/events' }, { name }]}>
      {event.error !== null ? (
        <LoadError what="The event" error={event.error} onRetry={() => void event.refetch()} />
      ) : event.data === undefined ? (
        <SkeletonLines lines={8} />
      ) : (
        <>
          <EventFacts event={event.data} />
          <div className="cols">
            <Panel title="Payload" hint="as sent to subscribers">
              <Code label="The payload" copied="The event" text={JSON.stringify(event.data, null, 2)} />
            </Panel>
            {can('webhooks:read') && (
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

function EventFacts({ event }: { event: Event }) {
  const { actor, timestamp, sequence } = event
  const id = getEventObjectId(event)
  return (
    <TitleBlock
      name={event.type}
      sub={<code>{event.id}</code>}
      facts={[
        {
          label: 'Record',
          value: getEventObjectName(event) || id,
          note: <Link to={`/settings/events?resourceId=${id}`}>All events for this record</Link>,
        },
        { label: 'Changed by', value: <ActorName of={actor} /> },
        { label: 'When', value: <TimeText at={timestamp} /> },
        { label: 'Number', value: sequence, note: 'sequence number', isWideOnly: true },
      ]}
    />
  )
}

function Receivers({ event }: { event: Event }) {
  const webhooks = useListPage('/api/ext/webhooks', { limit: 200 })
  if (webhooks.error !== null)
    return <LoadError what="The webhooks" error={webhooks.error} onRetry={() => void webhooks.refetch()} />
  if (webhooks.data === undefined) return <SkeletonLines lines={2} />
  const reported = webhooks.data.data
    .filter(({ eventTypes }) => eventTypes.includes('*') || eventTypes.includes(event.type))
    .slice(0, MAX_RECEIVERS)
  if (reported.length === 0) return <p className="muted">No webhook is subscribed to it.</p>
  return (
    <ul className="line-list">
      {reported.map((webhook) => (
        <ReceiverLine key={webhook.id} {...{ webhook, event }} />
      ))}
    </ul>
  )
}

function ReceiverLine({ webhook, event }: { webhook: Webhook; event: Event }) {
  const can = useCan()
  const deliveries = useListPage(
    '/api/ext/webhooks/{webhookId}/deliveries',
    { eventId: event.id, limit: 1 },
    { place: { webhookId: webhook.id } },
  )
  const again = plumbline.useMutation('post', '/api/ext/deliveries/{deliveryId}/redeliver', {
    onSuccess: () => showToast(`Event sent again to ${getHost(webhook.url)}`),
  })
  const [delivery] = deliveries.data?.data ?? []
  return (
    <li>
      <span className="what">
        <Link to={`/settings/webhooks/${webhook.id}${delivery === undefined ? '' : `/deliveries/${delivery.id}`}`}>
          <b>{getHost(webhook.url)}</b>
        </Link>
        <span>
          {delivery === undefined ? (
            <EmptyCell
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
        <ChangeError error={again.error} />
      </span>
      {delivery !== undefined && can('webhooks:write') && (
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
